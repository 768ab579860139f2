/**
 * A dealer with one linked account over a real database and ledger, without the account's venue: the test supplies its balances and the stored
 * executions. The one thing to know: `kill` ends the process with everything in its memory; the next check runs in a new one.
 */
import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Cause, Effect, Exit, Layer, ManagedRuntime } from "effect"
import { afterAll, expect } from "vitest"
import { AccountDirectory } from "../../../src/actors/account/directory.ts"
import { type AccountCommand, TradingAccounts } from "../../../src/actors/account/messages.ts"
import { makeDealerBooks } from "../../../src/actors/dealer/books/books.ts"
import { DealerDirectory } from "../../../src/actors/dealer/directory.ts"
import { makeExchangeMirror } from "../../../src/actors/dealer/exchange-mirror/mirror.ts"
import { mirrorWalletId } from "../../../src/actors/dealer/exchange-mirror/transfers.ts"
import { InstrumentDirectory } from "../../../src/actors/market/instrument-directory.ts"
import { Markets } from "../../../src/actors/market/messages.ts"
import type { AccountAlert } from "../../../src/domain/account/event.ts"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { Dealer, HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import { FUNDING_MILLIS, type Funding } from "../../../src/domain/dealer/funding.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DealerAccountId, HedgeIntentId, QuoteId, TradingAccountId } from "../../../src/domain/ids.ts"
import { instrumentIdOf, type MarketTerms } from "../../../src/domain/instrument/instrument.ts"
import type { OrderSide, TradeOrder } from "../../../src/domain/order/trade-order.ts"
import {
  type AccountingPurpose,
  accountingWalletId,
  type DealerPurpose,
  dealerBookId,
  type WalletId,
} from "../../../src/domain/wallet/wallet.ts"
import { ledgerLayer } from "../../../src/ledger/ledger.ts"
import { BookStore } from "../../../src/ports/book-store.ts"
import { Clock } from "../../../src/ports/clock.ts"
import { hedgeIntentFact } from "../../../src/ports/hedge-store.ts"
import { Ids } from "../../../src/ports/ids.ts"
import { LedgerPort, type LedgerRequest, LedgerWatch } from "../../../src/ports/ledger-port.ts"
import { MeterBoard, Meters } from "../../../src/ports/meters.ts"
import { VenuePort } from "../../../src/ports/venue-port.ts"
import { insertFunding } from "../../../src/store/dealers/dealers.ts"
import { bookStoreLayer } from "../../../src/store/ledger/book-store-sql.ts"
import { LedgerJournal } from "../../../src/store/ledger/journal.ts"
import { mirrorStoreLayer } from "../../../src/store/ledger/mirror-store-sql.ts"
import { Wallets } from "../../../src/store/ledger/wallets.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import {
  commit,
  executionRow,
  filled,
  image,
  newExecution,
  newOrder,
  orderRow,
  query,
  type Rig,
  sqlRig,
} from "../../integration/store/account-store-rig.ts"
import { intentOf } from "../records/hedges.ts"
import { instrumentOf } from "../records/instruments.ts"
import { type TestDatabase, testDatabase } from "../servers/database.ts"

export interface Trade {
  readonly side?: OrderSide
  readonly quantity: string
  readonly price: string
  readonly fees?: Readonly<Record<string, string>>
  readonly at?: number
  /** An order that has executed before. */
  readonly order?: TradeOrder
  readonly status?: TradeOrder["orderStatus"]
}

/** A dealer that nothing is linked to at first, behind the other one. */
export const SECOND = "00000002-0000-4000-8000-000000000002" as DealerAccountId
/** Its own account. */
const SECONDS = "00000002-0000-4000-8000-00000000000a"

