/**
 * Attributes work to a session and a purpose: the context follows every await, timer and socket of ccxt, which is unaware of it. The rate budget
 * reads from it how urgent a request is, and a dying thread which connector was responsible.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { Purpose } from "../../ports/venue-stats.ts"

export interface Work {
  readonly connector: string
  readonly purpose: Purpose
  /** After this time (wall ms) no caller waits for it any more; null: a caller always does. */
  readonly until: number | null
  /** The symbol whose book is asked for; absent for everything else. */
  readonly snapshotOf?: string
  /** It asks for a book beside the stream of it. */
  readonly isAside?: boolean
}

const current = new AsyncLocalStorage<Work>()

/** Undefined in code of the thread itself. */
export const currentWork = (): Work | undefined => current.getStore()

export const doing = <A>(work: Work, run: () => A): A => current.run(work, run)

/** The same connector's work for another purpose. */
export const doingFor = <A>(purpose: Purpose, until: number | null, run: () => A): A =>
  current.run({ connector: current.getStore()?.connector ?? "", purpose, until }, run)

/** For a look at a book that is no part of how its stream begins: neither takes the other's place. */
export const lookingAside = <A>(purpose: Purpose, until: number, run: () => A): A =>
  current.run({ connector: current.getStore()?.connector ?? "", purpose, until, isAside: true }, run)

export const fetchingSnapshotOf = <A>(symbol: string, run: () => A): A => {
  const { connector = "", purpose = "market", until = null } = current.getStore() ?? {}
  return current.run({ connector, purpose, until, snapshotOf: symbol }, run)
}
