/** Dealers in the database: what an actor wakes with, whose links count, and wallets that are promised to somebody. */
import { randomUUID } from "node:crypto"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { dealerConfigOf } from "../../../src/domain/dealer/config.ts"
import { quoteRecord } from "../../../src/domain/dealer/quote.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DealerAccountId, QuoteId } from "../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { DealerStore, quoteCreatedFact } from "../../../src/ports/dealer-store.ts"
import { dealerStoreLayer } from "../../../src/store/dealers/dealer-store-sql.ts"
import { forgetQuotes } from "../../../src/store/dealers/dealers.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { QuoteWorld } from "../../kit/worlds/quote-world.ts"
import { commit, executionRow, newExecution, newOrder, orderRow, query, type Rig, sqlRig } from "./account-store-rig.ts"

const database = withTestDatabase()
let rig: Rig
let runtime: ManagedRuntime.ManagedRuntime<DealerStore, unknown>
beforeAll(async () => {
  rig = await sqlRig(database())
  runtime = ManagedRuntime.make(dealerStoreLayer.pipe(Layer.provide(sqlLayer(database().url))))
})
afterAll(async () => {
  await runtime.dispose()
  await rig.close()
})

const ask = (text: string, values: ReadonlyArray<unknown> = []) => query(database().adminUrl, text, values)

const walletOf = async (user: string, type: string): Promise<string> => {
  const id = randomUUID()
  await ask(
    `INSERT INTO wallet (wallet_id, tenant_id, wallet_type, status, frozen, allow_negative, user_id, metadata, created_at, updated_at)
     VALUES ($1, 'default', $2, 'ACTIVE', false, false, $3, '{}', 1, 1)`,
    [id, type, type === "DEALER" ? null : user],
  )
  return id
}

interface Desk {
  readonly dealer: DealerAccountId
  readonly dealerWallet: string
  readonly clientWallet: string
  readonly linked: ReadonlyArray<TradingAccount>
}

/** A dealer with two linked accounts, and a client's wallet. */
const desk = async (): Promise<Desk> => {
  const own = await rig.account()
  const dealer = randomUUID() as DealerAccountId
  const [dealerWallet, clientWallet] = [await walletOf(own.userId!, "DEALER"), await walletOf(own.userId!, "CLIENT")]
  await ask(
    `INSERT INTO dealer (dealer_account_id, tenant_id, version, name, status, base_currencies, config, owner_user_id, trading_account_id,
       wallet_id, created_at, updated_at) VALUES ($1, 'default', 1, 'Desk', 'ACTIVE', '{USDT}', '{}', $2, $3, $4, 1, 1)`,
    [dealer, own.userId, own.tradingAccountId, dealerWallet],
  )
  const linked = [await rig.account(), await rig.account()]
  for (const [index, { tradingAccountId }] of linked.entries())
    await ask("INSERT INTO dealer_link VALUES ($1, $2, $3)", [dealer, tradingAccountId, index + 1])
  return { dealer, dealerWallet, clientWallet, linked }
}

const storeQuote = async (it: Desk, status = "CREATED"): Promise<string> => {
  const quoteId = randomUUID()
  const receipt = {
    tradingAccountId: it.linked[0]!.tradingAccountId,
    venue: "MOCK",
    instrumentId: "MOCK:BTC/USDT",
    bookAt: 1,
    levels: [["100", "1"]],
    walkedPrice: "100",
    worstPrice: "100",
    takerFeeBps: "10",
    markupBps: "10",
    ttlBps: "0",
  }
  await ask(
    `INSERT INTO quote (quote_id, tenant_id, version, dealer_account_id, trader_account_id, trader_user_id, dealer_wallet_id,
       trader_wallet_id, instrument_id, base_asset, quote_asset, order_side, quantity_type, quantity, quote_quantity, price, status,
       receipt, created_at, updated_at, expire_at)
     VALUES ($1, 'default', 1, $2, $3, $4, $5, $6, 'INTERNAL:BTC/USDT', 'BTC', 'USDT', 'BUY', 'BASE', 1, 100, 100, $7, $8, 1, 1, 10)`,
    [
      quoteId,
      it.dealer,
      it.linked[1]!.tradingAccountId,
      it.linked[1]!.userId,
      it.dealerWallet,
      it.clientWallet,
      status,
      JSON.stringify(receipt),
    ],
  )
  return quoteId
}

const hold = async (debit: string, credit: string, code: string, reference: string | null): Promise<string> => {
  const id = randomUUID()
  await ask("INSERT INTO ledger_hold VALUES ($1, $2, $3, 'USDT', 5, $4, $5, NULL)", [
    id,
    debit,
    credit,
    code,
    reference,
  ])
  return id
}

const load = (id: DealerAccountId) => runtime.runPromise(Effect.flatMap(DealerStore, (store) => store.load(id)))
const linksOf = async ({ dealer }: Desk) =>
  (
    await ask("SELECT trading_account_id FROM dealer_link WHERE dealer_account_id = $1 ORDER BY position", [dealer])
  ).map((row) => row["trading_account_id"])

