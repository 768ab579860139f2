/**
 * API keys over the wire: made once and shown once, their last use, and how everything that ends one ends its sockets. One gateway in this
 * process on a database of its own, so that operators and the store can be asked beside it.
 */
import { rmSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readSettings } from "../../../../src/config.ts"
import type { QuoteRecord } from "../../../../src/domain/dealer/quote.ts"
import { type ApiKeyRecord, type CreatedApiKey, KEYS_MAX } from "../../../../src/domain/user/api-key.ts"
import { openDesk } from "../../../kit/desks/quoting.ts"
import { scratchDirectory } from "../../../kit/postgres.ts"
import { type Reply, rawSocket } from "../../../kit/readers/raw-socket.ts"
import { type Answer, type Api, api, type Ready, until } from "../../../kit/servers/gateway.ts"
import { readyOf, startInside } from "../../../kit/servers/gateway-inside.ts"
import { mailsTo, mailTo } from "../../../kit/servers/mailbox.ts"
import { operatorOf } from "../../../kit/servers/operator.ts"
import { closeClients, connectClient, listen } from "../markets/socket.ts"
import { withDatabaseServer } from "../running/database.ts"
import { type Newcomer, signUp, signUpAdmin, signUpWithMock } from "./people.ts"

const newDatabase = withDatabaseServer()
let ready: Ready
let operate: ReturnType<typeof operatorOf>
let sql: pg.Client
let admin: Newcomer
let dataDir: string
let stop: () => Promise<void>
let start: () => Promise<void>

beforeAll(async () => {
  const database = await newDatabase()
  dataDir = scratchDirectory("api-keys")
  const settings = readSettings({
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    MOCK_TICK_MS: "0",
    RATE_LIMITS: "off",
    FRESH_SECONDS: "86400",
  })
  let scope: Scope.CloseableScope
  start = async () => {
    scope = await Effect.runPromise(Scope.make())
    ready = readyOf(await Effect.runPromise(startInside(settings).pipe(Scope.extend(scope))))
  }
  stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  await start()
  operate = operatorOf(database.url)
  sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
  admin = await signUpAdmin(ready)
  return () => rmSync(dataDir, { recursive: true, force: true })
})
afterAll(async () => {
  closeClients()
  await sql?.end()
  await stop?.()
})

const create = ({ calls }: Newcomer, terms: object = {}): Promise<Answer<CreatedApiKey>> =>
  calls.post<CreatedApiKey>("/apiKey/create", { name: "bot", scopes: ["trade"], ...terms })
const made = async (who: Newcomer, terms: object = {}): Promise<CreatedApiKey> => (await create(who, terms)).record
const list = async ({ calls }: Newcomer): Promise<ReadonlyArray<ApiKeyRecord>> =>
  (await calls.get<ReadonlyArray<ApiKeyRecord>>("/apiKey/list")).record
const errnoOf = (answer: Answer<unknown>): number => answer.envelope.errno
/** What a request with the key hears. */
const heard = async (key: string): Promise<number> => errnoOf(await api(ready).as(key).accounts({}))

/** A socket of the key, and the code that it was closed with. */
const socketOf = async (key: string) => {
  const client = await connectClient(ready, key)
  const codes: Array<number> = []
  client.on("disconnected", ({ code }) => codes.push(code))
  return { client, codes }
}

