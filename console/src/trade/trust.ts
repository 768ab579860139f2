/** Why a book may not be traded on, in a sentence. */
import type { Distrust } from "../../../clients/typescript/src/index.ts"

/** Without a word of a book. Quiet markets are told apart from mute sockets by the gateway itself. */
export const SILENCE_MS = 30_000

export const WHY: Readonly<Record<Distrust, string>> = {
  OPENING: "Waiting for the first snapshot of the book.",
  CUT: "The connection is cut: this is how the book was. It comes back by itself.",
  GAP: "An update was missing: the book is loaded anew.",
  RESYNCING: "The venue's stream lost its place: the gateway takes a new snapshot.",
  STALE: "The venue is silent, says the gateway: this is how the book was.",
  SILENT: "Nothing was told for a while over a connection that is open.",
  ENDED: "The channel has ended.",
}
