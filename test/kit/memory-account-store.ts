/**
 * AccountStore and JournalPort in memory, for simulation: the same contract as PostgreSQL (test/integration/store/account-store.test.ts
 * holds both to it), no clock of its own, and faults on command. The database outlives the store, as a server outlives a process.
 */
import { Context, Effect, Layer } from "effect"
import { Decimal } from "../../src/domain/decimal.ts"
import type { CredentialId, TradeOrderId, TradingAccountId, VenueId } from "../../src/domain/ids.ts"
import { isTerminal } from "../../src/domain/order-status.ts"
import { type Execution, NEVER_PLACED, type TradeOrder } from "../../src/domain/trade-order.ts"
import type { TradingAccount } from "../../src/domain/trading-account.ts"
import {
  type AccountState,
  AccountStore,
  NAMED_ORDERS,
  type Row,
  type Settled,
  type StoredEvent,
  type Unit,
  WHOLE_ORDERS,
} from "../../src/ports/account-store.ts"
import { JournalPort } from "../../src/ports/journal-port.ts"

interface StoredOrder {
  /** Its executions stand in `executions`. */
  readonly order: TradeOrder
  readonly acceptedNumber: number | null
}

/** What is durable. Tests read it; only a store writes it. */
export interface MemoryDatabase {
  readonly accounts: Map<TradingAccountId, TradingAccount>
  readonly orders: Map<TradeOrderId, StoredOrder>
  /** By execution id, in order of application. */
  readonly executions: Map<string, Execution>
  readonly events: Map<TradingAccountId, Array<StoredEvent>>
  readonly wipedCredentials: Set<CredentialId>
  readonly endedSubscriptions: Set<TradingAccountId>
  readonly quarantined: Map<string, Extract<Row, { readonly _tag: "Quarantined" }>>
}

export const makeMemoryDatabase = (accounts: ReadonlyArray<TradingAccount> = []): MemoryDatabase => ({
  accounts: new Map(accounts.map((account) => [account.tradingAccountId, account])),
  orders: new Map(),
  executions: new Map(),
  events: new Map(),
  wipedCredentials: new Set(),
  endedSubscriptions: new Set(),
  quarantined: new Map(),
})

export interface MemoryFaults {
  /** Batches wait until `release`, as behind a database that does not answer. */
  readonly hold: () => void
  readonly release: () => void
  /** How long each batch takes, ms; 0 at the start. */
  readonly delay: (millis: number) => void
  /** The next batch (with a unit that fits) is the process's last: lost or stored whole, and nothing settles any more. */
  readonly dieNext: (when: "beforeCommit" | "afterCommit", unit?: (unit: Unit) => boolean) => void
  /** Units that fit are Refused with this reason, until null. */
  readonly refuse: (reason: ((unit: Unit) => string | undefined) | null) => void
}

export interface MemoryAccountStore {
  readonly store: Context.Tag.Service<AccountStore>
  readonly journal: Context.Tag.Service<JournalPort>
  readonly layer: Layer.Layer<AccountStore | JournalPort>
  readonly faults: MemoryFaults
  readonly hasDied: () => boolean
  /** Units handed over and not settled. */
  readonly waiting: () => number
}

const BATCH_UNITS_MAX = 512
const PRESSURE_UNITS = 4_096
const EVENTS_MAX = 1_000
const EVENTS_BYTES_MAX = 4 * 1_048_576
const GROUNDLESS: Settled = { _tag: "Refused", reason: "made on top of a refused unit" }

interface Entry {
  readonly unit: Unit
  readonly followers: Array<() => void>
  /** An earlier unit of the account was refused: this one is refused with it. */
  isGroundless: boolean
}

/**
 * `schedule` runs a function later, never within the call, in order for equal delays: by default the event loop, in a simulation its
 * clock. A new store over the same database is a restarted process.
 */
