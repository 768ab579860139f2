/**
 * Advances contingent order lists (contract C4): after every change of an order of a list, and whenever the account becomes ready, the step due
 * according to domain/order/list.ts becomes the next image of one of its orders, in the same unit as the change that made it due.
 */

import { Decimal } from "../../../domain/decimal.ts"
import { quantityStep } from "../../../domain/instrument/instrument.ts"
import { isSpot } from "../../../domain/instrument/venue.ts"
import { exitHold } from "../../../domain/order/hold.ts"
import {
  type Due,
  duesIn,
  isEndedThere,
  isHeldBackBy,
  type ListTerms,
  mustEnd,
  type OrderList,
  orderListOf,
  remainingOf,
  type Trouble,
  troublesOf,
} from "../../../domain/order/list.ts"
import { type Pairing, pairingOf } from "../../../domain/order/list-pair.ts"
import { isPaired, type TradeOrder } from "../../../domain/order/trade-order.ts"
import type { AccountCore, ListKeeper } from "../core.ts"
import { mayCancel } from "../orders/cancel.ts"
import { partnerOf } from "../orders/dispatch.ts"
import { changing } from "../orders/replace.ts"
import { isListLeftThere } from "../venue/unnamed.ts"
import type { Alert, Consequence, WorkingOrder } from "../working-order.ts"
import * as steps from "./legs.ts"

/** A resting leg changes at most so often; what was asked for in vain, ever more seldom. */
const RESIZE_MILLIS = 250
const RETRY_MILLIS = 2_000
/** From the end of a leg that the venue ended to what takes its place. */
const SETTLE_MILLIS = 250
const RETRY_MAX_MILLIS = 60_000
/** What a pace is kept for when it is no quantity: the way to the venue's own pair. */
const MOVE = "pair"
/** So long an exit is kept back for another order of its list before the operator hears of it. */
const UNPROTECTED_MILLIS = 60_000
/** So long the gateway keeps exits that could not leave as a pair. */
const UNPAIRED_MILLIS = 60_000

const ALERTS: { readonly [T in Trouble]: Omit<Alert, "tradeOrderId"> } = {
  UNPROTECTED_POSITION: {
    code: "UNPROTECTED_POSITION",
    severity: "CRITICAL",
    message: "no exit covers what the entry bought",
  },
  EXIT_REJECTED: {
    code: "UNPROTECTED_POSITION",
    severity: "WARNING",
    message: "one exit was rejected, the other remains",
  },
  EXIT_ABOVE_POSITION: {
    code: "EXIT_ABOVE_POSITION",
    severity: "CRITICAL",
    message: "the exits executed more than the entry had",
  },
}

const KEPT_BACK: Omit<Alert, "tradeOrderId"> = {
  code: "UNPROTECTED_POSITION",
  severity: "CRITICAL",
  message:
    "an exit has been held back for a minute: another order of its list was given up and may still be working at the venue",
}

/** The newest resize of a list. */
interface Pace {
  readonly at: number
  readonly target: string
  readonly pauseMillis: number
}

export const isOfList = ({ order }: WorkingOrder): boolean => order.orderListId !== null

export const listsOf = (core: AccountCore): ListKeeper => {
  core.keepers.lists ??= keepLists(core)
  return core.keepers.lists
}

