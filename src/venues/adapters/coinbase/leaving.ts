/**
 * How a stream of Coinbase ends. ccxt takes one end at a time, and takes it for heard only when no subscription is left; the venue answers each
 * subscription and each end with the list of what it sends. A list without the stream says that it has ended only behind one that had it:
 * before, it may answer what was asked before the stream was.
 */
import type { CcxtSocket, Raw } from "../../worker/exchange/ccxt.ts"
import { type LeavableStream, type Leaving, record } from "../adapter.ts"

const CHANNELS: Readonly<Record<LeavableStream, string>> = { book: "level2", trade: "market_trades", ticker: "ticker" }

/** The channel of books has two names. */
const namesOf = (channel: string): ReadonlyArray<string> => (channel === "level2" ? ["level2", "l2_data"] : [channel])

/** What the venue sends, by its own word; undefined for a message that does not say. */
const sentBy = (message: unknown): Raw | undefined => {
  const { channel, events } = record(message)
  return channel === "subscriptions" && Array.isArray(events) ? record(record(events[0])["subscriptions"]) : undefined
}

const has = (sent: Raw, channel: string, id: string): boolean =>
  namesOf(channel).some((name) => {
    const ids = sent[name]
    return Array.isArray(ids) && ids.includes(id)
  })

/** The newest list of each socket. */
const SENT = new WeakMap<CcxtSocket, Raw>()

export const leaving: Leaving = {
  hear: (socket, message) => {
    const sent = sentBy(message)
    if (sent !== undefined) SENT.set(socket, sent)
  },
  leave: ({ stream, market: { id, symbol }, socket }) => {
    const channel = CHANNELS[stream]
    const known = SENT.get(socket)
    let wasSent = known !== undefined && has(known, channel, id)
    const key = `${channel}::${symbol}`
    return {
      message: { type: "unsubscribe", product_ids: [id], channel },
      keys: [key],
      waiting: [key],
      isHeard: (message) => {
        const sent = sentBy(message)
        if (sent === undefined) return false
        const isSent = has(sent, channel, id)
        const isHeard = wasSent && !isSent
        wasSent ||= isSent
        return isHeard
      },
    }
  },
}
