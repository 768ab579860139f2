/**
 * Submits, cancels and changes on their way to the exchange, and their answers on the way back. Where an answer means only that the request
 * was taken, the session looks at the order for a second, as the connectors do, and what it does not see is in doubt.
 */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, TradeOrderId } from "../../../src/domain/ids.ts"
import type {
  SessionReport,
  VenueAmend,
  VenueFill,
  VenueOrder,
  VenueOrderRef,
  VenueOrderState,
} from "../../../src/ports/venue-session.ts"
import { isPostOnly, keyOf, type SimOrder } from "./exchange.ts"
import type { SubmitFate } from "./fates.ts"
import type { VenueHistory } from "./venue-history.ts"
import type { OpenSession, VenueSessions } from "./venue-sessions.ts"
import type { VenueState } from "./venue-state.ts"

/** The venue, with its sessions and what it shows them. */
type SimVenue = VenueState & { readonly history: VenueHistory; readonly sessions: VenueSessions }

const LATE_MILLIS = 4_000
/** Of a request that no age ends: so long the gateway waits at least before it takes the order for absent, and a little less. */
const LATEST_WITHOUT_EXPIRY_MILLIS = 290_000
/** A request that is on its way is mostly overtaken soon. */
const OVERTAKEN_MILLIS = [2_000, 20_000, 60_000]
/** Behind that, the venue takes what nobody expects any more. */
const FORGOTTEN_MILLIS = 300_000
const LATE = "past its notAfter"
/** Before each look at an order whose change was asked for. */
const LOOKS_MILLIS = [0, 50, 200, 800]

export const LOST = "the socket ended"

/** What an answer has become when the socket died that its request went over; null: nothing. */
const withoutSocket = (report: SessionReport): SessionReport | null => {
  switch (report._tag) {
    case "Accepted":
    case "Refused":
    case "InDoubt":
      return { _tag: "InDoubt", tradeOrderId: report.tradeOrderId, reason: LOST, at: report.at }
    case "CancelAccepted":
    case "CancelRefused":
    case "CancelInDoubt":
      return { _tag: "CancelInDoubt", tradeOrderId: report.tradeOrderId, reason: LOST, at: report.at }
    case "AmendAccepted":
    case "AmendRefused":
    case "AmendInDoubt": {
      const { tradeOrderId, askedAt, at } = report
      return { _tag: "AmendInDoubt", tradeOrderId, askedAt, reason: LOST, at }
    }
    default:
      return report._tag === "NotSent" ? report : null
  }
}

/** The other requests that wait on it are lost with this one, and there is another soon. */
const socketDies = (venue: SimVenue, { account }: OpenSession): void => {
  if (!venue.traits.overSocket) return
  venue.sessions.streamDown(account)
  venue.time.schedule(() => venue.sessions.streamUp(account), venue.random.between(200, 3_000))
}

type Answer = (report: SessionReport, latency?: number) => void

/** The way back of a request that leaves now. */
const wayBack = (venue: SimVenue, session: OpenSession): Answer => {
  const { socket } = session
  return (report, latency = venue.fates.latencyMillis()) => {
    if (!venue.traits.overSocket) return venue.sessions.deliver(session, report, latency)
    venue.time.schedule(() => {
      const told = session.socket === socket ? report : withoutSocket(report)
      if (told !== null && !session.closed) session.report(told)
    }, latency)
  }
}

/** More than any venue counts at once. */
const DEPARTURES = 2_000

/**
 * When an order or a change of one may leave: the account, or each of its instruments, has so many within each time. What could not leave before
 * `notAfter`, of the gateway's clock, is given up then, and takes up no turn.
 */
const paceMillis = (venue: SimVenue, account: string, instrumentId: InstrumentId, notAfter: number): number => {
  const { ordersPace } = venue.traits
  if (ordersPace.length === 0) return 0
  const { now } = venue.time
  const counted = ordersPace.map(({ most, withinMillis, of }) => {
    const name = `${withinMillis}|${account}|${of === "ACCOUNT" ? "" : instrumentId}`
    const left = venue.departures.get(name) ?? []
    return { name, left, soonest: (left[left.length - most] ?? Number.NEGATIVE_INFINITY) + withinMillis }
  })
  const at = Math.max(now, ...counted.map(({ soonest }) => soonest))
  const left = notAfter - venue.gatewayNow()
  if (at - now > left) return Math.max(0, left) + 1
  for (const { name, left } of counted) venue.departures.set(name, [...left, at].slice(-DEPARTURES))
  return at - now
}