export const makeMemoryAccountStore = (
  database: MemoryDatabase,
  schedule: (run: () => void, delayMillis: number) => void = (run, delayMillis) => {
    if (delayMillis === 0) setImmediate(run)
    else setTimeout(run, delayMillis)
  },
): MemoryAccountStore => {
  const newest = new Map<TradingAccountId, Entry>()
  let waiting: Array<Entry> = []
  let unsettled = 0
  let running = false
  let held = false
  let died = false
  let delayMillis = 0
  let death: { readonly when: "beforeCommit" | "afterCommit"; readonly fits: (unit: Unit) => boolean } | undefined
  let refusal: ((unit: Unit) => string | undefined) | null = null

  const settle = (entry: Entry, outcome: Settled): void => {
    unsettled--
    if (newest.get(entry.unit.accountId) === entry) newest.delete(entry.unit.accountId)
    entry.unit.settled(outcome)
    for (const run of entry.followers) run()
  }

  const next = (): void => {
    running = waiting.length > 0
    if (running && !held) schedule(turn, delayMillis)
  }

  const turn = (): void => {
    if (died || held) return
    const batch = waiting.slice(0, BATCH_UNITS_MAX)
    const last = death !== undefined && batch.some((entry) => death?.fits(entry.unit)) ? death.when : undefined
    died = last !== undefined
    if (last === "beforeCommit") return
    waiting = waiting.slice(batch.length)
    const refused = new Set<TradingAccountId>()
    const outcomes = batch.map((entry): Settled => {
      if (entry.isGroundless || refused.has(entry.unit.accountId)) return GROUNDLESS
      const outcome = apply(database, entry.unit, refusal?.(entry.unit))
      if (outcome._tag === "Refused") refused.add(entry.unit.accountId)
      return outcome
    })
    if (died) return
    for (const [i, entry] of batch.entries()) {
      const outcome = outcomes[i]!
      // What was handed over before the refusal is known was made on top of the refused unit.
      if (outcome._tag === "Refused" && outcome !== GROUNDLESS)
        for (const later of waiting) if (later.unit.accountId === entry.unit.accountId) later.isGroundless = true
      settle(entry, outcome)
    }
    next()
  }

  const store: Context.Tag.Service<AccountStore> = {
    load: (id) => Effect.sync(() => stateOf(database, id)),
    find: (id, by) =>
      Effect.sync(() => {
        for (const { order } of database.orders.values())
          if (
            order.tradingAccountId === id &&
            ("tradeOrderId" in by ? order.tradeOrderId === by.tradeOrderId : order.clientOrderId === by.clientOrderId)
          )
            return completed(database, order)
        return null
      }),
    ofList: (id, orderListId) =>
      Effect.sync(() =>
        [...database.orders.values()]
          .filter(({ order }) => order.tradingAccountId === id && order.orderListId === orderListId)
          .map(({ order }) => completed(database, order))
          .sort((a, b) => a.createdAt - b.createdAt || (a.tradeOrderId < b.tradeOrderId ? -1 : 1)),
      ),
    lastSequence: (id) => Effect.sync(() => database.events.get(id)?.length ?? 0),
    events: (id, after, upTo) =>
      Effect.sync(() => {
        const events = (database.events.get(id) ?? []).filter((it) => it.sequence > after && it.sequence <= upTo)
        const bytes = events.reduce((sum, { payload }) => sum + payload.length, 0)
        return events.length === upTo - after && events.length <= EVENTS_MAX && bytes <= EVENTS_BYTES_MAX
          ? events
          : null
      }),
    commit: (unit) => {
      if (died) return
      const entry: Entry = { unit, followers: [], isGroundless: false }
      unsettled++
      waiting.push(entry)
      newest.set(unit.accountId, entry)
      if (!running) next()
    },
    after: (account, run) => {
      if (died) return
      const entry = newest.get(account)
      if (entry !== undefined) entry.followers.push(run)
      else
        schedule(() => {
          if (!died) run()
        }, 0)
    },
    pressure: () => (unsettled >= PRESSURE_UNITS ? "full" : "calm"),
  }

  const journal: Context.Tag.Service<JournalPort> = {
    restingOrders: (venue) => Effect.sync(() => restingOrders(database, venue)),
    balanceChanges: (account) => Effect.sync(() => balanceChanges(database, account)),
  }

  return {
    store,
    journal,
    layer: Layer.succeedContext(
      Context.empty().pipe(Context.add(AccountStore, store), Context.add(JournalPort, journal)),
    ),
    faults: {
      hold: () => {
        held = true
      },
      release: () => {
        if (!held) return
        held = false
        if (running) schedule(turn, delayMillis)
      },
      delay: (millis) => {
        delayMillis = millis
      },
      dieNext: (when, unit = () => true) => {
        death = { when, fits: unit }
      },
      refuse: (reason) => {
        refusal = reason
      },
    },
    hasDied: () => died,
    waiting: () => unsettled,
  }
}

