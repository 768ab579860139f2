/** A clock that all processes of one machine read alike. */

/** Microseconds since some moment before. */
export const sharedMicros = (): number => Number(process.hrtime.bigint() / 1000n)
