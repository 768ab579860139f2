/** The repositories behind the edges on a real server: users, sessions, credentials, accounts, instruments, subscriptions. */
import { randomUUID } from "node:crypto"
import { Effect, Either, Exit, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Credential } from "../../../src/domain/account/credential.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type {
  CredentialId,
  InstrumentId,
  SessionId,
  SubscriptionId,
  TenantId,
  UserId,
  VenueId,
} from "../../../src/domain/ids.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import { INTERNAL } from "../../../src/domain/order/internal-order.ts"
import type { User } from "../../../src/domain/user/user.ts"
import { AccountStore, type Row } from "../../../src/ports/account-store.ts"
import { IdempotentAnswers } from "../../../src/store/idempotent-answers.ts"
import { Instruments } from "../../../src/store/market/instruments.ts"
import { Accounts } from "../../../src/store/orders/accounts.ts"
import { type NewSubscription, Subscriptions } from "../../../src/store/orders/subscriptions.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { Patience } from "../../../src/store/postgres/storage-failure.ts"
import { Credentials } from "../../../src/store/users/credentials.ts"
import { SealedRows } from "../../../src/store/users/sealed-rows.ts"
import { type SessionRow, SessionRows } from "../../../src/store/users/sessions.ts"
import { UserChanges } from "../../../src/store/users/user-changes.ts"
import { type NewUser, Users } from "../../../src/store/users/users.ts"
import { instrumentOf } from "../../kit/records/instruments.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { until } from "../../kit/servers/gateway.ts"
import { commit, MOCK, newAccount, query, storeLayer, TENANT, tick } from "./account-store-rig.ts"

const database = withTestDatabase()
/** Statements wait behind locks of these tests for as long as a busy machine needs to ask all of them. */
const PATIENT = { connectTimeoutMillis: 60_000, statementTimeoutMillis: 60_000 }
const layerOf = (url: string) =>
  Layer.mergeAll(
    storeLayer(url, undefined, PATIENT),
    Layer.mergeAll(
      SessionRows.Default,
      UserChanges.Default,
      Credentials.Default,
      SealedRows.Default,
      IdempotentAnswers.Default,
      Instruments.Default,
      Subscriptions.Default,
    ).pipe(Layer.provide(sqlLayer(url, PATIENT))),
  )
type Services = Layer.Layer.Success<ReturnType<typeof layerOf>>

let runtime: ManagedRuntime.ManagedRuntime<Services, unknown>
beforeAll(async () => {
  runtime = ManagedRuntime.make(layerOf(database().url))
  await query(database().url, "INSERT INTO encryption_key VALUES ('k1', 0), ('only-here', 0)")
})
afterAll(() => runtime.dispose())
const run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> => runtime.runPromise(effect)
const failure = async <A, E>(effect: Effect.Effect<A, E, Services>): Promise<E> =>
  Either.getOrThrow(Either.flip(await run(Effect.either(effect))))

const proofs = (ids: ReadonlyArray<CredentialId>) =>
  ids.map((credentialId) => ({ credentialId, externalKey: "what it showed" }))

const newUser = (changes: Partial<NewUser> = {}): NewUser => ({
  userId: randomUUID() as UserId,
  email: `${randomUUID()}@example.com`,
  passwordHash: "$argon2id$hash",
  tenantId: TENANT,
  environments: ["PROD", "UAT"],
  userMetadata: { name: "Ada", nested: { a: [1, null, "é"] } },
  at: tick(),
  confirmed: true,
  ...changes,
})
const insertUser = (changes: Partial<NewUser> = {}) =>
  run(Effect.flatMap(Users, (users) => users.insert(newUser(changes))))