const keyOf = (order: TradeOrder): string | null => order.idempotencyKey ?? order.clientOrderId

/** The older order that has the key, as the unique indexes of PostgreSQL would find it. */
const olderOf = (database: MemoryDatabase, order: TradeOrder): Settled | undefined => {
  if (database.orders.has(order.tradeOrderId)) return undefined
  const others = [...database.orders.values()].filter(
    (other) => other.order.tradingAccountId === order.tradingAccountId,
  )
  const key = keyOf(order)
  const sameKey = key === null ? undefined : others.find((other) => keyOf(other.order) === key)
  const sameClientId =
    order.clientOrderId === null ? undefined : others.find((other) => other.order.clientOrderId === order.clientOrderId)
  const older = sameKey ?? sameClientId
  if (older === undefined) return undefined
  const by = sameKey !== undefined && order.idempotencyKey !== null ? "idempotencyKey" : "clientOrderId"
  return { _tag: "KeyUsed", by, order: completed(database, older.order) }
}

const isQuoteTaken = (database: MemoryDatabase, { quoteId, tradeOrderId }: TradeOrder): boolean =>
  quoteId !== null &&
  [...database.orders.values()].some(
    ({ order }) => order.quoteId === quoteId && order.tradeOrderId !== tradeOrderId && order.orderStatus !== "REJECTED",
  )

/** One unit, all or nothing. */
const apply = (database: MemoryDatabase, unit: Unit, refused: string | undefined): Settled => {
  if (refused !== undefined) return { _tag: "Refused", reason: refused }
  if (!database.accounts.has(unit.accountId) && !unit.rows.some((row) => row._tag === "Account"))
    return { _tag: "Refused", reason: "no such trading account" }
  for (const row of unit.rows) {
    const older = row._tag === "Order" ? olderOf(database, row.order) : undefined
    if (older !== undefined) return older
    if (row._tag === "Order" && isQuoteTaken(database, row.order)) return { _tag: "QuoteUsed" }
  }
  if (unit.rows.some((row) => row._tag === "Execution" && isSecondTrade(database, row.execution)))
    return { _tag: "Refused", reason: "23505 execution_external_trade" }
  for (const row of unit.rows) store(database, unit, row)
  const events = database.events.get(unit.accountId) ?? []
  const firstSequence = events.length + 1
  for (const { eventId, kind, at, payload } of unit.events)
    events.push({ eventId, kind, at, payload, sequence: events.length + 1 })
  database.events.set(unit.accountId, events)
  return { _tag: "Committed", firstSequence }
}

const isSecondTrade = (database: MemoryDatabase, execution: Execution): boolean => {
  if (database.executions.has(execution.executionId)) return false
  for (const other of database.executions.values())
    if (
      other.venue === execution.venue &&
      other.tradingAccountId === execution.tradingAccountId &&
      other.externalTradeId === execution.externalTradeId &&
      other.instrumentId === execution.instrumentId &&
      other.orderSide === execution.orderSide
    )
      return true
  return false
}

const store = (database: MemoryDatabase, unit: Unit, row: Row): void => {
  switch (row._tag) {
    case "Order": {
      const known = database.orders.get(row.order.tradeOrderId)
      if (known !== undefined && known.order.version >= row.order.version) return
      const rests = row.order.orderStatus === "ACCEPTED" || row.order.orderStatus === "PARTIALLY_FILLED"
      const acceptedNumber = known?.acceptedNumber ?? (rests ? nextAccepted(database) : null)
      database.orders.set(row.order.tradeOrderId, { order: { ...row.order, executions: [] }, acceptedNumber })
      return
    }
    case "Execution":
      if (!database.executions.has(row.execution.executionId))
        database.executions.set(row.execution.executionId, row.execution)
      return
    case "Account": {
      const known = database.accounts.get(row.account.tradingAccountId)
      if (known === undefined || known.version < row.account.version)
        database.accounts.set(row.account.tradingAccountId, row.account)
      return
    }
    case "CredentialsWiped":
      for (const id of row.credentialIds) if (!isUsed(database, id, unit.accountId)) database.wipedCredentials.add(id)
      return
    case "SubscriptionsEnded":
      database.endedSubscriptions.add(row.tradingAccountId)
      return
    case "Quarantined":
      if (!database.quarantined.has(row.id)) database.quarantined.set(row.id, row)
      return
  }
}