export const submit = (venue: SimVenue, session: OpenSession, order: VenueOrder): void => {
  const { tradeOrderId, pairedWith, notAfter } = order
  const { time } = venue
  const answer = wayBack(venue, session)
  const pace = paceMillis(venue, session.account, order.instrumentId, notAfter)
  const drawn = venue.fates.submit(order)
  const isShown = drawn === "refuse" && venue.traits.refusesWhenShown && venue.random.chance(0.5)
  const fate = isShown ? "refusedWhenShown" : drawn
  const ids = [tradeOrderId, ...(pairedWith === undefined ? [] : [pairedWith.tradeOrderId])]
  // Of a list each order is reported for itself, a moment after the other.
  const report = (make: (id: TradeOrderId) => SessionReport): void => {
    for (const id of ids) answer(make(id))
  }
  const expiry = venue.venue.orderExpiryMillis
  const number = venue.leaves()
  // The venue counts the order's age from its signing, by its own clock.
  const signedUntil = notAfter - (venue.gatewayNow() - time.now)
  const expiresAt = expiry === null ? Number.POSITIVE_INFINITY : signedUntil + expiry
  venue.note(`submit of ${tradeOrderId}: ${fate}`)
  time.schedule(() => {
    const at = time.now
    if (fate === "notSent" || session.isRefused || venue.gatewayNow() > notAfter) {
      report((id) => ({ _tag: "NotSent", tradeOrderId: id, reason: "simulated", at }))
      return
    }
    if (fate === "arrivesTooLate") {
      const delay = venue.random.between(15_000, 60_000) + (expiry === null ? FORGOTTEN_MILLIS : 0)
      time.schedule(() => {
        venue.isPastExpiry = true
        arrive(venue, session.account, order, fate, Number.POSITIVE_INFINITY)
        venue.isPastExpiry = false
      }, delay)
      report((id) => ({ _tag: "InDoubt", tradeOrderId: id, reason: "timeout", at }))
      return
    }
    if (fate === "arrivesLate") {
      arriveLate(venue, session.account, order, { number, expiresAt })
      report((id) => ({ _tag: "InDoubt", tradeOrderId: id, reason: "timeout", at }))
      return
    }
    const arrives = fate !== "lostBefore" && fate !== "silentBefore"
    if (arrives) venue.takes(session.account, number)
    const isPlaced = arrives && arrive(venue, session.account, order, fate, expiresAt)
    if (fate === "silentBefore" || fate === "silentAfter") return
    if (fate === "lostBefore" || fate === "lostAfter") socketDies(venue, session)
    if (fate === "lostBefore" || fate === "lostAfter")
      report((id) => ({ _tag: "InDoubt", tradeOrderId: id, reason: "timeout", at }))
    else if (isPlaced === "known")
      report((id) => ({ _tag: "InDoubt", tradeOrderId: id, reason: "the id is known", at }))
    else if (!isPlaced)
      report((id) => ({ _tag: "Refused", tradeOrderId: id, code: "INVALID_ORDER", text: "simulated", at }))
    else for (const id of ids) accepted(venue, session, { tradeOrderId: id, fate, answer })
  }, pace + venue.fates.latencyMillis())
}

/** Its answer is lost before it arrives. */
const arriveLate = (
  venue: SimVenue,
  account: string,
  order: VenueOrder,
  { number, expiresAt }: { readonly number: number; readonly expiresAt: number },
): void => {
  const { random, time, traits } = venue
  const isOvertaken = (): boolean => traits.arrivesLate === "UNTIL_OVERTAKEN" && !venue.takes(account, number)
  const until = traits.arrivesLate === "UNTIL_OVERTAKEN" ? Number.POSITIVE_INFINITY : expiresAt
  const latest =
    traits.arrivesLate === "UNTIL_OVERTAKEN"
      ? random.pick(OVERTAKEN_MILLIS)
      : Math.min(expiresAt - time.now, LATEST_WITHOUT_EXPIRY_MILLIS)
  const delay = traits.arrivesLate === "SOON" ? LATE_MILLIS : random.between(500, Math.max(500, latest))
  time.schedule(() => {
    if (isOvertaken()) return venue.note(`${order.tradeOrderId} was overtaken`)
    arrive(venue, account, order, "arrivesLate", until)
  }, delay)
}

