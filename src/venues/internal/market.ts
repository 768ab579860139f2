/**
 * The actor of one market of the platform's own venue. An order is stored by the ledger first (its hold and its row, in one transaction), then it
 * is matched, and the result is settled in one more transaction; both before anything is reported. The one thing to know: holds are requested as
 * orders arrive, many at a time, but at most one settlement is in flight, and the queue waits for it. What the ledger refuses is rolled back as a
 * whole and repeated command by command, so that it affects only the order concerned.
 */

import { Effect } from "effect"
import { Decimal } from "../../domain/decimal.ts"
import type { TradeOrderId } from "../../domain/ids.ts"
import { type InternalOrder, isImmediate } from "../../domain/order/internal-order.ts"
import type { Authority } from "../../domain/user/act.ts"
import type { Built, Self } from "../../kernel/behaviour.ts"
import { LEDGER_TRANSFERS_MAX, type LedgerFact, type LedgerOutcome, type Transfer } from "../../ports/ledger-port.ts"
import { countOf } from "../matching/units.ts"
import { InternalBook } from "./book.ts"
import {
  amendedOf,
  type Batch,
  type Cancellation,
  type Change,
  type Entry,
  keepsPlace,
  type MarketMessage,
  type MarketParts,
  MarketQueue,
  type Take,
} from "./commands.ts"
import { makeIntake } from "./intake.ts"
import { stateOf } from "./reports.ts"
import { orderFact, type Settlement, voidOf } from "./settlement.ts"

// Orders of a market that are ended outside of the book's order of events: what a restart must not trade, and what the ledger refuses to
// settle. They are off the book already; here their holds are let go.

interface Endings {
  readonly end: (order: InternalOrder, status: "CANCELLED" | "REJECTED", ending: InternalOrder["ending"]) => void
  /** One that could not even be ended: kept off the book, and ended at the next request for it. */
  readonly stuck: (tradeOrderId: TradeOrderId) => InternalOrder | undefined
}

const makeEndings = ({
  parts,
  book,
  post,
}: {
  readonly parts: MarketParts
  readonly book: InternalBook
  readonly post: (
    transfers: ReadonlyArray<Transfer>,
    facts: ReadonlyArray<LedgerFact>,
    settled: (outcome: LedgerOutcome) => void,
  ) => void
}): Endings => {
  const { instrument, now, uuid, report } = parts
  const stuck = new Map<TradeOrderId, InternalOrder>()

  const end = (order: InternalOrder, status: "CANCELLED" | "REJECTED", ending: InternalOrder["ending"]): void => {
    const ended: InternalOrder = { ...order, status, ending, holdId: null, held: Decimal.ZERO, updatedAt: now() }
    const release = order.holdId === null ? [] : [voidOf(order, order.holdId, uuid())]
    stuck.set(order.tradeOrderId, order)
    post(release, [orderFact(ended)], (outcome) => {
      const settlement = book.begin()
      const side = order.orderSide
      if (order.limitPrice !== null) {
        const price = countOf(order.limitPrice, instrument.precision)
        settlement.levels.push({ side, price, quantity: levelAt(side, price) })
      }
      parts.published(settlement)
      if (outcome._tag === "Refused") {
        const { tradeOrderId } = order
        parts.notice("an order could not be ended", { tradeOrderId, failure: outcome.failure._tag })
        return
      }
      stuck.delete(order.tradeOrderId)
      report(order.tradingAccountId, { _tag: "OrderSeen", state: stateOf(ended) })
    })
  }

  const levelAt = (side: "BUY" | "SELL", price: bigint): bigint => {
    for (const level of book.matcher.levels(side)) if (level.price === price) return level.quantity
    return 0n
  }

  return { end, stuck: (tradeOrderId) => stuck.get(tradeOrderId) }
}

/** Other orders that one request may settle with. */
export const MAKERS_MAX = 50
const COMMANDS_MAX = 64
/** Until a settlement that the database could not take is tried again. */
const AGAIN_MILLIS = 250
/** What one more trade may add to a request: a release, two payments, and a fee and a hold for its maker. */
const TRADE_TRANSFERS = 5
/** What an order may add beside its trades. */
const ORDER_TRANSFERS = 3

export const internalMarket = (parts: MarketParts, self: Self<never>): Effect.Effect<Built<MarketMessage>> =>
  Effect.map(parts.openOrders, (stored) => behaviour(parts, self, stored))

