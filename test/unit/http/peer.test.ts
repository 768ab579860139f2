/** Whom a request comes from, by the bytes that uWebSockets has of the other end: no two addresses are taken for one. */
import { expect, it } from "vitest"
import type { Surroundings } from "../../../src/http/edge/call.ts"
import { Exchange, type Wire, type WireRequest } from "../../../src/http/edge/exchange.ts"
import type { RouteFacts } from "../../../src/http/edge/route.ts"
import { transportPolicy } from "../../../src/http/edge/transport.ts"

const transport = transportPolicy({
  host: "127.0.0.1",
  production: true,
  tls: null,
  trustProxy: ["10.0.0.1", "10.0.0.2", "fd00::1"],
})

/** As uWebSockets tells them: IPv4 in four bytes, IPv6 written in full. */
const four = (text: string) => ({ text, bytes: text.split(".").map(Number) })
const six = (text: string) => ({ text, bytes: [...Buffer.from(text.replaceAll(":", ""), "hex")] })

const ipOf = ({ text, bytes }: ReturnType<typeof four>, forwardedFor = ""): string => {
  const wire = {
    getRemoteAddress: () => new Uint8Array(bytes).buffer,
    getRemoteAddressAsText: () => new TextEncoder().encode(text).buffer,
  } as unknown as Wire
  const request = {
    forEach: (tell: (name: string, value: string) => void) => {
      if (forwardedFor !== "") tell("x-forwarded-for", forwardedFor)
    },
  } as unknown as WireRequest
  const around = { transport, monotonic: () => 0, log: null, watch: undefined, requestId: () => "r" }
  return new Exchange(wire, request, {} as RouteFacts, around as unknown as Surroundings).ip
}

it("is one address for IPv4, alone or inside IPv6, and another for each other", () => {
  const mapped = six("0000:0000:0000:0000:0000:ffff:0102:0304")
  for (let twice = 0; twice < 2; twice++) {
    expect(ipOf(four("1.2.3.4"))).toBe("1.2.3.4")
    expect(ipOf(four("4.3.2.1"))).toBe("4.3.2.1")
    expect(ipOf(four("255.255.255.255"))).toBe("255.255.255.255")
    expect(ipOf(mapped)).toBe("1.2.3.4")
    expect(ipOf(six("0102:0304:0000:0000:0000:0000:0000:0000"))).toBe("0102:0304:0000:0000:0000:0000:0000:0000")
    expect(ipOf(six("0000:0000:0000:0000:0000:0000:0000:0001"))).toBe("::1")
  }
})

it("is who a chain of trusted proxies says, whichever family the last one speaks, and the peer where nobody is trusted", () => {
  const chain = "203.0.113.9, 198.51.100.7, 10.0.0.2"
  expect(ipOf(four("10.0.0.1"), chain)).toBe("198.51.100.7")
  expect(ipOf(six("0000:0000:0000:0000:0000:ffff:0a00:0001"), chain)).toBe("198.51.100.7")
  expect(ipOf(six("fd00:0000:0000:0000:0000:0000:0000:0001"), chain)).toBe("198.51.100.7")
  expect(ipOf(four("10.0.0.3"), chain)).toBe("10.0.0.3")
})
