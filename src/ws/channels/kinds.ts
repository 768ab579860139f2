/**
 * The namespace table: one row per kind of channel says how its publications travel and what clients may do there (realtime B). The
 * setting CHANNELS changes single cells; every row is checked at start.
 */
import { ParseResult, Schema } from "effect"
import type { ChannelKind } from "../../domain/channel.ts"

const Count = (max: number) => Schema.Int.pipe(Schema.between(0, max))

/** One row of the table. */
export const ChannelKindSettings = Schema.Struct({
  /** Publications that are remembered for recovery and `history`; 0 = none. */
  historySize: Count(100_000),
  /** How long, in seconds. */
  historyTtlSeconds: Count(2_592_000),
  /** How much text of one channel, in bytes. */
  historyBytesMax: Count(1_073_741_824),
  /**
   * stream: a client that resubscribes with a position gets everything it missed. cache: every client gets the latest value. none: publications
   * have no positions.
   */
  recovery: Schema.Literal("stream", "cache", "none"),
  /** More missed publications than this are not recovered. */
  recoveryMax: Count(100_000),
  /** In cache mode: so many last words on what is over (closed bars) are kept for readers who come back; 0 = there are none. */
  finalsMax: Count(100_000),
  /** Who is there may be asked. */
  presence: Schema.Boolean,
  /** Subscribers are told who comes and goes. */
  joinLeave: Schema.Boolean,
  /** Fossil deltas may be negotiated. */
  delta: Schema.Boolean,
  /** Subscribers may filter by tags. */
  tagsFilter: Schema.Boolean,
  /** Clients may publish. */
  publish: Schema.Boolean,
  /**
   * Publications of a busy server may be gathered this long, in ms, before they leave in one frame per socket; 0 = always at once.
   * While the server is idle nothing waits, whatever stands here.
   */
  windowMillis: Count(1000),
  /**
   * What becomes of a socket that does not keep up, before it is closed at the limit. conflate: it gets nothing more of the channel
   * until it has read what waits, and then the present state. close: nothing may be left out.
   */
  behind: Schema.Literal("conflate", "close"),
})
export type ChannelKindSettings = typeof ChannelKindSettings.Type

export type ChannelKinds = { readonly [K in ChannelKind]: ChannelKindSettings }

const MEBIBYTE = 1_048_576

const account: ChannelKindSettings = {
  historySize: 1000,
  historyTtlSeconds: 600,
  historyBytesMax: 4 * MEBIBYTE,
  recovery: "stream",
  recoveryMax: 1000,
  finalsMax: 0,
  presence: false,
  joinLeave: false,
  delta: true,
  tagsFilter: true,
  publish: false,
  windowMillis: 0,
  behind: "close",
}

/** The defaults; `windowMillis` is WS_FLUSH_MILLIS. Account events are never gathered. */
export const defaultChannelKinds = (windowMillis: number): ChannelKinds => {
  const market: ChannelKindSettings = {
    ...account,
    historyBytesMax: MEBIBYTE,
    historyTtlSeconds: 60,
    windowMillis,
    tagsFilter: false,
  }
  const ticker: ChannelKindSettings = { ...market, historySize: 0, recovery: "cache", behind: "conflate" }
  return {
    tradingAccount: account,
    // Maps of what an account holds now: they know themselves what has changed, and after too much of it tell everything again.
    accountOrders: { ...account, historySize: 0, recoveryMax: 256, delta: false },
    accountPositions: { ...account, historySize: 0, recoveryMax: 256, delta: false },
    // A book's SNAPSHOT and DIFFs never travel as deltas (contract C13).
    orderbook: { ...market, historySize: 256, recoveryMax: 256, delta: false, behind: "conflate" },
    trade: { ...market, historySize: 100, recoveryMax: 100, tagsFilter: true },
    ticker,
    // Every instrument's value follows another's: a delta would be longer than the record.
    venueTicker: { ...ticker, delta: false, tagsFilter: true },
    // The newest bar wins while it lives; every closed one counts, so nothing may be left out for a slow reader.
    kline: { ...ticker, finalsMax: 100, behind: "close" },
  }
}

/** The setting names a kind or a cell that does not exist, or a value out of range; the message says which. */
export class InvalidChannelKinds extends Error {
  override readonly name = "InvalidChannelKinds"
}

const decode = Schema.decodeUnknownSync(Schema.partial(ChannelKindSettings), { onExcessProperty: "error" })

/** The table with the operator's changes: kind → some cells. Throws InvalidChannelKinds. */
export const channelKinds = (
  windowMillis: number,
  changes: Readonly<Record<string, unknown>> | null = null,
): ChannelKinds => {
  const table: Record<string, ChannelKindSettings> = { ...defaultChannelKinds(windowMillis) }
  for (const [kind, cells] of Object.entries(changes ?? {})) {
    const row = Object.hasOwn(table, kind) ? table[kind] : undefined
    if (row === undefined)
      throw new InvalidChannelKinds(
        `there is no channel kind "${kind}"; the kinds are ${Object.keys(table).join(", ")}`,
      )
    table[kind] = changedRow(kind, row, cells)
  }
  return table as ChannelKinds
}

/** The row with some cells of the operator's. Throws InvalidChannelKinds. */
export const changedRow = (name: string, row: ChannelKindSettings, cells: unknown): ChannelKindSettings => {
  try {
    return checked(name, { ...row, ...(decode(cells) as Partial<ChannelKindSettings>) })
  } catch (error) {
    if (!ParseResult.isParseError(error)) throw error
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
    throw new InvalidChannelKinds(`${[name, ...(issue?.path ?? [])].join(".")}: ${issue?.message}`)
  }
}

const checked = (kind: string, row: ChannelKindSettings): ChannelKindSettings => {
  if (row.recovery === "stream" && row.historySize > 0 && row.historyTtlSeconds === 0)
    throw new InvalidChannelKinds(`${kind}: a history of ${row.historySize} needs a historyTtlSeconds above 0`)
  // A delta goes on from what its reader had last, and a book's reader begins with a SNAPSHOT, which no publication before it is.
  if (kind === "orderbook" && row.delta)
    throw new InvalidChannelKinds(
      'orderbook.delta: a book starts with a SNAPSHOT, to which deltas cannot be applied; only "false" is possible',
    )
  if (row.behind === "conflate" && !["orderbook", "ticker", "venueTicker"].includes(kind))
    throw new InvalidChannelKinds(`${kind}.behind: no publication may be dropped here; only "close" is possible`)
  return row
}