interface Placed {
  readonly tradeOrderId: TradeOrderId
  readonly fate: SubmitFate
  readonly answer: Answer
}

const accepted = (venue: SimVenue, session: OpenSession, { tradeOrderId, fate, answer }: Placed): void => {
  const { time } = venue
  const at = time.now
  const sim = venue.find({ tradeOrderId, externalOrderId: null })
  if (fate === "refusedWhenShown") {
    if (sim === undefined) return
    const shownAfter = venue.fates.latencyMillis()
    venue.sessions.deliver(session, { _tag: "OrderSeen", state: venue.history.viewOf(sim, session) }, shownAfter)
    const refused: SessionReport = { _tag: "Refused", tradeOrderId, code: "INVALID_ORDER", text: "simulated", at }
    answer(refused, shownAfter + venue.fates.latencyMillis())
    return
  }
  const { submitAnswer } = venue.traits
  const latency = venue.fates.latencyMillis()
  const externalOrderId = sim?.externalOrderId ?? ""
  if (sim !== undefined) session.known.add(keyOf(sim))
  answer({ _tag: "Accepted", tradeOrderId, externalOrderId, at }, latency)
  if (sim === undefined || submitAnswer === "ID") return
  const fills = submitAnswer === "FILLS" ? sim.fills : []
  for (const fill of fills) answer({ _tag: "Filled", fill: named(fill, tradeOrderId) }, latency)
  answer({ _tag: "OrderSeen", state: venue.history.viewOf(sim, session) }, latency)
}

/** The answer to a submit is about that order, whatever it names. */
const named = (fill: VenueFill, tradeOrderId: TradeOrderId): VenueFill => ({ ...fill, tradeOrderId })

/** It has had that client id, and takes no second order of it. */
const isKnownId = (venue: SimVenue, { tradeOrderId }: VenueOrder): boolean => {
  const { knownIds } = venue.traits
  const before = knownIds === "NO" ? undefined : venue.find({ tradeOrderId, externalOrderId: null })
  return before !== undefined && (knownIds === "ALWAYS" || before.status === "OPEN")
}

const arrive = (
  venue: SimVenue,
  account: string,
  order: VenueOrder,
  fate: SubmitFate,
  expiresAt: number,
): boolean | "known" => {
  if (venue.time.now > expiresAt) return false
  const { pairedWith } = order
  const orders = [order, ...(pairedWith === undefined ? [] : [pairedWith])].map(
    ({ tradeOrderId, notAfter: _, pairedWith: __, ...rest }) => [rest, tradeOrderId] as const,
  )
  for (const [, id] of orders) venue.arrivals.set(id, (venue.arrivals.get(id) ?? 0) + 1)
  if (fate === "refuse") return false
  if (isKnownId(venue, order)) return "known"
  if (orders.some(([leg]) => venue.reduces(leg) && exceedsPosition(venue, account, leg))) return false
  // Between its prices the market must be, as at Binance.
  if (orders.length === 2 && orders.some(([leg]) => venue.isThere(leg))) return false
  const [[only, id] = []] = orders
  if (orders.length === 2) venue.placeList(orders, account)
  else if (only !== undefined && id !== undefined) venue.place(only, id, account)
  return true
}

/** It would open a position, or turn one. */
const exceedsPosition = (venue: SimVenue, account: string, { instrumentId, orderSide, quantity }: SimOrder["order"]) =>
  Decimal.of(quantity).greaterThan(venue.positions.reducible(account, instrumentId, orderSide))

/** What a request finds there: not what a replica has not heard of yet. */
const foundBy = (venue: SimVenue, { account }: OpenSession, ref: VenueOrderRef): SimOrder | undefined => {
  const sim = venue.history.findFor(account, ref)
  return sim !== undefined && venue.history.isShown(sim) ? sim : undefined
}

