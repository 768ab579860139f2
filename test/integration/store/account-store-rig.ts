/** Records to store and two rigs to store them with: the account store in memory and the one in PostgreSQL, opened the way main does. */
import { randomUUID } from "node:crypto"
import { type Context, Effect, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll } from "vitest"
import type { EventDraft } from "../../../src/domain/account/event.ts"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type {
  ExecutionId,
  InstrumentId,
  TenantId,
  TradeOrderId,
  TradingAccountId,
  UserId,
  VenueId,
} from "../../../src/domain/ids.ts"
import { EXECUTIONS_KEPT, type Execution, type TradeOrder, withFees } from "../../../src/domain/order/trade-order.ts"
import { AccountStore, type CommitOutcome, type Row, type Unit } from "../../../src/ports/account-store.ts"
import { JournalPort } from "../../../src/ports/journal-port.ts"
import { accountStoreLayer, Writer } from "../../../src/store/orders/account-store-sql.ts"
import { Accounts } from "../../../src/store/orders/accounts.ts"
import { ownDatabase } from "../../../src/store/postgres/node.ts"
import { type SqlOptions, sqlLayer } from "../../../src/store/postgres/sql.ts"
import { Users } from "../../../src/store/users/users.ts"
import { type TestDatabase, withTestDatabase } from "../../kit/servers/database.ts"
import { makeMemoryAccountStore, makeMemoryDatabase } from "../../kit/worlds/memory-account-store.ts"

export const TENANT = "default" as TenantId
export const MOCK = "MOCK" as VenueId

/** A clock that moves one millisecond with every record, so that "oldest" and "newest" have one answer. */
let now = Date.now()
export const tick = (): number => ++now

export const newAccount = (userId: UserId, changes: Partial<TradingAccount> = {}): TradingAccount => {
  const at = tick()
  return {
    tradingAccountId: randomUUID() as TradingAccountId,
    tenantId: TENANT,
    userId,
    version: 1,
    venue: MOCK,
    externalTradingAccountId: randomUUID(),
    nickname: 'with "quotes", a \\ and ünïcode 🙂',
    status: "ACTIVE",
    credentials: [],
    initialBalances: [
      ["BTC", "10"],
      ["USDT", "1000000.50"],
    ],
    channelEpoch: "epoch-1",
    createdAt: at,
    updatedAt: at,
    disconnectedAt: null,
    cancelAllAt: null,
    walletId: null,
    dealerAccountId: null,
    ...changes,
  }
}

export const newOrder = (account: TradingAccount, changes: Partial<TradeOrder> = {}): TradeOrder => {
  const at = tick()
  return {
    tradeOrderId: randomUUID() as TradeOrderId,
    tenantId: account.tenantId,
    tradingAccountId: account.tradingAccountId,
    version: 1,
    venue: account.venue,
    instrumentId: "MOCK:BTC/USDT" as InstrumentId,
    orderListId: null,
    contingencyType: null,
    quoteId: null,
    positionId: null,
    replacesTradeOrderId: null,
    dealerAccountId: null,
    hedgeForQuoteIds: [],
    hedgeForQuoteCount: 0,
    terms: null,
    baseAsset: "BTC",
    quoteAsset: "USDT",
    orderSide: "BUY",
    orderType: "LIMIT",
    timeInForce: "GTC",
    orderStatus: "CREATED",
    statusBeforeCancel: null,
    rejectReason: null,
    cancelReason: null,
    limitPrice: Decimal.of("64250.1"),
    quantity: Decimal.of("0.015"),
    orderQuantityType: "BASE",
    quantityRounding: "",
    baseQuantity: Decimal.of("0.015"),
    executedQuantity: Decimal.ZERO,
    executedCost: Decimal.ZERO,
    executedPrice: null,
    overfillQuantity: Decimal.ZERO,
    executions: [],
    executionCount: 0,
    fees: [],
    unexplained: null,
    clientOrderId: null,
    idempotencyKey: null,
    fingerprint: "ab".repeat(32),
    externalOrderId: null,
    origin: "GATEWAY",
    doubt: null,
    cancelRequested: false,
    evidence: [],
    notAfter: at + 2_000,
    submitDeadline: at + 7_000,
    held: Decimal.of("963.7515"),
    createdAt: at,
    updatedAt: at,
    expireAt: null,
    canceledAt: null,
    venueUpdatedAt: null,
    ...changes,
  }
}

