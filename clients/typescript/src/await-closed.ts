/** Waits for an order's end: by the account's events where they are followed, with `tradeOrder/get` behind them, which has the last word. */
import type { Account } from "./account.ts"
import type { Gateway } from "./gateway.ts"
import { isOver } from "./order.ts"
import { pause } from "./retry.ts"
import type { TradeOrder } from "./types.ts"

export interface AwaitClosedOptions {
  /** The account's followed events bring the end at once; without them the order is read again and again. */
  readonly account?: Account
  /** Longest wait, ms; without one as long as it takes. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

const READ_FIRST_MS = 200
const READ_LATER_MS = 5_000

type Named = Pick<TradeOrder, "tradingAccountId" | "tradeOrderId">

/**
 * The order when it is over, or, without an exception, as it is at the end of `timeoutMs`: it may be OPEN still. `isOver(order)` says which;
 * `inDoubt` says that the venue has not answered. Nothing is cancelled by a timeout.
 */
export const awaitClosed = async (
  gateway: Gateway,
  order: Named,
  options: AwaitClosedOptions = {},
): Promise<TradeOrder> => {
  const { account, timeoutMs = Number.POSITIVE_INFINITY, signal } = options
  const { tradingAccountId, tradeOrderId } = order
  const endAt = performance.now() + timeoutMs
  let wake: () => void = () => undefined
  const forget = account?.onOrder((told) => {
    if (told.tradeOrderId === tradeOrderId && isOver(told)) wake()
  })
  try {
    for (let wait = READ_FIRST_MS; ; wait = Math.min(2 * wait, READ_LATER_MS)) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      // The record over HTTP has the last word: it has all executions.
      const now = await gateway.get("tradeOrder/get", { tradingAccountId, tradeOrderId }, { signal })
      const left = endAt - performance.now()
      if (isOver(now) || left <= 0) return now
      const quiet = new AbortController()
      const rest = pause(
        Math.min(wait, left),
        AbortSignal.any(signal === undefined ? [quiet.signal] : [quiet.signal, signal]),
      )
      await Promise.race([woken, rest]).finally(() => quiet.abort())
      await rest.catch(() => undefined)
      signal?.throwIfAborted()
    }
  } finally {
    forget?.()
  }
}
