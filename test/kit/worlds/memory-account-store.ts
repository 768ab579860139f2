/**
 * AccountStore and JournalPort in memory, for simulation: the same contract as PostgreSQL (test/integration/store/account-store.test.ts
 * holds both to it), no clock of its own, and faults on command. The database outlives the store, as a server outlives a process.
 */
import { Context, Effect, Layer } from "effect"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { CredentialId, TradeOrderId, TradingAccountId, VenueId } from "../../../src/domain/ids.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import {
  EXECUTIONS_KEPT,
  type Execution,
  NEVER_PLACED,
  type TradeOrder,
} from "../../../src/domain/order/trade-order.ts"
import type { Act } from "../../../src/domain/user/act.ts"
import {
  type AccountState,
  AccountStore,
  type AskedNames,
  type CommitOutcome,
  ENDED_MILLIS,
  type EndedActivity,
  type FoundNames,
  LIFE_MILLIS,
  NEWEST_ENDED,
  type Row,
  type StoredEvent,
  tradeKey,
  type Unit,
  USED_NAMES_PAGE,
  venueOrderKey,
} from "../../../src/ports/account-store.ts"
import { JournalPort } from "../../../src/ports/journal-port.ts"
import { isSameAccount, isSameExecution, isSameOrder, strangerIn } from "../../../src/store/orders/order-refusal.ts"

interface StoredOrder {
  /** Its executions stand in `executions`. */
  readonly order: TradeOrder
  readonly acceptedNumber: number | null
}

/** What is durable. Tests read it; only a store writes it. */
export interface MemoryDatabase {
  readonly accounts: Map<TradingAccountId, TradingAccount>
  readonly orders: Map<TradeOrderId, StoredOrder>
  /** What venues have ever called an order, by account and `venueOrderKey`. */
  readonly atVenue: Map<string, TradeOrderId>
  /** By execution id, in order of application. */
  readonly executions: Map<string, Execution>
  readonly events: Map<TradingAccountId, Array<StoredEvent>>
  readonly wipedCredentials: Set<CredentialId>
  readonly endedSubscriptions: Set<TradingAccountId>
  /** By act id. */
  readonly acts: Map<string, Act>
  readonly quarantined: Map<string, Extract<Row, { readonly _tag: "Quarantined" }> & Pick<Unit, "accountId">>
}

export const makeMemoryDatabase = (accounts: ReadonlyArray<TradingAccount> = []): MemoryDatabase => ({
  accounts: new Map(accounts.map((account) => [account.tradingAccountId, account])),
  orders: new Map(),
  atVenue: new Map(),
  executions: new Map(),
  events: new Map(),
  wipedCredentials: new Set(),
  endedSubscriptions: new Set(),
  acts: new Map(),
  quarantined: new Map(),
})

