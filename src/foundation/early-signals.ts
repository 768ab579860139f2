/**
 * Signals with which an operator tells the process something: without a handler they would end it. The one thing to know: this module handles
 * them from its import on, and queues those that nothing follows yet.
 */

/** SIGUSR2: the log level. SIGHUP: the certificate. */
const TOLD = ["SIGUSR2", "SIGHUP"] as const
type Told = (typeof TOLD)[number]

const listeners = new Map<Told, () => void>()
/** How often each came before anything followed it. */
const early = new Map<Told, number>()

for (const signal of TOLD)
  process.on(signal, () => {
    const listener = listeners.get(signal)
    if (listener === undefined) early.set(signal, (early.get(signal) ?? 0) + 1)
    else listener()
  })

/** `listener` is called for each signal from now on, and at once for those that came before. */
export const followSignal = (signal: Told, listener: () => void): void => {
  listeners.set(signal, listener)
  const came = early.get(signal) ?? 0
  early.delete(signal)
  for (let n = 0; n < came; n += 1) listener()
}