describe("Users", () => {
  it("makes exactly one first admin of many at once, stores none of the others, and makes another after a ban", async () => {
    const users = await run(Users)
    expect(await run(users.hasAdmin)).toBe(false)
    const many = Array.from({ length: 8 }, () => newUser())
    const made = await Promise.all(many.map((user) => run(users.insertFirstAdmin(user))))
    const [first, ...others] = made.filter((user) => user !== null)
    expect([first?.permissions, others]).toEqual([["read", "write", "admin"], []])
    const stored = await Promise.all(many.map(({ userId }) => run(users.findById(userId))))
    expect(stored.filter((user) => user !== null)).toEqual([first])
    expect(await run(users.hasAdmin)).toBe(true)
    await query(database().url, "UPDATE app_user SET banned_at = 1 WHERE user_id = $1", [first?.userId])
    expect(await run(users.hasAdmin)).toBe(false)
    expect((await run(users.insertFirstAdmin(newUser())))?.permissions).toContain("admin")
  })

  it("stores a user as given and finds it by id and by address in any case", async () => {
    const given = newUser({ email: "Ada.Lovelace@Example.com" })
    const users = await run(Users)
    const stored = await run(users.insert(given))
    expect(stored).toEqual({
      userId: given.userId,
      email: "Ada.Lovelace@Example.com",
      tenantId: "default",
      permissions: ["read", "write"],
      environments: ["PROD", "UAT"],
      userMetadata: given.userMetadata,
      emailConfirmedAt: given.at,
      lastSignInAt: null,
      bannedAt: null,
      banReason: null,
      pendingEmail: null,
      secondFactorAt: null,
      createdAt: given.at,
      updatedAt: given.at,
    })
    expect(await run(users.findById(given.userId))).toEqual(stored)
    expect(await run(users.findByEmail("ada.lovelace@EXAMPLE.com"))).toEqual({
      user: stored,
      passwordHash: "$argon2id$hash",
    })
    expect(await run(users.findByEmail("nobody@example.com"))).toBe(null)
    expect(await run(users.findById(randomUUID() as UserId))).toBe(null)
  })

  it("fails with UserExists for an address that differs only in case", async () => {
    const { email } = await insertUser()
    expect(
      await failure(Effect.flatMap(Users, (users) => users.insert(newUser({ email: email.toUpperCase() })))),
    ).toMatchObject({ _tag: "UserExists" })
  })

  it("changes sign-in time, password and permissions", async () => {
    const user = await insertUser()
    const users = await run(Users)
    await run(users.touchSignIn(user.userId, 12345))
    const changes = await run(UserChanges)
    await run(changes.setPassword(user.userId, "other", user.updatedAt))
    await run(changes.setPermissions(user.userId, ["read"], user.updatedAt))
    expect(await run(users.findByEmail(user.email))).toEqual({
      user: { ...user, lastSignInAt: 12345, permissions: ["read"] },
      passwordHash: "other",
    })
  })

  it("leaves the news of changed permissions with them: who asked for it may have had no answer", async () => {
    const { userId } = await insertUser()
    const changes = await run(UserChanges)
    const told = () => query(database().url, "SELECT 1 AS one FROM user_news WHERE user_id = $1", [userId])
    expect(await told()).toHaveLength(0)
    await run(changes.setPermissions(userId, ["read"], 0))
    expect(await told()).toHaveLength(1)
  })
})

describe("SessionRows", () => {
  const open = async (changes: Partial<SessionRow> = {}): Promise<{ row: SessionRow; user: User }> => {
    const user = await insertUser()
    const row: SessionRow = {
      sessionId: randomUUID() as SessionId,
      userId: user.userId,
      createdAt: 10,
      refreshedAt: 20,
      notAfter: 30,
      refreshCounter: 1,
      refreshKey: Buffer.from([0, 255, 1, 92]),
      refreshKid: "k1",
      revokedAt: null,
      ip: "127.0.0.1",
      userAgent: null,
      method: "password",
      provenAt: 10,
      generation: 0,
      secondFactor: false,
      ...changes,
    }
    await run(Effect.flatMap(SessionRows, (rows) => rows.insert(row, "$argon2id$hash")))
    return { row, user }
  }

  it("gives a session back with its user", async () => {
    const session = await open()
    const rows = await run(SessionRows)
    expect(await run(rows.find(session.row.sessionId))).toEqual(session)
    expect(await run(rows.find(randomUUID() as SessionId))).toBe(null)
  })

  it("refuses one to a user who is banned or has another password by now", async () => {
    const { row, user } = await open()
    const rows = await run(SessionRows)
    const changes = await run(UserChanges)
    const again = (hash: string) => run(rows.insert({ ...row, sessionId: randomUUID() as SessionId }, hash))
    expect(await again("$argon2id$hash")).toBe(true)
    expect(await again("the hash before")).toBe(false)
    await run(changes.ban(user.userId, null, 1))
    expect(await again("$argon2id$hash")).toBe(false)
  })

  it("ends all of a user's but one, and says which those were", async () => {
    const { row, user } = await open()
    const rows = await run(SessionRows)
    const other = { ...row, sessionId: randomUUID() as SessionId }
    await run(rows.insert(other, "$argon2id$hash"))
    expect(await run(rows.revokeOf(user.userId, row.sessionId, "why", 77))).toEqual([other.sessionId])
    expect((await run(rows.ofUser(user.userId, 0, 0))).map(({ sessionId }) => sessionId)).toEqual([row.sessionId])
    expect(await run(rows.revokeOf(user.userId, null, "why", 78))).toEqual([row.sessionId])
    expect(await run(rows.revokedSince(user.userId, 78))).toEqual([row.sessionId])
  })

  it("forgets those that are long over", async () => {
    const { row } = await open({ notAfter: 100 })
    const kept = await open({ notAfter: 40 * 86_400_000 })
    const rows = await run(SessionRows)
    await run(rows.forgetOld(31 * 86_400_000))
    expect(await run(rows.find(row.sessionId))).toBe(null)
    expect(await run(rows.find(kept.row.sessionId))).not.toBe(null)
  })

  it("lets one of two refreshes with the same counter advance", async () => {
    const { row } = await open()
    const rows = await run(SessionRows)
    const won = await Promise.all([1, 2, 3].map((at) => run(rows.advance(row.sessionId, 1, at))))
    expect(won.filter(Boolean).length).toBe(1)
    const at = won.indexOf(true) + 1
    expect((await run(rows.find(row.sessionId)))?.row).toEqual({ ...row, refreshCounter: 2, refreshedAt: at })
    expect(await run(rows.advance(row.sessionId, 2, 50))).toBe(true)
  })

  it("revokes once and never advances again", async () => {
    const { row } = await open()
    const rows = await run(SessionRows)
    expect(await run(rows.revoke(row.sessionId, "logout", 77))).toBe(true)
    expect(await run(rows.revoke(row.sessionId, "again", 88))).toBe(false)
    expect(await run(rows.advance(row.sessionId, 1, 99))).toBe(false)
    expect((await run(rows.find(row.sessionId)))?.row.revokedAt).toBe(77)
  })

  it("lists the live sessions refreshed since an instant", async () => {
    const rows = await run(SessionRows)
    const since = 1_000_000
    const early = await open({ refreshedAt: since - 1 })
    const onTime = await open({ refreshedAt: since })
    const late = await open({ refreshedAt: since + 5 })
    const revoked = await open({ refreshedAt: since + 6 })
    await run(rows.revoke(revoked.row.sessionId, "logout", 1))
    const live = await run(rows.live(since))
    expect(live).toEqual([onTime, late])
    expect(live).not.toContainEqual(early)
  })
})

