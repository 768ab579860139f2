/** The second factor over HTTP: asked at every way in, good once, and needed by admins where the installation says so. */
import { randomUUID } from "node:crypto"
import { Secret, TOTP } from "otpauth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RATE_LIMITS } from "../../../../src/domain/user/rate-limits.ts"
import type { SessionEntry, SessionRecord } from "../../../../src/domain/user/user.ts"
import {
  type Answer,
  type Api,
  api,
  endGateways,
  type Gateway,
  PASSWORD,
  startGateway,
  until,
} from "../../../kit/servers/gateway.ts"
import { tokenTo } from "../../../kit/servers/mailbox.ts"
import { operatorOf } from "../../../kit/servers/operator.ts"
import { query } from "../../store/account-store-rig.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"
import { type Newcomer, signUp, signUpAdmin } from "./people.ts"

const MANY = { perSecond: 100, burst: 1_000 }
const SIGN_INS = Object.fromEntries(
  ["login", "loginHour", "loginAddress", "loginAccount", "signup"].map((name) => [name, MANY]),
)

const newDatabase = withDatabaseServer()
let database: OwnDatabase
let gateway: Gateway
beforeAll(async () => {
  database = await newDatabase()
  const env = {
    DATABASE_URL: database.url,
    MOCK_TICK_MS: "0",
    ADMIN_SECOND_FACTOR: "required",
    RATE_LIMITS: JSON.stringify({ ...SIGN_INS, secondFactor: MANY, secondFactorHour: MANY }),
  }
  gateway = await startGateway({ env })
})
afterAll(endGateways)

const heard = ({ status, envelope }: Answer<unknown>): readonly [status: number, errno: number] => [
  status,
  envelope.errno,
]
const NEEDED = [401, -100_014] as const
const INVALID = [400, -100_015] as const

interface Enrolled extends Newcomer {
  /** Of a step, counted from now; each is good once. */
  readonly code: (stepsAgo?: number) => string
  readonly recoveryCodes: ReadonlyArray<string>
}

/** Steps go on by themselves: codes of before are forgotten, as if half a minute had passed. */
const forgetSteps = (userId: string, { adminUrl } = database) =>
  query(adminUrl, "UPDATE second_factor SET last_step = 0 WHERE user_id = $1", [userId])

const enrol = async (newcomer: Newcomer, where = database): Promise<Enrolled> => {
  const { calls, session } = newcomer
  const { secret, uri } = (await calls.post<{ secret: string; uri: string }>("/auth/totp/enrol")).record
  expect(uri).toContain(secret)
  const totp = new TOTP({ algorithm: "SHA1", digits: 6, period: 30, secret: Secret.fromBase32(secret) })
  const code = (stepsAgo = 0): string => totp.generate({ timestamp: Date.now() - stepsAgo * 30_000 })
  expect(heard(await calls.post("/auth/totp/confirm", { code: code(5) }))).toEqual(INVALID)
  const confirmed = await calls.post<{ recoveryCodes: ReadonlyArray<string> }>("/auth/totp/confirm", { code: code() })
  await forgetSteps(session.user.id, where)
  return { ...newcomer, code, recoveryCodes: confirmed.record.recoveryCodes }
}

const login = (email: string, totpCode?: string, password = PASSWORD): Promise<Answer<SessionRecord>> =>
  api(gateway).post("/auth/login", { email, password, ...(totpCode !== undefined && { totpCode }) })

const claimsOf = ({ accessToken }: SessionRecord): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString())

