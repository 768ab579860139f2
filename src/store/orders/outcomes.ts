/**
 * Delivers outcomes to their owners, in order. An owner that hears one dispatches, answers and publishes: hundreds at once would keep
 * the event loop from everybody else, and most of all from those who could be refused at once. So they are told for a few ms of a turn.
 */
import { performance } from "node:perf_hooks"

const TURN_MILLIS = 5

export interface Outcomes<Entry, Outcome> {
  /** To be told in a later turn of the loop. */
  readonly add: (entry: Entry, outcome: Outcome) => void
  /** Tells some now: at least one, and as many as there is time for. */
  readonly tell: () => void
  /** The next to be told. */
  readonly first: () => Entry | undefined
}

/** `told` never throws. */
export const makeOutcomes = <Entry, Outcome>(
  told: (entry: Entry, outcome: Outcome) => void,
): Outcomes<Entry, Outcome> => {
  let due: Array<readonly [Entry, Outcome]> = []
  let isTurnDue = false

  const tell = (): void => {
    const overAt = performance.now() + TURN_MILLIS
    let count = 0
    while (count < due.length && (count === 0 || performance.now() < overAt)) told(...due[count++]!)
    due = due.slice(count)
  }

  const turn = (): void => {
    tell()
    isTurnDue = due.length > 0
    if (isTurnDue) setImmediate(turn)
  }

  return {
    add: (entry, outcome) => {
      due.push([entry, outcome])
      if (isTurnDue) return
      isTurnDue = true
      setImmediate(turn)
    },
    tell,
    first: () => due[0]?.[0],
  }
}