const newCredential = (user: User, changes: Partial<Credential> = {}): Credential => {
  const at = tick()
  return {
    credentialId: randomUUID() as CredentialId,
    tenantId: user.tenantId,
    userId: user.userId,
    venue: "BINANCE" as VenueId,
    name: "main",
    type: "TRADING",
    maskedApiKey: "****abcd",
    status: "ACTIVE",
    createdAt: at,
    updatedAt: at,
    revokedAt: null,
    ...changes,
  }
}
const ENVELOPE = { v: 1, kid: "k1", ct: "…", order: ["b", "a"] }
const storeCredential = async (user: User, changes: Partial<Credential> = {}, kid = "k1") => {
  const credential = newCredential(user, changes)
  await run(
    Effect.flatMap(Credentials, (credentials) => credentials.insert(credential, ENVELOPE, kid, "ff".repeat(32))),
  )
  return credential
}

describe("IdempotentAnswers", () => {
  const DAY = 86_400_000

  it("keeps each key for seven days from its first call, answered or not, and forgets it then", async () => {
    const rows = await run(IdempotentAnswers)
    const { userId } = await insertUser()
    const keyOf = (key: string) => ({ userId, operation: "wallet.create", key })
    const claimed = async (key: string, at: number) => (await run(rows.claim(keyOf(key), "same", at))).kept
    for (const key of ["answered", "open"]) expect(await claimed(key, 1_000)).toBe(null)
    const { claimId } = await run(rows.claim(keyOf("young"), "same", 1_001))
    await run(rows.keep(claimId, keyOf("young"), "3"))
    await query(database().url, "UPDATE idempotent_answer SET answer = '2' WHERE key = 'answered'")
    await run(rows.forgetOld(1_000 + 7 * DAY))
    expect(await claimed("answered", 8 * DAY)).toEqual({ fingerprint: "same", answer: "2" })
    expect(await claimed("open", 8 * DAY)).toEqual({ fingerprint: "same", answer: null })
    await run(rows.forgetOld(1_001 + 7 * DAY))
    expect(await claimed("answered", 8 * DAY)).toBe(null)
    expect(await claimed("open", 8 * DAY)).toBe(null)
    expect(await claimed("young", 8 * DAY)).toEqual({ fingerprint: "same", answer: "3" })
  })
})

