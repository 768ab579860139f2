/** Patience: one attempt after the other until the answer is definite, at the pace that the gateway asks for. */
import { isPassing } from "./errors.ts"

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })

export interface Patience {
  /** So long attempts are made, ms; the last one may begin then. */
  readonly patienceMs: number
  readonly signal?: AbortSignal | undefined
  /** Told of each attempt that came to nothing. */
  readonly onAttempt?: ((error: Error) => void) | undefined
}

/** Repeats what failed for now, never what was refused. Throws the last failure when patience is over. */
export const patiently = async <A>(
  attempt: () => Promise<A>,
  { patienceMs, signal, onAttempt }: Patience,
): Promise<A> => {
  const giveUpAt = performance.now() + patienceMs
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isPassing(error)) throw error
      onAttempt?.(error)
      // A share by chance, so that many bots do not come back at once.
      const next = Math.max(error.retryAfterMs ?? 0, wait) * (1 + Math.random() / 4)
      if (performance.now() + next > giveUpAt) throw error
      await pause(next, signal)
    }
  }
}