const nextAccepted = (database: MemoryDatabase): number =>
  Math.max(0, ...[...database.orders.values()].map((stored) => stored.acceptedNumber ?? 0)) + 1

const isUsed = (database: MemoryDatabase, id: CredentialId, leaving: TradingAccountId): boolean =>
  [...database.accounts.values()].some(
    (account) =>
      account.tradingAccountId !== leaving &&
      account.status !== "DISCONNECTED" &&
      account.credentials.some((credential) => credential.credentialId === id),
  )

const completed = (database: MemoryDatabase, order: TradeOrder): TradeOrder => ({
  ...order,
  executions: [...database.executions.values()].filter((execution) => execution.tradeOrderId === order.tradeOrderId),
})

const byCreation = (a: TradeOrder, b: TradeOrder): number =>
  a.createdAt - b.createdAt || (a.tradeOrderId < b.tradeOrderId ? -1 : 1)

const stateOf = (database: MemoryDatabase, id: TradingAccountId): AccountState => {
  const account = database.accounts.get(id)
  if (account === undefined) throw new Error(`no trading account ${id} in the database`)
  const orders = [...database.orders.values()]
    .map((stored) => stored.order)
    .filter((order) => order.tradingAccountId === id)
    .sort(byCreation)
    .map((order) => completed(database, order))
  const executedAt = [...database.executions.values()]
    .filter((execution) => execution.tradingAccountId === id)
    .map((execution) => execution.executedAt)
  const ended = orders.filter((order) => isTerminal(order.orderStatus)).reverse()
  const whole = ended.slice(0, WHOLE_ORDERS)
  const lists = new Set(
    [...orders.filter((order) => !isTerminal(order.orderStatus)), ...whole].map((it) => it.orderListId),
  )
  const past = ended.slice(WHOLE_ORDERS, NAMED_ORDERS)
  return {
    account,
    openOrders: orders.filter((order) => !isTerminal(order.orderStatus)),
    recentOrders: [
      ...whole,
      ...ended.slice(WHOLE_ORDERS).filter(({ orderListId }) => orderListId !== null && lists.has(orderListId)),
    ],
    pastOrders: past.map((order) => ({
      ...order,
      externalTradeIds: order.executions.map((it) => it.externalTradeId),
    })),
    unplacedOrders: ended.filter(
      ({ externalOrderId, rejectReason }) =>
        externalOrderId === null && (rejectReason === NEVER_PLACED.restarted || rejectReason === NEVER_PLACED.proven),
    ),
    lastSequence: database.events.get(id)?.length ?? 0,
    lastExecutionAt: executedAt.length === 0 ? null : Math.max(...executedAt),
  }
}

const restingOrders = (database: MemoryDatabase, venue: VenueId): ReadonlyArray<TradeOrder> =>
  [...database.orders.values()]
    .filter(
      ({ order }) =>
        order.venue === venue && ["ACCEPTED", "PARTIALLY_FILLED", "PENDING_CANCEL"].includes(order.orderStatus),
    )
    .sort(
      (a, b) =>
        (a.acceptedNumber ?? Number.MAX_SAFE_INTEGER) - (b.acceptedNumber ?? Number.MAX_SAFE_INTEGER) ||
        byCreation(a.order, b.order),
    )
    .map(({ order }) => completed(database, order))

const balanceChanges = (
  database: MemoryDatabase,
  account: TradingAccountId,
): ReadonlyArray<readonly [string, string]> => {
  const sums = new Map<string, Decimal>()
  const add = (asset: string, change: Decimal): void => {
    sums.set(asset, (sums.get(asset) ?? Decimal.ZERO).add(change))
  }
  for (const execution of database.executions.values()) {
    if (execution.tradingAccountId !== account) continue
    const order = database.orders.get(execution.tradeOrderId)?.order
    if (order === undefined) continue
    const buys = execution.orderSide === "BUY"
    add(order.baseAsset, buys ? execution.executedQuantity : execution.executedQuantity.negate())
    add(order.quoteAsset, buys ? execution.executedCost.negate() : execution.executedCost)
    for (const fee of execution.fees) add(fee.asset, fee.quantity.negate())
  }
  return [...sums]
    .filter(([, change]) => !change.isZero())
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([asset, change]) => [asset, change.toString()] as const)
}