describe("Credentials", () => {
  it("keeps record and envelope, and lists newest first by venue and page", async () => {
    const credentials = await run(Credentials)
    const user = await insertUser()
    const first = await storeCredential(user)
    const second = await storeCredential(user, { venue: "OKX" as VenueId })
    const third = await storeCredential(user)
    expect(await run(credentials.find(first.credentialId))).toEqual({ credential: first, envelope: ENVELOPE })
    expect(await run(credentials.find(randomUUID() as CredentialId))).toBe(null)
    expect(await run(credentials.list(user, { limit: 2, offset: 0 }))).toEqual({
      rows: [third, second],
      total: 3,
    })
    expect(await run(credentials.list(user, { limit: 2, offset: 2 }))).toEqual({ rows: [first], total: 3 })
    expect(await run(credentials.list(user, { venue: "BINANCE" as VenueId, limit: 9, offset: 0 }))).toEqual({
      rows: [third, first],
      total: 2,
    })
  })

  it("deletes the ciphertext on revoke, and answers the same record when repeated", async () => {
    const credentials = await run(Credentials)
    const sealed = await run(SealedRows)
    const credential = await storeCredential(await insertUser(), {}, "only-here")
    expect(await run(sealed.kidsInUse)).toContain("only-here")
    expect(await run(sealed.forget("only-here")), "a row needs it").toBe(false)
    const revoked = { ...credential, status: "REVOKED", revokedAt: 5, updatedAt: 5 }
    expect(await run(credentials.revoke(credential.credentialId, 5))).toEqual(revoked)
    expect(await run(credentials.revoke(credential.credentialId, 9))).toEqual(revoked)
    expect(await run(credentials.find(credential.credentialId))).toEqual({ credential: revoked, envelope: null })
    expect(await run(sealed.kidsInUse)).not.toContain("only-here")
    expect(await run(sealed.forget("only-here"))).toBe(true)
    await expect(storeCredential(await insertUser(), {}, "only-here"), "nobody names it any more").rejects.toThrow()
    expect(await run(credentials.revoke(randomUUID() as CredentialId, 9))).toBe(null)
  })

  it("knows the envelopes of an account and the accounts of a credential", async () => {
    const credentials = await run(Credentials)
    const accounts = await run(Accounts)
    const user = await insertUser()
    const older = await storeCredential(user)
    const newer = await storeCredential(user)
    const gone = await storeCredential(user)
    await run(credentials.revoke(gone.credentialId, 1))
    const ids = [older, newer, gone].map((credential) => credential.credentialId)
    const account = await run(accounts.insertAccount(newAccount(user.userId), [], proofs(ids)))
    const other = await run(accounts.insertAccount(newAccount(user.userId), [], proofs([older.credentialId])))
    const later = await storeCredential(user)
    const link = "INSERT INTO trading_account_credential VALUES ($1, $2, 9)"
    await query(database().url, link, [account.tradingAccountId, later.credentialId])
    const attached = async () =>
      (await run(credentials.attachedTo(account.tradingAccountId))).map((it) => [it.credentialId, it.isProven])
    expect(await attached()).toEqual([
      [newer.credentialId, true],
      [older.credentialId, true],
      [later.credentialId, false],
    ])
    await run(accounts.prove(account, proofs([later.credentialId])))
    expect(await attached()).toEqual([later, newer, older].map((it) => [it.credentialId, true]))
    expect(await run(credentials.accountsOf(older.credentialId))).toEqual([
      account.tradingAccountId,
      other.tradingAccountId,
    ])
    expect(await run(credentials.accountsOf(gone.credentialId))).toEqual([account.tradingAccountId])
  })
})

