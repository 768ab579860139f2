/** What a map of an account begins with: its open orders or its positions, as its channel has told them (see AccountImage). */
import { PortfolioUnavailable } from "../domain/errors/trading-account.ts"
import type { ReadState } from "./account-messages.ts"
import type { AccountCore } from "./trading-account-core.ts"

/** An actor that has just woken learns its positions from its venue in a moment. */
const POSITIONS_MILLIS = 2_000

export const readState = (core: AccountCore, { of, reply }: ReadState): void => {
  const { self } = core
  const { image } = core.outlet
  const answer = (): void => {
    const { sequence, awakeSince } = image
    reply.ok({ sequence, awakeSince, entries: of === "orders" ? image.orders() : image.positions() })
  }
  if (of === "orders" || image.hasPositions) return answer()
  let isOver = false
  const look = (): void => {
    if (isOver) return
    isOver = true
    callOff()
    // Known, but perhaps not told yet.
    if (core.positions.portfolio.isKnown) core.whenDurable(answer)
    else reply.fail(new PortfolioUnavailable({}))
  }
  const callOff = self.later(POSITIONS_MILLIS, look)
  if (core.positions.portfolio.isKnown) look()
  else core.connection.whenReady(look)
}