describe("a user with a second factor", () => {
  it("signs in with a code of it or a recovery code, each once, and not with the password alone", async () => {
    const before = await signUp(gateway)
    const elsewhere = (await login(before.email)).record
    const user = await enrol(before)
    expect((await api(gateway).as(elsewhere.accessToken).user()).envelope.errno, "all others end").toBe(-100_005)
    expect((await user.calls.get("/auth/totp")).record).toEqual({ enrolled: true, recoveryCodesLeft: 10 })
    expect(user.recoveryCodes).toHaveLength(10)

    expect(heard(await login(user.email))).toEqual(NEEDED)
    expect(heard(await login(user.email, undefined, "a guess")), "the password is looked at first").toEqual([
      400, -100_001,
    ])
    expect(heard(await login(user.email, "000000"))).toEqual(INVALID)
    // The same one each time: on the way the clock may come into a step whose code nobody has used.
    const code = user.code()
    const once = await Promise.all(Array.from({ length: 8 }, () => login(user.email, code)))
    const [first, ...more] = once.filter(({ envelope }) => envelope.success)
    expect([claimsOf(first!.record)["aal"], more.length]).toEqual(["aal2", 0])
    expect(heard(await login(user.email, code)), "taken").toEqual(INVALID)

    const [spare] = user.recoveryCodes
    const spares = await Promise.all(Array.from({ length: 8 }, () => login(user.email, spare)))
    expect(spares.filter(({ envelope }) => envelope.success)).toHaveLength(1)
    expect((await user.calls.get("/auth/totp")).record).toEqual({ enrolled: true, recoveryCodesLeft: 9 })
  })

  it("opens nothing by a mail alone: a recovery needs a code, and keeps its token until it has one", async () => {
    const user = await enrol(await signUp(gateway))
    await api(gateway).post("/auth/recover", { email: user.email })
    const token = await tokenTo(gateway.dataDir, user.email, "Recover your password")
    const verify = (totpCode?: string) =>
      api(gateway).post<SessionRecord>("/auth/verify", { type: "recovery", token, totpCode })
    expect(heard(await verify())).toEqual(NEEDED)
    expect(heard(await verify("000000"))).toEqual(INVALID)
    const session = (await verify(user.code())).record
    expect(claimsOf(session)["aal"]).toBe("aal2")
    const calls = api(gateway).as(session.accessToken)
    expect((await calls.post("/auth/user/update", { password: "another good password" })).status).toBe(200)
  })

  it("proves itself with both for a new password, and again in a session", async () => {
    const user = await enrol(await signUp(gateway))
    const change = { password: "another good password", currentPassword: PASSWORD }
    expect(heard(await user.calls.post("/auth/user/update", change))).toEqual(NEEDED)
    const proof = (totpCode?: string) =>
      user.calls.post<SessionRecord>("/auth/reauthenticate", { currentPassword: PASSWORD, totpCode })
    expect(heard(await proof())).toEqual(NEEDED)
    expect(heard(await proof("000000"))).toEqual(INVALID)
    const proven = api(gateway).as((await proof(user.code())).record.accessToken)
    await forgetSteps(user.session.user.id)
    const [first, second] = user.recoveryCodes
    const changed = await proven.post("/auth/user/update", { ...change, totpCode: first })
    expect(changed.status, changed.text).toBe(200)
    const renewed = (await proven.post<{ recoveryCodes: ReadonlyArray<string> }>("/auth/recoveryCode/renew")).record
    expect(renewed.recoveryCodes).toHaveLength(10)
    expect(heard(await login(user.email, second, change.password)), "of before").toEqual(INVALID)
    expect((await login(user.email, renewed.recoveryCodes[0], change.password)).status).toBe(200)
  })

  it("has it until a code removes it, or an operator", async () => {
    const user = await enrol(await signUp(gateway))
    expect(heard(await user.calls.post("/auth/totp/enrol"))).toEqual([409, -100_016])
    expect(heard(await user.calls.post("/auth/totp/remove", { code: "000000" }))).toEqual(INVALID)
    expect((await user.calls.post("/auth/totp/remove", { code: user.code() })).status).toBe(200)
    expect((await user.calls.get("/auth/totp")).record).toEqual({ enrolled: false, recoveryCodesLeft: 0 })
    const session = (await login(user.email)).record
    const again = await enrol({ ...user, session, calls: api(gateway).as(session.accessToken) })
    await operatorOf(database.url)(`second-factor ${user.email} reset`)
    await until("its sessions to end", async () => (await again.calls.user()).status === 401)
    expect((await login(user.email)).status).toBe(200)
  })

  it("is stored sealed, and its recovery codes as hashes", async () => {
    const user = await enrol(await signUp(gateway))
    const id = user.session.user.id
    const [row] = await query(
      database.adminUrl,
      "SELECT secret::text AS secret, kid FROM second_factor WHERE user_id = $1",
      [id],
    )
    expect(JSON.parse(String(row?.["secret"]))).toMatchObject({ alg: "A256GCM-HKDF", kid: row?.["kid"] })
    const codes = await query(database.adminUrl, "SELECT code_hash FROM recovery_code WHERE user_id = $1", [id])
    expect(codes.map((code) => (code["code_hash"] as Buffer).length)).toEqual(Array.from({ length: 10 }, () => 32))
  })
})