export interface MemoryFaults {
  /** Batches wait until `release`, as behind a database that does not answer. */
  readonly hold: () => void
  readonly release: () => void
  /** How long each batch takes, ms; 0 at the start. */
  readonly delay: (millis: number) => void
  /** How long each read takes, ms; 0 at the start. It answers what was true when it began. */
  readonly delayReads: (millis: number) => void
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
const GROUNDLESS: CommitOutcome = { _tag: "Refused", reason: "based on a refused unit" }

interface Entry {
  readonly unit: Unit
  readonly followers: Array<() => void>
  /** An earlier unit of the account was refused: this one is refused with it. */
  isGroundless: boolean
}

/** A unit of a batch and what became of it. */
export interface Applied {
  readonly unit: Unit
  readonly outcome: CommitOutcome
}

/**
 * `schedule` runs a function later, never within the call, in order for equal delays: by default the event loop, in a simulation its
 * clock. A new store over the same database is a restarted process. `beside` is told each batch in the moment in which it is stored.
 */
export const makeMemoryAccountStore = (
  database: MemoryDatabase,
  schedule: (run: () => void, delayMillis: number) => void = (run, delayMillis) => {
    if (delayMillis === 0) setImmediate(run)
    else setTimeout(run, delayMillis)
  },
  beside?: (applied: ReadonlyArray<Applied>) => void,
): MemoryAccountStore => {
  const newest = new Map<TradingAccountId, Entry>()
  let waiting: Array<Entry> = []
  let unsettled = 0
  let running = false
  let held = false
  let died = false
  let delayMillis = 0
  let readMillis = 0
  let death: { readonly when: "beforeCommit" | "afterCommit"; readonly fits: (unit: Unit) => boolean } | undefined
  let refusal: ((unit: Unit) => string | undefined) | null = null

  const settle = (entry: Entry, outcome: CommitOutcome): void => {
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
    const applied: Array<Applied> = []
    const outcomes = batch.map((entry): CommitOutcome => {
      if (entry.isGroundless || refused.has(entry.unit.accountId)) return GROUNDLESS
      const reason = refusal?.(entry.unit)
      const outcome = apply(database, entry.unit, reason)
      if (outcome._tag === "Refused") refused.add(entry.unit.accountId)
      if (reason === undefined) applied.push({ unit: entry.unit, outcome })
      return outcome
    })
    if (applied.length > 0) beside?.(applied)
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

  const read = <A>(answer: () => A): Effect.Effect<A> =>
    Effect.suspend(() => {
      const found = answer()
      if (readMillis === 0) return Effect.succeed(found)
      return Effect.async<A>((resume) => schedule(() => resume(Effect.succeed(found)), readMillis))
    })

  const store: Context.Tag.Service<AccountStore> = {
    load: (id) => Effect.sync(() => stateOf(database, id)),
    names: (id, asked) => read(() => namesIn(database, id, asked)),
    usedNames: (id, kind, after) =>
      read(() => {
        const own = [...database.orders.values()].filter(({ order }) => order.tradingAccountId === id)
        const names = own.flatMap(
          ({ order }) => (kind === "keys" ? (order.idempotencyKey ?? order.clientOrderId) : order.clientOrderId) ?? [],
        )
        return names
          .filter((name) => name > after)
          .sort()
          .slice(0, USED_NAMES_PAGE)
      }),
    find: (id, by) =>
      read(() => {
        for (const { order } of database.orders.values())
          if (
            order.tradingAccountId === id &&
            ("tradeOrderId" in by ? order.tradeOrderId === by.tradeOrderId : order.clientOrderId === by.clientOrderId)
          )
            return withTrades(database, order)
        return null
      }),
    ofList: (id, orderListId) =>
      read(() =>
        [...database.orders.values()]
          .filter(({ order }) => order.tradingAccountId === id && order.orderListId === orderListId)
          .map(({ order }) => withTrades(database, order))
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
      delayReads: (millis) => {
        readMillis = millis
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
const olderOf = (database: MemoryDatabase, order: TradeOrder): CommitOutcome | undefined => {
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

const namesIn = (
  database: MemoryDatabase,
  id: TradingAccountId,
  { tradeOrderIds, keys, clientOrderIds, venueOrders, trades }: AskedNames,
): FoundNames => {
  const own = [...database.orders.values()].flatMap(({ order }) => (order.tradingAccountId === id ? [order] : []))
  const named = (asked: ReadonlyArray<string>, of: (order: TradeOrder) => string | null) =>
    new Map(
      own.flatMap((order): ReadonlyArray<[string, TradeOrderId]> => {
        const name = of(order)
        return name !== null && asked.includes(name) ? [[name, order.tradeOrderId]] : []
      }),
    )
  const calls = venueOrders.flatMap((it): ReadonlyArray<[string, TradeOrderId]> => {
    const owner = database.atVenue.get(`${id}|${venueOrderKey(it)}`)
    return owner === undefined ? [] : [[venueOrderKey(it), owner]]
  })
  const askedTrades = new Set(trades.map(tradeKey))
  const executions = [...database.executions.values()].filter((it) => it.tradingAccountId === id)
  return {
    tradeOrderIds: new Set(tradeOrderIds.filter((it) => own.some(({ tradeOrderId }) => tradeOrderId === it))),
    keys: named(keys, keyOf),
    clientOrderIds: named(clientOrderIds, ({ clientOrderId }) => clientOrderId),
    venueOrders: new Map(calls),
    trades: new Map(
      executions.flatMap(
        (it): ReadonlyArray<[string, TradeOrderId]> =>
          askedTrades.has(tradeKey(it)) ? [[tradeKey(it), it.tradeOrderId]] : [],
      ),
    ),
  }
}

const isQuoteTaken = (database: MemoryDatabase, { quoteId, tradeOrderId }: TradeOrder): boolean =>
  quoteId !== null &&
  [...database.orders.values()].some(
    ({ order }) => order.quoteId === quoteId && order.tradeOrderId !== tradeOrderId && order.orderStatus !== "REJECTED",
  )

/** One unit, all or nothing. */
const apply = (database: MemoryDatabase, unit: Unit, refused: string | undefined): CommitOutcome => {
  if (refused !== undefined) return { _tag: "Refused", reason: refused }
  if (!database.accounts.has(unit.accountId) && !unit.rows.some((row) => row._tag === "Account"))
    return { _tag: "Refused", reason: "no such trading account" }
  for (const row of unit.rows) {
    const older = row._tag === "Order" ? olderOf(database, row.order) : undefined
    if (older !== undefined) return older
    if (row._tag === "Order" && isQuoteTaken(database, row.order)) return { _tag: "QuoteUsed" }
  }
  const another = anotherIn(database, unit)
  if (another !== undefined) return { _tag: "Refused", reason: `another ${another}` }
  if (unit.rows.some((row) => row._tag === "Execution" && isSecondTrade(database, row.execution)))
    return { _tag: "Refused", reason: "23505 execution_external_trade" }
  for (const row of unit.rows) store(database, unit, row)
  const events = database.events.get(unit.accountId) ?? []
  const firstSequence = events.length + 1
  for (const { eventId, kind, at, payload, kept = null } of unit.events)
    events.push({ eventId, kind, at, payload, ...(kept !== null && { kept }), sequence: events.length + 1 })
  database.events.set(unit.accountId, events)
  return { _tag: "Committed", firstSequence }
}

/** What of the unit is not its account's, or stands under the id of something else (`order-refusal.ts`). */
const anotherIn = (database: MemoryDatabase, unit: Unit): string | undefined => {
  const owner = database.accounts.get(unit.accountId)
  const orders = new Map<TradeOrderId, TradeOrder>()
  const isAnother = (row: Row): boolean => {
    switch (row._tag) {
      case "Order": {
        const { tradeOrderId } = row.order
        const known = orders.get(tradeOrderId) ?? database.orders.get(tradeOrderId)?.order
        orders.set(tradeOrderId, row.order)
        return known !== undefined && !isSameOrder(known, row.order)
      }
      case "Execution": {
        const known = database.executions.get(row.execution.executionId)
        return known !== undefined && !isSameExecution(known, row.execution)
      }
      case "Account":
        return owner !== undefined && !isSameAccount(owner, row.account)
      case "Quarantined":
        return (database.quarantined.get(row.id)?.accountId ?? unit.accountId) !== unit.accountId
      default:
        return false
    }
  }
  return (owner && strangerIn(unit, owner.tenantId)) ?? unit.rows.find(isAnother)?._tag
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
      database.orders.set(row.order.tradeOrderId, {
        order: { ...row.order, executions: [], unexplained: null },
        acceptedNumber,
      })
      const { externalOrderId, instrumentId } = row.order
      if (externalOrderId === null || isInProcess(row.order)) return
      const name = `${row.order.tradingAccountId}|${venueOrderKey({ externalOrderId, instrumentId })}`
      if (!database.atVenue.has(name)) database.atVenue.set(name, row.order.tradeOrderId)
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
    case "Audited":
      if (!database.acts.has(row.act.actId)) database.acts.set(row.act.actId, row.act)
      return
    case "Quarantined":
      if (!database.quarantined.has(row.id)) database.quarantined.set(row.id, { ...row, accountId: unit.accountId })
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

/** Those that count: whose place no other has taken. */
export const countedExecutions = (database: MemoryDatabase): ReadonlyArray<Execution> => {
  const all = [...database.executions.values()]
  const replaced = new Set(all.map(({ replaces }) => replaces))
  return all.filter(({ executionId }) => !replaced.has(executionId))
}

const completed = (database: MemoryDatabase, order: TradeOrder): TradeOrder => {
  const executions = countedExecutions(database).filter(({ tradeOrderId }) => tradeOrderId === order.tradeOrderId)
  return {
    ...order,
    executions: executions.slice(-EXECUTIONS_KEPT),
    unexplained: executions.findLast(({ inferred }) => inferred) ?? null,
  }
}

/** For an actor, which counts each trade once. */
const withTrades = (database: MemoryDatabase, order: TradeOrder): TradeOrder => {
  const whole = completed(database, order)
  if (whole.executionCount <= whole.executions.length) return whole
  const olderTradeIds = [...database.executions.values()]
    .filter((it) => it.tradeOrderId === order.tradeOrderId && !it.inferred)
    .map((it) => it.externalTradeId)
  return olderTradeIds.length === 0 ? whole : { ...whole, olderTradeIds }
}

const byCreation = (a: TradeOrder, b: TradeOrder): number =>
  a.createdAt - b.createdAt || (a.tradeOrderId < b.tradeOrderId ? -1 : 1)

/** Venues in this process say whose order they mean by our own id. */
const isInProcess = ({ venue }: TradeOrder): boolean => ["MOCK", "PAPER", "INTERNAL"].includes(venue)

const endedActivity = (newest: ReadonlyArray<TradeOrder>): EndedActivity | null => {
  if (newest.length === 0) return null
  const newestAt = Math.max(...newest.map((order) => order.updatedAt))
  const late = newest.filter((order) => order.updatedAt > newestAt - ENDED_MILLIS)
  const since = Math.min(...late.map((order) => Math.max(order.createdAt, newestAt - LIFE_MILLIS)))
  return { newestAt, since, instruments: [...new Set(newest.map((order) => order.instrumentId))].sort() }
}

const stateOf = (database: MemoryDatabase, id: TradingAccountId): AccountState => {
  const account = database.accounts.get(id)
  if (account === undefined) throw new Error(`no trading account ${id} in the database`)
  const orders = [...database.orders.values()]
    .map((stored) => stored.order)
    .filter((order) => order.tradingAccountId === id)
    .sort(byCreation)
    .map((order) => withTrades(database, order))
  const executedAt = [...database.executions.values()]
    .filter((execution) => execution.tradingAccountId === id && !execution.inferred)
    .map((execution) => execution.executedAt)
  const ended = orders.filter((order) => isTerminal(order.orderStatus)).reverse()
  const open = orders.filter((order) => !isTerminal(order.orderStatus))
  const lists = new Set(open.flatMap((order) => order.orderListId ?? []))
  return {
    account,
    openOrders: open,
    listOrders: ended.filter(({ orderListId }) => orderListId !== null && lists.has(orderListId)).reverse(),
    ended: endedActivity(ended.slice(0, NEWEST_ENDED)),
    unplacedOrders: ended.filter(
      ({ rejectReason }) => rejectReason === NEVER_PLACED.restarted || rejectReason === NEVER_PLACED.proven,
    ),
    lastSequence: database.events.get(id)?.length ?? 0,
    lastExecutionAt: executedAt.length === 0 ? null : Math.max(...executedAt),
  }
}

const restingOrders = (database: MemoryDatabase, venue: VenueId): ReadonlyArray<TradeOrder> =>
  [...database.orders.values()]
    .filter(
      ({ order }) =>
        order.venue === venue &&
        ["ACCEPTED", "PARTIALLY_FILLED", "PENDING_CANCEL", "PENDING_REPLACE", "REPLACED"].includes(order.orderStatus),
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
  for (const execution of countedExecutions(database)) {
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