export const newExecution = (order: TradeOrder, changes: Partial<Execution> = {}): Execution => {
  const executedQuantity = changes.executedQuantity ?? Decimal.of("0.005")
  const executedPrice = changes.executedPrice ?? Decimal.of("64249.999999999999999999")
  return {
    executionId: randomUUID() as ExecutionId,
    externalTradeId: randomUUID(),
    tradeOrderId: order.tradeOrderId,
    tradingAccountId: order.tradingAccountId,
    venue: order.venue,
    instrumentId: order.instrumentId,
    orderSide: order.orderSide,
    executedQuantity,
    executedPrice,
    executedCost: executedPrice.multiply(executedQuantity),
    fees: [{ asset: "BTC", venue: order.venue, quantity: Decimal.of("0.000005") }],
    inferred: false,
    replaces: null,
    executedAt: tick(),
    ...changes,
  }
}

/** The next image of the order. */
export const image = (order: TradeOrder, changes: Partial<TradeOrder>): TradeOrder => ({
  ...order,
  ...changes,
  version: order.version + 1,
  updatedAt: tick(),
})

/** The order after one more execution. */
export const filled = (order: TradeOrder, execution: Execution): TradeOrder =>
  image(order, {
    orderStatus: "PARTIALLY_FILLED",
    executedQuantity: order.executedQuantity.add(execution.executedQuantity),
    executedCost: order.executedCost.add(execution.executedCost),
    executedPrice: execution.executedPrice,
    executions: [...order.executions, execution].slice(-EXECUTIONS_KEPT),
    executionCount: order.executionCount + 1,
    fees: withFees(order.fees, execution.fees),
    unexplained: execution.inferred ? execution : order.unexplained,
  })

export const event = (payload: string = JSON.stringify({ note: 'é \u0007 🙂 \\ "' })): EventDraft => ({
  eventId: randomUUID(),
  kind: "TRADE_ORDER.CREATED",
  at: tick(),
  payload,
})

export const orderRow = (order: TradeOrder): Row => ({ _tag: "Order", order })
export const executionRow = (execution: Execution): Row => ({ _tag: "Execution", execution })

/** Decimals by value, everything else as it is: what two images must have in common. */
export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

export type Store = Context.Tag.Service<AccountStore>

/** Hands a unit over; resolves with its outcome. */
export const commit = (store: Pick<Store, "commit">, unit: Omit<Unit, "settled">): Promise<CommitOutcome> =>
  new Promise((resolve) => store.commit({ ...unit, settled: resolve }))

export interface StoredEvent extends EventDraft {
  readonly sequence: number
}

export interface Rig {
  readonly store: () => Store
  readonly journal: () => Context.Tag.Service<JournalPort>
  /** A stored account, of a user of its own. */
  readonly account: (changes?: Partial<TradingAccount>) => Promise<TradingAccount>
  /** As stored, by sequence. */
  readonly events: (account: TradingAccountId) => Promise<ReadonlyArray<StoredEvent>>
  /** The same database under a new process. */
  readonly restart: () => Promise<void>
  readonly close: () => Promise<void>
}

export const memoryRig = (): Rig => {
  const database = makeMemoryDatabase()
  let running = makeMemoryAccountStore(database)
  return {
    store: () => running.store,
    journal: () => running.journal,
    account: async (changes) => {
      const account = newAccount(randomUUID() as UserId, changes)
      database.accounts.set(account.tradingAccountId, account)
      return account
    },
    events: async (account) => database.events.get(account) ?? [],
    restart: async () => {
      running = makeMemoryAccountStore(database)
    },
    close: async () => undefined,
  }
}

