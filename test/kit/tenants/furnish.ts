/**
 * One of everything for a tenant: an admin with a desk, a user with accounts, orders, quotes and money, and what each of them is called by.
 * The one thing to know: names that the members choose themselves are the same in every tenant, so that a name that is not kept apart
 * meets the other's.
 */
import { randomUUID } from "node:crypto"
import { Secret, TOTP } from "otpauth"
import type pg from "pg"
import type { HedgeReportRecord } from "../../../src/domain/dealer/hedging/hedge-report.ts"
import type { SecurityRecord } from "../../../src/domain/instrument/instrument.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import type { ApiKeyRecord } from "../../../src/domain/user/api-key.ts"
import type { SessionRecord } from "../../../src/domain/user/user.ts"
import type { WalletRecord } from "../../../src/domain/wallet/wallet.ts"
import { type Desk, openDesk } from "../desks/quoting.ts"
import { type Answer, type Api, type Ready, until } from "../servers/gateway.ts"
import type { operatorOf } from "../servers/operator.ts"

/** What names are names of. */
export type Kind =
  | "account"
  | "apiKey"
  | "clientOrder"
  | "credential"
  | "dealer"
  | "email"
  | "order"
  | "orderList"
  | "profile"
  | "quote"
  | "session"
  | "subscription"
  | "tenant"
  | "user"
  | "wallet"

export type Things = Readonly<Record<Kind, ReadonlyArray<string>>>

export type Own = Readonly<Record<Kind, string>> & {
  /** At INTERNAL, with money. */
  readonly internal: string
  readonly internalWallet: string
  /** Of the tenant's own market at INTERNAL. */
  readonly market: string
}

export interface Member {
  readonly name: string
  readonly email: string
  readonly userId: string
  readonly sessionId: string
  readonly session: SessionRecord
  readonly api: Api
}

export interface Furnished extends Member {
  /** What a right request of this member is made of. */
  readonly own: Own
}

export interface Tenant {
  readonly tenantId: string
  readonly admin: Furnished
  readonly user: Furnished
  /** All that the tenant has, by the kind of name; the user's own first. */
  readonly things: Things
}

export interface Room {
  readonly ready: Ready
  readonly sql: pg.Client
  readonly nobody: Api
  readonly operator: ReturnType<typeof operatorOf>
}

export const BTC = "MOCK:BTC/USDT"
export const PAIR = { baseAsset: "BTC", quoteAsset: "USDT" } as const

/** Far from the touch of MOCK's book, and of any of INTERNAL's. */
export const restingAtMock = (tradingAccountId: string) => ({
  tradingAccountId,
  instrumentId: BTC,
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.001",
  limitPrice: "20000",
})

const ok = async <A>(asked: Promise<Answer<A>>): Promise<A> => (await asked).record

/** Keys that everybody uses, in every tenant. */
export const KEYS = { request: "first", order: "order-1", bought: "bought-1", quote: "quote-1" } as const

const keyed = <A>(api: Api, path: string, body: Readonly<Record<string, unknown>>) =>
  ok(api.call<A>("POST", path, body, { "idempotency-key": KEYS.request }))

interface SettledTrade {
  readonly own: Own
  readonly things: Partial<Things>
}

export interface People {
  readonly admin: Member
  readonly user: Member
  /** Has a second factor, and nothing else. */
  readonly careful: Member
}

