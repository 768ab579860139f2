/**
 * Trades as two channels show them: `trades-all` says every match at once, `trades` says the matches of one taker at one price
 * together, under the last one's id and with their count.
 */
import type { PublicTrade } from "../binance/model.ts"
import type { Channels } from "./channels.ts"
import { aggregateRow, tradeRow } from "./wire-public.ts"

interface Gathered {
  readonly instId: string
  readonly matches: [PublicTrade, ...Array<PublicTrade>]
}

export class TradeStreams {
  #gathered: Gathered | undefined

  constructor(readonly channels: Channels) {}

  onTrade(instId: string, trade: PublicTrade): void {
    const arg = { channel: "trades-all", instId }
    this.channels.publish("trades-all", instId, JSON.stringify({ arg, data: [tradeRow(instId, trade)] }))
    const last = this.#gathered?.matches.at(-1)
    const isSame =
      this.#gathered?.instId === instId && last?.price === trade.price && last.isBuyerMaker === trade.isBuyerMaker
    if (isSame) this.#gathered?.matches.push(trade)
    else {
      this.flush()
      this.#gathered = { instId, matches: [trade] }
      // A taker matches in one go: whatever comes later is another one's.
      queueMicrotask(() => this.flush())
    }
  }

  /** The taker is done. */
  flush(): void {
    const gathered = this.#gathered
    if (gathered === undefined) return
    this.#gathered = undefined
    const { instId, matches } = gathered
    const arg = { channel: "trades", instId }
    this.channels.publish("trades", instId, JSON.stringify({ arg, data: [aggregateRow(instId, matches)] }))
  }
}
