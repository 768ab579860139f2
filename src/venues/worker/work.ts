/**
 * Attributes work to a session and a purpose: the context follows every await, timer and socket of ccxt, which is unaware of it. The rate budget
 * reads from it how urgent a request is, and a dying thread which connector was responsible.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { InstrumentId } from "../../domain/ids.ts"
import type { Purpose } from "../../ports/venue-stats.ts"
import type { Gate } from "./gate.ts"

export interface Work {
  readonly connector: string
  readonly purpose: Purpose
  /** After this time (wall ms) no caller waits for it any more; null: a caller always does. */
  readonly until: number | null
  /** The same by the monotonic clock of this thread: the wall clock may be set meanwhile. Absent: without an end. */
  readonly endsAt?: number
  /** The symbol whose book is asked for; absent for everything else. */
  readonly snapshotOf?: string
  /** Of an order that is placed or changed; absent for everything else. */
  readonly instrumentId?: InstrumentId
  /** It asks for a book beside the stream of it. */
  readonly isAside?: boolean
  /** Its requests wait here, signed, before their first byte; absent: they leave. */
  readonly gate?: Gate
  /** Of an order: aborted when it is taken back before it has left. Absent: it cannot be. */
  readonly withdrawn?: AbortSignal
}

const current = new AsyncLocalStorage<Work>()

/** Undefined in code of the thread itself. */
export const currentWork = (): Work | undefined => current.getStore()

export const doing = <A>(work: Work, run: () => A): A => current.run(work, run)

/** An order is signed within two seconds of its commit (order-path 3), or not at all: whatever the wall clock makes of that. */
const SUBMIT_MILLIS_MAX = 2_000

const endOf = (purpose: Purpose, until: number): number => {
  const left = until - Date.now()
  return performance.now() + (purpose === "submit" ? Math.min(left, SUBMIT_MILLIS_MAX) : left)
}

/** How long it may still take, in ms, by the clock that gives it less; null: as long as it likes. */
export const leftOf = ({ until, endsAt }: Work): number | null =>
  until === null ? null : Math.min(until - Date.now(), (endsAt ?? Number.POSITIVE_INFINITY) - performance.now())

/** The same connector's work for another purpose. */
export const doingFor = <A>(purpose: Purpose, until: number | null, run: () => A): A => {
  const connector = current.getStore()?.connector ?? ""
  const work = { connector, purpose, until }
  return current.run(until === null ? work : { ...work, endsAt: endOf(purpose, until) }, run)
}

/** The same for an order that is placed or changed: some venues count those of each instrument. */
export const ordering = <A>(
  { instrumentId }: { readonly instrumentId: InstrumentId },
  until: number,
  run: () => A,
): A => doingFor("submit", until, () => current.run({ ...currentWork()!, instrumentId }, run))

/** The same work, with what may keep its requests from leaving. */
const keptBackBy = <A>(more: Pick<Work, "gate" | "withdrawn">, run: () => A): A => {
  const { connector = "", purpose = "submit", until = null, ...rest } = current.getStore() ?? {}
  return current.run({ ...rest, connector, purpose, until, ...more }, run)
}

/** The same work, built ahead: nothing of it leaves before the gate is open. */
export const behind = <A>(gate: Gate, run: () => A): A => keptBackBy({ gate }, run)

/** The same work, of an order that may be taken back. */
export const withdrawable = <A>(withdrawn: AbortSignal, run: () => A): A => keptBackBy({ withdrawn }, run)

/** For a look at a book that is no part of how its stream begins: neither takes the other's place. */
export const lookingAside = <A>(purpose: Purpose, until: number, run: () => A): A =>
  current.run({ connector: current.getStore()?.connector ?? "", purpose, until, isAside: true }, run)

export const fetchingSnapshotOf = <A>(symbol: string, run: () => A): A => {
  const { connector = "", purpose = "market", until = null } = current.getStore() ?? {}
  return current.run({ connector, purpose, until, snapshotOf: symbol }, run)
}