const behaviour = (
  parts: MarketParts,
  self: Self<never>,
  stored: ReadonlyArray<InternalOrder>,
): Built<MarketMessage> => {
  const { instrument, ledger, now, uuid, report } = parts
  const book = new InternalBook({ instrument, fees: parts.fees, uuid, now })
  const queue = new MarketQueue<Entry>()
  let sequence = stored.at(-1)?.sequence ?? 0
  /** A settlement is in flight, or a question about one. */
  let isBusy = false
  /** So many commands are done one by one: one of them was refused. */
  let careful = 0

  const started = (): void => {
    let isThrough = true
    for (const order of stored) {
      if (isImmediate(order)) end(order, "CANCELLED", "REMAINDER")
      // From the time when all tenants shared a market: resting, it would go on trading with this tenant's.
      else if (order.tenantId !== instrument.tenantId) end(order, "CANCELLED", null)
      else {
        // The first that crosses the book had not met it yet; nor had any that came in after it.
        isThrough = isThrough && book.restore(order)
        const arrival = order.executed.isZero() ? "NEW" : "GOES_ON"
        if (!isThrough) queue.push({ _tag: "Take", order, arrival, isReady: true })
      }
    }
    parts.opened(book)
    pump()
  }

  const post = (
    transfers: ReadonlyArray<Transfer>,
    facts: ReadonlyArray<LedgerFact>,
    settled: (outcome: LedgerOutcome) => void,
    dead: () => void = () => undefined,
    authority?: Authority,
  ): void => ledger.post({ requestId: uuid(), transfers, facts, authority, settled: self.settling(settled, dead) })

  const { end, stuck } = makeEndings({ parts, book, post })

  // The book

  const pump = (): void => {
    while (!isBusy) {
      const first = queue.first()
      if (first === undefined || (first._tag === "Take" && !first.isReady)) return
      if (first._tag === "Amend") {
        queue.shift()
        amend(first)
        continue
      }
      const batch = gather()
      if (batch.settlement.isEmpty) settle(batch)
      else send(batch)
    }
  }

  const gather = (): Batch => {
    const settlement = book.begin()
    const batch: Batch = { settlement, entries: [], paused: null }
    const most = careful > 0 ? 1 : COMMANDS_MAX
    while (batch.entries.length < most && batch.paused === null) {
      const entry = queue.first()
      if (entry === undefined || entry._tag === "Amend" || (entry._tag === "Take" && !entry.isReady)) break
      const left = LEDGER_TRANSFERS_MAX - settlement.size - ORDER_TRANSFERS
      const room = Math.min(MAKERS_MAX - settlement.trades.length, Math.floor(left / TRADE_TRANSFERS))
      if (room <= 0) break
      // All of it or nothing is decided with all the room that there is: cancels in front of it have taken some.
      if (entry._tag === "Take" && entry.order.timeInForce === "FOK" && !settlement.isEmpty) break
      queue.shift()
      batch.entries.push(entry)
      if (entry._tag === "Cancel") cancel(entry, settlement)
      else batch.paused = book.take(entry.order, entry.arrival, settlement, room)
    }
    return batch
  }

  const send = (batch: Batch): void => {
    isBusy = true
    const { settlement } = batch
    const facts = settlement.finish()
    parts.hit("internal.matched")
    post(settlement.transfers, facts, (outcome) => {
      isBusy = false
      if (outcome._tag === "Applied") {
        parts.hit("internal.settled")
        settle(batch)
      } else refused(batch, outcome)
      pump()
    })
  }

  const settle = ({ settlement, entries, paused }: Batch): void => {
    book.commit(settlement, paused?.tradeOrderId ?? null)
    if (paused !== null) {
      const order = settlement.image(paused.tradeOrderId)!
      queue.unshift([{ _tag: "Take", order, arrival: "GOES_ON", isReady: true }])
    }
    if (careful > 0) careful = Math.max(0, careful - entries.length)
    tell(settlement)
  }

  const tell = (settlement: Settlement): void => {
    for (const [account, it] of settlement.reports) report(account, it)
    parts.published(settlement)
  }

  // Refusals

  const refused = (batch: Batch, { failure, at }: Extract<LedgerOutcome, { _tag: "Refused" }>): void => {
    const { entries, settlement } = batch
    book.rollback()
    queue.unshift(entries)
    if (failure._tag === "StorageUnavailable") {
      isBusy = true
      self.later(AGAIN_MILLIS, () => {
        isBusy = false
        pump()
      })
      return
    }
    parts.notice("a settlement was refused", {
      instrumentId: instrument.instrumentId,
      failure: failure._tag,
      commands: entries.length,
    })
    if (entries.length > 1) {
      careful = entries.length
      return
    }
    blame(entries[0]!, settlement.concerned[at] ?? [])
  }

  /** One command alone was refused: of the orders that it was about, those whose wallet takes no part any more are ended; else its own. */
  const blame = (entry: Take | Cancellation, concerned: ReadonlyArray<TradeOrderId>): void => {
    isBusy = true
    const own = entry._tag === "Take" ? entry.order : book.find(entry.tradeOrderId)
    const suspects = concerned.flatMap((id) => (id === own?.tradeOrderId ? own : (book.find(id) ?? [])))
    const look = Effect.forEach(suspects, (order) =>
      Effect.map(ledger.wallet(order.walletId), (wallet) => ({ order, isWell: wallet?.status === "ACTIVE" })),
    )
    self.fork(look, (exit) => {
      isBusy = false
      const found = exit._tag === "Success" ? exit.value : []
      const ill = found.filter(({ isWell }) => !isWell).map(({ order }) => order)
      const guilty = ill.length > 0 ? ill : own === undefined ? [] : [own]
      for (const order of guilty) {
        if (order.tradeOrderId === own?.tradeOrderId) {
          queue.shift()
          careful = 0
        }
        book.lift(order.tradeOrderId, book.begin())
        end(order, "CANCELLED", null)
      }
      if (guilty.length === 0) queue.shift()
      pump()
    })
  }

  // Cancel and change

  const cancel = ({ account, tradeOrderId }: Cancellation, settlement: Settlement): void => {
    const { at } = settlement
    const order = settlement.image(tradeOrderId) ?? book.find(tradeOrderId)
    if (order?.tradingAccountId === account && book.cancel(tradeOrderId, settlement)) {
      settlement.report(order, { _tag: "CancelAccepted", tradeOrderId, at })
      return
    }
    const known = stuck(tradeOrderId)
    if (known?.tradingAccountId === account) end(known, "CANCELLED", null)
    else {
      const text = "the order is not working"
      settlement.reports.push([account, { _tag: "CancelRefused", tradeOrderId, unknownOrder: true, text, at }])
    }
  }

  const amend = ({ account, tradeOrderId, to, sequence: place }: Change): void => {
    const { askedAt } = to
    const no = (text: string, unknownOrder = false): void =>
      report(account, { _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder, text, at: now() })
    const order = book.find(tradeOrderId)
    if (order === undefined || order.tradingAccountId !== account) return no("the order is not working", true)
    if (!parts.isOpen()) return no("the market is retired")
    if (now() > to.notAfter) return no("past its notAfter")
    const wanted = amendedOf(book, instrument, order, to, now())
    if (typeof wanted === "string") return no(wanted)
    const stays = keepsPlace(wanted, order)
    const settlement = book.begin()
    settlement.change(stays ? wanted : { ...wanted, sequence: place })
    const facts = settlement.finish()
    isBusy = true
    post(settlement.transfers, facts, (outcome) => {
      isBusy = false
      if (outcome._tag === "Refused") no(outcome.failure.message)
      else {
        parts.hit("internal.amended")
        const stored = settlement.image(tradeOrderId)!
        const after = book.begin()
        if (stays) {
          book.shrink(stored, askedAt, after)
          book.commit(after, null)
        } else {
          book.lift(tradeOrderId, after)
          queue.unshift([{ _tag: "Take", order: stored, arrival: { _tag: "AMENDED", askedAt }, isReady: true }])
        }
        tell(after)
      }
      pump()
    })
  }

  return {
    started,
    handlers: {
      Submit: makeIntake({ parts, book, queue, post, nextSequence: () => ++sequence, tell, pump }),
      Cancel: (message) => {
        queue.push(message)
        pump()
      },
      Amend: (message) => {
        queue.push({ ...message, sequence: ++sequence })
        pump()
      },
    },
  }
}
