/**
 * A venue's sockets are shared by all its readers: these come, read and go at random at each venue in turn, and no connection may end by their doing, nor any
 * stream be told to be lost. Unmodified ccxt against sockets that speak as the venues do (`kit/spoken-venues`).
 */
import { readerStorm } from "../../kit/spoken-venues/storm.ts"
import { SPOKEN } from "../../kit/spoken-venues/venues.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"

export interface ReaderStormRun {
  readonly steps: number
  readonly instruments: number
  readonly seed: number
  /** One of them, or all. */
  readonly venue: string | undefined
  readonly progress: (line: string) => void
}

export const readerStorms = async (run: ReaderStormRun): Promise<ReadonlyArray<Verdict>> => {
  const { steps, instruments, seed, venue, progress } = run
  const verdicts: Array<Verdict> = []
  for (const name of Object.keys(SPOKEN)) {
    if (venue !== undefined && venue !== name) continue
    const { opened, closed, read, ended, lost, behind } = await readerStorm(name, { instruments, steps, seed })
    progress(
      `${name}: ${opened} opened, ${closed} closed, ${read} read; ${ended} connections ended, ${lost.length} lost`,
    )
    const wrong = [
      ...Array.from({ length: ended }, () => "a connection ended"),
      ...lost,
      ...behind.map((it) => `the book of ${it} is behind`),
    ]
    verdicts.push(none(`${name}: what ended by readers on ${instruments} instruments`, wrong, `${steps} steps`))
  }
  return verdicts
}