const keepLists = (core: AccountCore): ListKeeper => {
  const paces = new Map<string, Pace>()
  const waiting = new Set<string>()
  /** Lists whose exits could not leave as a pair, until when (monotonic ms) they are not tried again. */
  const unpaired = new Map<string, number>()

  /** Lists of which an exit would leave if none of their orders were left at the venue; since when (monotonic ms). */
  const keptBack = new Map<string, { readonly since: number; isTold: boolean }>()

  const listOf = (id: string): OrderList => orderListOf(core.orders.ofList(id).map((it) => it.order))

  const keepsPairs = core.venue.capabilities.oco === "NATIVE" && isSpot(core.venue)

  const mayPair = (id: string | null): boolean => {
    const left = id === null ? 0 : (unpaired.get(id) ?? 0) - core.parts.clock.monotonic()
    if (id !== null && left > 0) later(id, left)
    return left <= 0
  }

  /** No leg goes to the venue. */
  const isLeftThere = (id: string | null): boolean => {
    if (id === null || !isListLeftThere(core, id)) return false
    later(id, RETRY_MILLIS)
    return true
  }

  const isReady = (): boolean => core.connection.phase === "ready" && core.connection.session !== null

  const termsOf = ({ instrumentId, orderListId }: TradeOrder): ListTerms => {
    const instrument = core.parts.instruments.find(instrumentId, core.account.tenantId)
    const { status } = core.account
    return {
      lot: instrument === undefined ? Decimal.ZERO : quantityStep(instrument),
      minQuantity: instrument?.minQuantity ?? Decimal.ZERO,
      minNotional: instrument?.minNotional ?? null,
      canSend: isReady() && !isLeftThere(orderListId),
      isLocked: status === "LOCKED" || status === "DISCONNECTED",
      canPair: keepsPairs && mayPair(orderListId),
      holdOf: (order, quantity) => exitHold(order, quantity, core.venue),
    }
  }

  /** Looked at again in a while. */
  const later = (id: string, millis: number): void => {
    if (waiting.has(id)) return
    waiting.add(id)
    core.self.later(millis, () => {
      waiting.delete(id)
      review(id)
    })
  }

  const review = (id: string): void => {
    const any = core.orders.ofList(id)[0]
    if (any === undefined) return
    const [first, ...others] = following(id, any.order)
    if (first === undefined) return
    const { live: working, next, kind, committed } = first
    core.change(working, next, kind, { others, ...(committed && { committed }) })
  }

  /** The first step that is due and may be made now: the change that makes it asks for the next. */
  const following = (id: string, order: TradeOrder): ReadonlyArray<Consequence> => {
    const list = listOf(id)
    const terms = termsOf(order)
    watchKeptBack(id, list, terms)
    const pairing = pairingOf(list, terms)
    const paired = pairing === null ? [] : pairUp(id, pairing)
    if (paired.length > 0) return paired
    for (const due of duesIn(list, terms)) {
      const step = stepOf(id, due)
      if (step !== null) return [step]
    }
    return []
  }

  const watchKeptBack = (id: string, list: OrderList, terms: ListTerms): void => {
    // Without agreement with the venue nothing leaves, and the account itself says so.
    if (!isReady()) return
    const kept = terms.canSend ? [] : duesIn(list, { ...terms, canSend: true }).filter((it) => it._tag === "Send")
    const [due] = kept
    if (due === undefined) return void keptBack.delete(id)
    const now = core.parts.clock.monotonic()
    const known = keptBack.get(id) ?? { since: now, isTold: false }
    keptBack.set(id, known)
    if (known.isTold || now - known.since < UNPROTECTED_MILLIS) return
    known.isTold = true
    core.outlet.alert({ ...KEPT_BACK, tradeOrderId: due.order.tradeOrderId })
  }

  const pairUp = (id: string, pairing: Pairing): ReadonlyArray<Consequence> => {
    if (pairing._tag === "Move") {
      const working = core.orders.get(pairing.order.tradeOrderId)
      return working === undefined || !isTimely(id, MOVE) ? [] : [steps.move(core, working)]
    }
    return steps.pair(core, pairing, {
      mayLeave: (lives) => lives.every((working) => !isUnwanted(id, working)),
      kept: () => {
        unpaired.set(id, core.parts.clock.monotonic() + UNPAIRED_MILLIS)
        later(id, UNPAIRED_MILLIS)
      },
    })
  }

  const stepOf = (id: string, due: Due): Consequence | null => {
    if (due._tag === "Succeed") {
      if (isSettling(id, due.orders)) return null
      for (const order of due.orders) core.add(steps.successorOf(core, order))
      return following(id, due.orders[0]!)[0] ?? null
    }
    const working = core.orders.get(due.order.tradeOrderId)
    if (working === undefined) return null
    switch (due._tag) {
      case "Create":
        return steps.create(working)
      case "Withdraw":
        return steps.withdraw(core, working, due.reason)
      case "Cancel":
        if (awaitsVenue(id, working)) return null
        if (mayCancel(core, working) || steps.isMakingWay(working)) return steps.cancel(core, working)
        later(id, RETRY_MILLIS)
        return null
      case "Size":
        return steps.size(working, due)
      case "Arm":
        return steps.arm(core, working, due)
      case "Send":
        // Its cancel waits for this very order to be stored.
        if (working.cancelledEarly) return null
        pace(id, "")
        return steps.send(core, working, due, () => !isUnwanted(id, working))
      case "Resize":
        return resize(id, working, due)
    }
  }

  /** The venue ended a leg by the other one: what that executed is about to be told, and only then is it known what is left to protect. */
  const isSettling = (id: string, orders: ReadonlyArray<TradeOrder>): boolean => {
    const ended = orders.flatMap((order) => {
      const isByOther = isPaired(order) && order.cancelReason === "OCO_SIBLING"
      return isByOther ? (core.orders.get(order.tradeOrderId)?.touchedAt ?? []) : []
    })
    const left = Math.max(0, ...ended) + SETTLE_MILLIS - core.parts.clock.monotonic()
    if (ended.length === 0 || left <= 0) return false
    later(id, left)
    return true
  }

  /** Of its own pair the venue ends a leg by itself: it gets a moment for that. */
  const awaitsVenue = (id: string, { order }: WorkingOrder): boolean => {
    const partner = partnerOf(core, order)
    if (partner === null || !isEndedThere(order, partner.order)) return false
    const left = partner.touchedAt + steps.CONFIRM_MILLIS - core.parts.clock.monotonic()
    if (left > 0) later(id, left)
    return left > 0
  }

  const resize = (id: string, working: WorkingOrder, { baseQuantity, held }: Extract<Due, { _tag: "Resize" }>) =>
    isTimely(id, baseQuantity.toString()) ? changing(core, working, { baseQuantity }, { held }) : null

  /** Whether what rests may change now; if not, the list is looked at again when it may. */
  const isTimely = (id: string, target: string): boolean => {
    const newest = paces.get(id)
    const pause = newest?.target === target ? Math.max(RETRY_MILLIS, newest.pauseMillis) : RESIZE_MILLIS
    const left = newest === undefined ? 0 : newest.at + pause - core.parts.clock.monotonic()
    if (left > 0) later(id, left)
    else pace(id, target)
    return left <= 0
  }

  const pace = (id: string, target: string): void => {
    const before = paces.get(id)
    const isRepeat = before !== undefined && before.target === target && target !== ""
    const pauseMillis = isRepeat
      ? Math.min(RETRY_MAX_MILLIS, Math.max(RETRY_MILLIS, before.pauseMillis * 2))
      : RESIZE_MILLIS
    paces.set(id, { at: core.parts.clock.monotonic(), target, pauseMillis })
  }

  /** What happened since an order was let go forbids that it leaves. */
  const isUnwanted = (id: string, { order }: WorkingOrder): boolean => {
    const list = listOf(id)
    const { lot, canSend, isLocked } = termsOf(order)
    return isLocked || !canSend || mustEnd(list, order, remainingOf(list, lot)) || isHeldBackBy(list, order)
  }

  const alarm = (id: string, { order }: WorkingOrder, before: TradeOrder): void => {
    const images = core.orders.ofList(id).map((it) => it.order)
    const terms = termsOf(order)
    if (terms.isLocked) return
    const known = troublesOf(
      orderListOf(images.map((it) => (it.tradeOrderId === before.tradeOrderId ? before : it))),
      terms,
    )
    for (const trouble of troublesOf(orderListOf(images), terms))
      if (!known.has(trouble)) core.outlet.alert({ ...ALERTS[trouble], tradeOrderId: order.tradeOrderId })
  }

  const consequences = (working: WorkingOrder, before: TradeOrder): ReadonlyArray<Consequence> => {
    const id = working.order.orderListId
    if (id === null) return []
    alarm(id, working, before)
    const due = following(id, working.order)
    if (core.orders.ofList(id).every((it) => !core.orders.open.has(it.order.tradeOrderId))) {
      paces.delete(id)
      unpaired.delete(id)
      keptBack.delete(id)
    }
    return due
  }

  const isSpent = ({ order }: WorkingOrder): boolean => {
    const list = order.orderListId === null ? null : listOf(order.orderListId)
    return list !== null && mustEnd(list, order, remainingOf(list, termsOf(order).lot))
  }

  const openLists = (): ReadonlySet<string> =>
    new Set(core.orders.openLives().flatMap(({ order }) => order.orderListId ?? []))
  const becameReady = (): void => {
    for (const id of openLists()) review(id)
  }

  return { consequences, isSpent, becameReady }
}