describe("an API key", () => {
  it("is shown once, stored as a hash, listed by its prefix, and speaks on HTTP and a socket for as long as it is good", async () => {
    const trader = await signUpWithMock(ready)
    const key = await made(trader, { name: "market maker" })
    expect(key).toMatchObject({ name: "market maker", scopes: ["read", "trade"], status: "ACTIVE", lastUsedAt: null })
    expect(key.apiKey).toMatch(/^vgk_[0-9A-Za-z]{49}$/)
    expect(key.apiKey.startsWith(key.prefix)).toBe(true)
    const [listed, ...more] = await list(trader)
    const { apiKey, ...record } = key
    expect([listed, more]).toEqual([record, []])
    const { rows } = await sql.query<{ text: string }>("SELECT t::text AS text FROM api_key t")
    expect(rows.some(({ text }) => text.includes(apiKey.slice(10)))).toBe(false)

    const bot = api(ready).as(apiKey)
    const { tradingAccountId } = trader
    const { client } = await socketOf(apiKey)
    const feed = await listen(client, `tradingAccount:${tradingAccountId}`)
    const order = { tradingAccountId, instrumentId: "MOCK:BTC/USDT", orderSide: "BUY", orderType: "LIMIT" }
    const placed = (await bot.submit({ ...order, quantity: "0.001", limitPrice: "20000", awaitAccepted: true })).record
    await until("the order on the socket", () => feed.received.length > 0)
    const rpc = await client.rpc("tradeOrder.get", { tradingAccountId, tradeOrderId: placed.tradeOrderId })
    expect(rpc.data.data.tradeOrderId).toBe(placed.tradeOrderId)

    // Who placed it, in the store; and its last use, as the list has it at once.
    const by = await sql.query("SELECT placed_by FROM trade_order WHERE trade_order_id = $1", [placed.tradeOrderId])
    expect(by.rows[0].placed_by).toMatchObject({ sessionId: null, keyId: key.apiKeyId, userId: trader.session.user.id })
    const [used] = await list(trader)
    expect(used).toMatchObject({ lastUsedIp: "127.0.0.1" })
    expect(used?.lastUsedAt).toBeGreaterThan(0)
  })

  it("is refused what needs a proof of who asks, whatever its scopes, and makes and ends no key", async () => {
    const key = await made(admin, { scopes: ["admin"] })
    const bot = api(ready).as(key.apiKey)
    const asked = await Promise.all([
      bot.post("/apiKey/create", { name: "another", scopes: ["read"] }),
      bot.post("/apiKey/revoke", { apiKeyId: key.apiKeyId }),
      bot.get("/apiKey/list"),
      bot.post("/auth/user/update", { password: "another password of theirs" }),
      bot.post("/auth/reauthenticate", { currentPassword: "a guess" }),
      bot.post("/auth/totp/enrol"),
      bot.post("/credential/create", { venue: "BINANCE", apiKey: "k", apiSecret: "s" }),
      bot.post("/wallet/withdraw", { walletId: key.apiKeyId, asset: "USDT", amount: "1" }),
      bot.post("/admin/user/ban", { email: "user@example.com" }),
      bot.post("/auth/logout"),
      bot.post("/tradingAccount/disconnect", { tradingAccountId: key.apiKeyId, force: true }),
    ])
    expect(asked.map(errnoOf)).toEqual(asked.map(() => -102_007))
    expect(errnoOf(await bot.get("/audit/list")), "what admins read needs none").toBe(0)
  })

  it("is not made with more than its user has, for another's account, from no network, or in the past", async () => {
    const user = await signUp(ready)
    const other = await signUpWithMock(ready)
    const wrong: ReadonlyArray<readonly [terms: object, status: number, errno: number]> = [
      [{ scopes: ["admin"] }, 403, -102_003],
      [{ scopes: ["everything"] }, 400, -104_003],
      [{ scopes: [] }, 400, -104_003],
      [{ name: "" }, 400, -104_003],
      [{ tradingAccountIds: [other.tradingAccountId] }, 403, -102_001],
      [{ tradingAccountIds: [] }, 400, -104_003],
      [{ ipAllow: ["203.0.113.0/33"] }, 400, -104_003],
      [{ ipAllow: ["example.com"] }, 400, -104_003],
      [{ expiresAt: 1 }, 400, -104_003],
      [{ secret: "mine" }, 400, -104_013],
    ]
    for (const [terms, status, errno] of wrong) {
      const answer = await create(user, terms)
      expect([terms, answer.status, errnoOf(answer)]).toEqual([terms, status, errno])
    }
    expect(await list(user)).toEqual([])
  })

  it("is not made from a slip, and the answer says what would be right", async () => {
    const user = await signUpWithMock(ready)
    const { tradingAccountId } = user
    const [now, day] = [Date.now(), 86_400_000]
    const slips: ReadonlyArray<readonly [terms: object, ...words: ReadonlyArray<string>]> = [
      [{ scopes: ["Trade"] }, "scopes.0", "read, trade, admin"],
      [{ scopes: ["write"] }, "read, trade, admin"],
      [{ scopes: "trade" }, "scopes", "must be a list"],
      [{ scopes: [] }, "at least 1 entry"],
      [{ scope: ["trade"] }, "did you mean", "scopes"],
      [{ tradingAccountId }, "did you mean", "tradingAccountIds"],
      [{ tradingAccountIds: tradingAccountId }, "must be a list"],
      [{ tradingAccountIds: ["main"] }, "tradingAccountIds.0", "a UUID"],
      [{ accountIds: [tradingAccountId] }, "tradingAccountIds"],
      [{ ipAllowed: ["127.0.0.1"] }, "did you mean", "ipAllow"],
      [{ ipAllow: "127.0.0.1" }, "must be a list"],
      [{ ipAllow: ["10.0.0.*"] }, "10.0.0.*", "203.0.113.0/24"],
      [{ ipAllow: ["10.0.0.1-10.0.0.9"] }, "10.0.0.1-10.0.0.9", "203.0.113.0/24"],
      [{ ipAllow: ["10.0.0.1, 10.0.0.2"] }, "203.0.113.0/24"],
      [{ expireAt: now + day }, "did you mean", "expiresAt"],
      [
        { expiresAt: Math.floor((now + day) / 1_000) },
        "is in seconds",
        String(Math.floor((now + day) / 1_000) * 1_000),
      ],
      [{ expiresAt: (now + day) * 1_000 }, "is after 9999-12-31T23:59:59.999Z", "milliseconds"],
      [{ expiresAt: 30 }, "is in the past", "milliseconds"],
      [{ expiresAt: "2027-01-01" }, "must be a whole number"],
      [{ label: "bot" }, "known fields are name, scopes"],
    ]
    for (const [terms, ...words] of slips) {
      const { status, envelope } = await create(user, terms)
      expect([terms, status]).toEqual([terms, 400])
      for (const word of words)
        expect([terms, `${envelope.error} ${JSON.stringify(envelope.details)}`]).toEqual([
          terms,
          expect.stringContaining(word),
        ])
    }
    expect(await list(user)).toEqual([])
    // As programs say "never".
    for (const expiresAt of [Date.UTC(9_999, 11, 31), Date.UTC(9_999, 11, 31, 23, 59, 59, 999)])
      expect((await made(user, { expiresAt })).expiresAt).toBe(expiresAt)
    expect((await create(user, { expiresAt: Date.UTC(10_000, 0, 1) })).status).toBe(400)
  })

  it("is one of so many", async () => {
    const user = await signUp(ready)
    for (let round = 0; round < KEYS_MAX / 5; round++) await Promise.all(Array.from({ length: 6 }, () => create(user)))
    expect((await list(user)).length).toBe(KEYS_MAX)
    const refused = await create(user)
    expect([errnoOf(refused), refused.envelope.details?.metadata]).toEqual([-100_020, { limit: KEYS_MAX }])
    const [one] = await list(user)
    expect(errnoOf(await user.calls.post("/apiKey/revoke", { apiKeyId: one!.apiKeyId }))).toBe(0)
    expect(errnoOf(await create(user))).toBe(0)
  })

  it("is another user's to nobody", async () => {
    const [ada, bob] = [await signUp(ready), await signUp(ready)]
    const { apiKeyId, apiKey } = await made(ada)
    expect(errnoOf(await bob.calls.post("/apiKey/revoke", { apiKeyId }))).toBe(-100_019)
    expect(await heard(apiKey)).toBe(0)
  })
})

