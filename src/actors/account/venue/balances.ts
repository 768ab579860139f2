/**
 * An account's balances as reported by its venue: snapshots, queried and streamed, and the commands that wait for one. Funds that an in-process
 * venue has acknowledged are available to the account's next command (contract C10): if the venue's balances changed since the account last read
 * them, the command waits for that reading, not for the event.
 */
import { Effect, Exit } from "effect"
import type { ContractPosition } from "../../../domain/account/trading-account.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { Busy } from "../../../domain/errors/service.ts"
import { isSpot } from "../../../domain/instrument/venue.ts"
import type { SnapshotRow } from "../../../domain/order/portfolio.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import type { VenueBalances, VenueSession } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import type { Unexplained, WorkingOrder } from "../working-order.ts"
import { attempt, decimal, venueId } from "./quarantine.ts"

const SOON_MILLIS = 1_000
/** Between two readings of a venue of this process that fail: the pause doubles up to here. */
const PAUSE_MILLIS_MAX = 30_000
const WAITING_MAX = 256
/** Books that cannot be read are tried again so soon, and no command waits longer for them. */
const AGAIN_MILLIS = 50
const PATIENCE_MILLIS = 2_000

/** As many movements of the portfolio, and moves of contracts, were known when it was asked for, at `askedAt` (monotonic ms). */
export type AskedBalances = VenueBalances & {
  readonly contains: number
  readonly containsMoves: number
  readonly askedAt: number
}

export const fetchBalances = (core: AccountCore, session: Pick<VenueSession, "fetchBalances">) =>
  Effect.suspend(() => {
    const contains = core.positions.portfolio.moveCount
    const containsMoves = core.positions.contracts.moveCount
    const askedAt = core.parts.clock.monotonic()
    return Effect.map(
      session.fetchBalances,
      (balances): AskedBalances => ({ ...balances, contains, containsMoves, askedAt }),
    )
  })

/** Asks the venue for them soon. */
export const askBalances = (core: AccountCore): void => {
  const { balances, connection, self, parts } = core
  // Until they have been read the account does not rest, whatever becomes of this question.
  balances.movedAt = parts.clock.monotonic()
  if (balances.isAskDue) return
  balances.isAskDue = true
  self.later(Math.min(SOON_MILLIS * 2 ** balances.failures, PAUSE_MILLIS_MAX), () => {
    balances.isAskDue = false
    const { session } = connection
    if (session === null || !connection.isAuditable) return
    self.fork(connection.listing(fetchBalances(core, session)), (exit) => {
      if (connection.session !== session || !connection.isAuditable) return
      if (Exit.isSuccess(exit)) return applyBalances(core, exit.value)
      // The next audit reads them; a venue of this process has none.
      if (!core.venue.inProcess) return
      balances.failures++
      askBalances(core)
    })
  })
}

/** A snapshot, or the part of one that changed (contract C10). A row that cannot be read leaves its asset as it was. */
export const applyBalances = (core: AccountCore, told: VenueBalances | AskedBalances): void => {
  const { balances, positions } = core
  const { portfolio } = positions
  balances.knowsMovesTo = Math.max(balances.knowsMovesTo, told.movedTo ?? 0)
  const rows: Array<SnapshotRow> = []
  const wasKnown = portfolio.isKnown
  let { complete } = told
  let isWhole = true
  for (const row of told.balances) {
    const read = attempt(core, null, row, () => ({
      asset: venueId(row.asset),
      available: decimal(row.available),
      locked: decimal(row.locked),
    }))
    if (read !== undefined) {
      rows.push(read)
      continue
    }
    isWhole = false
    // What is not listed would be zero; of the first snapshot nothing was known before.
    if (portfolio.isKnown) complete = false
  }
  const { at } = told
  const contains = "contains" in told ? told.contains : 0
  const { touched, isContested } = portfolio.seen({
    rows,
    at,
    complete,
    included: positions.includedAt(at),
    contains,
  })
  positions.markDirty(touched)
  if (told.contracts !== undefined) seeContracts(core, told, told.contracts)
  // A venue of this process tells in the order in which things happen.
  if (isContested && !core.venue.inProcess) askBalances(core)
  const events = positions.changedPositions(core.parts.clock.now())
  const now = core.parts.clock.monotonic()
  // The first view of a process says nothing of what moves.
  if (events.length > 0 && wasKnown) balances.movedAt = now
  if ("askedAt" in told) {
    balances.failures = 0
    balances.venueClock = { at, heardAt: now }
    // An asset that stays as it was says nothing of what has moved.
    if (isWhole) balances.askedAt = Math.max(balances.askedAt, told.askedAt)
  }
  if (told.complete) balances.seenAt = Math.max(balances.seenAt, "askedAt" in told ? told.askedAt : now)
  if (events.length > 0) core.outlet.commit([], events)
}

