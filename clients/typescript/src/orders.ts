/** Following single orders: until one is over, and the dead man's switch of an account. */
import type { Account } from "./account.ts"
import type { Gateway } from "./gateway.ts"
import { pause } from "./retry.ts"
import type { TradeOrder } from "./types.ts"

const OVER: ReadonlySet<TradeOrder["status"]> = new Set(["FILLED", "CANCELLED", "REJECTED", "EXPIRED"])

/** Whether nothing more is to come; a fill that the venue reports late still counts (LATE_FILL). */
export const isOver = (order: TradeOrder): boolean => OVER.has(order.status)

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

/** The order when it is over. At the end of `timeoutMs` it is answered as it is then: look at its `status`, and at `inDoubt`. */
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

export interface KeepAliveOptions {
  /** Without a renewal for so long the gateway cancels all orders of the account, ms. */
  readonly timeoutMs: number
  /** The switch may act, or has acted: renewals have not been answered. Told once each time. */
  readonly onLate?: (error: unknown) => void
}

export interface KeptAlive {
  /**
   * Ends the renewals. `disarm`: the switch is off, and what works goes on working; else the gateway cancels everything when the time is
   * over. Exits count as orders, too.
   */
  readonly stop: (how: { readonly disarm: boolean }) => Promise<void>
}

/** A third of the time: two renewals may be lost. */
const RENEWALS = 3

/** Arms the dead man's switch (`tradeOrder/cancelAllAfter`) and renews it. Rejects when it cannot be armed. */
export const keepAlive = async (
  gateway: Gateway,
  tradingAccountId: string,
  { timeoutMs, onLate }: KeepAliveOptions,
): Promise<KeptAlive> => {
  const ended = new AbortController()
  const arm = (ms: number) => gateway.post("tradeOrder/cancelAllAfter", { tradingAccountId, timeoutMs: ms })
  await arm(timeoutMs)
  let renewedAt = performance.now()
  let isLate = false
  const renewals = (async () => {
    while (!ended.signal.aborted) {
      await pause(timeoutMs / RENEWALS, ended.signal).catch(() => undefined)
      if (ended.signal.aborted) return
      const askedAt = performance.now()
      try {
        await arm(timeoutMs)
        renewedAt = askedAt
        isLate = false
      } catch (error) {
        if (isLate || performance.now() - renewedAt < timeoutMs - timeoutMs / RENEWALS) continue
        isLate = true
        onLate?.(error)
      }
    }
  })()
  return {
    stop: async ({ disarm }) => {
      ended.abort()
      await renewals
      if (disarm) await arm(0)
    },
  }
}