describe("Accounts", () => {
  it("inserts with credentials in their order and loads everything for the directory", async () => {
    const accounts = await run(Accounts)
    const user = await insertUser()
    const a = await storeCredential(user)
    const b = await storeCredential(user)
    const given = newAccount(user.userId)
    const stored = await run(accounts.insertAccount(given, ["BINANCE:77"], proofs([b.credentialId, a.credentialId])))
    expect(stored).toEqual({ ...given, credentials: [b, a] })
    const loaded = await run(accounts.loadAccounts)
    expect(loaded.find((account) => account.tradingAccountId === given.tradingAccountId)).toEqual(stored)
    expect(loaded.map((account) => account.createdAt)).toEqual(
      loaded.map((account) => account.createdAt).toSorted((x, y) => x - y),
    )
  })

  it("refuses a second live account of an external key or a user's label, says which is one's own, and frees both at disconnect", async () => {
    const accounts = await run(Accounts)
    const store = await run(AccountStore)
    const [one, two] = [await insertUser(), await insertUser()]
    const first = await run(
      accounts.insertAccount(newAccount(one.userId, { externalTradingAccountId: "desk" }), ["uid-1"], []),
    )
    const taken = { _tag: "ExternalAccountTaken" }
    expect(await failure(accounts.insertAccount(newAccount(two.userId), ["uid-1"], []))).toMatchObject(taken)
    expect(
      await failure(accounts.insertAccount(newAccount(one.userId, { externalTradingAccountId: "desk" }), [], [])),
    ).toMatchObject({ _tag: "Busy" })
    expect(await failure(accounts.insertAccount(first, ["uid-1"], []))).toMatchObject({ _tag: "Busy" })
    await run(accounts.insertAccount(newAccount(two.userId, { externalTradingAccountId: "desk" }), [], []))
    await run(accounts.insertAccount(newAccount(two.userId, { venue: "OTHER" as VenueId }), ["uid-1"], []))

    const gone = { ...first, version: 2, status: "DISCONNECTED" as const, disconnectedAt: 9, updatedAt: 9 }
    await commit(store, { accountId: first.tradingAccountId, rows: [{ _tag: "Account", account: gone }], events: [] })
    const again = await run(
      accounts.insertAccount(newAccount(one.userId, { externalTradingAccountId: "desk" }), ["uid-1"], []),
    )
    expect(again.tradingAccountId).not.toBe(first.tradingAccountId)
    expect((await run(store.load(first.tradingAccountId))).account).toEqual(gone)
  })

  it("stores an account's image with its credentials, and never an older one", async () => {
    const accounts = await run(Accounts)
    const store = await run(AccountStore)
    const user = await insertUser()
    const [a, b, c] = [await storeCredential(user), await storeCredential(user), await storeCredential(user)]
    const first = await run(
      accounts.insertAccount(newAccount(user.userId), [], proofs([a.credentialId, b.credentialId])),
    )
    const put = (account: typeof first) =>
      commit(store, { accountId: first.tradingAccountId, rows: [{ _tag: "Account", account }], events: [] })
    const second = { ...first, version: 3, nickname: "renamed", status: "UNAVAILABLE" as const, credentials: [c, b] }
    expect(await put(second)).toEqual({ _tag: "Committed", firstSequence: 1 })
    await put({ ...first, version: 2, nickname: "old" })
    expect((await run(store.load(first.tradingAccountId))).account).toEqual(second)
  })

  /** An account of two credentials, given with the higher id first; `take` locks a link from outside, or fails at once. */
  const withTwoLinks = async () => {
    const accounts = await run(Accounts)
    const user = await insertUser()
    const made = [await storeCredential(user), await storeCredential(user)]
    const [low, high] = made.map(({ credentialId }) => credentialId).toSorted() as [CredentialId, CredentialId]
    const shown = (ids: ReadonlyArray<CredentialId>) =>
      ids.map((credentialId) => ({ credentialId, externalKey: user.userId }))
    const account = await run(accounts.insertAccount(newAccount(user.userId), [], shown([high, low])))
    const outside = new pg.Client({ connectionString: database().url })
    await outside.connect()
    await outside.query("BEGIN")
    const { rows } = await outside.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")
    const text = `SELECT FROM trading_account_credential WHERE trading_account_id = '${account.tradingAccountId}'
      AND credential_id = $1 FOR UPDATE NOWAIT`
    const take = (id: CredentialId) => outside.query(text, [id])
    const blocked = "SELECT pid FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))"
    const isAwaited = async () => (await query(database().url, blocked, [rows[0]?.pid])).length > 0
    return { accounts, user, account, shown, low, high, outside, take, isAwaited }
  }

  it.each(["a connect", "the writer"])("takes links in the order of their ids for %s", async (who) => {
    const { accounts, account, low, high, outside, take, isAwaited } = await withTwoLinks()
    const store = await run(AccountStore)
    const others = [high, low].map((credentialId) => ({ credentialId, externalKey: randomUUID() }))
    const row = { _tag: "Account", account: { ...account, version: 2 } } as const
    try {
      await take(low)
      const work: Promise<unknown> =
        who === "the writer"
          ? commit(store, { accountId: account.tradingAccountId, rows: [row], events: [] })
          : run(accounts.prove(account, others))
      await until("it to wait for the lower one", isAwaited)
      await take(high)
      await outside.query("COMMIT")
      expect(await work).toEqual(who === "the writer" ? { _tag: "Committed", firstSequence: 1 } : undefined)
    } finally {
      await outside.end()
    }
  })

  it("leaves alone the links that say already what was shown, and puts new ones at the end in their order", async () => {
    const { accounts, user, account, shown, low, high, outside, take } = await withTwoLinks()
    try {
      for (const id of [low, high]) await take(id)
      const more = [await storeCredential(user), await storeCredential(user)].map((it) => it.credentialId)
      const ids = [more.toSorted()[1]!, low, more.toSorted()[0]!, high]
      await run(accounts.prove(account, shown(ids)))
      const links = await query(
        database().url,
        "SELECT credential_id AS id, external_key AS key FROM trading_account_credential WHERE trading_account_id = $1 ORDER BY position",
        [account.tradingAccountId],
      )
      const placed = [high, low, ids[0], ids[2]].map((id) => ({ id, key: user.userId }))
      expect(links).toEqual(placed)
    } finally {
      await outside.end()
    }
  })

  it("wipes credentials with the last account that uses them, also when both leave in one batch", async () => {
    const accounts = await run(Accounts)
    const credentials = await run(Credentials)
    const subscriptions = await run(Subscriptions)
    const store = await run(AccountStore)
    const user = await insertUser()
    const own = await storeCredential(user)
    const shared = await storeCredential(user)
    const make = (ids: ReadonlyArray<CredentialId>) =>
      run(accounts.insertAccount(newAccount(user.userId), [], proofs(ids)))
    const [one, two, three] = [
      await make([own.credentialId, shared.credentialId]),
      await make([shared.credentialId]),
      await make([shared.credentialId]),
    ]
    await run(subscriptions.subscribe(newSubscription(user, { tradingAccountId: one.tradingAccountId })))
    const disconnect = (account: typeof one) => {
      const rows: ReadonlyArray<Row> = [
        { _tag: "Account", account: { ...account, version: 2, status: "DISCONNECTED", disconnectedAt: 50 } },
        { _tag: "CredentialsWiped", credentialIds: account.credentials.map((x) => x.credentialId), at: 50 },
        { _tag: "SubscriptionsEnded", tradingAccountId: account.tradingAccountId, at: 50 },
      ]
      return commit(store, { accountId: account.tradingAccountId, rows, events: [] })
    }
    const statusOf = async (id: CredentialId) => (await run(credentials.find(id)))?.credential.status
    const stranger = { _tag: "CredentialsWiped", credentialIds: [own.credentialId], at: 50 } as const
    await commit(store, { accountId: two.tradingAccountId, rows: [stranger], events: [] })
    expect(await statusOf(own.credentialId)).toBe("ACTIVE")
    await disconnect(one)
    expect(await statusOf(own.credentialId)).toBe("REVOKED")
    expect((await run(credentials.find(own.credentialId)))?.envelope).toBe(null)
    expect(await statusOf(shared.credentialId)).toBe("ACTIVE")
    expect(await run(subscriptions.list(user.userId))).toEqual([])
    await Promise.all([disconnect(two), disconnect(three)])
    expect(await statusOf(shared.credentialId)).toBe("REVOKED")
  })

  it("learns again whose a new account is when the unit that made it was refused", async () => {
    const store = await run(AccountStore)
    const made = newAccount((await insertUser()).userId)
    const put = (account: typeof made) =>
      commit(store, { accountId: account.tradingAccountId, rows: [{ _tag: "Account", account }], events: [] })
    expect(await put({ ...made, tenantId: "nowhere" as typeof made.tenantId })).toMatchObject({ _tag: "Refused" })
    expect(await put(made)).toEqual({ _tag: "Committed", firstSequence: 1 })
  })

  it("writes for the accounts that there are when one of the same moment has no id", async () => {
    const accounts = await run(Accounts)
    const store = await run(AccountStore)
    const userId = (await insertUser()).userId
    const ids = await Promise.all([0, 1, 2].map(() => run(accounts.insertAccount(newAccount(userId), [], []))))
    const put = (accountId: string) =>
      commit(store, { accountId: accountId as (typeof ids)[0]["tradingAccountId"], rows: [], events: [] })
    const asked = [ids[0]!.tradingAccountId, "nobody", ids[1]!.tradingAccountId, ids[2]!.tradingAccountId]
    const outcomes = await Promise.all(asked.map(put))
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Committed", "Refused", "Committed", "Committed"])
  })

  it("keeps a quarantined report as it came", async () => {
    const accounts = await run(Accounts)
    const store = await run(AccountStore)
    const account = await run(accounts.insertAccount(newAccount((await insertUser()).userId), [], []))
    const id = randomUUID()
    const row: Row = { _tag: "Quarantined", id, tradeOrderId: null, report: '{"a": [1,  2]}', reason: "why", at: 3 }
    await commit(store, { accountId: account.tradingAccountId, rows: [row], events: [] })
    expect(
      await query(database().url, "SELECT * FROM quarantined_report WHERE quarantined_report_id = $1", [id]),
    ).toEqual([
      {
        quarantined_report_id: id,
        tenant_id: TENANT,
        trading_account_id: account.tradingAccountId,
        trade_order_id: null,
        report: '{"a": [1,  2]}',
        reason: "why",
        at: "3",
      },
    ])
  })
})

