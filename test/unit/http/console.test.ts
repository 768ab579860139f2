/** The console's cookie and pages: whom the one is for, and when the others are there. And the words that the page takes from the guides. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { meaningsOf, modesOf } from "../../../scripts/console.mjs"
import { cookieOf, foreignPage, noCookie, refreshTokenOf } from "../../../src/http/console/cookie.ts"
import { consoleHandlers } from "../../../src/http/console/handlers.ts"
import { consolePages } from "../../../src/http/console/pages.ts"

const asking = (headers: Readonly<Record<string, string>>) => ({
  header: (name: string): string => headers[name] ?? "",
})
const terms = { idleMillis: 3_600_000 }
const own = { host: "127.0.0.1:8080", origin: "http://127.0.0.1:8080", "sec-fetch-site": "same-origin" }
const overTls = { host: "gw.example.com", origin: "https://gw.example.com" }

describe("the cookie of the console", () => {
  it("is for the whole host over TLS, for one path without, and never for a script", () => {
    expect(cookieOf(asking(overTls), "T", terms)).toBe(
      "__Host-console=T; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure",
    )
    expect(cookieOf(asking(own), "T", terms)).toBe(
      "console-8080=T; Path=/console/session; Max-Age=3600; HttpOnly; SameSite=Strict",
    )
    expect(noCookie(asking(own))).toContain("console-8080=; Path=/console/session; Max-Age=0")
  })

  it("is read among others, of this gateway alone", () => {
    const request = asking({ ...own, cookie: "a=b; console-8081=other; console-8080=mine" })
    expect(refreshTokenOf(request)).toBe("mine")
    expect(refreshTokenOf(asking({ ...overTls, cookie: "__Host-console=S" }))).toBe("S")
    expect(refreshTokenOf(asking(own))).toBe("")
  })

  it("is over TLS none that a neighbouring host could have set", () => {
    expect(refreshTokenOf(asking({ ...overTls, cookie: "console=ATTACKER; __Host-console=MINE" }))).toBe("MINE")
    expect(refreshTokenOf(asking({ ...overTls, cookie: "console=ATTACKER" }))).toBe("")
  })

  it("is for the gateway's own page: no other origin, no other site, nobody who says nothing", () => {
    expect(foreignPage(asking(own))).toBeUndefined()
    expect(foreignPage(asking({ ...own, "sec-fetch-site": "" }))).toBeUndefined()
    for (const change of [
      { origin: "" },
      { origin: "null" },
      { origin: "http://127.0.0.1:8081" },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
    ])
      expect(foreignPage(asking({ ...own, ...change }))?._tag).toBe("Forbidden")
  })
})

describe("the session of the console", () => {
  it("is not there where it is off, whoever asks", () => {
    const { open, signup, verify, reauthenticate, renew, end } = consoleHandlers({} as never, {} as never, {
      ...terms,
      mode: "off",
      admins: { idleMillis: null },
    })
    const heard: Array<string> = []
    const reply = { fail: ({ _tag }: { readonly _tag: string }) => heard.push(_tag) } as never
    const doors = [open, signup, verify, reauthenticate, renew, end]
    for (const handle of doors) handle({ request: asking(own), body: {} } as never, reply)
    expect(heard).toEqual(doors.map(() => "UnknownEndpoint"))
  })
})

describe("the pages of the console", () => {
  it("are not there where it is off", () => {
    expect(consolePages("off")).toEqual([])
  })

  it("explain each state of an order in the words of the guides, which have them all", () => {
    const guide = (name: string): string =>
      readFileSync(fileURLToPath(new URL(`../../../docs/guide/${name}.md`, import.meta.url)), "utf8")
    const statuses = meaningsOf(guide("orders"), "status")
    expect(Object.keys(statuses).sort()).toEqual(
      ["CANCELLED", "EXPIRED", "FILLED", "OPEN", "PARTIALLY_FILLED", "PENDING", "REJECTED"].sort(),
    )
    expect(statuses["OPEN"]).toBe("the venue has it, or the gateway watches its trigger")
    const cancels = meaningsOf(guide("orders"), "cancelReason")
    expect(cancels["ADMIN"]).toBe(cancels["USER_REQUEST"])
    expect(meaningsOf(guide("market-data"), "kind")["TRADE_ORDER.UNKNOWN"]).toContain("funds stay held")
    expect(modesOf(guide("../operations/running"))["maintenance"]).toBe(
      "Submits and changes: none; quotes: neither given nor executed; cancels: yes; hedges of executed quotes: wait. What was accepted before continues.",
    )
    expect(() => meaningsOf(guide("orders"), "noSuchHeading")).toThrow("the guide has no table of noSuchHeading")
  })
})