describe("an API key ends, and its sockets with it", () => {
  const ends: ReadonlyArray<
    readonly [how: string, errno: number, terms: object, end: (user: Newcomer, key: CreatedApiKey) => Promise<unknown>]
  > = [
    ["by its user", -100_017, {}, ({ calls }, { apiKeyId }) => calls.post("/apiKey/revoke", { apiKeyId })],
    ["by an operator", -100_017, {}, ({ email }, { apiKeyId }) => operate(`api-key ${email} revoke ${apiKeyId}`)],
    ["with all others", -100_017, {}, ({ email }) => operate(`api-key ${email} revoke all`)],
    ["with a ban", -100_017, {}, ({ email }) => admin.calls.post("/admin/user/ban", { email })],
    ["with a ban by an operator", -100_017, {}, ({ email }) => operate(`ban ${email}`)],
    [
      "with its user's move",
      -100_017,
      {},
      async ({ email }) => {
        await operate("tenant create harbour")
        await operate(`user move ${email} harbour`)
      },
    ],
    ["by its own time", -100_018, { expiresAt: Date.now() + 3_600_000 }, async () => undefined],
  ]
  it.each(ends)("%s", async (how, errno, terms, end) => {
    const user = await signUp(ready)
    const isBrief = "expiresAt" in terms
    const key = await made(user, isBrief ? { expiresAt: Date.now() + 4_000 } : terms)
    const { codes } = await socketOf(key.apiKey)
    const session = await socketOf(user.session.accessToken)
    const asked = performance.now()
    await end(user, key)
    await until(`the socket to close: ${how}`, () => codes.length > 0)
    // tidy: the figure of issue 21: how long a revocation takes to reach a socket
    if (!isBrief)
      console.log(`socket of a key ended ${how} ${(performance.now() - asked).toFixed(0)} ms after the call began`)
    expect([codes, await heard(key.apiKey)]).toEqual([[3500], errno])
    if (!how.includes("ban") && !how.includes("move")) expect(session.codes, "the session goes on").toEqual([])
    await operate(`unban ${user.email}`)
    expect(await heard(key.apiKey), "an unban brings no key back").toBe(errno)
  })

  it("only so far as a right goes: what needed it ends, the socket goes on, and admin does not come back with the right", async () => {
    const user = await signUpWithMock(ready)
    await operate(`grant ${user.email} admin`)
    await until("the right", async () => errnoOf(await user.calls.get("/audit/list")) === 0)
    const key = await made(user, { scopes: ["admin"] })
    const { client, codes } = await socketOf(key.apiKey)
    const feed = await listen(client, `tradingAccount:${user.tradingAccountId}`)
    const bot = api(ready).as(key.apiKey)
    expect(errnoOf(await bot.get("/audit/list"))).toBe(0)
    await operate(`revoke ${user.email} admin`)
    await until("the right to be gone", async () => errnoOf(await bot.get("/audit/list")) === -102_003)
    expect((await list(user))[0]?.scopes).toEqual(["read", "trade"])
    await operate(`grant ${user.email} admin`)
    await until("the user to have it again", async () => errnoOf(await user.calls.get("/audit/list")) === 0)
    expect(errnoOf(await bot.get("/audit/list"))).toBe(-102_003)
    await operate(`revoke ${user.email} read`)
    await until("the subscription to end", () => feed.ended()?.code === 2103)
    expect([codes, await heard(key.apiKey)]).toEqual([[], -102_002])
    await operate(`grant ${user.email} write`)
    await until("the key to read again", async () => (await heard(key.apiKey)) === 0)
  })

  it("where its user may not come from any more", async () => {
    const user = await signUp(ready)
    const key = await made(user)
    const { codes } = await socketOf(key.apiKey)
    await operate(`ip-allow ${user.email} add 203.0.113.0/24`)
    await until("the socket to close", () => codes.length > 0)
    expect([codes, await heard(key.apiKey)]).toEqual([[3507], -102_006])
    await operate(`ip-allow ${user.email} remove 203.0.113.0/24`)
    await until("it to be welcome", async () => (await heard(key.apiKey)) === 0)
  })
})

