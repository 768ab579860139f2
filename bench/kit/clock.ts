/** Instants that processes of one machine may compare, and calls at planned instants. */

/** Monotonic µs since the machine's start: the same clock in every process. */
export const nowMicros = (): number => Number(process.hrtime.bigint() / 1000n)

/**
 * Open loop: calls `act` with n and its planned instant (µs), `perSecond` times a second for `millis`; resolves when all were called. The timer wakes
 * a millisecond early and the rest is spun, so that the generator's own lateness stays small.
 */
export const openLoop = (
  perSecond: number,
  millis: number,
  act: (n: number, plannedMicros: number) => void,
): Promise<void> =>
  new Promise((resolve) => {
    const total = Math.floor((perSecond * millis) / 1000)
    const startedAt = nowMicros()
    let n = 0
    const step = (): void => {
      while (n < total) {
        const planned = startedAt + (n * 1e6) / perSecond
        const leftMicros = planned - nowMicros()
        if (leftMicros > 2_000) {
          setTimeout(step, leftMicros / 1000 - 1.5)
          return
        }
        if (leftMicros > 0) {
          setImmediate(step)
          return
        }
        act(n++, planned)
      }
      resolve()
    }
    step()
  })
