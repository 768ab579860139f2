/** The dead man's switch of an account, renewed as long as this program lives and is heard. */
import type { Gateway } from "./gateway.ts"
import { pause } from "./retry.ts"

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
