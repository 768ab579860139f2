/** Log lines: one line each, of the one schema, whatever a client or a driver puts into them. */
import { Ajv } from "ajv"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeAudit } from "../../../src/auth/audit-log.ts"
import { makeSecurityLog } from "../../../src/composition/logs.ts"
import { openProcessLog } from "../../../src/composition/options.ts"
import { eventLine, processLine, withoutSecrets } from "../../../src/foundation/log-line.ts"
import { LOG_SCHEMA } from "../../../src/foundation/log-schema.ts"
import { accessLine } from "../../../src/http/watch/request-log.ts"

const isOfSchema = new Ajv({ strict: false }).compile(LOG_SCHEMA)

const HOSTILE = [
  'end"}\r\n{"ts":"2026-01-01T00:00:00.000Z","level":"error","msg":"audit","action":"user.ban"}',
  "\u001b[2J\u001b[31mred\u001b]0;title\u0007",
  "\u009b31m C1 \u0085 next line",
  "\u2028 line \u2029 paragraph",
  "\u202e reversed \u2066 isolated",
  '\\","level":"info',
  "\u0000\u007f\ud800",
  "$" + "{jndi:ldap://x/a} %s %n <script>",
]

/** What a terminal or a reader of lines would obey. */
const OBEYED = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

const access = (text: string): string =>
  accessLine({
    at: 0,
    requestId: "r-1",
    method: "GET",
    route: "/api/v3/health",
    status: 200,
    errno: 0,
    durationMillis: 1,
    bytesIn: 0,
    bytesOut: 0,
    userId: null,
    sessionId: null,
    tradingAccountId: null,
    ip: text,
    userAgent: text,
    secure: false,
    aborted: false,
  })

const audited = (text: string): string => {
  const lines: Array<string> = []
  const audit = makeAudit({ line: (line) => lines.push(line), secret: () => Buffer.alloc(0), now: () => 0 })
  const origin = { ip: text, userAgent: text, requestId: text }
  audit.write({ action: "login", outcome: text, email: text, what: text, origin })
  return lines[0] ?? ""
}

const security = (text: string): string => {
  const lines: Array<string> = []
  const log = makeSecurityLog({ line: (line) => lines.push(line), now: () => 0, counted: () => undefined })
  log.tell("login_failed", "warn", { ip: text, ua: text, requestId: text, what: text, route: text, subject: text })
  return lines[0] ?? ""
}

const WRITERS = {
  access,
  audit: audited,
  security,
  process: (text: string) => processLine(0, "warn", text, { text, nested: { [text]: [text] } }),
}

describe.each(Object.entries(WRITERS))("a line of the %s log", (_, write) => {
  it.each(HOSTILE)("is one line of the schema with %j in every field", (text) => {
    const line = write(text)
    expect(line).not.toMatch(OBEYED)
    expect(line).toBe(line.trim())
    const read = JSON.parse(line) as Record<string, unknown>
    expect(isOfSchema(read), JSON.stringify(isOfSchema.errors)).toBe(true)
    expect(read["ts"]).toBe("1970-01-01T00:00:00.000Z")
    expect(read["action"] ?? "login").toBe("login")
  })

  it("is one line of the schema whatever the text", () => {
    void fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const line = write(text)
        expect(line).not.toMatch(OBEYED)
        expect(isOfSchema(JSON.parse(line))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe("the schema", () => {
  it("refuses what is not a line of ours", () => {
    const line = JSON.parse(access("x")) as Record<string, unknown>
    expect(isOfSchema(line)).toBe(true)
    for (const change of [{ level: "loud" }, { ts: "today" }, { status: "200" }, { event: "Login Failed" }, { ua: 7 }])
      expect(isOfSchema({ ...line, ...change })).toBe(false)
    expect(isOfSchema({ ...line, msg: undefined })).toBe(false)
  })
})

describe("the process's own log", () => {
  it("keeps what opens anything to itself", () => {
    const line = processLine(0, "error", "cannot reach postgres://gateway:hunter2@db/x", {
      error: new Error("GET https://api.venue.com/order?symbol=BTC&signature=abcdef&apiKey=KEY1 Bearer abc.def"),
      apiSecret: "hunter3",
      headers: { authorization: "Basic aHVudGVyNA==" },
      note: "token eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl and password=hunter5",
    })
    for (const secret of ["hunter", "abcdef", "KEY1", "abc.def", "aHVudGVyNA", "eyJ"])
      expect(line).not.toContain(secret)
    expect(line).toContain("symbol=BTC")
    expect(withoutSecrets("42 orders, nothing else")).toBe("42 orders, nothing else")
    expect(withoutSecrets("session-eyJhbGci.eyJzdWIi.c2ln, and api.venue.com-2.example")).toBe(
      "session-***, and api.venue.com-2.example",
    )
    expect(withoutSecrets("socks5://a:b@proxy x+y://u:p:q@h http://h:80/p")).toBe(
      "socks5://a:***@proxy x+y://u:***@h http://h:80/p",
    )
  })

  it("cannot have its own fields passed for the line's", () => {
    const read = JSON.parse(processLine(0, "warn", "words", { level: "debug", msg: "other", ts: "never", n: 1 }))
    expect(read).toEqual({ ts: "1970-01-01T00:00:00.000Z", level: "warn", msg: "words", n: 1 })
  })

  it("writes what is at its level or above, and follows the level while it runs", () => {
    const lines: Array<string> = []
    const log = openProcessLog("warn", (line) => lines.push(JSON.parse(line).msg))
    log.write("info", "no")
    log.write("error", "yes")
    log.threshold.level = "debug"
    log.write("debug", "now")
    expect(lines).toEqual(["yes", "now"])
  })
})

describe("a word for the operator", () => {
  it("is a warning unless it is told to be more or less, and a defect is written whatever the level", () => {
    const lines: Array<string> = []
    const log = openProcessLog("info", (line) => lines.push(JSON.parse(line).level))
    log.notice("a venue is away")
    log.notice("drained", {}, "info")
    log.notice("a request failed", {}, "error")
    expect(lines.splice(0)).toEqual(["warn", "info", "error"])
    log.threshold.level = "error"
    log.notice("a venue is away")
    log.notice("drained", {}, "info")
    log.notice("the ledger is violated", {}, "error")
    expect(lines).toEqual(["error"])
  })
})

describe("the security log", () => {
  it("counts alike refusals of one address together, and lets nobody drown the others", () => {
    const lines: Array<Record<string, unknown>> = []
    let counted = 0
    const log = makeSecurityLog({
      line: (line) => lines.push(JSON.parse(line)),
      now: () => 0,
      counted: () => counted++,
    })
    for (let n = 0; n < 1_000; n++) log.tell("rate_limited", "warn", { ip: "192.0.2.1" })
    log.tell("login_failed", "warn", { ip: "192.0.2.2" })
    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toMatchObject({ event: "login_failed", ip: "192.0.2.2" })
    log.endWindow()
    expect(lines.at(-1)).toMatchObject({ event: "rate_limited", ip: "192.0.2.1", suppressed: 980 })
    expect(counted).toBe(1_001)
    log.tell("rate_limited", "warn", { ip: "192.0.2.1" })
    expect(lines).toHaveLength(23)
  })

  it("says nothing of what is not known", () => {
    expect(
      eventLine(0, "info", "security", { event: "x", userId: null, ip: "a", n: 1, ok: true, none: undefined }),
    ).toBe('{"ts":"1970-01-01T00:00:00.000Z","level":"info","msg":"security","event":"x","ip":"a","n":1,"ok":true}')
  })
})