describe("Instruments", () => {
  const instrument = (symbol: string, changes: Partial<Instrument> = {}): Instrument =>
    instrumentOf(`SYNC:${symbol}`, {
      lotSize: Decimal.of("0.000000000000000001"),
      minQuantity: Decimal.of("0.00001"),
      minNotional: Decimal.of("5"),
      scale: 18,
      ...changes,
    })

  it("adds, changes and delists, and counts each", async () => {
    const instruments = await run(Instruments)
    const venue = "SYNC" as VenueId
    const [btc, eth, sol] = ["BTC/USDT", "ETH/USDT", "SOL/USDT"].map((symbol) => instrument(symbol))
    const sync = (...list: ReadonlyArray<Instrument>) => run(instruments.upsert(venue, list, "others", tick()))
    const stored = async () => (await run(instruments.all)).filter((one) => one.venue === venue)
    expect(await sync(btc!, eth!)).toEqual({ synced: 2, added: 2, updated: 0 })
    expect(await stored()).toEqual([btc, eth])
    expect(await sync(btc!, eth!)).toEqual({ synced: 2, added: 0, updated: 0 })
    const changed = { ...eth!, maxQuantity: Decimal.of("9000"), minNotional: null, priceSignificantDigits: 5 }
    expect(await sync(changed, sol!)).toEqual({ synced: 2, added: 1, updated: 2 })
    expect(await stored()).toEqual([{ ...btc!, status: "DELISTED" }, changed, sol])
    expect(await sync(changed, sol!)).toEqual({ synced: 2, added: 0, updated: 0 })
    // Listed again.
    expect(await sync(btc!, changed, sol!)).toEqual({ synced: 3, added: 0, updated: 1 })
    expect(await stored()).toEqual([btc, changed, sol])
    // What was taken for a pair is a contract.
    const inverse = { ...btc!, contract: { type: "INVERSE", size: Decimal.of("100") } } as const
    const unsized = { ...sol!, contract: { type: "QUANTO", size: null } } as const
    expect(await sync(inverse, changed, unsized)).toEqual({ synced: 3, added: 0, updated: 2 })
    expect(await stored()).toEqual([inverse, changed, unsized])
  })

  it("leaves other venues alone", async () => {
    const instruments = await run(Instruments)
    const other = instrument("BTC/USDT", { instrumentId: "ELSE:BTC/USDT" as InstrumentId, venue: "ELSE" as VenueId })
    await run(instruments.upsert("ELSE" as VenueId, [other], "others", 1))
    await run(instruments.upsert("SYNC" as VenueId, [], "others", 2))
    expect((await run(instruments.all)).filter((one) => one.status === "ACTIVE")).toEqual([other])
  })
})