describe("a dealer that wakes", () => {
  it("knows its open quotes, the orders that have them, and what clients' wallets hold for it, and nothing else", async () => {
    const it = await desk()
    const [free, taken] = [await storeQuote(it), await storeQuote(it)]
    await storeQuote(it, "EXPIRED")
    const trader = it.linked[1]!
    const order = newOrder(trader, { quoteId: taken as never })
    await commit(rig.store(), { accountId: trader.tradingAccountId, rows: [orderRow(order)], events: [] })
    const held = await hold(it.clientWallet, it.dealerWallet, "HOLD", free)
    await hold(it.dealerWallet, it.clientWallet, "QUOTE_RESERVATION", free)
    await hold(it.clientWallet, it.clientWallet, "HOLD", "an order of another kind")
    const state = await load(it.dealer)
    expect(state.openQuotes.map(({ quote, tradeOrderId }) => [quote.quoteId, tradeOrderId]).sort()).toEqual(
      [
        [free, null],
        [taken, order.tradeOrderId],
      ].sort(),
    )
    expect(state.clientHolds).toEqual([{ transferId: held, quoteId: free }])
  })
})

describe("a quote", () => {
  /** The digits of levels, as few as usual or as many as there may be. */
  const DIGITS = [
    ["67000.00", "0.00123"],
    ["0.000012345678", "123456789.123456789"],
    ["67000.123456789012", "0.123456789012345678"],
  ] as const

  it.each(DIGITS)("is stored in 2 kB, however many levels it took, of %s and %s", async (price, offered) => {
    const world = new QuoteWorld()
    const [from, each] = [Decimal.of(price), Decimal.of(offered)]
    const step = Decimal.fromUnits(1n, from.scale)
    const thousandth = Decimal.fromUnits(3n, each.scale)
    world.asks = Array.from({ length: 1_000 }, (_, n) => {
      const times = Decimal.fromUnits(BigInt(n), 0)
      return [`${from.add(step.multiply(times))}`, `${each.add(thousandth.multiply(times))}`] as const
    })
    for (const key of world.stored.balances.keys()) world.stored.balances.set(key, Decimal.of("1000000000000"))
    world.terms = {
      lotSize: Decimal.fromUnits(1n, each.scale),
      precision: from.scale,
      tickSize: step,
      scale: each.scale,
    }
    const quantity = world.asks.slice(0, 990).reduce((sum, [, offers]) => sum.add(Decimal.of(offers)), Decimal.ZERO)
    const asked = world.firm({ size: { quantityType: "BASE", quantity }, quoteRequestId: randomUUID().padEnd(64, "r") })
    expect(asked.receipt.levelsBeyond?.count).toBe(970)
    const quote = { ...asked, quoteId: randomUUID() as QuoteId, fingerprint: "f".repeat(64) }
    const { row } = quoteCreatedFact(quote, [])
    expect(await ask("SELECT ledger_guard_quote_created($1, 1) AS word", [JSON.stringify(row)])).toEqual([
      { word: null },
    ])
    const [stored] = await ask("SELECT pg_column_size(q) AS bytes FROM quote q WHERE quote_id = $1", [quote.quoteId])
    expect(stored?.["bytes"]).toBeLessThanOrEqual(2_048)
    const read = await runtime.runPromise(Effect.flatMap(DealerStore, (store) => store.findQuote(quote.quoteId)))
    expect(quoteRecord(read!, true)).toEqual(quoteRecord({ ...quote, createdAt: read!.createdAt }, true))
  })

  it("of old, with all its levels, is read as it was", async () => {
    const it = await desk()
    const levels = Array.from({ length: 300 }, (_, n) => [`${100 + n}`, "1"])
    const id = (await storeQuote(it)) as QuoteId
    await ask(
      "UPDATE quote SET receipt = (receipt::jsonb || jsonb_build_object('levels', $2::jsonb))::json WHERE quote_id = $1",
      [id, JSON.stringify(levels)],
    )
    const read = await runtime.runPromise(Effect.flatMap(DealerStore, (store) => store.findQuote(id)))
    expect(read?.receipt?.levels.map((level) => level.map(String))).toEqual(levels)
    expect(read?.receipt?.levelsBeyond).toBeNull()
  })
})

