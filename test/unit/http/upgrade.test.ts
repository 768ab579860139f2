/** A WebSocket upgrade is screened, answered and logged like a request. */
import { describe, expect, it } from "vitest"
import { transportPolicy } from "../../../src/http/edge/transport.ts"
import { makeUpgradeScreen } from "../../../src/http/edge/upgrade.ts"

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
    ask: (headers: Readonly<Record<string, string | ReadonlyArray<string>>>, isOriginAllowed = true) => {
      const lines = Object.entries(headers).flatMap(([name, value]) =>
        [value].flat().map((line) => [name, line] as const),
      )
      // As uWebSockets does: by name the first line only.
      const request = {
        getHeader: (name: string) => lines.find(([known]) => known === name)?.[1] ?? "",
        forEach: (each: (name: string, value: string) => void) => {
          for (const [name, value] of lines) each(name, value)
        },
      }
      return screen(peer, request, isOriginAllowed)
    },
  }
}

describe("an upgrade", () => {
  it("passes with a request id of the client's if it is clean, and is in the access log", () => {
    const { ask, lines } = screenOf([])
    expect(ask({ "x-request-id": "mine-1" })).toEqual({
      requestId: "mine-1",
      ip: "127.0.0.1",
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
    expect(passed).toMatchObject({ ip: "203.0.113.7", refusal: null })
    expect(lines.map(({ status, ip }) => [status, ip])).toEqual([
      [403, "127.0.0.1"],
      [101, "203.0.113.7"],
    ])
  })

  it("comes from where the proxy says also when the proxy appends a line of its own to the client's", () => {
    const { ask } = screenOf(["127.0.0.1"])
    const secure = { "x-forwarded-proto": "https" }
    expect(ask({ ...secure, "x-forwarded-for": ["198.51.100.9", "203.0.113.7"] })).toMatchObject({ ip: "203.0.113.7" })
    expect(ask({ ...secure, "x-forwarded-for": ["", "203.0.113.7"] })).toMatchObject({ ip: "203.0.113.7" })
    const forged = ask({ "x-forwarded-proto": ["https", "http"], "x-forwarded-for": "203.0.113.7" }).refusal
    expect(JSON.parse(forged?.body ?? "{}")).toMatchObject({ errno: -102005 })
  })

  it("is refused where it names its page or its host twice", () => {
    const { ask } = screenOf([])
    for (const [name, written] of Object.entries({ origin: "Origin", host: "Host" })) {
      const { status, body } = ask({ [name]: ["https://a.example", "https://b.example"] }).refusal ?? {}
      expect([status, JSON.parse(body ?? "{}").details?.metadata?.parameter]).toEqual(["400 Bad Request", written])
    }
    expect(ask({ "x-request-id": ["one", "other"] }).requestId).toBe("fresh")
  })
})
