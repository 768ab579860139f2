/**
 * The dead man's switch of an account, renewed as long as this program lives and is heard. The one thing to know: renewals keep their pace also
 * while earlier ones wait for their answers, so that a request that the network swallowed costs no more than itself.
 */
import { NoAnswer } from "./errors.ts"
import type { Gateway } from "./gateway.ts"
import { pause } from "./retry.ts"
import { told } from "./told.ts"

export interface KeepAliveOptions {
  /** Without a renewal for so long the gateway cancels all orders of the account, ms. */
  readonly timeoutMs: number
  /** A quarter of the time is left and nothing was answered: the switch may act, or has acted. Told once each time. */
  readonly onLate?: (error: unknown) => void
}

export interface KeptAlive {
  /**
   * Ends the renewals. `disarm`: the switch is off, and what works goes on working; else the gateway cancels everything when the time is
   * over. Exits count as orders, too.
   */
  readonly stop: (how: { readonly disarm: boolean }) => Promise<void>
}

/** A quarter of the time each: two in a row may be lost, and the third one is there before the time is over. */
const RENEWALS = 4

const CALL = "tradeOrder/cancelAllAfter"

/** Arms the dead man's switch (`tradeOrder/cancelAllAfter`) and renews it. Rejects when it cannot be armed. */
export const keepAlive = async (
  gateway: Gateway,
  tradingAccountId: string,
  { timeoutMs, onLate }: KeepAliveOptions,
): Promise<KeptAlive> => {
  const every = timeoutMs / RENEWALS
  const ended = new AbortController()
  const arm = (ms: number, signal?: AbortSignal) => gateway.post(CALL, { tradingAccountId, timeoutMs: ms }, { signal })
  let renewedAt = performance.now()
  await arm(timeoutMs)
  let isLate = false
  let failure: unknown = null
  const asked = new Set<Promise<void>>()
  const renew = async (): Promise<void> => {
    const askedAt = performance.now()
    try {
      // Of no use any more when the time is over.
      await arm(timeoutMs, AbortSignal.timeout(timeoutMs))
      renewedAt = Math.max(renewedAt, askedAt)
    } catch (error) {
      failure = error
    }
  }
  const renewals = (async () => {
    for (;;) {
      await pause(every, ended.signal).catch(() => undefined)
      if (ended.signal.aborted) return
      const silence = performance.now() - renewedAt
      if (silence < timeoutMs - every) {
        isLate = false
        failure = null
      } else if (!isLate) {
        isLate = true
        told(onLate, failure ?? new NoAnswer(`POST ${CALL}`, `for ${Math.round(silence)} ms`))
      }
      const renewal: Promise<void> = renew().finally(() => asked.delete(renewal))
      asked.add(renewal)
    }
  })()
  return {
    stop: async ({ disarm }) => {
      ended.abort()
      await renewals
      // One that arrives later would arm it again.
      await Promise.all(asked)
      if (disarm) await arm(0)
    },
  }
}