describe("markets of tenants", () => {
  const [HOME, ACME] = ["home" as TenantId, "acme" as TenantId]
  const market = (pair: string, tenantId: TenantId | null) => instrumentOf(`INTERNAL:${pair}`, { tenantId })
  const rows = (): Promise<ReadonlyArray<Record<string, unknown>>> =>
    query(
      database().url,
      "SELECT instrument_id, tenant_id, tick_size::text, status FROM instrument WHERE venue = 'INTERNAL' ORDER BY 1",
      [],
    )

  it("that were there before become the installation's own tenant's, once", async () => {
    const instruments = await run(Instruments)
    await run(instruments.upsert(INTERNAL, [market("OLD/USD", null)], "others", 1))
    await query(database().url, "INSERT INTO tenant VALUES ($1, 0), ($2, 0)", [ACME, HOME])
    await run(instruments.put(market("NEW/USD@acme", ACME), null, 2))
    const claims: Array<number | null> = []
    // The first is nobody: a name with a slip of the pen gets nothing.
    for (const tenant of ["hoem" as TenantId, HOME, "later" as TenantId])
      claims.push(await run(instruments.claim(tenant)))
    expect(claims).toEqual([null, 1, 0])
    expect(await rows()).toMatchObject([
      { instrument_id: "INTERNAL:NEW/USD@acme", tenant_id: ACME },
      { instrument_id: "INTERNAL:OLD/USD", tenant_id: HOME },
    ])
  })

  it("are written anew by their own tenant alone", async () => {
    const instruments = await run(Instruments)
    const coarse = { tickSize: Decimal.of("0.5"), status: "DELISTED" } as const
    await run(instruments.put({ ...market("OLD/USD", HOME), ...coarse }, market("OLD/USD", HOME), 4))
    await expect(run(instruments.put(market("OLD/USD", ACME), null, 5))).rejects.toThrow(/another tenant/)
    expect((await rows())[1]).toEqual({
      instrument_id: "INTERNAL:OLD/USD",
      tenant_id: HOME,
      tick_size: "0.5",
      status: "DELISTED",
    })
  })
})

const newSubscription = (user: User, changes: Partial<NewSubscription> = {}): NewSubscription => ({
  subscriptionId: randomUUID() as SubscriptionId,
  userId: user.userId,
  tenantId: TENANT,
  instrumentId: "MOCK:BTC/USDT" as InstrumentId,
  venue: MOCK,
  tradingAccountId: null,
  at: tick(),
  limit: 3,
  ...changes,
})

