/** The books of recorded days, change by change, in one piece: from the snapshot on, by the venue's own rule of what follows it. */
import { type DepthFrame, readCapture } from "./capture.ts"

type Rows = Pick<DepthFrame, "bids" | "asks">

export interface BookChange {
  /** Counts every frame, those before the snapshot too. */
  readonly frame: number
  /** To be applied in this order: absolute quantities, zero deletes. */
  readonly rows: ReadonlyArray<Rows>
  /** False: the snapshot itself. */
  readonly isFrame: boolean
}

/** `files`: captures that follow each other without a gap; the first has the snapshot. */
export async function* bookChanges(...files: ReadonlyArray<string>): AsyncGenerator<BookChange> {
  let frame = 0
  let lastId = 0
  const early: Array<DepthFrame> = []
  for (const file of files)
    for await (const line of readCapture(file)) {
      if (line.kind === "snapshot" && lastId === 0) {
        lastId = line.lastUpdateId
        // Frames that came before it may reach beyond it.
        yield { frame, rows: [line, ...early.filter(({ finalUpdateId }) => finalUpdateId > lastId)], isFrame: false }
      }
      if (line.kind !== "depth") continue
      frame++
      if (lastId === 0) early.push(line)
      else if (line.finalUpdateId > lastId) yield { frame, rows: [line], isFrame: true }
    }
}
