/** What admins do with users over HTTP: who there is, rights that count at once, ends of sessions; and the gateway's own figures. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AdminUserRecord, SessionEntry } from "../../../../src/domain/user/user.ts"
import type { StatusRecord } from "../../../../src/http/admin/status-endpoints.ts"
import { type Answer, api, endGateways, type Gateway, PASSWORD, startGateway } from "../../../kit/servers/gateway.ts"
import { type Newcomer, signUp, signUpAdmin } from "./people.ts"

let gateway: Gateway
let admin: Newcomer
let users: ReadonlyArray<Newcomer>

beforeAll(async () => {
  gateway = await startGateway()
  admin = await signUpAdmin(gateway)
  users = await Promise.all(Array.from({ length: 4 }, () => signUp(gateway)))
})
afterAll(endGateways)

const refusal = ({ status, envelope }: Answer<unknown>) => [status, envelope.errno]
const change = (act: string, user: Newcomer, more = {}): Promise<Answer<AdminUserRecord>> =>
  admin.calls.post<AdminUserRecord>(`/admin/user/${act}`, { userId: user.session.user.id, ...more })
const write = { permission: "write" }
const NO_PERMISSION = [403, -102_002]

describe("an admin", () => {
  it("lists the users of the tenant by address, page after page, each once", async () => {
    // Between the others, whatever its case.
    const loud = "MIDDLE@example.com"
    await api(gateway).signup(loud)
    const everybody = [admin.email, ...users.map(({ email }) => email), loud]
    const found: Array<string> = []
    let cursor: string | null = null
    do {
      const page: Answer<ReadonlyArray<AdminUserRecord>> = await admin.calls.get("/admin/user/list", {
        limit: "2",
        ...(cursor === null ? {} : { cursor }),
      })
      found.push(...page.record.map(({ email }) => email))
      expect(page.envelope.pagination?.total).toBe(everybody.length)
      cursor = page.envelope.pagination?.cursor ?? null
    } while (cursor !== null)
    const lower = (email: string): string => email.toLowerCase()
    expect(found.map(lower)).toEqual(everybody.map(lower).sort())
    const second = await admin.calls.get<ReadonlyArray<AdminUserRecord>>("/admin/user/list", {
      limit: "1",
      offset: "1",
    })
    expect(second.record.map(({ email }) => email)).toEqual([found[1]])
  })

  it("takes a right and gives it back: it counts at once, for sessions and API keys, and stands in the audit", async () => {
    const user = users[0]!
    const made = await user.calls.post<{ apiKey: string }>("/apiKey/create", { name: "bot", scopes: ["trade"] })
    const bot = api(gateway).as(made.record.apiKey)
    const connect = (calls: Newcomer["calls"]) => calls.connectMock()
    expect((await connect(bot)).status).toBe(200)
    expect((await change("revoke", user, write)).record.permissions).toEqual(["read"])
    expect(refusal(await connect(user.calls))).toEqual(NO_PERMISSION)
    expect(refusal(await connect(bot))).toEqual(NO_PERMISSION)
    expect((await change("grant", user, write)).record.permissions).toEqual(["read", "write"])
    expect((await connect(user.calls)).status).toBe(200)
    const { record } = await admin.calls.get<ReadonlyArray<Record<string, unknown>>>("/audit/list", {
      objectId: user.session.user.id,
    })
    expect(record.slice(0, 2)).toMatchObject([
      { action: "user.grant", result: "ok", actorKind: "USER", userId: admin.session.user.id, what: "write" },
      { action: "user.revoke", result: "ok", actorKind: "USER", userId: admin.session.user.id, what: "write" },
    ])
  })

  it("sees where a user is signed in, and ends that: the user may log in again", async () => {
    const user = users[1]!
    await api(gateway).post("/auth/login", { email: user.email, password: PASSWORD })
    const sessions = () =>
      admin.calls.get<ReadonlyArray<SessionEntry>>("/admin/user/session/list", { userId: user.session.user.id })
    expect((await sessions()).record).toMatchObject([{ current: false }, { current: false }])
    expect((await change("signOut", user)).status).toBe(200)
    expect((await sessions()).record).toEqual([])
    expect((await user.calls.get("/auth/user")).status).toBe(401)
    expect((await api(gateway).post("/auth/login", { email: user.email, password: PASSWORD })).status).toBe(200)
  })

  it("changes no rights of its own, and none of who is not there", async () => {
    expect(refusal(await change("revoke", admin, { permission: "admin" }))).toEqual([400, -104_003])
    expect(refusal(await change("grant", admin, { permission: "admin" }))).toEqual([400, -104_003])
    const nobody = await admin.calls.post("/admin/user/grant", { email: "nobody@example.com", ...write })
    expect(nobody.status).toBe(404)
  })

  it("reads how the gateway works now; whoever is none does not", async () => {
    const { record } = await admin.calls.get<StatusRecord>("/admin/status")
    expect(record).toMatchObject({ tradingMode: "online", actors: { accounts: { inDoubt: 0, parked: 0 } } })
    expect(record.connectors.map(({ venue }) => venue)).toContain("BINANCE")
    for (const path of ["/admin/status", "/admin/user/list"])
      expect(refusal(await users[2]!.calls.get(path))).toEqual([403, -102_003])
  })
})