const REFUSED = "the credential was refused"

export const cancel = (venue: SimVenue, session: OpenSession, ref: VenueOrderRef): void => {
  const { tradeOrderId } = ref
  const { time, traits } = venue
  const answer = wayBack(venue, session)
  const number = venue.leaves()
  venue.cancels.set(tradeOrderId, (venue.cancels.get(tradeOrderId) ?? 0) + 1)
  const fate = venue.fates.cancel(ref)
  venue.note(`cancel of ${tradeOrderId}: ${fate}`)
  time.schedule(() => {
    const at = time.now
    if (session.isRefused) {
      answer({ _tag: "CancelRefused", tradeOrderId, unknownOrder: false, text: REFUSED, at })
      return
    }
    const arrives = fate !== "lostBefore" && fate !== "silentBefore"
    if (arrives) venue.takes(session.account, number)
    const sim = arrives ? foundBy(venue, session, ref) : undefined
    const refused = fate === "refuse" && sim?.status === "OPEN"
    const works = sim?.status === "OPEN" && !refused
    const isDone = traits.cancelAnswer === "DONE" || (traits.cancelAnswer === "EITHER" && venue.random.chance(0.5))
    if (works) carryOutCancel(venue, sim, isDone)
    if (fate === "silentBefore" || fate === "silentAfter") return
    if (fate === "lostBefore" || fate === "lostAfter")
      answer({ _tag: "CancelInDoubt", tradeOrderId, reason: "timeout", at })
    else if (!works) answer({ _tag: "CancelRefused", tradeOrderId, unknownOrder: !refused, text: "simulated", at })
    else if (isDone) {
      if (traits.forgetsCancelled) venue.forgotten.add(sim)
      answer({ _tag: "CancelAccepted", tradeOrderId, at })
    } else look(venue, session, ref, traits.looksMillis, (state) => cancelSeen(venue, tradeOrderId, state))
  }, venue.fates.latencyMillis())
}

const carryOutCancel = (venue: SimVenue, sim: SimOrder, isDone: boolean): void => {
  const { traits, random } = venue
  if (isDone) return venue.end(sim, "CANCELLED")
  if (random.chance(traits.cancelForgotten)) return venue.note(`forgets to cancel ${sim.externalOrderId}`)
  venue.time.schedule(
    () => {
      if (sim.status === "OPEN") venue.end(sim, "CANCELLED")
    },
    random.between(0, traits.cancelWithinMillis),
  )
}

/** Null: nothing is known yet. */
const cancelSeen = (
  { time }: SimVenue,
  tradeOrderId: TradeOrderId,
  state: VenueOrderState | null,
): ReadonlyArray<SessionReport> | null => {
  const at = time.now
  if (state === null) return [{ _tag: "CancelInDoubt", tradeOrderId, reason: "not carried out yet", at }]
  if (state.status === "OPEN") return null
  const text = `the order had already ended: ${state.status}`
  return [
    { _tag: "OrderSeen", state },
    state.status === "CANCELLED"
      ? { _tag: "CancelAccepted", tradeOrderId, at }
      : { _tag: "CancelRefused", tradeOrderId, unknownOrder: true, text, at },
  ]
}

