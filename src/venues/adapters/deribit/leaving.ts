/** How a stream of Deribit ends, which ccxt does not know: by the names of its channels, answered by the request's number. */
import type { Raw } from "../../worker/exchange/ccxt.ts"
import type { LeavableStream, Leaving } from "../adapter.ts"

const KINDS: Readonly<Record<LeavableStream, string>> = { book: "book", trade: "trades", ticker: "ticker" }

const record = (value: unknown): Raw => (typeof value === "object" && value !== null ? (value as Raw) : {})

export const leaving: Leaving = {
  leave: ({ stream, market: { id, symbol }, socket, request }) => {
    const kind = KINDS[stream]
    const channels = Object.keys(socket.subscriptions).filter((key) => key.startsWith(`${kind}.${id}.`))
    const number = request()
    return {
      message: { jsonrpc: "2.0", method: "public/unsubscribe", params: { channels }, id: number },
      keys: channels,
      // ccxt waits for `book|BTC/USDC:USDC|100ms`, and for a ticker by its channel.
      waiting: [...channels, ...Object.keys(socket.futures).filter((key) => key.startsWith(`${kind}|${symbol}|`))],
      // Frames are read with their numbers as texts (`bareNumbers`).
      isHeard: (message) => String(record(message)["id"]) === String(number),
    }
  },
}
