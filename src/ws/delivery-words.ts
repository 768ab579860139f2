/** What a row of the namespace table means for a client, in words. */
import type { ChannelKindSettings } from "./channel-kinds.ts"

const span = (seconds: number): string =>
  seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`
const bytes = (count: number): string =>
  count >= 1_048_576 ? `${count / 1_048_576} MiB` : count >= 1024 ? `${count / 1024} KiB` : `${count} bytes`

const RECOVERY = {
  stream: "Whoever comes back with a position gets everything that was missed, or is told that it is gone",
  cache: "Everybody gets the latest value after subscribing",
  none: "None: publications have no positions",
} as const

export const historyWords = (row: ChannelKindSettings): string =>
  row.historySize === 0
    ? "none"
    : `${row.historySize.toLocaleString("en")} publications, ${span(row.historyTtlSeconds)}, at most ${bytes(row.historyBytesMax)}`

export const recoveryWords = ({ recovery, recoveryMax }: ChannelKindSettings): string =>
  recovery === "stream" ? `${RECOVERY.stream} (at most ${recoveryMax.toLocaleString("en")})` : RECOVERY[recovery]

/** What may be asked for with a subscribe or beside it. */
export const offers = (row: ChannelKindSettings): ReadonlyArray<string> => [
  ...(row.historySize > 0 ? ["history"] : []),
  ...(row.delta ? ["delta"] : []),
  ...(row.tagsFilter ? ["tags filter"] : []),
  ...(row.presence ? ["presence"] : []),
  ...(row.joinLeave ? ["join and leave"] : []),
  ...(row.publish ? ["publish"] : []),
]

export const paceWords = ({ windowMillis, behind }: ChannelKindSettings): string =>
  `${windowMillis === 0 ? "Every publication leaves at once" : `On a busy gateway gathered for up to ${windowMillis} ms`}; ${
    behind === "conflate"
      ? "a reader that falls behind gets the present state again, and is closed with 3008 only at the limit"
      : "a reader that falls behind is closed with 3008, and recovers when it comes back"
  }`

export const deliveryWords = (row: ChannelKindSettings): string =>
  [
    `History: ${historyWords(row)}.`,
    `Recovery: ${recoveryWords(row)}.`,
    `Offers: ${offers(row).join(", ") || "nothing else"}.`,
    `${paceWords(row)}.`,
  ].join("\n")