const openBooksRig = async (database: TestDatabase) => {
  const rig: Rig = await sqlRig(database)
  const account: TradingAccount = await rig.account()
  const dealerAccountId = randomUUID() as DealerAccountId
  const dealer = {
    dealerAccountId,
    tenantId: account.tenantId,
    version: 1,
    linkedAccountIds: [account.tradingAccountId],
    tradingAccountId: randomUUID(),
    config: { operators: [] },
  } as unknown as Dealer
  /** Whom the account is linked to. */
  let linkedTo: ReadonlyArray<DealerAccountId> = [dealerAccountId]
  let archived: ReadonlyArray<DealerAccountId> = []
  let dealersVersion = 1
  const linked = (): ReadonlyArray<Dealer> =>
    [dealer, { ...dealer, dealerAccountId: SECOND, tradingAccountId: SECONDS as TradingAccountId }].map((it) => ({
      ...it,
      version: dealersVersion,
      status: archived.includes(it.dealerAccountId) ? "ARCHIVED" : "ACTIVE",
      linkedAccountIds: linkedTo.includes(it.dealerAccountId) ? [account.tradingAccountId] : [],
    }))
  const time = { now: 1_700_000_000_000 }
  const venue = new Map<string, string>()
  /** Of instruments, as far as one is known. */
  const prices = new Map<string, string>()
  const alerts: Array<AccountAlert & { readonly to: DealerAccountId }> = []
  /** After so many requests the ledger is told of no more, or of one whose answer nobody hears: the process is gone. */
  const cut = { requests: Number.POSITIVE_INFINITY, isUnanswered: false, reached: (): void => undefined }
  const freeze = (status: "FROZEN" | "ACTIVE") =>
    query(database.url, "SELECT wallet_set_status($1, $2, $3)", [
      mirrorWalletId(account.tradingAccountId),
      status,
      time.now,
    ])
  /** An admin freezes the mirror before so many more requests reach the ledger. */
  let freezeBefore = Number.POSITIVE_INFINITY
  /** How often the books have asked for fills. */
  let pages = 0
  await query(database.url, "INSERT INTO dealer_book_cursor VALUES ($1, $2, 0)", [
    dealerAccountId,
    account.tradingAccountId,
  ])

  const process = async () => {
    const [node] = await query(database.url, "SELECT node_id, epoch FROM gateway_node")
    const fail = (reason: unknown): never => {
      throw new Error(`the ledger: ${String(reason)}`)
    }
    const meters = new MeterBoard()
    const outside = Layer.mergeAll(
      Layer.succeed(Meters, meters),
      Layer.succeed(Clock, { now: () => time.now, monotonic: () => time.now }),
      Layer.succeed(Ids, { uuid: randomUUID }),
      Layer.succeed(VenuePort, { find: () => ({ features: ["SPOT"] }) } as unknown as VenuePort["Type"]),
      Layer.succeed(TradingAccounts, {
        post: (id: string, message: AccountCommand) => {
          if (message._tag === "RaiseAlert")
            alerts.push({ ...message.alert, to: id === SECONDS ? SECOND : dealerAccountId })
          else if (message._tag === "ReadPortfolio")
            message.reply.ok(
              [...venue].map(([currency, amount]) => ({
                tradingAccountId: account.tradingAccountId,
                venue: account.venue,
                currency,
                available: Decimal.of(amount),
                locked: Decimal.ZERO,
                updatedAt: time.now,
              })),
            )
        },
      } as unknown as TradingAccounts["Type"]),
      Layer.succeed(Markets, { lastPrice: (id: string) => prices.get(id) ?? null } as unknown as Markets["Type"]),
      AccountDirectory.Default,
      DealerDirectory.Default,
      InstrumentDirectory.Default,
    )
    const store = Layer.mergeAll(Wallets.Default, LedgerJournal.Default).pipe(
      Layer.provideMerge(sqlLayer(database.url)),
      Layer.provideMerge(outside),
    )
    const ledger = ledgerLayer({
      url: database.url,
      nodeId: String(node!["node_id"]),
      epoch: Number(node!["epoch"]),
      lost: fail,
      defect: fail,
      warn: () => undefined,
      notice: () => undefined,
      expiryMillis: 60_000,
      auditMillis: 3_600_000,
      auditMaxAgeMillis: 7_200_000,
      auditWholeMaxAgeMillis: 7_200_000,
    })
    const all = Layer.mergeAll(mirrorStoreLayer, bookStoreLayer, ledger).pipe(Layer.provideMerge(store))
    const runtime = ManagedRuntime.make(all)
    const made = await runtime.runPromise(
      Effect.gen(function* () {
        ;(yield* AccountDirectory).put(account)
        const dealers = yield* DealerDirectory
        for (const one of linked()) dealers.put(one)
        const port = yield* LedgerPort
        const dying = {
          ...port,
          post: (request: LedgerRequest) => {
            if (freezeBefore-- === 0) void freeze("FROZEN").then(() => port.post(request))
            else if (cut.requests-- > 0) port.post(request)
            else if (cut.requests === -1 && cut.isUnanswered) port.post({ ...request, settled: cut.reached })
            else cut.reached()
          },
        }
        const store = yield* BookStore
        const counted: typeof store = {
          ...store,
          fills: (...of) => {
            pages++
            return store.fills(...of)
          },
        }
        const terms = { percent: Decimal.ONE, dust: new Map([["DUST", Decimal.ONE]]) }
        return {
          mirror: yield* Effect.provideService(makeExchangeMirror(terms), LedgerPort, dying),
          books: yield* makeDealerBooks.pipe(
            Effect.provideService(LedgerPort, dying),
            Effect.provideService(BookStore, counted),
          ),
          wallets: yield* Wallets,
          directory: yield* AccountDirectory,
          dealers,
          instruments: yield* InstrumentDirectory,
          watch: yield* LedgerWatch,
        }
      }),
    )
    const reading = (name: string) =>
      meters
        .readings()
        .filter((it) => it.name === name)
        .flatMap(({ samples }) =>
          samples.map(({ value, labels }) => `${Object.values(labels ?? {}).join()} ${value}`.trim()),
        )
    return { runtime, reading, ...made }
  }
  let running = await process()
  let { version } = account

  /** What looks have told of dealers whose books cannot be kept; null: there must be none. */
  let troubles: Array<string> | null = null
  const trouble = (_: unknown, why: string | { readonly message: string }): void => {
    const text = typeof why === "string" ? why : why.message
    if (troubles === null) throw new Error(text)
    troubles.push(text)
  }
  /** So many looks, 5 s apart. */
  const looks = async (which: "mirror" | "books", times = 1): Promise<void> => {
    for (let n = 0; n < times; n++) {
      time.now += 5_000
      const heard = troubles?.length
      const ended = await running.runtime.runPromiseExit(running[which](trouble))
      if (troubles === null)
        Exit.getOrElse(ended, (cause) => {
          throw Cause.squash(cause)
        })
      else expect(Exit.isFailure(ended)).toBe(troubles.length > heard!)
    }
  }

  const balances = async (walletId: WalletId): Promise<Readonly<Record<string, string>>> => {
    const rows = await running.runtime.runPromise(running.wallets.balances(walletId))
    return Object.fromEntries(rows.filter((it) => !it.balance.isZero()).map((it) => [it.asset, it.balance.toString()]))
  }

  const accountId = account.tradingAccountId
  return {
    account,
    dealer,
    time,
    alerts,
    venue: {
      show: (shown: Readonly<Record<string, string>>) => {
        venue.clear()
        for (const [asset, amount] of Object.entries(shown)) venue.set(asset, amount)
      },
    },
    /** A market of the account's venue, until the process ends. `price`: its last, where that is known. */
    list: (symbol: string, terms: Partial<MarketTerms>, price?: string): void => {
      const instrument = instrumentOf(instrumentIdOf(account.venue, symbol), terms)
      running.instruments.put([instrument])
      if (price !== undefined) prices.set(instrument.instrumentId, price)
    },
    looks,
    expectsTrouble: (): ReadonlyArray<string> => {
      troubles = []
      return troubles
    },
    /** From now on the account is linked to these dealers alone. */
    link: (...to: ReadonlyArray<DealerAccountId>): void => {
      linkedTo = to
      dealersVersion++
      for (const one of linked()) running.dealers.put(one)
    },
    /** With all its links. */
    archive: (dealer: DealerAccountId): void => {
      archived = [...archived, dealer]
      dealersVersion++
      for (const one of linked()) running.dealers.put(one)
    },
    /** Until the process ends. */
    setStatus: (status: TradingAccount["status"]) => running.directory.put({ ...account, version: ++version, status }),
    reading: (name: string) => running.reading(name),
    pages: () => pages,
    mirror: () => balances(mirrorWalletId(accountId)),
    /** An admin freezes the mirror, or no longer. */
    freeze,
    /** The same within a look: once so many more of its requests have reached the ledger. */
    freezeAfter: (requests: number): void => {
      freezeBefore = requests
    },
    book: (purpose: DealerPurpose, of = dealerAccountId) => balances(dealerBookId(of, purpose)),
    accounting: (purpose: AccountingPurpose) => balances(accountingWalletId(account.tenantId, purpose)),
    rows: (text: string, values: ReadonlyArray<unknown> = []) => query(database.url, text, values),
    /** A hedge of the dealer executes. */
    fill: async (trade: Trade): Promise<TradeOrder> => {
      const orderSide = trade.side ?? "BUY"
      const before = trade.order ?? newOrder(account, { dealerAccountId, orderSide, baseQuantity: Decimal.of("100") })
      if (trade.order === undefined) await commit(rig.store(), { accountId, rows: [orderRow(before)], events: [] })
      const execution = newExecution(before, {
        orderSide,
        executedQuantity: Decimal.of(trade.quantity),
        executedPrice: Decimal.of(trade.price),
        executedAt: trade.at ?? time.now,
        fees: Object.entries(trade.fees ?? {}).map(([asset, quantity]) => ({
          asset,
          venue: account.venue,
          quantity: Decimal.of(quantity),
        })),
      })
      const after = image(filled(before, execution), { orderStatus: trade.status ?? "FILLED" })
      await commit(rig.store(), { accountId, rows: [orderRow(after), executionRow(execution)], events: [] })
      return after
    },
    /** So many trades of the account that are no hedges. */
    trades: async (count: number): Promise<void> => {
      const order = newOrder(account)
      const executions = Array.from({ length: count }, () => executionRow(newExecution(order)))
      await commit(rig.store(), { accountId, rows: [orderRow(order), ...executions], events: [] })
    },
    /** A client takes a quote: BUY is the client's side. */
    quote: async (
      orderSide: OrderSide,
      quantity: string,
      price: string,
      of = dealerAccountId,
    ): Promise<HedgeIntent> => {
      const intent = intentOf(0, {
        orderSide,
        quantity: Decimal.of(quantity),
        quotePrice: Decimal.of(price),
        dealerAccountId: of,
        hedgeIntentId: randomUUID() as HedgeIntentId,
        quoteId: randomUUID() as QuoteId,
      })
      await query(database.url, "SELECT ledger_facts_hedge_intent($1::jsonb)", [
        JSON.stringify([hedgeIntentFact(intent).row]),
      ])
      return intent
    },
    /** An admin tells of it. */
    fund: async (direction: "DEPOSIT" | "WITHDRAWAL", amount: string, asset = "BTC"): Promise<Funding> => {
      const funding: Funding = {
        fundingId: randomUUID(),
        tradingAccountId: accountId,
        dealerAccountId,
        asset,
        direction,
        amount: Decimal.of(amount),
        settled: Decimal.ZERO,
        createdAt: time.now,
        expireAt: time.now + FUNDING_MILLIS,
      }
      const told = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(insertFunding(sql, funding)))
      return Exit.getOrElse(await running.runtime.runPromiseExit(told), (cause) => {
        throw Cause.squash(cause)
      })
    },
    order: (after: TradeOrder) => commit(rig.store(), { accountId, rows: [orderRow(after)], events: [] }),
    /** The process ends once so many requests have been answered, with or without one more in the ledger, or when its look is over. */
    kill: async (which: "mirror" | "books", requests: number, isUnanswered: boolean): Promise<void> => {
      Object.assign(cut, { requests, isUnanswered })
      const reached = new Promise<void>((resolve) => {
        cut.reached = resolve
      })
      await Promise.race([looks(which), reached])
      await running.watch.drain()
      cut.requests = Number.POSITIVE_INFINITY
      await running.runtime.dispose()
      running = await process()
    },
    restart: async (): Promise<void> => {
      await running.runtime.dispose()
      running = await process()
    },
    violations: async (): Promise<ReadonlyArray<unknown>> => [
      ...(
        await query(database.url, "SELECT what FROM ledger_violation UNION ALL SELECT what FROM dealer_book_violation")
      ).map(({ what }) => what),
    ],
    close: async (): Promise<void> => {
      await running.runtime.dispose()
      await rig.close()
    },
  }
}