/** One that cannot be read is left out, and in quarantine. */
const seeContracts = (
  core: AccountCore,
  told: VenueBalances | AskedBalances,
  contracts: NonNullable<VenueBalances["contracts"]>,
): void => {
  const rows = contracts.flatMap((row) => {
    const read = attempt(core, null, row, (): readonly [string, ContractPosition] => [
      venueId(row.asset),
      {
        instrumentId: row.instrumentId,
        quantity: decimal(row.quantity),
        entryPrice: row.entryPrice === null ? null : decimal(row.entryPrice),
        unrealizedProfit: row.unrealizedProfit === null ? null : decimal(row.unrealizedProfit),
      },
    ])
    return read === undefined ? [] : [read]
  })
  core.positions.contractsSeen(rows, told.at, "containsMoves" in told ? told.containsMoves : 0)
}

export const isBehind = ({ connection: { session, phase }, balances }: AccountCore): boolean =>
  phase === "ready" && (session?.movedTo?.() ?? 0) > balances.knowsMovesTo

/** Runs when the account knows all that was acknowledged before the call: at once, as a rule. `fail`: the books could not be read. */
export const whenCurrent = (core: AccountCore, run: () => void, fail: (error: DomainError) => void): void => {
  if (!isBehind(core)) return run()
  const { behind } = core.balances
  const due = core.connection.session?.movedTo?.() ?? 0
  if (behind.length >= WAITING_MAX) return fail(new Busy({ retryAfterSeconds: 1 }))
  behind.push({ due, until: core.parts.clock.monotonic() + PATIENCE_MILLIS, run, fail })
  if (behind.length === 1) readBooks(core)
}

const readBooks = (core: AccountCore): void => {
  const { connection, balances } = core
  const { session } = connection
  // Without a session the commands that wait go on, and are answered like any command without one.
  if (session === null || connection.phase !== "ready") {
    for (const { run } of balances.behind.splice(0)) run()
    return
  }
  core.self.fork(fetchBalances(core, session), (exit) => {
    if (Exit.isSuccess(exit) && connection.session === session && connection.phase === "ready")
      applyBalances(core, exit.value)
    const waiting = balances.behind.splice(0)
    const now = core.parts.clock.monotonic()
    const late = new Busy({ retryAfterSeconds: 1 })
    const still = waiting.filter(({ due, until }) => due > balances.knowsMovesTo && now < until)
    balances.behind.push(...still)
    if (still.length > 0) core.self.later(Exit.isSuccess(exit) ? 0 : AGAIN_MILLIS, () => readBooks(core))
    for (const { due, until, run, fail } of waiting)
      if (due <= balances.knowsMovesTo) run()
      else if (now >= until) fail(late)
  })
}

// What balances say of an order whose cancel is confirmed and that the venue does not know any more: that all it executed is known. What is
// compared is what no known execution explains, of both its assets, between its departure and balances that were asked for after the
// cancel. Whatever else moved them in that time, they prove nothing.

/** A venue's balances may be so old when it answers. */
const OLD_MILLIS = 1_000

/** Null: its venue keeps no assets by which it could be told. */
export const unexplainedOf = (
  { positions: { portfolio }, venue }: AccountCore,
  { baseAsset, quoteAsset }: TradeOrder,
): Unexplained | null =>
  venue.inProcess || !isSpot(venue) || !portfolio.isKnown
    ? null
    : { base: portfolio.unexplained(baseAsset), quote: portfolio.unexplained(quoteAsset) }

const areNew = ({ balances }: AccountCore, { cancelledAt }: WorkingOrder): boolean =>
  cancelledAt !== null && balances.askedAt >= cancelledAt + OLD_MILLIS

/** The balances that can say it are asked for. */
export const askForBalances = (core: AccountCore, working: WorkingOrder): void => {
  const { order, departedWith, cancelledAt } = working
  if (order.doubt?.kind !== "EXECUTED" || departedWith === null || cancelledAt === null) return
  if (!areNew(core, working)) askBalances(core)
}

export const isAccountedFor = (core: AccountCore, working: WorkingOrder): boolean => {
  const { order, departedWith } = working
  if (order.doubt?.kind !== "EXECUTED" || departedWith === null || !areNew(core, working)) return false
  const now = unexplainedOf(core, order)
  return now?.base.equals(departedWith.base) === true && now.quote.equals(departedWith.quote)
}
