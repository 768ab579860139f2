/** What a row of the namespace table means for a client, in words. */
import type { ChannelKindSettings } from "../channels/kinds.ts"

export interface Delivery {
  readonly history: string
  readonly recovery: string
  /** What may be asked for with a subscribe or beside it. */
  readonly offers: ReadonlyArray<string>
  readonly pace: string
}

const count = (whole: number): string => whole.toLocaleString("en")
const span = (seconds: number): string =>
  seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`
const bytes = (whole: number): string =>
  whole >= 1_048_576 ? `${whole / 1_048_576} MiB` : whole >= 1024 ? `${whole / 1024} KiB` : `${whole} bytes`

const history = (row: ChannelKindSettings): string =>
  row.historySize === 0
    ? "none"
    : `${count(row.historySize)} publications, ${span(row.historyTtlSeconds)}, at most ${bytes(row.historyBytesMax)}`

const recovery = (row: ChannelKindSettings): string => {
  switch (row.recovery) {
    case "stream":
      return `a client that resubscribes with a position gets everything it missed, at most ${count(row.recoveryMax)} publications, or a notice that it is no longer available`
    case "cache":
      return `every subscriber first gets the latest value${
        row.finalsMax === 0
          ? ""
          : `; a client that resubscribes with a position also gets the bars closed meanwhile, the last ${count(row.finalsMax)}, or a notice that some are no longer available`
      }`
    case "none":
      return "none, publications have no positions"
  }
}

const pace = ({ windowMillis, behind }: ChannelKindSettings): string =>
  `${windowMillis === 0 ? "every publication is sent immediately" : `on a busy gateway batched for up to ${windowMillis} ms`}; ${
    behind === "conflate"
      ? "a client that falls behind gets the current state instead, and is disconnected with 3008 only at the limit"
      : "a client that falls behind is disconnected with 3008, and recovers when it reconnects"
  }`

/** Of a channel that is subscribed as a stream. */
export const streamDelivery = (row: ChannelKindSettings): Delivery => ({
  history: history(row),
  recovery: recovery(row),
  offers: [
    ...(row.historySize > 0 ? ["history"] : []),
    ...(row.delta ? ["delta"] : []),
    ...(row.tagsFilter ? ["tags filter"] : []),
    ...(row.presence ? ["presence"] : []),
    ...(row.joinLeave ? ["join and leave"] : []),
    ...(row.publish ? ["publish"] : []),
  ],
  pace: pace(row),
})

/** Of one that is subscribed as a map. `changesMax`: more changed entries than this are not told one by one. */
export const mapDelivery = (row: ChannelKindSettings, changesMax: number | null): Delivery => ({
  history: "the current entries",
  recovery: `a client that resubscribes gets the entries that changed${
    changesMax === null ? "" : `, or all of them when there were more than ${count(changesMax)} changes`
  }`,
  offers: row.tagsFilter ? ["tags filter"] : [],
  pace: pace(row),
})

export const deliveryWords = (delivery: Delivery): ReadonlyArray<string> => [
  `History: ${delivery.history}.`,
  `Recovery: ${delivery.recovery}.`,
  `Offers: ${delivery.offers.join(", ") || "nothing else"}.`,
  `Pace: ${delivery.pace}.`,
]