/** Before its first request, or with one in the ledger whose answer it never hears, and so on: where `kill` ends the process. */
export const CUTS = [0, 1, 2].flatMap((requests) => [[requests, false] as const, [requests, true] as const])

/** At the top of a file: opens rigs over databases of their own, which end after its tests. */
export const withBooksRigs = (): (() => Promise<BooksRig>) => {
  const ends: Array<() => Promise<void>> = []
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return async () => {
    const database = await testDatabase()
    const rig = await openBooksRig(database)
    ends.push(async () => {
      await rig.close()
      await database.drop()
    })
    return rig
  }
}

export type BooksRig = Awaited<ReturnType<typeof openBooksRig>>

/** The same, where the account has 10 BTC and 1,000 USDT and its mirror has begun with them. */
export const withMirroredRigs = (): (() => Promise<BooksRig>) => {
  const opened = withBooksRigs()
  return async () => {
    const rig = await opened()
    rig.venue.show({ BTC: "10", USDT: "1000" })
    await rig.looks("mirror")
    return rig
  }
}

/** What each of the two dealers has lost. */
export const losses = async (it: BooksRig) => ({
  first: await it.book("LOSS"),
  second: await it.book("LOSS", SECOND),
})

export const sound = async (it: BooksRig) => expect(await it.violations()).toEqual([])