describe("quotes that are over", () => {
  const DAY = 86_400_000

  it("are kept when they were executed, and else for a week, however many go at once", async () => {
    const it = await desk()
    const now = 100 * DAY
    const forget = () => runtime.runPromise(forgetQuotes(now).pipe(Effect.provide(sqlLayer(database().url))))
    // Of the tests before.
    await forget()
    const endedAt = async (status: string, updatedAt: number): Promise<string> => {
      const id = await storeQuote(it, status)
      await ask("UPDATE quote SET updated_at = $2 WHERE quote_id = $1", [id, updatedAt])
      return id
    }
    const old = now - 7 * DAY - 1
    const [executed, open, recent] = [
      await endedAt("EXECUTED", old),
      await endedAt("CREATED", old),
      await endedAt("EXPIRED", old + 1),
    ]
    for (const status of ["REJECTED", "EXPIRED", "CANCELLED"]) await endedAt(status, old)
    await ask(
      `INSERT INTO quote (quote_id, tenant_id, version, dealer_account_id, trader_account_id, trader_user_id, dealer_wallet_id,
         trader_wallet_id, instrument_id, base_asset, quote_asset, order_side, quantity_type, status, created_at, updated_at, expire_at)
       SELECT gen_random_uuid(), tenant_id, 1, dealer_account_id, trader_account_id, trader_user_id, dealer_wallet_id, trader_wallet_id,
         instrument_id, base_asset, quote_asset, order_side, quantity_type, 'EXPIRED', 1, 1, 1
       FROM quote, generate_series(1, 2500) WHERE quote_id = $1`,
      [executed],
    )
    expect(await forget()).toBe(2_503)
    const left = await ask("SELECT quote_id FROM quote WHERE dealer_account_id = $1", [it.dealer])
    expect(left.map(({ quote_id }) => quote_id).sort()).toEqual([executed, open, recent].sort())
    expect(await forget()).toBe(0)
  })
})

describe("the books of a dealer", () => {
  it("begin where an account is linked: what it had traded before is not read, and what it trades then is not forgotten", async () => {
    const it = await desk()
    const account = await rig.account()
    const id = account.tradingAccountId
    const trade = async (): Promise<number> => {
      const order = newOrder(account)
      await commit(rig.store(), {
        accountId: id,
        rows: [orderRow(order), executionRow(newExecution(order))],
        events: [],
      })
      return Number((await ask("SELECT max(number) AS n FROM execution WHERE trading_account_id = $1", [id]))[0]!["n"])
    }
    const cursor = async () =>
      (await ask("SELECT last_number FROM dealer_book_cursor WHERE trading_account_id = $1", [id])).map((row) =>
        Number(row["last_number"]),
      )
    await trade()
    const newest = await trade()
    await ask("INSERT INTO dealer_link VALUES ($1, $2, 3)", [it.dealer, id])
    expect(await cursor()).toEqual([newest])
    await trade()
    await ask("DELETE FROM dealer_link WHERE trading_account_id = $1", [id])
    await ask("INSERT INTO dealer_link VALUES ($1, $2, 3)", [it.dealer, id])
    expect(await cursor()).toEqual([newest])
  })

  it("begin before a hedge that left and filled while its link was on its way to the store", async () => {
    const it = await desk()
    const account = await rig.account()
    const id = account.tradingAccountId
    const store = (order: TradeOrder) =>
      commit(rig.store(), { accountId: id, rows: [orderRow(order), executionRow(newExecution(order))], events: [] })
    await store(newOrder(account))
    const hedge = newOrder(account, { dealerAccountId: it.dealer })
    await store(hedge)
    await store(newOrder(account))
    await ask("INSERT INTO dealer_link VALUES ($1, $2, 3)", [it.dealer, id])
    const [row] = await ask(
      `SELECT c.last_number < x.number AS is_ahead, x.number - c.last_number AS ahead FROM dealer_book_cursor c
         JOIN execution x ON x.trade_order_id = $2 WHERE c.trading_account_id = $1`,
      [id, hedge.tradeOrderId],
    )
    expect(row).toEqual({ is_ahead: true, ahead: "1" })
  })
})

describe("a disconnected account", () => {
  it("is linked to no dealer any more, and no later image of the dealer links it again", async () => {
    const it = await desk()
    const [gone, left] = it.linked
    const before = (await load(it.dealer)).dealer
    const at = gone!.updatedAt + 1
    const account: TradingAccount = { ...gone!, version: 2, status: "DISCONNECTED", disconnectedAt: at, updatedAt: at }
    await commit(rig.store(), {
      accountId: account.tradingAccountId,
      rows: [
        { _tag: "Account", account },
        { _tag: "SubscriptionsEnded", tradingAccountId: account.tradingAccountId, at },
      ],
      events: [],
    })
    expect(await linksOf(it)).toEqual([left!.tradingAccountId])
    const config = dealerConfigOf({ riskCurrency: "EUR", hedge: { attemptsMax: 3 } })
    await runtime.runPromise(
      Effect.flatMap(DealerStore, (store) => store.save({ ...before, version: 2, status: "PAUSED", config })),
    )
    expect(await linksOf(it)).toEqual([left!.tradingAccountId])
    expect((await load(it.dealer)).dealer).toMatchObject({
      status: "PAUSED",
      config,
      linkedAccountIds: [left!.tradingAccountId],
    })
  })
})

describe("a wallet", () => {
  it("is not closed while a quote of it is open, held or not, on either side", async () => {
    const it = await desk()
    const close = async (wallet: string) =>
      (await ask("SELECT wallet_set_status($1, 'CLOSED', 5) AS word", [wallet]))[0]!["word"]
    const quote = await storeQuote(it)
    expect(await close(it.clientWallet)).toBe("WalletHasHolds")
    expect(await close(it.dealerWallet)).toBe("WalletHasHolds")
    await ask("UPDATE quote SET status = 'EXPIRED' WHERE quote_id = $1", [quote])
    expect(await close(it.clientWallet)).toBeNull()
    expect(await close(it.dealerWallet)).toBeNull()
  })
})