describe("Subscriptions", () => {
  const eth = "MOCK:ETH/USDT" as InstrumentId

  it("shares one ACTIVE record among equal subscribes, also at once", async () => {
    const subscriptions = await run(Subscriptions)
    const user = await insertUser()
    const wanted = Array.from({ length: 5 }, () => newSubscription(user))
    const answers = await Promise.all(wanted.map((one) => run(subscriptions.subscribe(one))))
    expect(new Set(answers.map((answer) => answer.subscriptionId)).size).toBe(1)
    expect(await run(subscriptions.list(user.userId))).toEqual([answers[0]])
    expect((await run(subscriptions.active)).filter((one) => one.userId === user.userId)).toEqual([answers[0]])
  })

  it("refuses more than the limit, also at once", async () => {
    const subscriptions = await run(Subscriptions)
    const user = await insertUser()
    const wanted = Array.from({ length: 6 }, (_, i) =>
      newSubscription(user, { instrumentId: `MOCK:A${i}/USDT` as InstrumentId }),
    )
    const answers = await Promise.all(wanted.map((one) => run(Effect.either(subscriptions.subscribe(one)))))
    expect(answers.filter(Either.isRight).length).toBe(3)
    expect(answers.filter(Either.isLeft).map((answer) => answer.left)).toMatchObject(
      [1, 2, 3].map(() => ({ _tag: "SubscriptionLimit", limit: 3 })),
    )
  })

  it("ends by id or by instrument and account, answers the same when repeated, and never another user's", async () => {
    const subscriptions = await run(Subscriptions)
    const accounts = await run(Accounts)
    const user = await insertUser()
    const account = await run(accounts.insertAccount(newAccount(user.userId), [], []))
    const plainOne = await run(subscriptions.subscribe(newSubscription(user)))
    const ofAccount = await run(
      subscriptions.subscribe(newSubscription(user, { tradingAccountId: account.tradingAccountId })),
    )
    const other = await run(subscriptions.subscribe(newSubscription(user, { instrumentId: eth })))
    expect(await run(subscriptions.list(user.userId, eth))).toEqual([other])

    const byPair = {
      userId: user.userId,
      tenantId: TENANT,
      instrumentId: plainOne.instrumentId,
      tradingAccountId: null,
      at: 90,
    }
    const ended = { ...plainOne, status: "INACTIVE", updatedAt: 90 }
    expect(await run(subscriptions.unsubscribe(byPair))).toEqual(ended)
    expect(await run(subscriptions.unsubscribe({ ...byPair, at: 91 }))).toEqual(ended)
    const byId = { userId: user.userId, tenantId: TENANT, subscriptionId: ofAccount.subscriptionId, at: 92 }
    const stranger = (await insertUser()).userId
    expect(await failure(subscriptions.unsubscribe({ ...byId, userId: stranger }))).toMatchObject({
      _tag: "SubscriptionNotFound",
    })
    // A user who was moved with an ACTIVE one ends it from the new tenant, and sees no more of it.
    const elsewhere = { ...byId, tenantId: "elsewhere" as TenantId }
    expect((await run(subscriptions.unsubscribe(elsewhere))).status).toBe("INACTIVE")
    expect(await failure(subscriptions.unsubscribe(elsewhere))).toMatchObject({ _tag: "SubscriptionNotFound" })
    expect((await run(subscriptions.unsubscribe(byId))).status).toBe("INACTIVE")
    expect(await run(subscriptions.list(user.userId))).toEqual([other])
    const fresh = await run(subscriptions.subscribe(newSubscription(user)))
    expect(fresh.subscriptionId).not.toBe(plainOne.subscriptionId)
  })
})

describe("statements at once", () => {
  it("wait their turn where they are the process's own, however many; of clients' so many are under way and the rest is refused", async () => {
    const users = await run(Users)
    const admin = new pg.Client({ connectionString: database().adminUrl })
    await admin.connect()
    await admin.query("BEGIN; LOCK TABLE app_user IN ACCESS EXCLUSIVE MODE")
    const one = Effect.either(users.findById(randomUUID() as UserId))
    const own = Array.from({ length: 400 }, () => run(one))
    let refused = 0
    const asked = Array.from({ length: 300 }, async () => {
      const outcome = await run(Effect.provideService(one, Patience, 60_000))
      if (Either.isLeft(outcome)) refused++
      return outcome
    })
    await until("the rest is refused", async () => refused > 0)
    await admin.query("ROLLBACK")
    await admin.end()
    const answered = (outcomes: ReadonlyArray<Either.Either<unknown, unknown>>) =>
      outcomes.filter(Either.isRight).length
    expect(answered(await Promise.all(own))).toBe(400)
    expect(answered(await Promise.all(asked))).toBe(264)
  })
})

describe("a database that is away", () => {
  it("is StorageUnavailable for the edges, and any other error a defect", async () => {
    const users = await run(Users)
    const admin = new pg.Client({ connectionString: database().adminUrl })
    await admin.connect()
    await admin.query("ALTER TABLE app_user RENAME TO app_user_gone")
    const broken = await runtime.runPromiseExit(users.findById(randomUUID() as UserId))
    await admin.query("ALTER TABLE app_user_gone RENAME TO app_user")
    expect(Exit.isFailure(broken) && broken.cause._tag).toBe("Die")

    await admin.end()
  })

  it("is so for the statement whose connection was ended, and not for the next one that comes at once, 20 of 20", async () => {
    const users = await run(Users)
    const admin = new pg.Client({ connectionString: database().adminUrl })
    await admin.connect()
    for (let round = 0; round < 20; round++) {
      await admin.query("BEGIN; LOCK TABLE app_user IN ACCESS EXCLUSIVE MODE")
      const waiting = run(Effect.either(users.findById(randomUUID() as UserId)))
      let ended = 0
      while (ended === 0) {
        const result = await admin.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
        )
        ended = result.rows.length
      }
      const outcome = await waiting
      await admin.query("ROLLBACK")
      expect(Either.isLeft(outcome) && outcome.left).toMatchObject({ _tag: "StorageUnavailable" })
      expect(await run(users.findById(randomUUID() as UserId))).toBe(null)
    }
    await admin.end()
  })
})
