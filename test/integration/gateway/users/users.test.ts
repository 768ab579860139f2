/** Users over the wire, with the mails they get: confirmation, recovery, changes, and nobody learns who is registered. */

import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type {
  AdminUserRecord,
  EmailChangeRecord,
  SessionEntry,
  SessionRecord,
  UserRecord,
} from "../../../../src/domain/user/user.ts"
import { findEmbedded } from "../../../../src/store/embedded/running.ts"
import { signUpFounder } from "../../../kit/servers/founder.ts"
import {
  type Answer,
  api,
  endGateways,
  type Gateway,
  PASSWORD,
  startGateway,
  until,
} from "../../../kit/servers/gateway.ts"
import { mailsTo, mailTo, tokenTo } from "../../../kit/servers/mailbox.ts"
import { query } from "../../store/account-store-rig.ts"
import { closeClients, connectClient } from "../markets/socket.ts"

let gateway: Gateway
let admin: SessionRecord

const CONFIRM = "Confirm your e-mail address"
const RECOVER = "Recover your password"

beforeAll(async () => {
  gateway = await startGateway({ env: { SIGNUP: "confirm" } })
  admin = await signUpFounder(gateway, "root@example.com")
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

const newEmail = () => `user-${randomUUID()}@example.com`
const verify = <A = SessionRecord>(type: string, token: string): Promise<Answer<A>> =>
  api(gateway).post<A>("/auth/verify", { type, token })
const token = (email: string, subject: string, nth = 1) => tokenTo(gateway.dataDir, email, subject, nth)
const errno = ({ status, envelope }: Answer<unknown>) => [status, envelope.errno]

/** A user whose address is proven. */
const confirmed = async (email: string, password = PASSWORD): Promise<SessionRecord> => {
  expect((await api(gateway).signup(email, password)).status).toBe(200)
  return (await verify("signup", await token(email, CONFIRM))).record
}

const OK = { status: 200, data: "ok" }
const recover = async (email: string) => {
  const { status, envelope } = await api(gateway).post("/auth/recover", { email })
  expect({ status, data: envelope.data }).toEqual(OK)
}

describe("a signup where addresses are confirmed", () => {
  it("logs in after the mailed token, not before, and tells so only to whoever knows the password", async () => {
    const email = newEmail()
    const { record } = await api(gateway).signup(email)
    expect(record).toMatchObject({ email, emailConfirmedAt: null })
    expect(record).not.toHaveProperty("accessToken")
    expect(errno(await api(gateway).login(email))).toEqual([400, -100009])
    expect(errno(await api(gateway).login(email, "not the password"))).toEqual([400, -100001])
    const session = (await verify("signup", await token(email, CONFIRM))).record
    expect(session.user.emailConfirmedAt).not.toBeNull()
    expect((await api(gateway).as(session.accessToken).user()).record.email).toBe(email)
    expect((await api(gateway).login(email)).status).toBe(200)
  })

  it("uses a token once, and says the same of a used, a wrong and an unknown one", async () => {
    const email = newEmail()
    await api(gateway).signup(email)
    const once = await token(email, CONFIRM)
    expect(errno(await verify("recovery", once)), "a token of another kind").toEqual([400, -100012])
    const [one, other] = await Promise.all([verify("signup", once), verify("signup", once)])
    expect([one.status, other.status].sort()).toEqual([200, 400])
    expect(errno(await verify("signup", once))).toEqual([400, -100012])
    expect(errno(await verify("signup", "A".repeat(43)))).toEqual([400, -100012])
  })

  it("answers the same for a new address, a waiting one and a registered one", async () => {
    const registered = newEmail()
    await confirmed(registered)
    const waiting = newEmail()
    const answers = [
      await api(gateway).signup(waiting),
      await api(gateway).signup(waiting),
      await api(gateway).signup(registered),
      await api(gateway).signup(registered, "another password of somebody"),
    ]
    const shapes = answers.map(({ status, record }) => {
      const user = record as unknown as UserRecord
      return [status, Object.keys(user).sort(), user.emailConfirmedAt, user.lastSignInAt, user.identities.length]
    })
    for (const shape of shapes) expect(shape).toEqual(shapes[0])
    expect(new Set(answers.map(({ record }) => (record as unknown as UserRecord).id)).size).toBe(4)
    await mailTo(gateway.dataDir, registered, "You are already registered")
    expect((await api(gateway).login(registered)).status, "the password is what it was").toBe(200)
    const mails = await mailsTo(gateway.dataDir, registered)
    expect(mails.filter(({ subject }) => subject === "You are already registered").length).toBe(1)
  })

  it("never puts a password in force that the reader of the mail did not choose", async () => {
    // Somebody signs up with the victim's address first and waits.
    const victim = newEmail()
    await api(gateway).signup(victim, "the attacker's password")
    const first = await token(victim, CONFIRM)
    // The victim comes so soon that no second mail is sent: the first proves the address, and nothing else.
    await api(gateway).signup(victim, "the victim's own password")
    const session = (await verify("signup", first)).record
    expect(errno(await api(gateway).login(victim, "the attacker's password"))).toEqual([400, -100001])
    const calls = api(gateway).as(session.accessToken)
    expect((await calls.post("/auth/user/update", { password: "chosen at the end" })).status).toBe(200)
    expect((await api(gateway).login(victim, "chosen at the end")).status).toBe(200)
  })

  it("keeps the password of a double click", async () => {
    const email = newEmail()
    await Promise.all([api(gateway).signup(email), api(gateway).signup(email)])
    await verify("signup", await token(email, CONFIRM)).then(({ record }) => record)
    expect((await mailsTo(gateway.dataDir, email)).length).toBe(1)
    // Of two at once one compared its password with the other's, which is the same.
    expect((await api(gateway).login(email)).status).toBe(200)
  })

  it("is proven by a recovery too, which takes the signup's password out of force", async () => {
    const victim = newEmail()
    await api(gateway).signup(victim, "the attacker's password")
    await recover(victim)
    await verify("recovery", await token(victim, RECOVER)).then(({ record }) => record)
    expect(errno(await api(gateway).login(victim, "the attacker's password"))).toEqual([400, -100001])
    expect(errno(await verify("signup", await token(victim, CONFIRM)))).toEqual([400, -100012])
  })

  it("is silent about a resend that comes too soon, and about an unknown address", async () => {
    const email = newEmail()
    await api(gateway).signup(email)
    await token(email, CONFIRM)
    for (const address of [email, newEmail(), "no address at all"]) {
      const { status, envelope } = await api(gateway).post("/auth/resend", { type: "signup", email: address })
      expect({ status, data: envelope.data }).toEqual(OK)
    }
    expect((await mailsTo(gateway.dataDir, email)).length).toBe(1)
  })
})

describe("a password recovery", () => {
  it("opens a session by mail, in which a new password ends all others", async () => {
    const email = newEmail()
    const before = await confirmed(email)
    const { codes } = await socketOf(before.accessToken)
    await recover(email.toUpperCase())
    const session = (await verify("recovery", await token(email, RECOVER))).record
    const calls = api(gateway).as(session.accessToken)
    expect((await calls.user()).status).toBe(200)
    expect((await calls.as(before.accessToken).user()).status, "not yet").toBe(200)
    expect(errno(await calls.post("/auth/user/update", { password: PASSWORD }))).toEqual([400, -101005])
    expect((await calls.post("/auth/user/update", { password: "a new password for ada" })).status).toBe(200)
    expect(errno(await calls.as(before.accessToken).user())).toEqual([401, -100005])
    expect((await api(gateway).refresh(before.refreshToken)).status).toBe(401)
    await until("the old session's socket to close", () => codes.includes(3500))
    expect((await calls.user()).status, "the session that changed it goes on").toBe(200)
    expect(errno(await api(gateway).login(email))).toEqual([400, -100001])
    expect((await api(gateway).login(email, "a new password for ada")).status).toBe(200)
    await mailTo(gateway.dataDir, email, "Your password was changed")
  })

  it("answers ok for everybody, mails users only, and not twice in a minute", async () => {
    const email = newEmail()
    await confirmed(email)
    const nobody = newEmail()
    for (const address of [email, email, nobody]) await recover(address)
    expect(errno(await api(gateway).post("/auth/recover", { email: "nonsense" }))).toEqual([400, -101003])
    await token(email, RECOVER)
    expect((await mailsTo(gateway.dataDir, email)).filter(({ subject }) => subject === RECOVER).length).toBe(1)
    expect(await mailsTo(gateway.dataDir, nobody)).toEqual([])
  })

  it("is worth nothing once the password was changed otherwise", async () => {
    const email = newEmail()
    const { accessToken } = await confirmed(email)
    await recover(email)
    const stale = await token(email, RECOVER)
    const calls = api(gateway).as(accessToken)
    expect((await calls.post("/auth/user/update", { password: "a new password for ada" })).status).toBe(200)
    expect(errno(await verify("recovery", stale))).toEqual([400, -100012])
  })
})

describe("an update of the user", () => {
  it("merges metadata key by key, and null removes a key", async () => {
    const { accessToken } = await confirmed(newEmail())
    const calls = api(gateway).as(accessToken)
    const update = (metadata: unknown) => calls.post<UserRecord>("/auth/user/update", { metadata })
    await update({ desk: "fx", limits: { a: 1 }, theme: "dark" })
    expect((await update({ theme: null, limits: { b: null } })).record.userMetadata).toEqual({
      desk: "fx",
      limits: { b: null },
    })
    expect((await update(null)).record.userMetadata).toEqual((await calls.user()).record.userMetadata)
    const much = { much: "x".repeat(20_000) }
    expect(errno(await update(much))).toEqual([400, -104003])
    const signup = { email: newEmail(), password: PASSWORD, metadata: much }
    expect(errno(await calls.post("/auth/signup", signup))).toEqual([400, -104003])
  })

  it("changes the address when both ends have agreed", async () => {
    const before = newEmail()
    const after = newEmail()
    const { accessToken } = await confirmed(before)
    const calls = api(gateway).as(accessToken)
    const { record } = await calls.post<UserRecord>("/auth/user/update", { email: after.toUpperCase() })
    expect(record).toMatchObject({ email: before, newEmail: after })
    const agreed = await verify<EmailChangeRecord>(
      "email_change",
      await token(after, "Confirm your new e-mail address"),
    )
    expect(agreed.record).toEqual({ status: "PENDING", awaiting: "current" })
    expect((await calls.user()).record.email).toBe(before)
    const old = await token(before, "Confirm the change of your e-mail address")
    expect((await verify<EmailChangeRecord>("email_change", old)).record).toEqual({ status: "DONE", awaiting: null })
    expect((await calls.user()).record).toMatchObject({ email: after })
    expect((await calls.user()).record).not.toHaveProperty("newEmail")
    expect((await api(gateway).login(after)).status).toBe(200)
    expect(errno(await api(gateway).login(before))).toEqual([400, -100001])
    await mailTo(gateway.dataDir, before, "Your e-mail address was changed")
  })

  it("says nothing of an address that is somebody else's, and tells that one", async () => {
    const taken = newEmail()
    await confirmed(taken)
    const own = newEmail()
    const { accessToken } = await confirmed(own)
    const calls = api(gateway).as(accessToken)
    const { record } = await calls.post<UserRecord>("/auth/user/update", { email: taken })
    expect(record).toMatchObject({ email: own, newEmail: taken })
    await mailTo(gateway.dataDir, taken, "Another account asked to use your e-mail address")
    const old = await token(own, "Confirm the change of your e-mail address")
    expect((await verify<EmailChangeRecord>("email_change", old)).record).toEqual({
      status: "PENDING",
      awaiting: "new",
    })
    const again = await calls.post("/auth/user/update", { email: newEmail() })
    expect(errno(again), "one change of address a minute").toEqual([429, -103000])
    expect(again.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
  })

  it("does all that one request asks for, or nothing", async () => {
    const { accessToken } = await confirmed(newEmail())
    const calls = api(gateway).as(accessToken)
    const update = await calls.post("/auth/user/update", { metadata: { a: 1 }, password: "short" })
    expect(errno(update)).toEqual([400, -101002])
    expect((await calls.user()).record.userMetadata).toEqual({})
  })

  it("takes the current password as a proof, and only the right one", async () => {
    const email = newEmail()
    const { accessToken } = await confirmed(email)
    const calls = api(gateway).as(accessToken)
    const change = (currentPassword: string) =>
      calls.post("/auth/user/update", { password: "a new password for ada", currentPassword })
    expect(errno(await change("not it at all"))).toEqual([400, -100001])
    expect((await change(PASSWORD)).status).toBe(200)
  })

  it("wants a new password proven once the last proof is too old", async () => {
    const email = newEmail()
    const { accessToken, user } = await confirmed(email)
    const found = await findEmbedded(gateway.dataDir)
    if (found._tag !== "Running") throw new Error(`the gateway's database is ${found._tag}`)
    await query(found.url, `UPDATE session SET proven_at = proven_at - 86400001 WHERE user_id = '${user.id}'`)
    const calls = api(gateway).as(accessToken)
    const password = "a new password for ada"
    const refused = await calls.post("/auth/user/update", { password })
    expect([...errno(refused), refused.envelope.details?.code]).toEqual([401, -100011, "REAUTHENTICATION_NEEDED"])
    expect((await calls.post("/auth/user/update", { metadata: { desk: "fx" } })).status).toBe(200)
    expect((await calls.post("/auth/user/update", { password, currentPassword: PASSWORD })).status).toBe(200)
  })

  it("refuses passwords that anybody tries first", async () => {
    const { accessToken } = await confirmed("ada.lovelace@example.com")
    const calls = api(gateway).as(accessToken)
    for (const password of ["password123", "QWERTYUIOP", "aaaaaaaaaaaa", "abcdefghij", "lovelace1815", "Gateway2026"]) {
      const refused = await calls.post("/auth/user/update", { password })
      expect([password, ...errno(refused)]).toEqual([password, 400, -101002])
    }
  })
})

/** A socket of this token, and the codes it ended with. */
const socketOf = async (accessToken: string) => {
  const client = await connectClient(gateway, accessToken)
  const codes: Array<number> = []
  client.on("disconnected", ({ code }) => codes.push(code))
  client.on("connecting", ({ code }) => codes.push(code))
  return { client, codes }
}

describe("the list of sessions", () => {
  it("shows where the user is logged in, and ends any of them at once", async () => {
    const email = newEmail()
    const first = await confirmed(email)
    const second = (await api(gateway).login(email)).record
    const calls = api(gateway).as(first.accessToken)
    const { record: entries } = await calls.get<ReadonlyArray<SessionEntry>>("/auth/session/list")
    expect(entries.map(({ current, method }) => [current, method])).toEqual([
      [false, "password"],
      [true, "signup"],
    ])
    const { codes } = await socketOf(second.accessToken)
    const sessionId = entries.find(({ current }) => !current)?.sessionId
    expect((await calls.post("/auth/session/revoke", { sessionId })).envelope.data).toBe("ok")
    expect(errno(await calls.as(second.accessToken).user())).toEqual([401, -100005])
    await until("its socket to close", () => codes.includes(3500))
    expect((await calls.get<ReadonlyArray<SessionEntry>>("/auth/session/list")).record.length).toBe(1)
    expect((await calls.post("/auth/session/revoke", { sessionId })).status, "repeatable").toBe(200)
  })

  it("knows nothing of another user's sessions", async () => {
    const stranger = await confirmed(newEmail())
    const own = await confirmed(newEmail())
    const listed = await api(gateway).as(own.accessToken).get<ReadonlyArray<SessionEntry>>("/auth/session/list")
    const sessionId = listed.record[0]?.sessionId
    const calls = api(gateway).as(stranger.accessToken)
    expect(errno(await calls.post("/auth/session/revoke", { sessionId }))).toEqual([404, -100013])
    expect(errno(await calls.post("/auth/session/revoke", { sessionId: randomUUID() }))).toEqual([404, -100013])
    expect((await api(gateway).as(own.accessToken).user()).status).toBe(200)
  })

  it("ends by a logout's scope: the others, or all", async () => {
    const email = newEmail()
    const one = await confirmed(email)
    const two = (await api(gateway).login(email)).record
    const status = async ({ accessToken }: SessionRecord) => (await api(gateway).as(accessToken).user()).status
    await api(gateway).as(two.accessToken).post("/auth/logout?scope=others")
    expect([await status(one), await status(two)]).toEqual([401, 200])
    const three = (await api(gateway).login(email)).record
    await api(gateway).as(three.accessToken).post("/auth/logout?scope=global")
    expect([await status(two), await status(three)]).toEqual([401, 401])
    expect(errno(await api(gateway).as(three.accessToken).post("/auth/logout?scope=everywhere"))[0]).toBe(401)
  })
})

describe("a ban", () => {
  const ban = (who: string, session = admin) =>
    api(gateway).as(session.accessToken).post<AdminUserRecord>("/admin/user/ban", { email: who, reason: "stolen" })

  it("ends the user's sessions and sockets at once and refuses logins until it is lifted", async () => {
    const email = newEmail()
    const session = await confirmed(email)
    const calls = api(gateway).as(session.accessToken)
    await calls.user()
    const { codes } = await socketOf(session.accessToken)
    const { record } = await ban(email)
    expect(record).toMatchObject({ email, banReason: "stolen" })
    expect(record.bannedAt).not.toBeNull()
    expect(errno(await calls.user())).toEqual([401, -100005])
    expect(errno(await api(gateway).refresh(session.refreshToken))).toEqual([403, -100010])
    await until("the socket to close", () => codes.includes(3500))
    expect(errno(await api(gateway).login(email))).toEqual([403, -100010])
    expect(errno(await api(gateway).login(email, "not the password"))).toEqual([400, -100001])
    await recover(email)
    expect((await ban(email)).record.bannedAt, "repeatable").toBe(record.bannedAt)
    const lifted = await api(gateway).as(admin.accessToken).post<AdminUserRecord>("/admin/user/unban", { email })
    expect(lifted.record).toMatchObject({ bannedAt: null, banReason: null })
    expect(errno(await calls.user()), "what ended stays ended").toEqual([401, -100005])
    expect((await api(gateway).login(email)).status).toBe(200)
    const mails = await mailsTo(gateway.dataDir, email)
    expect(
      mails.map(({ subject }) => subject),
      "no recovery for the banned",
    ).toEqual([CONFIRM])
  })

  it("is for admins, of others, who exist", async () => {
    const email = newEmail()
    const user = await confirmed(email)
    expect(errno(await ban("root@example.com", user))).toEqual([403, -102003])
    expect(errno(await ban(newEmail()))).toEqual([404, -101004])
    expect(errno(await ban("root@example.com"))).toEqual([400, -104003])
    const calls = api(gateway).as(admin.accessToken)
    expect(errno(await calls.post("/admin/user/ban", {}))).toEqual([400, -104003])
    expect((await api(gateway).as(user.accessToken).user()).status).toBe(200)
  })

  it("leaves no session behind of logins that were under way", async () => {
    const email = newEmail()
    await confirmed(email)
    const logins = Array.from({ length: 12 }, () => api(gateway).login(email))
    const banned = ban(email)
    const sessions = (await Promise.all(logins)).flatMap(({ envelope }) =>
      envelope.data === null ? [] : [envelope.data],
    )
    await banned
    for (const { accessToken } of sessions) expect((await api(gateway).as(accessToken).user()).status).toBe(401)
  })
})

describe("a mail that was answered for", () => {
  it("arrives although the process was killed before any server took it, into an installation that was closed since", async () => {
    const first = await startGateway({ env: { SMTP_URL: "smtp://127.0.0.1:9" } })
    const email = newEmail()
    await api(first).signup(email)
    expect((await api(first).post("/auth/recover", { email })).status).toBe(200)
    first.kill("SIGKILL")
    await first.exited
    // Where nobody signs up any more, whoever is there goes on.
    const second = await startGateway({ dataDir: first.dataDir, env: { SIGNUP: "closed" } })
    expect(errno(await api(second).signup(newEmail()))).toEqual([403, -101006])
    expect((await api(second).login(email)).status).toBe(200)
    const mailed = await tokenTo(first.dataDir, email, RECOVER)
    expect((await api(second).post("/auth/verify", { type: "recovery", token: mailed })).status).toBe(200)
    expect((await mailsTo(first.dataDir, email)).length).toBe(1)
    await second.stop()
  })
})
