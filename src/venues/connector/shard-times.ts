/** The clockwork of worker threads: how soon a hang is seen, how soon a connector begins again, and when that is given up for a while. */
export interface ShardTimes {
  readonly heartbeatMillis: number
  /** Heartbeats without an answer before a thread counts as hung: what a reader waits for at least when it is. */
  readonly missesMax: number
  /**
   * The same while a connector in it loads: code and thousands of markets keep a thread busy for long. As long as `bootMillis`: where a
   * machine is so slow that loading takes longer than this, each thread would be ended before it is up, for ever.
   */
  readonly missesMaxLoading: number
  /** From the start of the thread to its first word. */
  readonly bootMillis: number
  readonly restartFirstMillis: number
  readonly restartMaxMillis: number
  readonly breakerCrashes: number
  readonly breakerWindowMillis: number
  readonly breakerPauseMillis: number
}

export const SHARD_TIMES: ShardTimes = {
  heartbeatMillis: 200,
  missesMax: 5,
  missesMaxLoading: 150,
  bootMillis: 30_000,
  restartFirstMillis: 50,
  restartMaxMillis: 5000,
  breakerCrashes: 5,
  breakerWindowMillis: 60_000,
  breakerPauseMillis: 30_000,
}
