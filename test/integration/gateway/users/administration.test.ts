/** What admins do with users over HTTP: who there is, rights that count at once, ends of sessions; and the gateway's own figures. */
import { Secret, TOTP } from "otpauth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AdminUserRecord, SessionEntry, SessionRecord } from "../../../../src/domain/user/user.ts"
import type { StatusRecord } from "../../../../src/http/admin/status-endpoints.ts"
import type { NetworkList, TenantRecord } from "../../../../src/http/admin/tenancy-endpoints.ts"
import { type Answer, api, endGateways, type Gateway, PASSWORD, startGateway } from "../../../kit/servers/gateway.ts"
import { mailTo } from "../../../kit/servers/mailbox.ts"
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

  it("resets the second factor of a user who lost it: the password alone signs in again, a mail tells of it, and the audit says who did it", async () => {
    const user = users[3]!
    const enrolled = await user.calls.post<{ secret: string }>("/auth/totp/enrol")
    const code = new TOTP({ secret: Secret.fromBase32(enrolled.record.secret) }).generate()
    expect((await user.calls.post("/auth/totp/confirm", { code })).status).toBe(200)
    const login = () => api(gateway).post("/auth/login", { email: user.email, password: PASSWORD })
    expect(refusal(await login())).toEqual([401, -100_014])
    const listed = async () =>
      (await admin.calls.get<ReadonlyArray<AdminUserRecord>>("/admin/user/list")).record.find(
        ({ email }) => email === user.email,
      )
    expect((await listed())?.secondFactorAt).toMatch(/^20/)
    expect((await change("resetSecondFactor", user)).record.secondFactorAt).toBeNull()
    expect((await user.calls.get("/auth/user")).status).toBe(401)
    expect((await login()).status).toBe(200)
    const { text } = await mailTo(gateway.dataDir, user.email, "Your second factor was reset")
    expect(text).toContain("An admin removed your second factor")
    // One's own is removed by a code of it.
    expect(refusal(await change("resetSecondFactor", admin))).toEqual([400, -104_003])
    const { record } = await admin.calls.get<ReadonlyArray<Record<string, unknown>>>("/audit/list", {
      objectId: user.session.user.id,
      limit: "1",
    })
    expect(record).toMatchObject([{ action: "factor.reset", result: "ok", userId: admin.session.user.id }])
  })

  it("says from where users may come, in force at once, and never shuts itself out", async () => {
    const user = users[2]!
    const whose = { userId: user.session.user.id }
    const allow = (more: Readonly<Record<string, string>>) =>
      admin.calls.post<NetworkList>("/admin/network/allow", more)
    expect((await allow({ ...whose, network: "203.0.113.9/24" })).record).toEqual({
      ...whose,
      ipAllow: ["203.0.113.0/24"],
    })
    expect(refusal(await user.calls.get("/auth/user"))).toEqual([403, -102_006])
    expect((await admin.calls.get<NetworkList>("/admin/network/list", whose)).record.ipAllow).toEqual([
      "203.0.113.0/24",
    ])
    const forgotten = await admin.calls.post<NetworkList>("/admin/network/forget", {
      ...whose,
      network: "203.0.113.0/24",
    })
    expect(forgotten.record.ipAllow).toEqual([])
    expect((await user.calls.get("/auth/user")).status).toBe(200)
    // Of the whole tenant: with the admin's own address in it, and not without.
    expect(refusal(await allow({ network: "203.0.113.0/24" }))).toEqual([400, -104_003])
    expect(refusal(await allow({ userId: admin.session.user.id, network: "203.0.113.7" }))).toEqual([400, -104_003])
    expect(refusal(await allow({ network: "here" }))).toEqual([400, -104_003])
    expect((await admin.calls.get<NetworkList>("/admin/network/list")).record).toEqual({ userId: null, ipAllow: [] })
    expect((await allow({ network: "127.0.0.0/8" })).record.ipAllow).toEqual(["127.0.0.0/8"])
    expect((await allow({ network: "203.0.113.0/24" })).record.ipAllow).toHaveLength(2)
    expect(refusal(await admin.calls.post("/admin/network/forget", { network: "127.0.0.0/8" }))).toEqual([
      400, -104_003,
    ])
    for (const network of ["203.0.113.0/24", "127.0.0.0/8"])
      expect((await admin.calls.post("/admin/network/forget", { network })).status).toBe(200)
    const { record } = await admin.calls.get<ReadonlyArray<Record<string, unknown>>>("/audit/list", { limit: "1" })
    expect(record).toMatchObject([{ action: "ip.forget", objectType: "TENANT", what: "default 127.0.0.0/8" }])
  })

  it("of the installation's own tenant makes others and moves users into them, whose admins see neither it nor each other", async () => {
    const lead = await signUp(gateway)
    const create = (tenantId: string) => admin.calls.post<TenantRecord>("/admin/tenant/create", { tenantId })
    expect((await create("acme")).record).toMatchObject({ tenantId: "acme", isHome: false, users: 0 })
    expect(refusal(await create("acme"))).toEqual([400, -104_003])
    expect(refusal(await create("not a name"))).toEqual([400, -104_003])
    const move = (which: Readonly<Record<string, string>>, tenantId = "acme") =>
      admin.calls.post<AdminUserRecord>("/admin/tenant/move", { ...which, tenantId })
    const whose = { userId: lead.session.user.id }
    expect((await change("grant", lead, { permission: "admin" })).status).toBe(200)
    expect(refusal(await move(whose, "nowhere"))).toEqual([400, -104_003])
    expect(refusal(await move({ userId: admin.session.user.id }))).toEqual([400, -104_003])
    // Who has an account here stays.
    expect(refusal(await move({ userId: users[0]!.session.user.id }))).toEqual([400, -104_003])
    expect((await move(whose)).record.appMetadata.tenantId).toBe("acme")
    expect((await lead.calls.get("/auth/user")).status).toBe(401)
    expect(refusal(await move(whose))).toEqual([404, -101_004])
    const again = await api(gateway).post<SessionRecord>("/auth/login", { email: lead.email, password: PASSWORD })
    const there = api(gateway).as(again.record.accessToken)
    expect((await there.get<ReadonlyArray<TenantRecord>>("/admin/tenant/list")).record).toMatchObject([
      { tenantId: "acme", isHome: false, users: 1 },
    ])
    expect(refusal(await there.post("/admin/tenant/create", { tenantId: "more" }))).toEqual([403, -102_004])
    expect(refusal(await there.post("/admin/tenant/move", { email: admin.email, tenantId: "acme" }))).toEqual([
      403, -102_004,
    ])
    const all = (await admin.calls.get<ReadonlyArray<TenantRecord>>("/admin/tenant/list")).record
    // Who made it stands in the audit of those who may.
    const created = { limit: "200", objectId: "acme" }
    expect((await admin.calls.get<ReadonlyArray<object>>("/audit/list", created)).record).toMatchObject([
      { action: "tenant.create", result: "InvalidParameter" },
      { action: "tenant.create", result: "ok" },
    ])
    expect((await there.get<ReadonlyArray<object>>("/audit/list", created)).record).toEqual([])
    expect(all.map(({ tenantId, isHome }) => [tenantId, isHome])).toEqual([
      ["acme", false],
      ["default", true],
    ])
  })

  it("reads how the gateway works now; whoever is none does not", async () => {
    const { record } = await admin.calls.get<StatusRecord>("/admin/status")
    expect(record).toMatchObject({ tradingMode: "online", actors: { accounts: { inDoubt: 0, parked: 0 } } })
    expect(record.connectors.map(({ venue }) => venue)).toContain("BINANCE")
    for (const path of ["/admin/status", "/admin/user/list"])
      expect(refusal(await users[2]!.calls.get(path))).toEqual([403, -102_003])
  })
})