describe("a socket", () => {
  it("is shown no account but those that its key is limited to", async () => {
    const user = await signUpWithMock(ready)
    const other = (await user.calls.connectMock("another")).record.tradingAccountId
    const limited = await made(user, { tradingAccountIds: [user.tradingAccountId] })
    const { client } = await socketOf(limited.apiKey)
    const denied = (channel: string, type?: string) =>
      new Promise<number>((resolve) => {
        const subscription = client.newSubscription(channel, type === undefined ? {} : ({ type } as object))
        subscription.on("unsubscribed", ({ code }) => resolve(code))
        subscription.on("subscribed", () => resolve(0))
        subscription.subscribe()
      })
    expect(await denied(`tradingAccount:${user.tradingAccountId}`)).toBe(0)
    expect(await denied(`tradingAccount:${other}`)).toBe(103)
    await expect(client.rpc("tradeOrder.list", { tradingAccountId: other })).rejects.toMatchObject({ code: 1_003 })
    await expect(client.rpc("wallet.list", {})).rejects.toMatchObject({ code: 1_003 })
  })
})

describe("a socket that goes over to a key", () => {
  it("keeps what the key reaches, loses the rest, and ends with the key", async () => {
    const user = await signUpWithMock(ready)
    const other = (await user.calls.connectMock("another")).record.tradingAccountId
    const key = await made(user, { tradingAccountIds: [user.tradingAccountId] })
    const socket = await rawSocket(ready.ws)
    const heardOf = async (id: number): Promise<Reply> => {
      for (;;) {
        const reply = await socket.next()
        if (reply["id"] === id) return reply
      }
    }
    socket.send({ id: 1, connect: { token: user.session.accessToken } })
    await heardOf(1)
    for (const [index, account] of [user.tradingAccountId, other].entries()) {
      socket.send({ id: index + 2, subscribe: { channel: `tradingAccount:${account}` } })
      expect((await heardOf(index + 2))["error"]).toBeUndefined()
    }
    socket.send({ id: 4, refresh: { token: key.apiKey } })
    expect(await heardOf(4), "it expires no more").toEqual({ id: 4, refresh: {} })
    const push = await socket.next()
    expect(push).toMatchObject({ push: { channel: `tradingAccount:${other}`, unsubscribe: { code: 2103 } } })
    await user.calls.post("/auth/logout")
    expect(await heard(key.apiKey), "the session was left behind").toBe(0)
    await operate(`api-key ${user.email} revoke all`)
    expect((await socket.closed).code).toBe(3500)
  })
})

