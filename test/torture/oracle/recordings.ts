/**
 * `oracle`, its second half: every venue of the registry, with what was recorded of it played through its connector and the market's book
 * actor. One line for each recording, and one for each venue that has none: its market data are proven by scripted sockets alone.
 */

import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import { hasCaptures } from "../../exchanges/cryptofeed/capture.ts"
import { publishedBooks } from "../../exchanges/cryptofeed/published-books.ts"
import { CAPTURES, type ReplayRun, replayRun } from "../../exchanges/cryptofeed/replay-run.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

/** Played elsewhere: two days of BINANCE by this torture itself, OKX's checksums by `okx-recorded.test.ts`. */
const NO_RECORDING = "no recording: scripted only"

/** A row of the table that is printed. */
interface Row {
  readonly venue: string
  readonly recording: string
  readonly frames?: number
  /** To depth 200, one whole book after each publication. */
  readonly books?: number
  readonly trades?: number
  readonly lost?: number
  readonly twice?: number
  readonly "changed digits"?: number
}

const twiceOf = ({ heard }: ReplayRun): number => {
  let twice = 0
  for (const { trades } of heard.values())
    twice += trades.length - new Set(trades.map(({ externalTradeId }) => externalTradeId)).size
  return twice
}

const judged = (archive: string, run: ReplayRun): { readonly row: Row; readonly wrong: ReadonlyArray<string> } => {
  const { venue, told, heard, verdict, downs, notices } = run
  const published = told.map((it) => publishedBooks(it, heard.get(it.instrument.instrumentId)?.updates ?? []))
  const books = published.reduce((all, { compared }) => all + compared, 0)
  const unequal = published.flatMap((it) => it.unequal)
  const lost = verdict.lost + verdict.apart + verdict.tradesLost + unequal.length
  const twice = twiceOf(run)
  const row: Row = {
    ...{ venue, recording: archive, frames: verdict.frames, books, trades: verdict.tradesIn, lost, twice },
    "changed digits": verdict.changed,
  }
  const wrong = [
    ...unequal.slice(0, 3),
    ...downs.slice(0, 3),
    ...notices.slice(0, 3),
    ...(lost + twice + verdict.changed > 0 ? [`lost ${lost}, twice ${twice}, changed digits ${verdict.changed}`] : []),
    ...(books !== verdict.updates || verdict.frames === 0 ? [`${books} books compared of ${verdict.updates}`] : []),
  ]
  return { row, wrong }
}

export const recordings = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  if (!hasCaptures) return [{ name: "recordings", passed: true, says: "skipped: they are not beside the repository" }]
  const rows: Array<Row> = []
  const verdicts: Array<Verdict> = []
  for (const [archive, recorded] of CAPTURES) {
    const { row, wrong } = judged(archive, await replayRun(archive, recorded))
    rows.push(row)
    const { venue, frames, books, trades, lost, twice } = row
    const says = `frames ${frames}, whole books compared ${books}, trades ${trades}, lost ${lost}, twice ${twice}, changed digits ${row["changed digits"]}`
    verdicts.push({
      name: `${venue} of ${archive}`,
      passed: wrong.length === 0,
      says: [says, ...wrong].join("; "),
    })
    progress(`${venue} of ${archive}: ${says}`)
  }
  const played = new Set(rows.map(({ venue }) => venue))
  for (const { venue, sandbox } of PROFILES)
    if (!sandbox && !played.has(venue)) rows.push({ venue, recording: NO_RECORDING })
  // The table is what is asked for: it goes where the verdicts go.
  console.table(rows)
  return verdicts
}
