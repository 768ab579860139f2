/** How new an account's balances are, and what waits until they are newer. Changed by `trading-account-balances.ts` alone. */
import type { DomainError } from "../domain/errors/domain-error.ts"

/** A command that waits until the account knows of money that its venue has acknowledged. */
export interface Behind {
  /** Which change of the account's money it must know. */
  readonly due: number
  /** Monotonic ms. */
  readonly until: number
  readonly run: () => void
  readonly fail: (error: DomainError) => void
}

export class BalanceReadings {
  /** Up to which change of its money from elsewhere it knows its balances: see `VenueSession.movedTo`. */
  knowsMovesTo = 0
  readonly behind: Array<Behind> = []
  /** They are asked for in a moment. */
  isAskDue = false
  /** Monotonic ms of the newest question for all balances whose answer could be read to the end. */
  askedAt = Number.NEGATIVE_INFINITY
  /** When (monotonic ms) the newest view of all balances was asked for, and when any was last seen to be another. */
  seenAt = Number.NEGATIVE_INFINITY
  movedAt = Number.NEGATIVE_INFINITY
  /** What the venue's clock said, and when (monotonic ms) that was heard; null: it was not. Ours may be hours off, and is set. */
  venueClock: { readonly at: number; readonly heardAt: number } | null = null
}
