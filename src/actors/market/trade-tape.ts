/** The trades of one instrument while its stream is open: each is one publication, in the venue's order (contract C13). */
import type { Context } from "effect"
import { tradeChannel } from "../../domain/channel.ts"
import { type InstrumentId, nameUuid } from "../../domain/ids.ts"
import type { InstrumentName } from "../../domain/instrument/instrument.ts"
import type { TradeRecord } from "../../domain/market/market.ts"
import { dateTime } from "../../foundation/time.ts"
import type { ChannelPort, StreamPosition } from "../../ports/channel-port.ts"
import type { MarketTrade } from "../../ports/market-source.ts"
import { ChannelCursor } from "./channel-cursor.ts"

/** By the taker's side; made once. */
const TAGS = { BUY: { side: "BUY" }, SELL: { side: "SELL" }, UNKNOWN: { side: "UNKNOWN" } } as const

export class TradeTape {
  readonly #instrumentId: InstrumentId
  readonly #name: InstrumentName
  readonly #channel: string
  readonly #channels: Context.Tag.Service<typeof ChannelPort>
  readonly #cursor: ChannelCursor
  /** Null before the first, and after an interruption until the next. */
  last: MarketTrade | null = null

  constructor(options: {
    readonly instrumentId: InstrumentId
    readonly name: InstrumentName
    readonly channels: Context.Tag.Service<typeof ChannelPort>
    readonly newEpoch: () => string
  }) {
    this.#instrumentId = options.instrumentId
    this.#name = options.name
    this.#channel = tradeChannel(options.instrumentId)
    this.#channels = options.channels
    this.#cursor = new ChannelCursor(options.newEpoch)
  }

  publish(trade: MarketTrade): void {
    this.last = trade
    const heard = this.#channels.isHeard(this.#channel)
    const sequence = this.#cursor.next(heard)
    if (!heard) return
    const { venue, symbol } = this.#name
    const record: TradeRecord = {
      // The same trade has the same id in every process and after every restart.
      tradeId: nameUuid(`${venue}|${this.#instrumentId}|${trade.externalTradeId}`),
      externalTradeId: trade.externalTradeId,
      instrumentId: this.#instrumentId,
      venue,
      symbol,
      price: trade.price,
      quantity: trade.quantity,
      side: trade.side,
      timestamp: trade.at,
      timestampDateTime: dateTime(trade.at),
      sequence,
    }
    this.#channels.publish({
      channel: this.#channel,
      kind: "trade",
      epoch: this.#cursor.epoch,
      offset: sequence,
      json: JSON.stringify(record),
      tags: TAGS[trade.side],
    })
  }

  /** Trades are missing for good: no position of before leads to what comes next, and who listens starts over. */
  broke(): void {
    this.#cursor.broke()
    this.#channels.invalidate(this.#channel)
  }

  /** A first subscriber comes. */
  opened(): void {
    this.#cursor.opened()
  }

  position(): StreamPosition {
    return { epoch: this.#cursor.epoch, offset: this.#cursor.offset, snapshot: null }
  }
}
