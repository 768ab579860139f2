/**
 * Passwords that are tried (scoreboard S9), against a whole gateway behind a proxy with the limits it ships with: a hundred are looked at
 * at most, and the owner logs in all the same. The one thing to know: an attempt was tried when the answer says that it was wrong.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SessionRecord } from "../../../src/domain/user/user.ts"
import {
  type Answer,
  type Api,
  api,
  endGateways,
  type Gateway,
  PASSWORD,
  startGateway,
  until,
} from "../../kit/servers/gateway.ts"

const OWNER = "owner@example.com"
const HOME = "198.51.100.1"

let gateway: Gateway
let calls: Api

beforeAll(async () => {
  gateway = await startGateway({ env: { RATE_LIMITS: "", TRUST_PROXY: "127.0.0.1" } })
  calls = api(gateway)
  const answer = await from(HOME, "/auth/signup", { email: OWNER, password: PASSWORD })
  expect(answer.status).toBe(200)
})
afterAll(endGateways)

const from = (address: string, path: string, body: Readonly<Record<string, unknown>>, token?: string) =>
  calls
    .as(token ?? null)
    .call<SessionRecord>("POST", path, body, { "x-forwarded-for": address, "x-forwarded-proto": "https" })

const login = (address: string, email: string, password: string) => from(address, "/auth/login", { email, password })

/** How many of so many attempts, eight at a time, had their password looked at; the others were refused as they should be. */
const storm = async (count: number, attempt: (n: number) => Promise<Answer<SessionRecord>>): Promise<number> => {
  let next = 0
  let tried = 0
  const work = async () => {
    for (let n = next++; n < count; n = next++) {
      const { status, envelope, headers } = await attempt(n)
      if (status === 400) tried += 1
      else {
        // The address has its own limit for calls without a token.
        expect([status, envelope.details?.code]).toEqual([429, expect.stringMatching(/^(LOGIN_)?RATE_LIMITED$/)])
        expect(envelope.details?.metadata).toMatchObject({ remaining: expect.any(Number), resetMs: expect.any(Number) })
        expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return tried
}

describe("a thousand passwords", () => {
  it("from one address on one account: a handful is looked at", async () => {
    expect(await storm(1_000, (n) => login("203.0.113.1", OWNER, `guess number ${n}`))).toBeLessThanOrEqual(100)
  })

  it("by the console's door: of the same handful, and none more", async () => {
    const [address, email] = ["198.51.100.9", "console@example.com"]
    expect(await storm(50, (n) => login(address, email, `guess number ${n}`))).toBeGreaterThan(0)
    const answer = await fetch(`${gateway.http}/console/session/open`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: gateway.http,
        "x-forwarded-for": address,
        "x-forwarded-proto": "https",
      },
      body: JSON.stringify({ email, password: "one more guess" }),
    })
    const { details } = (await answer.json()) as { readonly details: { readonly code: string } }
    expect([answer.status, details.code]).toEqual([429, "LOGIN_RATE_LIMITED"])
  })

  it("from a hundred addresses, and as many of one /64, on one account: a hundred at most", async () => {
    const address = (n: number) => (n % 2 === 0 ? `203.0.113.${(n % 100) + 2}` : `2001:db8::${(n % 100).toString(16)}`)
    const tried = await storm(1_000, (n) => login(address(n), OWNER, `guess number ${n}`))
    expect(tried).toBeGreaterThan(0)
    expect(tried).toBeLessThanOrEqual(100)
  })

  it("from one address over a thousand accounts: a hundred at most", async () => {
    const email = (n: number) => (n % 10 === 0 ? OWNER : `user-${n}@example.com`)
    expect(await storm(1_000, (n) => login("192.0.2.77", email(n), "correct horse battery"))).toBeLessThanOrEqual(100)
  })

  it("keep the owner neither from logging in where it has a session, nor where it had one", async () => {
    const first = await login(HOME, OWNER.toUpperCase(), PASSWORD)
    expect(first.status).toBe(200)
    expect(first.headers.get("x-ratelimit-bucket")).toBe("login")
    // Nothing of its sessions is left, and strangers go on.
    await calls.as(first.record.accessToken).call("POST", "/auth/logout?scope=global", undefined, {
      "x-forwarded-for": HOME,
      "x-forwarded-proto": "https",
    })
    const stranger = await login("203.0.113.99", OWNER, PASSWORD)
    expect([stranger.status, stranger.envelope.errno]).toEqual([429, -103_001])
    expect(stranger.envelope.details).toMatchObject({
      code: "LOGIN_RATE_LIMITED",
      metadata: { bucket: "loginAccount" },
    })
    expect((await login(HOME, OWNER, PASSWORD)).status).toBe(200)
  })

  it("leave sessions as they are and mails on their way", async () => {
    const session = (await login(HOME, OWNER, PASSWORD)).record
    const { refreshToken } = session
    expect((await from("203.0.113.1", "/auth/token/refresh", { refreshToken })).status).toBe(200)
    expect((await from("203.0.113.200", "/auth/recover", { email: OWNER })).status).toBe(200)
  })

  it("are told to the operator, a line a bucket and no more", async () => {
    const audit = () => readFileSync(join(gateway.dataDir, "logs/audit.log"), "utf8").trim().split("\n")
    const lines = await until("the audit log", () => {
      const limited = audit().filter((line) => line.includes('"rate.limited"'))
      return limited.length > 0 && limited
    })
    const rows = lines.map((line) => JSON.parse(line) as { outcome: string; ip: string; subject: string })
    expect(rows.some(({ outcome, ip }) => outcome === "login" && ip === "203.0.113.1")).toBe(true)
    expect(rows.some(({ outcome }) => outcome === "loginAccount")).toBe(true)
    expect(rows.some(({ outcome, ip }) => outcome === "loginAddress" && ip === "192.0.2.77")).toBe(true)
    expect(lines.join()).not.toContain(OWNER)
    expect(rows.length).toBeLessThan(100)
  })
})

describe("whoever wants the gateway's work or mails", () => {
  it("signs up five times an hour from one address, and a mistyped password is no signup", async () => {
    const signup = (n: number, password: string) =>
      from("203.0.113.210", "/auth/signup", { email: `new-${n}@example.com`, password })
    for (let n = 0; n < 8; n++) expect((await signup(n, "short")).envelope.errno).toBe(-101_002)
    const statuses: Array<number> = []
    for (let n = 0; n < 7; n++) statuses.push((await signup(n, PASSWORD)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    const other = await from("203.0.113.211", "/auth/signup", { email: "other@example.com", password: PASSWORD })
    expect(other.status).toBe(200)
  })

  it("is sent a few mails, and tries a few tokens", async () => {
    const counts: Record<string, number> = {}
    const bodies = {
      "/auth/recover": { email: OWNER },
      "/auth/resend": { type: "signup", email: OWNER },
      "/auth/verify": { type: "signup", token: "x" },
    }
    for (const [path, body] of Object.entries(bodies)) {
      counts[path] = 0
      for (let n = 0; n < 15; n++) if ((await from("203.0.113.220", path, body)).status !== 429) counts[path] += 1
    }
    expect(counts["/auth/recover"]).toBe(5)
    expect(counts["/auth/resend"]).toBeLessThan(15)
    expect(counts["/auth/verify"]).toBeLessThan(15)
  })

  it("renews one session thirty times a minute, and another one besides", async () => {
    let session = (await login(HOME, OWNER, PASSWORD)).record
    const other = (await from("203.0.113.230", "/auth/signup", { email: "third@example.com", password: PASSWORD }))
      .record
    const refresh = (refreshToken: string) => from(HOME, "/auth/token/refresh", { refreshToken })
    let served = 0
    let answer = await refresh(session.refreshToken)
    for (; answer.status === 200 && served < 300; served += 1) {
      session = answer.record
      answer = await refresh(session.refreshToken)
    }
    expect(served).toBeGreaterThanOrEqual(30)
    expect([answer.status, answer.envelope.details?.metadata["bucket"]]).toEqual([429, "refresh"])
    expect((await refresh(other.refreshToken)).status).toBe(200)
  })

  it("has the instruments of a venue fetched once a minute, whatever it calls the venue", async () => {
    const { accessToken } = (await login(HOME, OWNER, PASSWORD)).record
    const sync = (venue: string) => from(HOME, "/market/instrument/sync", { venue }, accessToken)
    expect((await sync("NOWHERE")).status).toBe(400)
    expect((await sync("NOWHERE")).status).toBe(400)
    expect((await sync("MOCK")).status).toBe(200)
    const refused = await sync("MOCK")
    expect([refused.status, refused.envelope.errno, refused.envelope.details?.metadata["bucket"]]).toEqual([
      429,
      -103_000,
      "instrumentSync",
    ])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1)
  })
})