export const query = async (
  url: string,
  text: string,
  values: ReadonlyArray<unknown> = [],
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows
  } finally {
    await client.end()
  }
}

export const storedEvents = async (url: string, account: TradingAccountId): Promise<ReadonlyArray<StoredEvent>> => {
  const rows = await query(url, "SELECT * FROM account_event WHERE trading_account_id = $1 ORDER BY sequence, at", [
    account,
  ])
  return rows.map((row) => ({
    sequence: Number(row["sequence"]),
    eventId: row["event_id"] as string,
    kind: row["kind"] as StoredEvent["kind"],
    at: Number(row["at"]),
    payload: row["payload"] as string,
  }))
}

/** A user and an account of theirs, as signup and connect store them. */
export const storeAccount = async (
  runtime: ManagedRuntime.ManagedRuntime<Users | Accounts, unknown>,
  changes: Partial<TradingAccount> = {},
): Promise<TradingAccount> =>
  runtime.runPromise(
    Effect.gen(function* () {
      const users = yield* Users
      const user = yield* users.insert({
        userId: randomUUID() as UserId,
        email: `${randomUUID()}@example.com`,
        passwordHash: "x",
        tenantId: TENANT,
        environments: ["PROD"],
        userMetadata: {},
        at: tick(),
        confirmed: true,
      })
      const accounts = yield* Accounts
      return yield* accounts.insertAccount(newAccount(user.userId, changes), [], [])
    }),
  )

/** Everything of the store, as the composition root puts it together. */
/** `arraysOnly`: small batches are written as large ones are. */
export const storeLayer = (
  url: string,
  lost: (reason: string) => void = () => undefined,
  pool: SqlOptions = {},
  arraysOnly = false,
) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const node = yield* ownDatabase(url, { now: Date.now })
      return Layer.mergeAll(
        accountStoreLayer({
          url,
          nodeId: node.nodeId,
          epoch: node.epoch,
          lost,
          defect: (error) => {
            throw error
          },
          warn: () => undefined,
          arraysOnly,
        }),
        Users.Default,
        Accounts.Default,
      ).pipe(Layer.provide(sqlLayer(url, pool)))
    }),
  )

export const sqlRig = async (database: TestDatabase, arraysOnly = false): Promise<Rig> => {
  const open = async () => {
    const runtime = ManagedRuntime.make(storeLayer(database.url, undefined, undefined, arraysOnly))
    const services = await runtime.runPromise(Effect.all({ store: AccountStore, journal: JournalPort, writer: Writer }))
    return { runtime, ...services }
  }
  let running = await open()
  return {
    store: () => running.store,
    journal: () => running.journal,
    account: (changes) => storeAccount(running.runtime, changes),
    events: (account) => storedEvents(database.url, account),
    restart: async () => {
      await running.writer.drain()
      await running.runtime.dispose()
      running = await open()
    },
    close: async () => {
      await running.runtime.dispose()
    },
  }
}

/** At the top of a file: one store over a database of its own for all of its tests. */
export const withStore = () => {
  const database = withTestDatabase()
  const open = () => ManagedRuntime.make(storeLayer(database().url))
  let runtime: ReturnType<typeof open>
  let store: Store
  beforeAll(async () => {
    runtime = open()
    store = await runtime.runPromise(AccountStore)
  })
  afterAll(() => runtime.dispose())
  return {
    get database() {
      return database()
    },
    get store() {
      return store
    },
    account: (changes?: Partial<TradingAccount>) => storeAccount(runtime, changes),
    balanceChanges: ({ tradingAccountId }: TradingAccount) =>
      runtime.runPromise(Effect.flatMap(JournalPort, (journal) => journal.balanceChanges(tradingAccountId))),
  }
}