export const amend = (venue: SimVenue, session: OpenSession, ref: VenueOrderRef, to: VenueAmend): void => {
  const { tradeOrderId } = ref
  const { askedAt } = to
  const { time, traits, random } = venue
  const answer = wayBack(venue, session)
  const pace = paceMillis(venue, session.account, ref.instrumentId, to.notAfter)
  const number = venue.leaves()
  venue.amends.set(tradeOrderId, (venue.amends.get(tradeOrderId) ?? 0) + 1)
  const fate = venue.fates.amend(ref)
  venue.note(`amend of ${tradeOrderId} to ${to.quantity} at ${to.limitPrice ?? "market"}: ${fate}`)
  const find = (): SimOrder | undefined => foundBy(venue, session, ref)
  time.schedule(() => {
    const at = time.now
    if (session.isRefused) {
      answer({ _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder: false, text: REFUSED, at })
      return
    }
    if (venue.gatewayNow() > to.notAfter) {
      answer({ _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder: false, text: LATE, at })
      return
    }
    if (fate === "arrivesLate") {
      time.schedule(() => venue.alter(find(), to), LATE_MILLIS)
      answer({ _tag: "AmendInDoubt", tradeOrderId, askedAt, reason: "timeout", at })
      return
    }
    const arrives = fate === "accept" || fate === "lostAfter" || fate === "silentAfter"
    if (arrives) venue.takes(session.account, number)
    const sim = arrives ? find() : undefined
    const isEnded = endedByChange(venue, sim, to)
    const isRequest = traits.amendAnswer === "REQUEST"
    const isTaken = isRequest ? sim?.status === "OPEN" : venue.alter(sim, to)
    if (isRequest && isTaken && !random.chance(traits.amendForgotten))
      time.schedule(() => venue.alter(sim, to), random.between(0, traits.amendWithinMillis))
    if (fate === "silentBefore" || fate === "silentAfter") return
    if (fate === "lostBefore" || fate === "lostAfter" || isEnded)
      answer({ _tag: "AmendInDoubt", tradeOrderId, askedAt, reason: "timeout", at })
    else if (!isTaken) {
      const unknownOrder = find()?.status !== "OPEN"
      answer({ _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder, text: "simulated", at })
    } else if (isRequest) look(venue, session, ref, LOOKS_MILLIS, (state) => amendSeen(venue, tradeOrderId, to, state))
    else if (sim !== undefined)
      answer({
        _tag: "AmendAccepted",
        tradeOrderId,
        askedAt,
        externalOrderId: sim.externalOrderId,
        at,
      })
  }, pace + venue.fates.latencyMillis())
}

/** An order that must not take, and would at its new price: whether the venue has ended it for that. */
const endedByChange = (venue: SimVenue, sim: SimOrder | undefined, { limitPrice }: VenueAmend): boolean => {
  if (!venue.traits.changedTakersEnd || sim?.status !== "OPEN" || !isPostOnly(sim.order)) return false
  if (!venue.isThere({ ...sim.order, limitPrice })) return false
  venue.end(sim, "CANCELLED")
  return true
}

const amendSeen = (
  { time }: SimVenue,
  tradeOrderId: TradeOrderId,
  to: VenueAmend,
  state: VenueOrderState | null,
): ReadonlyArray<SessionReport> | null => {
  const at = time.now
  const { askedAt } = to
  if (state === null) return [{ _tag: "AmendInDoubt", tradeOrderId, askedAt, reason: "not carried out yet", at }]
  const { externalOrderId, status } = state
  const seen: SessionReport = { _tag: "OrderSeen", state }
  const isPriced = (state.limitPrice ?? "") === (to.limitPrice ?? "")
  if (isPriced && Decimal.of(state.quantity).equals(Decimal.of(to.quantity)))
    return [seen, { _tag: "AmendAccepted", tradeOrderId, askedAt, externalOrderId, at }]
  if (status === "OPEN") return null
  return [
    seen,
    { _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder: true, text: `the order ended: ${status}`, at },
  ]
}

/** `judge` answers null while it wants another look; after the last it is given none. */
const look = (
  venue: SimVenue,
  session: OpenSession,
  ref: VenueOrderRef,
  [pause, ...pauses]: ReadonlyArray<number>,
  judge: (state: VenueOrderState | null) => ReadonlyArray<SessionReport> | null,
): void => {
  const tell = (reports: ReadonlyArray<SessionReport>): void => {
    const latency = venue.fates.latencyMillis()
    for (const report of reports) venue.sessions.deliver(session, report, latency)
  }
  if (pause === undefined) return tell(judge(null) ?? [])
  venue.time.schedule(() => {
    const isAnswered = venue.isUp && venue.fates.query()
    const sim = isAnswered ? foundBy(venue, session, ref) : undefined
    const reports = sim === undefined ? null : judge(venue.history.viewOf(sim, session, ref))
    if (reports === null) look(venue, session, ref, pauses, judge)
    else tell(reports)
  }, pause + venue.fates.latencyMillis())
}