describe("an answer that is kept under an Idempotency-Key", () => {
  it("is not for a key of another account, and for one of the account it is", async () => {
    const user = await signUpWithMock(ready)
    const other = (await user.calls.connectMock("another")).record.tradingAccountId
    const key = await made(user, { tradingAccountIds: [user.tradingAccountId] })
    const change = (calls: Api, tradingAccountId: string) =>
      calls.call(
        "POST",
        "/tradingAccount/update",
        { tradingAccountId, nickname: "named" },
        { "idempotency-key": tradingAccountId },
      )
    for (const account of [user.tradingAccountId, other]) expect(errnoOf(await change(user.calls, account))).toBe(0)
    const bot = api(ready).as(key.apiKey)
    const replayed = await change(bot, user.tradingAccountId)
    expect([errnoOf(replayed), replayed.headers.get("idempotency-replayed")]).toEqual([0, "true"])
    expect(errnoOf(await change(bot, other))).toBe(-102_001)
  })
})

describe("an answer that is kept of a call that named no account", () => {
  it("is not told to a key that is limited to another account than it is about", async () => {
    const { dealer, client } = await openDesk(ready, admin.calls)
    const { calls, tradingAccountId } = await client()
    const mock = (await calls.connectMock()).record.tradingAccountId
    const { dealerAccountId } = dealer
    const asked = { dealerAccountId, instrumentId: "INTERNAL:BTC/USDT", orderSide: "BUY", quantity: "0.5" }
    const request = (caller: Api) =>
      caller.call<QuoteRecord>("POST", "/quote/request", asked, { "idempotency-key": "once" })
    const limited = async (account: string) => {
      const terms = { name: "bot", scopes: ["trade"], tradingAccountIds: [account] }
      return api(ready).as((await calls.post<CreatedApiKey>("/apiKey/create", terms)).record.apiKey)
    }
    const first = await request(calls)
    expect(first.record.traderAccountId).toBe(tradingAccountId)
    const own = await request(await limited(tradingAccountId))
    expect([own.record.quoteId, own.headers.get("idempotency-replayed")]).toEqual([first.record.quoteId, "true"])
    const other = await request(await limited(mock))
    expect([errnoOf(other), other.text.includes(tradingAccountId)]).toEqual([-104_011, false])
  })
})

