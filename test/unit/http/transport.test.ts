/** Which transports are refused at start, whose headers count, and who the client is. */
import { describe, expect, it } from "vitest"
import { plainAddress, type TransportSettings, transportPolicy } from "../../../src/http/edge/transport.ts"

const policy = (settings: Partial<TransportSettings>) =>
  transportPolicy({ host: "127.0.0.1", production: false, tls: null, trustProxy: [], ...settings })

const tls = { certFile: "c", keyFile: "k" }

describe("the transport policy", () => {
  it("serves plain HTTP on loopback only, outside production only", () => {
    for (const host of ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) expect(policy({ host }).mode).toBe("plain")
    for (const host of ["0.0.0.0", "::", "10.0.0.1", "example.com", "127.0.0.1.example.com"])
      expect(() => policy({ host })).toThrow(/loopback only/)
    expect(() => policy({ production: true })).toThrow(/refused in production/)
  })

  it("listens anywhere with a certificate or behind a proxy", () => {
    expect(policy({ host: "0.0.0.0", production: true, tls }).mode).toBe("direct")
    expect(policy({ host: "0.0.0.0", production: true, trustProxy: ["10.0.0.0/8"] }).mode).toBe("proxy")
  })

  it("refuses a TRUST_PROXY that is no address", () => {
    for (const entry of ["proxy", "10.0.0.0/33", "10.0.0.0/x", "", "10.0.0.0/-1", "::1/129"])
      expect(() => policy({ trustProxy: [entry] })).toThrow(/neither an IP address nor a CIDR/)
  })

  it("behind a proxy takes HTTPS for true only from the proxy", () => {
    const proxied = policy({ trustProxy: ["10.0.0.0/8", "::1"] })
    expect(proxied.isSecure("10.1.2.3", "https")).toBe(true)
    expect(proxied.isSecure("::1", "HTTPS")).toBe(true)
    expect(proxied.isSecure("10.1.2.3", "http")).toBe(false)
    expect(proxied.isSecure("10.1.2.3", "https, http")).toBe(false)
    expect(proxied.isSecure("10.1.2.3", "https, https")).toBe(true)
    expect(proxied.isSecure("10.1.2.3", "")).toBe(false)
    expect(proxied.isSecure("11.1.2.3", "https")).toBe(false)
  })

  it("finds the client behind trusted hops, and believes nobody else", () => {
    const proxied = policy({ trustProxy: ["10.0.0.0/8"] })
    expect(proxied.clientIp("10.0.0.1", "1.2.3.4")).toBe("1.2.3.4")
    expect(proxied.clientIp("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2")).toBe("1.2.3.4")
    expect(proxied.clientIp("10.0.0.1", "6.6.6.6, nonsense")).toBe("10.0.0.1")
    expect(proxied.clientIp("10.0.0.1", "")).toBe("10.0.0.1")
    expect(proxied.clientIp("9.9.9.9", "1.2.3.4")).toBe("9.9.9.9")
    expect(policy({}).clientIp("127.0.0.1", "1.2.3.4")).toBe("127.0.0.1")
  })

  it("reads addresses as the socket library writes them", () => {
    expect(plainAddress("127.0.0.1")).toBe("127.0.0.1")
    expect(plainAddress("0000:0000:0000:0000:0000:ffff:7f00:0001")).toBe("127.0.0.1")
    expect(plainAddress("::ffff:10.0.0.1")).toBe("10.0.0.1")
    expect(plainAddress("0000:0000:0000:0000:0000:0000:0000:0001")).toBe("::1")
  })
})