describe("an admin where the second factor is required", () => {
  const isAdmin = async (calls: Api): Promise<Answer<unknown>> =>
    calls.post("/admin/user/unban", { email: `nobody-${randomUUID()}@example.com` })
  const FOUND_NONE = [404, -101_004] as const

  it("is one only in a session that has proven it, over HTTP and in the token", async () => {
    const admin = await signUpAdmin(gateway)
    const refused = await isAdmin(admin.calls)
    expect(heard(refused)).toEqual([403, -102_003])
    expect(refused.envelope.details?.metadata).toMatchObject({ needs: ["totp"] })
    expect(claimsOf(admin.session)["permissions"]).toEqual(["read", "write"])
    const enrolled = await enrol(admin)
    expect(heard(await isAdmin(enrolled.calls)), "in the session that confirmed it").toEqual(FOUND_NONE)
    const session = (await login(admin.email, enrolled.code())).record
    expect(claimsOf(session)["permissions"]).toEqual(["read", "write", "admin"])
    expect(heard(await isAdmin(api(gateway).as(session.accessToken)))).toEqual(FOUND_NONE)
  })

  it("loses it in API keys with the factor, and another factor wakes none of them", async () => {
    const person = await signUp(gateway)
    await operatorOf(database.url)(`grant ${person.email} admin`)
    const before = await enrol(person)
    const calls = api(gateway).as((await login(before.email, before.code())).record.accessToken)
    const made = await calls.post<{ apiKey: string }>("/apiKey/create", { name: "desk", scopes: ["admin"] })
    const bot = api(gateway).as(made.record.apiKey)
    const asAdmin = () => bot.get("/audit/list")
    expect((await asAdmin()).status, made.text).toBe(200)
    await forgetSteps(before.session.user.id)
    expect((await calls.post("/auth/totp/remove", { code: before.code() })).status).toBe(200)
    await until("the key to be no admin's", async () => (await asAdmin()).status === 403)
    // What the next start would go by.
    const stored = await query(database.adminUrl, "SELECT second_factor FROM api_key WHERE user_id = $1", [
      before.session.user.id,
    ])
    expect(stored).toEqual([{ second_factor: false }])
    const session = (await login(before.email)).record
    await enrol({ ...before, session, calls: api(gateway).as(session.accessToken) })
    expect((await asAdmin()).status).toBe(403)
  })
})

describe("wrong codes", () => {
  it("are five in a minute, whoever brings them; the right one has to wait, too", async () => {
    const own = await newDatabase()
    expect(RATE_LIMITS.secondFactor).toEqual({ perSecond: 5 / 60, burst: 5 })
    // As many, and none comes back while the test runs: a password takes a second where the machine is slow.
    const slow = { perHour: 1, burst: RATE_LIMITS.secondFactor.burst }
    const limits = JSON.stringify({ ...SIGN_INS, secondFactor: slow })
    const strict = await startGateway({ env: { DATABASE_URL: own.url, MOCK_TICK_MS: "0", RATE_LIMITS: limits } })
    // The wrong one of the enrolment is the first.
    const user = await enrol(await signUp(strict), own)
    const tried = async (totpCode: string) =>
      heard(await api(strict).post("/auth/login", { email: user.email, password: PASSWORD, totpCode }))
    const answers: Array<readonly [number, number]> = []
    for (let n = 0; n < 6; n++) answers.push(await tried("000000"))
    expect(answers.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => INVALID))
    expect([answers.at(-1), await tried(user.code())]).toEqual([
      [429, -103_000],
      [429, -103_000],
    ])
    await strict.stop()
  })
})

describe("a session of an admin", () => {
  it("is over when nothing was asked in it for the installation's time; a user's goes on, and one that is used", async () => {
    const own = await newDatabase()
    // One minute is the least: the clock of the test is the row of the session, which a start goes by.
    const env = { DATABASE_URL: own.url, MOCK_TICK_MS: "0", ADMIN_IDLE_MINUTES: "1" }
    const first = await startGateway({ env })
    const [admin, user] = [await signUpAdmin(first), await signUp(first)]
    const busy = (await api(first).login(admin.email)).record
    await first.stop()
    const ids = (session: SessionRecord) => claimsOf(session)["session_id"]
    await query(own.adminUrl, "UPDATE session SET refreshed_at = refreshed_at - 61000 WHERE session_id = ANY($1)", [
      [ids(admin.session), ids(user.session)],
    ])
    const second = await startGateway({ env, dataDir: first.dataDir })
    expect(heard(await api(second).as(admin.session.accessToken).user())).toEqual([401, -100_005])
    expect((await api(second).as(user.session.accessToken).user()).status).toBe(200)
    const calls = api(second).as(busy.accessToken)
    const listed = () => calls.get<ReadonlyArray<SessionEntry>>("/auth/session/list")
    await until("the end to be stored", async () => (await listed()).record.length === 1)
    await second.stop()
  })
})
