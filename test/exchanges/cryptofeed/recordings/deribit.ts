/**
 * Deribit, 2021. The capture has ten options, and DERIBIT lists perpetuals only (contract C14a): the list of instruments, which is
 * made from the recorded one, calls each option the perpetual of a base asset of that name. Their messages are untouched but for the
 * name of the subscription: `raw` is for logged-in clients, ccxt takes the stream of `100ms`, which has the same form.
 */
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { DERIBIT } from "../../../../src/venues/adapters/deribit/profile.ts"
import type { Level, Recorded } from "../recording.ts"
import { listAt, readSpelled, type Spelled, textAt } from "../spelled-json.ts"

const [profile] = DERIBIT
if (profile === undefined) throw new Error("Deribit has no profile")

const RAW = /\.raw"/g

/** `BTC-24SEP21-8000-P` → `BTC24SEP218000P` */
const assetOf = (instrument: string): string => instrument.replaceAll("-", "")

/** `["new" | "change" | "delete", price, amount]` */
const side = (rows: ReadonlyArray<Spelled>): ReadonlyArray<Level> =>
  rows.map((row) => [textAt(row, 1), textAt(row, 0) === "delete" ? "0" : textAt(row, 2)])

export const deribit: Recorded = ({ answers, frames }) => {
  const recorded = frames.flatMap((text) => {
    const channel = textAt(readSpelled(text), "params", "channel")
    return channel.startsWith("book.") ? [channel.slice("book.".length, -".raw".length)] : []
  })
  const instruments = [...new Set(recorded)]
  const steps = new Map(
    [...answers.values()].flatMap((body) =>
      listAt(readSpelled(body), "result").map((it) => [textAt(it, "instrument_name"), it] as const),
    ),
  )
  return {
    profile,
    instruments: instruments.map((instrument) => ({
      instrumentId: `DERIBIT:${assetOf(instrument)}/USD` as InstrumentId,
      bookStream: `book.${instrument}.100ms`,
      tradeStream: `trades.${instrument}.100ms`,
    })),
    rest: (path) => {
      if (path.startsWith("/api/v2/public/get_time")) return JSON.stringify({ jsonrpc: "2.0", result: Date.now() })
      if (path.startsWith("/api/v2/public/get_currencies")) return '{"jsonrpc":"2.0","result":[]}'
      if (!path.startsWith("/api/v2/public/get_instruments")) return undefined
      const result = instruments.map((instrument) => ({
        instrument_name: instrument,
        base_currency: assetOf(instrument),
        counter_currency: "USD",
        settlement_currency: assetOf(instrument),
        kind: "future",
        settlement_period: "perpetual",
        instrument_type: "reversed",
        is_active: true,
        tick_size: Number(textAt(steps.get(instrument), "tick_size")),
        min_trade_amount: Number(textAt(steps.get(instrument), "min_trade_amount")),
        contract_size: 1,
      }))
      return JSON.stringify({ jsonrpc: "2.0", result })
    },
    asked: (message) => {
      const streams = listAt(message, "params", "channels").map(String)
      const reply = { jsonrpc: "2.0", id: Number(textAt(message, "id")), result: streams }
      return { streams, replies: [JSON.stringify(reply)] }
    },
    streamOf: (frame) => {
      const channel = textAt(frame, "params", "channel")
      return channel === "" ? undefined : channel.replace(/\.raw$/, ".100ms")
    },
    dressed: (text) => text.replace(RAW, '.100ms"'),
    book: (frame) => ({
      isSnapshot: textAt(frame, "params", "data", "type") === "snapshot",
      bids: side(listAt(frame, "params", "data", "bids")),
      asks: side(listAt(frame, "params", "data", "asks")),
    }),
    trades: (frame) =>
      listAt(frame, "params", "data").map((trade) => ({
        id: textAt(trade, "trade_id"),
        price: textAt(trade, "price"),
        quantity: textAt(trade, "amount"),
      })),
  }
}