describe("operators", () => {
  it("create a key for a user, shown this once, list and revoke; each act has its row, and no row has the key", async () => {
    const user = await signUp(ready)
    const [record] = (await operate(`api-key ${user.email} create ci read days=30 from=127.0.0.1`)) as unknown as [
      CreatedApiKey,
    ]
    expect(record).toMatchObject({ name: "ci", scopes: ["read"], ipAllow: ["127.0.0.1/32"], status: "ACTIVE" })
    await until("the gateway to take it up", async () => (await heard(record.apiKey)) === 0)
    expect((await operate(`api-key ${user.email} list`)).map((it) => it["apiKeyId"])).toEqual([record.apiKeyId])
    await operate(`api-key ${user.email} revoke ${record.apiKeyId}`)
    const { rows } = await sql.query(
      "SELECT action, result, actor_kind, what, content FROM audit_row WHERE object_id = $1 ORDER BY at, number",
      [record.apiKeyId],
    )
    expect(rows.map(({ action, result, actor_kind }) => [action, result, actor_kind])).toEqual([
      ["apiKey.create", "ok", "OPERATOR"],
      ["apiKey.revoke", "ok", "OPERATOR"],
    ])
    for (const { what, content } of rows) {
      expect(what).toMatch(/^"ci" read from 127\.0\.0\.1\/32 until /)
      expect(content).not.toContain(record.apiKey.slice(10))
    }
  })
})

describe("a key that an operator is refused", () => {
  it("is refused with the field, its value and what would be right; its row in the audit says what was asked for, and for whom", async () => {
    const user = await signUp(ready)
    const refusal = (line: string) =>
      operate(`api-key ${user.email} ${line}`).then(
        () => "done",
        // As the command line tells it.
        (error: unknown) => JSON.stringify(error),
      )
    expect(await refusal("create boss admin days=3")).toMatch(
      /scope.*admin needs the right admin, and the user has read, write: grant it first/,
    )
    for (let nth = 0; nth < KEYS_MAX; nth += 1) await operate(`api-key ${user.email} create n${nth} read`)
    expect(await refusal("create more read")).toMatch(/user.*has 50 valid keys, and 50 is the maximum: revoke one/)
    await operate(`ban ${user.email}`)
    expect(await refusal("create late read from=127.0.0.1")).toMatch(/user.*is banned: unban the user first/)
    const { rows } = await sql.query(
      "SELECT action, what FROM audit_row WHERE object_id = $1 AND result <> 'ok' ORDER BY at, number",
      [user.session.user.id],
    )
    expect(rows).toEqual([
      { action: "apiKey.create", what: expect.stringMatching(/^"boss" read,trade,admin until 20/) },
      { action: "apiKey.create", what: '"more" read' },
      { action: "apiKey.create", what: '"late" read from 127.0.0.1' },
    ])
  })
})

