/** What becomes of each request, question and event: scripted tests set it, the simulation draws it. */
import type { Decimal } from "../../../src/domain/decimal.ts"
import type { SessionReport, VenueOrder, VenueOrderRef } from "../../../src/ports/venue-session.ts"

/**
 * Whether the venue gets it, and what the session hears of it. `arrivesLate`: long after the answer was lost, within the order's expiry.
 * `arrivesTooLate`: the venue breaks its word, and takes it when the gateway has given it up.
 * `refusedWhenShown`: the order works and the stream has shown it, and the answer is a refusal.
 */
export type SubmitFate =
  | "accept"
  | "refuse"
  | "notSent"
  | "lostBefore"
  | "lostAfter"
  | "silentBefore"
  | "silentAfter"
  | "arrivesLate"
  | "arrivesTooLate"
  | "refusedWhenShown"
export type CancelFate = "accept" | "refuse" | "lostBefore" | "lostAfter" | "silentBefore" | "silentAfter"
export type AmendFate = CancelFate | "arrivesLate"
export type StreamFate = "deliver" | "drop" | "twice" | "delay"

export interface Fates {
  submit: (order: VenueOrder) => SubmitFate
  cancel: (ref: VenueOrderRef) => CancelFate
  amend: (ref: VenueOrderRef) => AmendFate
  /** Whether the venue places an order of which it has seen the trigger fire; false: it ends it REJECTED. */
  trigger: () => boolean
  /** Whether a question, or a page of a list, is answered; false: VenueUnavailable after a while. */
  query: () => boolean
  stream: (report: SessionReport) => StreamFate
  latencyMillis: () => number
  /** How much of an order that ends at once (IOC, FOK, MARKET) finds a counterpart. */
  immediate: (quantity: Decimal) => Decimal
}

export const kindFates = (): Fates => ({
  submit: () => "accept",
  cancel: () => "accept",
  amend: () => "accept",
  trigger: () => true,
  query: () => true,
  stream: () => "deliver",
  latencyMillis: () => 5,
  immediate: (quantity) => quantity,
})