export const furnish = async (room: Room, tenantId: string, { admin, user, careful }: People): Promise<Tenant> => {
  const { ready, sql, nobody, operator } = room
  const market = (
    await ok(
      admin.api.post<SecurityRecord>("/market/instrument/create", { ...PAIR, tickSize: "0.01", lotSize: "0.0001" }),
    )
  ).instrumentId
  // Prices of ours may move it: it is what the tenant's own book says.
  const profile = `profile-of-${tenantId}`
  const desk = await openDesk(ready, admin.api, {
    config: {
      pricing: { allowSimulatedVenues: true },
      operators: [user.userId],
      pricingProfiles: { [profile]: { markupBps: 5 } },
    },
  })
  await ok(admin.api.post("/dealer/create", { name: "Spare", baseCurrencies: ["USDT"] }))
  await operator(`ip-allow ${tenantId} add 127.0.0.0/8`)
  await operator(`ip-allow ${user.email} add 127.0.0.0/8`)

  const settle = async (member: Member): Promise<SettledTrade> => {
    const { api, userId } = member
    const account = await keyed<{ tradingAccountId: string }>(api, "/tradingAccount/connect", {
      venue: "MOCK",
      externalTradingAccountId: "trading",
    })
    const { tradingAccountId } = account
    await api.submitted({
      ...restingAtMock(tradingAccountId),
      takeProfitPrice: "90000",
      clientOrderId: KEYS.order,
      awaitAccepted: true,
    })
    const clientOrder = `resting-of-${member.name}`
    const resting = await api.submitted({
      ...restingAtMock(tradingAccountId),
      clientOrderId: clientOrder,
      awaitAccepted: true,
    })
    const list = (await ok(api.orders({ tradingAccountId }))).find(({ orderListId }) => orderListId !== null)
    const filled = await api.submitted({
      tradingAccountId,
      instrumentId: BTC,
      orderSide: "BUY",
      orderType: "MARKET",
      quantity: "0.01",
      idempotencyKey: KEYS.bought,
      awaitClosed: true,
    })
    const old = await ok(api.connectMock("old"))
    await ok(api.disconnect(old.tradingAccountId))
    const internal = await ok(api.connect({ venue: "INTERNAL" }))
    const internalWallet = internal.walletId!
    for (const [asset, amount] of [
      ["BTC", "10"],
      ["USDT", "1000000"],
    ] as const)
      await desk.deposit(internalWallet, asset, amount)
    const { walletId: wallet } = await keyed<WalletRecord>(api, "/wallet/create", { nickname: "savings" })
    await ok(
      api.post("/wallet/transfer", {
        sourceWalletId: internalWallet,
        destWalletId: wallet,
        asset: "USDT",
        amount: "100",
      }),
    )
    const frozen = await ok(api.post<WalletRecord>("/wallet/create", {}))
    await desk.deposit(frozen.walletId, "USDT", "7")
    await ok(admin.api.post("/wallet/freeze", { walletId: frozen.walletId }))
    const closed = await ok(api.post<WalletRecord>("/wallet/create", {}))
    await ok(api.post("/wallet/close", { walletId: closed.walletId }))
    const plain = await ok(api.subscribeBook({ instrumentId: BTC }))
    const bound = await keyed<{ subscriptionId: string }>(api, "/market/subscription/orderbook/subscribe", {
      instrumentId: BTC,
      tradingAccountId,
    })
    const credentials = [randomUUID(), randomUUID()]
    await sql.query(
      `INSERT INTO credential (credential_id, tenant_id, user_id, venue, name, type, masked_api_key, api_key_hash, secret, kid, status,
         created_at, updated_at)
       SELECT id, $2, $3, 'BINANCE_UAT', 'theirs', 'EXCHANGE', '****abcd', id, '{}', kid, 'ACTIVE', 1, 1
         FROM unnest($1::uuid[]) AS id, (SELECT kid FROM encryption_key LIMIT 1) AS newest`,
      [credentials, tenantId, userId],
    )
    const apiKeys: Array<string> = []
    for (const scopes of [["trade"], ["read"]])
      apiKeys.push((await ok(api.post<ApiKeyRecord>("/apiKey/create", { name: "bot", scopes }))).apiKeyId)
    const spare = await nobody.login(member.email)
    const sessions = await ok(api.get<ReadonlyArray<{ sessionId: string }>>("/auth/session/list"))
    return {
      own: {
        account: tradingAccountId,
        apiKey: apiKeys[0]!,
        clientOrder,
        credential: credentials[0]!,
        dealer: desk.dealer.dealerAccountId,
        email: member.email,
        order: resting.tradeOrderId,
        orderList: list?.orderListId ?? "",
        profile,
        quote: randomUUID(),
        session: sessions.find(({ sessionId }) => sessionId !== member.sessionId)!.sessionId,
        subscription: bound.subscriptionId,
        tenant: tenantId,
        user: userId,
        wallet,
        internal: internal.tradingAccountId,
        internalWallet,
        market,
      },
      things: {
        account: [tradingAccountId, internal.tradingAccountId, old.tradingAccountId],
        order: [resting.tradeOrderId, filled.tradeOrderId],
        wallet: [wallet, internalWallet, frozen.walletId, closed.walletId],
        subscription: [bound.subscriptionId, plain.subscriptionId],
        session: sessions.map(({ sessionId }) => sessionId),
        credential: credentials,
        apiKey: apiKeys,
        email: [member.email, spare.record.user.email.toUpperCase()],
      },
    }
  }

  const theirs = await settle(user)
  const bosses = await settle(admin)

  const quoteOf = async ({ api }: Member, own: Own, fields: Readonly<Record<string, unknown>>) =>
    (
      await until("a firm quote", async () => {
        // Without ticks the book stands still, and a desk prices by one that has moved lately.
        await api
          .submitted({ ...restingAtMock(own.account), awaitAccepted: true })
          .then(({ tradeOrderId }) => api.cancelled(own.account, tradeOrderId))
        const asked = { dealerAccountId: own.dealer, traderAccountId: own.internal, ...PAIR, orderSide: "BUY" }
        const { record } = await api.post<{ quoteId: string; status: string; quantity: string }>("/quote/request", {
          ...asked,
          quantity: "0.5",
          ...fields,
        })
        return record.status === "CREATED" && record
      })
    ).quoteId
  const used = await quoteOf(user, theirs.own, {})
  const bought = await user.api.submitted({
    tradingAccountId: theirs.own.internal,
    orderType: "QUOTED",
    quoteId: used,
    orderSide: "BUY",
    quantity: "0.5",
    awaitClosed: true,
  })
  if (bought.orderStatus !== "FILLED") throw new Error(`the quote was not executed: ${JSON.stringify(bought)}`)
  await untilHedged(desk)
  // Its name is good once, also for a quote that was refused: not before the desk has its book.
  const open = await quoteOf(user, theirs.own, { ttl: 300, quoteRequestId: KEYS.quote })

  /** At its own market: sold and bought among themselves, and what rests on both sides stays. */
  const limit = (own: Own, orderSide: string, limitPrice: string): Promise<TradeOrderRecord> =>
    (own === theirs.own ? user : admin).api.submitted({
      tradingAccountId: own.internal,
      instrumentId: market,
      orderSide,
      orderType: "LIMIT",
      quantity: "0.1",
      limitPrice,
      awaitAccepted: true,
    })
  const sold = await limit(bosses.own, "SELL", "60000")
  await limit(theirs.own, "BUY", "60000")
  await until(
    "the trade",
    async () => (await admin.api.order(bosses.own.internal, sold.tradeOrderId)).record.status === "FILLED",
  )
  const bid = await limit(theirs.own, "BUY", "50000")
  const offer = await limit(bosses.own, "SELL", "70000")

  await protect(careful)
  const wallets = await sql.query<{ id: string }>(
    "SELECT wallet_id AS id FROM wallet WHERE tenant_id = $1 AND wallet_type IN ('DEALER', 'ACCOUNTING') ORDER BY wallet_type DESC, wallet_id",
    [tenantId],
  )
  const all = <K extends keyof Things>(kind: K, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
    ...(theirs.things[kind] ?? []),
    ...(bosses.things[kind] ?? []),
    ...more,
  ]
  const furnished = (member: Member, own: Own): Furnished => ({ ...member, own: { ...own, quote: open } })
  return {
    tenantId,
    user: furnished(user, theirs.own),
    admin: furnished(admin, bosses.own),
    things: {
      account: all("account", desk.linkedAccountId, desk.dealer.tradingAccountId ?? ""),
      order: all("order", bid.tradeOrderId, offer.tradeOrderId, sold.tradeOrderId, bought.tradeOrderId),
      wallet: all("wallet", ...wallets.rows.map(({ id }) => id)),
      subscription: all("subscription"),
      session: all("session"),
      email: all("email"),
      clientOrder: [theirs.own.clientOrder, bosses.own.clientOrder],
      credential: all("credential"),
      apiKey: all("apiKey"),
      dealer: [desk.dealer.dealerAccountId],
      orderList: [theirs.own.orderList, bosses.own.orderList],
      profile: [profile],
      quote: [open, used],
      tenant: [tenantId],
      user: [user.userId, admin.userId],
    },
  }
}

/** Nothing of the desk changes by itself any more; what the venue took as its fee is too little to be hedged. */
const untilHedged = (desk: Desk): Promise<unknown> =>
  until("the desk to be hedged", async () => {
    const { hedging } = await desk.dealerNow()
    const isDone = ({ state, openHedgeIds }: HedgeReportRecord): boolean =>
      openHedgeIds.length === 0 && (state === "FLAT" || state === "ACCUMULATING")
    return hedging !== null && hedging.length > 0 && hedging.every(isDone)
  })

const protect = async ({ api }: Member): Promise<void> => {
  const { secret } = await ok(api.post<{ secret: string }>("/auth/totp/enrol"))
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  await ok(api.post("/auth/totp/confirm", { code }))
}
