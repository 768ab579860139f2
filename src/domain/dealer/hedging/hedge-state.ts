/**
 * The state machine of one hedging line (a pair of a dealer), as one table: what a state waits for, whether people are told again and
 * again while it lasts, and what it is left by. The one thing to know: every state has an exit that needs neither the venue nor luck.
 */
import { Schema } from "effect"

/**
 * FLAT: nothing is open. ACCUMULATING: less than the venue takes, it waits for more. HEDGING: an order is at work, or the next is about
 * to leave. IN_DOUBT: the outcome of an order is not known, and its account is being asked. OPEN: attempts failed, the next ones come later.
 * CARRIED: all that may be open is in doubt at accounts that cannot be asked any more: it is not hedged a second time.
 */
export const HedgeState = Schema.Literal("FLAT", "ACCUMULATING", "HEDGING", "IN_DOUBT", "OPEN", "CARRIED")
export type HedgeState = typeof HedgeState.Type

/**
 * What happens to a line. QUOTE: one was executed. ORDER: a stored image of a hedge, or the answer to one that was handed over. TIME: a
 * planned look. DEALER: its links or settings are others. ACCOUNT: a linked account can be asked no longer, or again. RESOLVED: an admin has said what
 * a hedge executed.
 */
export type HedgeEvent = "QUOTE" | "ORDER" | "TIME" | "DEALER" | "ACCOUNT" | "RESOLVED"

export interface HedgeLaw {
  /** An order may leave now. */
  readonly sends: boolean
  /** People are told, and told again, until it is over. */
  readonly alerts: boolean
  /** By which it may be left. */
  readonly exits: ReadonlyArray<HedgeEvent>
}

/**
 * A late fill or a fee of an old hedge (ORDER), and another word on one (RESOLVED), open what was flat, and close or change what waits. Dust
 * beside what is carried waits as it does without (TIME, DEALER).
 */
export const HEDGE_LAW: { readonly [S in HedgeState]: HedgeLaw } = {
  FLAT: { sends: false, alerts: false, exits: ["QUOTE", "ORDER", "RESOLVED"] },
  ACCUMULATING: { sends: true, alerts: false, exits: ["QUOTE", "ORDER", "TIME", "DEALER", "RESOLVED"] },
  HEDGING: { sends: true, alerts: false, exits: ["QUOTE", "ORDER", "TIME", "DEALER", "ACCOUNT", "RESOLVED"] },
  IN_DOUBT: { sends: false, alerts: true, exits: ["ORDER", "ACCOUNT", "RESOLVED"] },
  OPEN: { sends: true, alerts: true, exits: ["QUOTE", "ORDER", "TIME", "DEALER", "ACCOUNT", "RESOLVED"] },
  CARRIED: { sends: false, alerts: true, exits: ["QUOTE", "ORDER", "TIME", "DEALER", "ACCOUNT", "RESOLVED"] },
}

/** What decides the state of a line. */
export interface HedgeFacts {
  /** A hedge was handed to its account, which has not answered. */
  readonly isAsking: boolean
  /** Of a hedge that is not over, at an account that can be asked. */
  readonly atWork: "NONE" | "WORKING" | "IN_DOUBT"
  /** What is open whatever hedges in doubt executed. */
  readonly open: "NOTHING" | "DUST" | "SOME"
  /** Hedges in doubt are left at accounts that cannot be asked. */
  readonly isCarrying: boolean
  /** A round of attempts failed. */
  readonly hasFailed: boolean
}

export const hedgeStateOf = ({ isAsking, atWork, open, isCarrying, hasFailed }: HedgeFacts): HedgeState => {
  if (atWork === "IN_DOUBT") return "IN_DOUBT"
  if (isAsking || atWork === "WORKING") return "HEDGING"
  if (open === "SOME") return hasFailed ? "OPEN" : "HEDGING"
  if (isCarrying) return "CARRIED"
  return open === "DUST" ? "ACCUMULATING" : "FLAT"
}
