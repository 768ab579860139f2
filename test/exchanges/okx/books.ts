/** The `books` channel: 400 levels a side every 100 ms; `prevSeqId` of an update is the `seqId` of the message before. */
import type { Market } from "../binance/market.ts"
import { ShownBooks, type ShownLevel } from "../shown-books.ts"
import type { Channels } from "./channels.ts"
import type { OkxFaults } from "./faults.ts"

const LEVELS = 400

const row = ({ price, size, orders }: ShownLevel): ReadonlyArray<string> => [price, size, "0", orders]

export const okxBooks = (
  markets: ReadonlyMap<string, Market>,
  channels: Channels,
  faults: OkxFaults,
  now: () => number,
): ShownBooks =>
  new ShownBooks({
    markets,
    levels: LEVELS,
    faults,
    isHeld: () => faults.booksHeld,
    publish: (instId, text) => channels.publish("books", instId, text),
    write: ({ symbol, kind, bids, asks, previous, sequence }) =>
      JSON.stringify({
        arg: { channel: "books", instId: symbol },
        action: kind,
        data: [
          {
            asks: asks.map(row),
            bids: bids.map(row),
            ts: String(now()),
            prevSeqId: previous,
            seqId: sequence,
          },
        ],
      }),
  })