describe("acts with a key", () => {
  it("name it in their row of the audit, and a key that was revoked moves no money", async () => {
    const user = await signUp(ready)
    const key = await made(user)
    const bot = api(ready).as(key.apiKey)
    const { walletId } = (await bot.post<{ walletId: string }>("/wallet/create", {})).record
    const { rows } = await sql.query("SELECT user_id, session_id, key_id FROM audit_row WHERE object_id = $1", [
      walletId,
    ])
    expect(rows).toEqual([{ user_id: user.session.user.id, session_id: null, key_id: key.apiKeyId }])
    // The store has the last word: of a key that this gateway has not heard the end of.
    await sql.query("UPDATE api_key SET revoked_at = 1 WHERE key_id = $1", [key.apiKeyId])
    expect(errnoOf(await bot.post("/wallet/close", { walletId }))).toBe(-100_005)
    const reading = await made(user, { scopes: ["trade"] })
    await sql.query("UPDATE api_key SET scopes = '{read}' WHERE key_id = $1", [reading.apiKeyId])
    const refused = await api(ready).as(reading.apiKey).post("/wallet/close", { walletId })
    expect([errnoOf(refused), (refused.envelope.details as { provided?: unknown } | undefined)?.provided]).toEqual([
      -102_002,
      ["read"],
    ])
  })
})

describe("a mail", () => {
  it("tells the user of each new key once, whoever made it and whether or not the gateway ran then; never the key itself", async () => {
    const user = await signUp(ready)
    const created = await made(user, { name: "market maker", scopes: ["trade"] })
    const [byOperator] = (await operate(`api-key ${user.email} create ci read`)) as unknown as [CreatedApiKey]
    const subject = "An API key was created"
    await mailTo(dataDir, user.email, subject, 2)
    await stop()
    const [whileAway] = (await operate(`api-key ${user.email} create night read`)) as unknown as [CreatedApiKey]
    await start()
    await mailTo(dataDir, user.email, subject, 3)
    // A later mail of the same user has overtaken none.
    await api(ready)
      .as(user.session.accessToken)
      .post("/apiKey/create", { name: "last", scopes: ["read"] })
    await mailTo(dataDir, user.email, subject, 4)
    const told = (await mailsTo(dataDir, user.email)).filter((it) => it.subject === subject)
    expect(told.length).toBe(4)
    for (const key of [created, byOperator, whileAway]) {
      const mail = told.find(({ text }) => text.includes(key.prefix))
      expect(mail?.text).toContain(`${JSON.stringify(key.name)} (${key.prefix}…)`)
      expect(mail?.text).toContain(`with the scopes ${key.scopes.join(", ")}`)
      expect(mail?.text).toContain(key.createdAtDateTime)
      for (const { text } of told) expect(text).not.toContain(key.apiKey.slice(10))
    }
  })
})

describe("a ban that did not reach the keys, as of a row that was restored", () => {
  it("ends them within a second and over a restart, and an unban for good", async () => {
    const user = await signUp(ready)
    const key = await made(user)
    const { codes } = await socketOf(key.apiKey)
    await sql.query("UPDATE app_user SET banned_at = $2 WHERE user_id = $1", [user.session.user.id, Date.now()])
    await sql.query("INSERT INTO user_news (user_id) VALUES ($1)", [user.session.user.id])
    await until("the socket to close", () => codes.length > 0)
    expect([codes, await heard(key.apiKey)]).toEqual([[3500], -100_017])
    for (const end of [async () => undefined, () => operate(`unban ${user.email}`)]) {
      await end()
      await stop()
      await start()
      expect(await heard(key.apiKey)).toBe(-100_017)
    }
  })
})

describe("a restart", () => {
  it("knows every key as it was: good, revoked, expired, and when it was used last", async () => {
    const user = await signUp(ready)
    const [good, over, brief] = [await made(user), await made(user), await made(user, { expiresAt: Date.now() + 300 })]
    await heard(good.apiKey)
    await user.calls.post("/apiKey/revoke", { apiKeyId: over.apiKeyId })
    await until("it to expire", async () => (await heard(brief.apiKey)) === -100_018)
    const before = await list(user)
    await stop()
    await start()
    const again = { ...user, calls: api(ready).as(user.session.accessToken) }
    expect(await list(again)).toEqual(before)
    expect([await heard(good.apiKey), await heard(over.apiKey), await heard(brief.apiKey)]).toEqual([
      0, -100_017, -100_018,
    ])
  })
})
