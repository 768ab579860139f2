/**
 * The account actors as the gateway runs them, over PostgreSQL and MOCK, with everything that they publish written down: one process
 * after another over one database.
 */
import { Effect, Exit, Layer, Logger, LogLevel, ManagedRuntime, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import { TradingAccountsLive } from "../../../src/actors/account/accounts.ts"
import { AccountDirectory } from "../../../src/actors/account/directory.ts"
import { type AccountCommand, type SubmitAnswer, TradingAccounts } from "../../../src/actors/account/messages.ts"
import { InstrumentDirectory } from "../../../src/actors/market/instrument-directory.ts"
import { Markets } from "../../../src/actors/market/messages.ts"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { ChannelKind } from "../../../src/domain/channel.ts"
import { CredentialRevoked } from "../../../src/domain/errors/credential.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { TradeOrderId, TradingAccountId } from "../../../src/domain/ids.ts"
import { invalidVenue } from "../../../src/domain/instrument/venue.ts"
import type { SubmitRequest } from "../../../src/domain/order/submit-request.ts"
import type { Reply } from "../../../src/domain/reply.ts"
import { clockLive, failpointLive, idsLive } from "../../../src/live.ts"
import { AccountStore } from "../../../src/ports/account-store.ts"
import {
  ChannelPort,
  type ChannelSource,
  type ChannelState,
  type Publication,
  type StoredPublication,
} from "../../../src/ports/channel-port.ts"
import { CredentialVault } from "../../../src/ports/credential-vault.ts"
import { VenuePort } from "../../../src/ports/venue-port.ts"
import { Writer } from "../../../src/store/orders/account-store-sql.ts"
import { Accounts } from "../../../src/store/orders/accounts.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { Users } from "../../../src/store/users/users.ts"
import { type MockRig, mockVenue } from "../../../src/venues/mock/venue.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { type Store, storeAccount, storeLayer } from "../store/account-store-rig.ts"

export interface AccountProcess {
  readonly rig: MockRig
  readonly store: Store
  /** In order, over all accounts. */
  readonly published: ReadonlyArray<Publication>
  readonly ask: <A>(
    id: TradingAccountId,
    build: (reply: Reply<A, DomainError>) => AccountCommand,
  ) => Promise<A | DomainError>
  readonly position: (channel: string) => number
  readonly replay: (channel: string, after: number, upTo: number) => Promise<ReadonlyArray<StoredPublication> | null>
  readonly state: (of: "accountOrders" | "accountPositions", channel: string) => Promise<ChannelState | null>
  /** `drained`: what was handed to the store is durable; otherwise whatever waits is lost with the process. Repeatable. */
  readonly end: (drained: boolean) => Promise<void>
}

/** A process over what is stored, with its accounts awake. */
const startAccounts = async (url: string): Promise<AccountProcess> => {
  const published: Array<Publication> = []
  const sources = new Map<ChannelKind, ChannelSource>()
  let isOver = false
  const scope = Effect.runSync(Scope.make())
  const start = Effect.gen(function* () {
    const base = yield* Layer.build(
      Layer.mergeAll(
        storeLayer(url),
        clockLive,
        idsLive,
        failpointLive(null),
        AccountDirectory.Default,
        InstrumentDirectory.Default,
        Layer.succeed(CredentialVault, { usableOf: () => Effect.fail(new CredentialRevoked()) }),
        Layer.succeed(ChannelPort, {
          publish: (publication) => {
            if (!isOver) published.push(publication)
          },
          isHeard: () => true,
          invalidate: () => undefined,
          terminate: () => undefined,
          attach: (kind, source) => void sources.set(kind, source),
        }),
      ),
    )
    const { adapter, rig } = yield* mockVenue({ mockSeed: 7, mockTickMillis: 0 }).pipe(Effect.provide(base))
    const directory = yield* Effect.provide(AccountDirectory, base)
    for (const account of yield* Effect.provide(Accounts, base).pipe(Effect.flatMap((it) => it.loadAccounts)))
      directory.put(account)
    const instruments = yield* Effect.provide(InstrumentDirectory, base)
    instruments.put(yield* adapter.instruments(null))
    const outside = Layer.mergeAll(
      Layer.succeed(VenuePort, {
        venues: [adapter.venue],
        find: (venue) => (venue === adapter.venue.venue ? adapter.venue : undefined),
        verify: (_, secrets) => adapter.verify(secrets),
        openSession: adapter.openSession,
        instruments: (venue, symbols) =>
          venue === adapter.venue.venue ? adapter.instruments(symbols) : invalidVenue(venue),
        klines: (_, ask) => adapter.klines(ask),
        market: (_, sink) => adapter.market(sink),
        health: () => [adapter.health()],
        stats: () => ({ shards: [], connectors: [] }),
      }),
      Layer.succeed(Markets, {
        readBook: () => undefined,
        readTicker: () => undefined,
        readKlines: () => undefined,
        lookBack: () => undefined,
        tickers: () => [],
        topOfBook: (id, side) => rig.book(id)[side],
        levels: (id, side) => rig.book(id)[side],
        isWhole: () => true,
        lastPrice: () => null,
        hold: () => undefined,
        release: () => undefined,
        follow: () => () => undefined,
        lastUpdateAt: () => null,
        confirmBook: () => undefined,
        bookAge: () => null,
        marketClosed: () => undefined,
        marketOpen: () => undefined,
        listingChanged: () => undefined,
        stats: () => [],
      }),
    )
    const accounts = yield* Layer.build(TradingAccountsLive.pipe(Layer.provide(outside))).pipe(Effect.provide(base))
    return {
      rig,
      accounts: yield* Effect.provide(TradingAccounts, accounts),
      store: yield* Effect.provide(AccountStore, base),
      writer: yield* Effect.provide(Writer, base),
    }
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None), Scope.extend(scope))
  const { rig, accounts, store, writer } = await Effect.runPromise(start)
  const sourceOf = (kind: ChannelKind): ChannelSource => {
    const source = sources.get(kind)
    if (source === undefined) throw new Error(`nobody attached ${kind}`)
    return source
  }
  return {
    rig,
    store,
    published,
    ask: (id, build) =>
      new Promise((resolve) => accounts.post(id, build({ ok: (answer) => resolve(answer), fail: resolve }))),
    position: (channel) => sourceOf("tradingAccount").position(channel).offset,
    replay: (channel, after, upTo) =>
      new Promise((resolve) => sourceOf("tradingAccount").replay?.(channel, after, upTo, resolve)),
    state: (of, channel) => new Promise((resolve) => sourceOf(of).state?.(channel, resolve)),
    end: async (drained) => {
      if (isOver) return
      if (drained) await writer.drain()
      isOver = true
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

export interface AccountRig {
  /** A stored account that the next process connects. */
  readonly account: (changes?: Partial<TradingAccount>) => Promise<TradingAccountId>
  /** The next process; what a failed test left running ends first. */
  readonly start: () => Promise<AccountProcess>
}

/** At the top of a file: a database of its own, and processes over it, one at a time. */
export const withAccounts = (): AccountRig => {
  const database = withTestDatabase()
  const open = () =>
    ManagedRuntime.make(Layer.mergeAll(Users.Default, Accounts.Default).pipe(Layer.provide(sqlLayer(database().url))))
  let runtime: ReturnType<typeof open>
  let running: AccountProcess | undefined
  beforeAll(() => {
    runtime = open()
  })
  afterAll(async () => {
    await running?.end(false)
    await runtime.dispose()
  })
  return {
    account: async (changes = {}) => {
      const initialBalances = [
        ["BTC", "1000"],
        ["USDT", "100000000"],
      ] as const
      return (await storeAccount(runtime, { status: "CREATED", initialBalances, ...changes })).tradingAccountId
    },
    start: async () => {
      await running?.end(false)
      running = await startAccounts(database().url)
      return running
    },
  }
}

const request = (id: TradingAccountId, changes: Partial<SubmitRequest>): SubmitRequest =>
  ({
    tradingAccountId: id,
    instrumentId: "MOCK:BTC/USDT",
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "0.01",
    limitPrice: "1000",
    ...changes,
  }) as SubmitRequest

/** A buy that rests far below the market, or what `changes` make of it. */
export const submit = (
  process: AccountProcess,
  id: TradingAccountId,
  changes: Partial<SubmitRequest> = {},
  named: (tradeOrderId: TradeOrderId) => void = () => undefined,
) =>
  process.ask<SubmitAnswer>(id, (reply) => ({
    _tag: "SubmitOrder",
    request: request(id, changes),
    receivedAt: performance.now(),
    named,
    reply,
  }))

export const cancel = (process: AccountProcess, id: TradingAccountId, tradeOrderId: TradeOrderId) =>
  process.ask(id, (reply) => ({ _tag: "CancelOrder", by: { tradeOrderId }, receivedAt: performance.now(), reply }))

/** Everything that the account handed to the store so far is durable and published. */
export const quiet = (process: AccountProcess, id: TradingAccountId): Promise<void> =>
  new Promise((resolve) => process.store.after(id, resolve))
