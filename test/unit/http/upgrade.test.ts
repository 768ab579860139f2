/** A WebSocket upgrade is screened, answered and logged like a request. */
import { describe, expect, it } from "vitest"
import { transportPolicy } from "../../../src/http/transport.ts"
import { makeUpgradeScreen } from "../../../src/http/upgrade.ts"

const screenOf = (trustProxy: ReadonlyArray<string>) => {
  const lines: Array<Record<string, unknown>> = []
  const screen = makeUpgradeScreen({
    route: "/connection/websocket",
    transport: transportPolicy({ host: "127.0.0.1", production: false, tls: null, trustProxy }),
    requestId: () => "fresh",
    now: () => 0,
    log: (line) => lines.push(JSON.parse(line)),
  })
  const peer = { getRemoteAddressAsText: () => new TextEncoder().encode("127.0.0.1").buffer as ArrayBuffer }
  return {
    lines,
    ask: (headers: Readonly<Record<string, string>>, isOriginAllowed = true) =>
      screen(peer, { getHeader: (name) => headers[name] ?? "" }, isOriginAllowed),
  }
}

describe("an upgrade", () => {
  it("passes with a request id of the client's if it is clean, and is in the access log", () => {
    const { ask, lines } = screenOf([])
    expect(ask({ "x-request-id": "mine-1" })).toEqual({
      requestId: "mine-1",
      ip: "127.0.0.1",
      loopback: true,
      refusal: null,
    })
    expect(ask({ "x-request-id": "a\r\nb" }).requestId).toBe("fresh")
    expect(lines[0]).toMatchObject({
      requestId: "mine-1",
      route: "/connection/websocket",
      status: 101,
      ip: "127.0.0.1",
    })
  })

  it("is refused in the envelope: a foreign origin, or a proxy that did not come by HTTPS", () => {
    const foreign = screenOf([]).ask({}, false).refusal
    expect(foreign?.status).toBe("403 Forbidden")
    expect(JSON.parse(foreign?.body ?? "{}")).toMatchObject({ errno: -102000, details: { request_id: "fresh" } })
    const { ask, lines } = screenOf(["127.0.0.1"])
    expect(JSON.parse(ask({ "x-forwarded-proto": "http" }).refusal?.body ?? "{}")).toMatchObject({ errno: -102005 })
    const passed = ask({ "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" })
    expect(passed).toMatchObject({ ip: "203.0.113.7", loopback: false, refusal: null })
    expect(lines.map(({ status, ip }) => [status, ip])).toEqual([
      [403, "127.0.0.1"],
      [101, "203.0.113.7"],
    ])
  })
})
