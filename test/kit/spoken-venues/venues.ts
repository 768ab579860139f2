/**
 * The public sockets of the venues, as far as a book needs them: what each is asked, and what it answers. A venue that has been told to
 * stop goes on for two changes, as those do that are on their way, before it acknowledges.
 */

import { crc32 } from "node:zlib"

type Words = Readonly<Record<string, unknown>>
type Level = readonly [price: string, quantity: string]

/** The book of one market: one level moves with every change, so its quantity tells how far a reader has come. */
export interface SpokenBook {
  readonly id: string
  /** Of the newest change. */
  sequence: number
  readonly bids: () => ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
}

/** One connection at the venue. */
export interface Line {
  readonly say: (frame: unknown) => void
  /** By the venue's own name of the stream. */
  readonly taken: Map<string, Taken>
  /** Counted by those that count what they send. */
  sent: number
}

export interface Taken {
  readonly book: SpokenBook
  /** A number of the venue's own, where it gives one. */
  readonly channel: number
}

/** What a frame of the client asks for. */
export interface Asked {
  readonly way: "subscribe" | "unsubscribe"
  /** Names of streams. */
  readonly streams: ReadonlyArray<string>
  readonly frame: Words
}

export interface SpokenVenue {
  readonly idOf: (base: string, quote: string) => string
  readonly greeting?: unknown
  readonly read: (frame: Words, line: Line) => Asked | null
  /** The market of a stream that is a book; null: nothing of it is ever sent. */
  readonly marketOf: (stream: string) => string | null
  readonly acknowledge: (asked: Asked, line: Line, sequence: () => number) => ReadonlyArray<unknown>
  /** Null where it comes by REST. */
  readonly snapshot: ((stream: string, taken: Taken, sequence: () => number) => unknown) | null
  readonly change: (stream: string, taken: Taken, sequence: () => number) => unknown
  /** What it answers by HTTP. */
  readonly answer?: (url: string, book: (id: string) => SpokenBook) => unknown
}

const words = (value: unknown): Words => (typeof value === "object" && value !== null ? (value as Words) : {})
const texts = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.map(String) : [])
const way = (word: unknown, on: string, off: string): Asked["way"] | null =>
  word === on ? "subscribe" : word === off ? "unsubscribe" : null
const moved = ({ bids }: SpokenBook): Level => bids()[0] ?? ["0", "0"]
const AT = 1_700_000_000_000

const bybit: SpokenVenue = {
  idOf: (base, quote) => base + quote,
  read: (frame) => {
    const found = way(frame["op"], "subscribe", "unsubscribe")
    return found && { way: found, streams: texts(frame["args"]), frame }
  },
  marketOf: (stream) => (stream.startsWith("orderbook.") ? (stream.split(".")[2] ?? null) : null),
  acknowledge: ({ frame }) => [{ success: true, ret_msg: "", conn_id: "1", req_id: frame["req_id"], op: frame["op"] }],
  snapshot: (topic, { book }) => ({
    topic,
    type: "snapshot",
    ts: AT,
    data: { s: book.id, b: book.bids(), a: book.asks, u: book.sequence, seq: book.sequence },
  }),
  change: (topic, { book }) => ({
    topic,
    type: "delta",
    ts: AT,
    data: { s: book.id, b: [moved(book)], a: [], u: book.sequence, seq: book.sequence },
  }),
}

const gate: SpokenVenue = {
  idOf: (base, quote) => `${base}_${quote}`,
  read: (frame) => {
    const found = way(frame["event"], "subscribe", "unsubscribe")
    const prefix = frame["channel"] === "spot.obu" ? "" : `${frame["channel"]}:`
    return found && { way: found, streams: texts(frame["payload"]).map((it) => prefix + it), frame }
  },
  marketOf: (stream) => /^ob\.(.+)\.50$/.exec(stream)?.[1] ?? null,
  acknowledge: ({ frame: { id, channel, event, payload } }) => [
    { time: 1, id, channel, event, payload, error: null, result: { status: "success" } },
  ],
  snapshot: (s, { book }) => ({
    channel: "spot.obu",
    event: "update",
    result: { t: AT, full: true, s, u: book.sequence, b: book.bids(), a: book.asks },
  }),
  change: (s, { book }) => ({
    channel: "spot.obu",
    event: "update",
    result: { t: AT, s, U: book.sequence, u: book.sequence, b: [moved(book)], a: [] },
  }),
}

const coinbaseLevel = (side: string, [price_level, new_quantity]: Level): Words => ({
  side,
  event_time: "1970-01-01T00:00:00Z",
  price_level,
  new_quantity,
})
const coinbase: SpokenVenue = {
  idOf: (base, quote) => `${base}-${quote}`,
  read: (frame) => {
    const found = way(frame["type"], "subscribe", "unsubscribe")
    const streams = texts(frame["product_ids"]).map((id) => `${frame["channel"]}:${id}`)
    return found && { way: found, streams, frame }
  },
  marketOf: (stream) => (stream.startsWith("level2:") ? stream.slice(7) : null),
  acknowledge: (_, { taken }, sequence) => {
    const subscriptions: Record<string, Array<string>> = {}
    for (const stream of taken.keys()) {
      const [channel = "", id = ""] = stream.split(":")
      subscriptions[channel] = [...(subscriptions[channel] ?? []), id]
    }
    return [{ channel: "subscriptions", timestamp: "", sequence_num: sequence(), events: [{ subscriptions }] }]
  },
  snapshot: (_, { book }, sequence) => ({
    channel: "l2_data",
    timestamp: "2024-01-01T00:00:00Z",
    sequence_num: sequence(),
    events: [
      {
        type: "snapshot",
        product_id: book.id,
        updates: [
          ...book.bids().map((it) => coinbaseLevel("bid", it)),
          ...book.asks.map((it) => coinbaseLevel("offer", it)),
        ],
      },
    ],
  }),
  change: (_, { book }, sequence) => ({
    channel: "l2_data",
    timestamp: "2024-01-01T00:00:00Z",
    sequence_num: sequence(),
    events: [{ type: "update", product_id: book.id, updates: [coinbaseLevel("bid", moved(book))] }],
  }),
}

const deribitLevel = ([price, quantity]: Level): ReadonlyArray<unknown> => ["new", Number(price), Number(quantity)]
const deribit: SpokenVenue = {
  idOf: (base, quote) => `${base}_${quote}-PERPETUAL`,
  read: (frame) => {
    const found = way(frame["method"], "public/subscribe", "public/unsubscribe")
    return found && { way: found, streams: texts(words(frame["params"])["channels"]), frame }
  },
  marketOf: (stream) => (stream.startsWith("book.") ? (stream.split(".")[1] ?? null) : null),
  acknowledge: ({ frame, streams }) => [{ jsonrpc: "2.0", id: frame["id"], result: streams }],
  snapshot: (channel, { book }) => ({
    jsonrpc: "2.0",
    method: "subscription",
    params: {
      channel,
      data: {
        type: "snapshot",
        timestamp: AT,
        instrument_name: book.id,
        change_id: book.sequence,
        bids: book.bids().map(deribitLevel),
        asks: book.asks.map(deribitLevel),
      },
    },
  }),
  change: (channel, { book }) => ({
    jsonrpc: "2.0",
    method: "subscription",
    params: {
      channel,
      data: {
        type: "change",
        timestamp: AT,
        instrument_name: book.id,
        prev_change_id: book.sequence - 1,
        change_id: book.sequence,
        bids: [["change", Number(moved(book)[0]), Number(moved(book)[1])]],
        asks: [],
      },
    },
  }),
}

/** It says nothing to a subscription, nor to its end. */
const gemini: SpokenVenue = {
  idOf: (base, quote) => (base + quote).toLowerCase(),
  read: (frame) => {
    const found = way(frame["type"], "subscribe", "unsubscribe")
    const [first] = (frame["subscriptions"] ?? []) as ReadonlyArray<Words>
    return found && { way: found, streams: texts(first?.["symbols"]), frame }
  },
  marketOf: (stream) => stream.toLowerCase(),
  acknowledge: () => [],
  snapshot: (symbol, { book }) => ({
    type: "l2_updates",
    symbol,
    changes: [...book.bids().map((it) => ["buy", ...it]), ...book.asks.map((it) => ["sell", ...it])],
    trades: [],
    auction_events: [],
  }),
  change: (symbol, { book }) => ({ type: "l2_updates", symbol, changes: [["buy", ...moved(book)]] }),
}

const futuresLevel = ([price, qty]: Level): Words => ({ price: Number(price), qty: Number(qty) })
const krakenfutures: SpokenVenue = {
  idOf: (base, quote) => `PF_${base}${quote}`,
  greeting: { event: "info", version: 1 },
  read: (frame) => {
    const found = way(frame["event"], "subscribe", "unsubscribe")
    return found && { way: found, streams: texts(frame["product_ids"]).map((id) => `${frame["feed"]}:${id}`), frame }
  },
  marketOf: (stream) => (stream.startsWith("book:") ? stream.slice(5) : null),
  acknowledge: ({ way: done, frame: { feed, product_ids } }) => [{ event: `${done}d`, feed, product_ids }],
  snapshot: (_, { book }) => ({
    feed: "book_snapshot",
    product_id: book.id,
    timestamp: AT,
    seq: book.sequence,
    bids: book.bids().map(futuresLevel),
    asks: book.asks.map(futuresLevel),
  }),
  change: (_, { book }) => ({
    feed: "book",
    product_id: book.id,
    side: "buy",
    seq: book.sequence,
    timestamp: AT,
    ...futuresLevel(moved(book)),
  }),
}

const bitfinexLevel = ([price, quantity]: Level, sign: number): ReadonlyArray<number> => [
  Number(price),
  1,
  sign * Number(quantity),
]
const bitfinex: SpokenVenue = {
  idOf: (base, quote) => `t${base}${quote}`,
  greeting: { event: "info", version: 2, platform: { status: 1 } },
  read: (frame, line) => {
    const found = way(frame["event"], "subscribe", "unsubscribe")
    const left = [...line.taken].filter(([, { channel }]) => channel === Number(frame["chanId"]))
    const streams = found === "unsubscribe" ? left.map(([it]) => it) : [`${frame["channel"]}:${frame["symbol"]}`]
    return found && { way: found, streams, frame }
  },
  marketOf: (stream) => (stream.startsWith("book:") ? stream.slice(5) : null),
  acknowledge: ({ way: done, streams, frame }, line) =>
    done === "unsubscribe"
      ? [{ event: "unsubscribed", status: "OK", chanId: Number(frame["chanId"]) }]
      : streams.map((stream) => ({
          event: "subscribed",
          channel: frame["channel"],
          chanId: line.taken.get(stream)?.channel,
          symbol: frame["symbol"],
        })),
  snapshot: (_, { book, channel }) => [
    channel,
    [...book.bids().map((it) => bitfinexLevel(it, 1)), ...book.asks.map((it) => bitfinexLevel(it, -1))],
  ],
  change: (_, { book, channel }) => [channel, bitfinexLevel(moved(book), 1)],
}

const okx: SpokenVenue = {
  idOf: (base, quote) => `${base}-${quote}`,
  read: (frame) => {
    const found = way(frame["op"], "subscribe", "unsubscribe")
    const args = (frame["args"] ?? []) as ReadonlyArray<Words>
    return found && { way: found, streams: args.map(({ channel, instId }) => `${channel}:${instId}`), frame }
  },
  marketOf: (stream) => (stream.startsWith("books:") ? stream.slice(6) : null),
  acknowledge: ({ way: done, streams }) =>
    streams.map((stream) => {
      const [channel, instId] = stream.split(":")
      return { event: done, arg: { channel, instId }, connId: "1" }
    }),
  snapshot: (_, { book }) => ({
    arg: { channel: "books", instId: book.id },
    action: "snapshot",
    data: [
      {
        bids: book.bids().map((it) => [...it, "0", "1"]),
        asks: book.asks.map((it) => [...it, "0", "1"]),
        ts: String(AT),
        seqId: book.sequence,
        prevSeqId: -1,
      },
    ],
  }),
  change: (_, { book }) => ({
    arg: { channel: "books", instId: book.id },
    action: "update",
    data: [
      {
        bids: [[...moved(book), "0", "1"]],
        asks: [],
        ts: String(AT),
        seqId: book.sequence,
        prevSeqId: book.sequence - 1,
      },
    ],
  }),
}

const binance: SpokenVenue = {
  idOf: (base, quote) => base + quote,
  read: (frame) => {
    const found = way(frame["method"], "SUBSCRIBE", "UNSUBSCRIBE")
    return found && { way: found, streams: texts(frame["params"]), frame }
  },
  marketOf: (stream) => (stream.includes("@depth") ? (stream.split("@")[0] ?? "").toUpperCase() : null),
  acknowledge: ({ frame }) => [{ result: null, id: frame["id"] }],
  snapshot: null,
  change: (_, { book: { id, sequence }, book }) => ({
    e: "depthUpdate",
    E: AT,
    T: AT,
    s: id,
    U: sequence,
    u: sequence,
    b: [moved(book)],
    a: [],
  }),
  answer: (url, book) => {
    const found = book(new URL(url).searchParams.get("symbol") ?? "")
    return { lastUpdateId: found.sequence, bids: found.bids(), asks: found.asks }
  },
}
const binanceusdm: SpokenVenue = {
  ...binance,
  change: (stream, taken, sequence) => ({
    ...words(binance.change(stream, taken, sequence)),
    pu: taken.book.sequence - 1,
  }),
}

const bitstamp: SpokenVenue = {
  idOf: (base, quote) => (base + quote).toLowerCase(),
  read: (frame) => {
    const found = way(frame["event"], "bts:subscribe", "bts:unsubscribe")
    return found && { way: found, streams: [String(words(frame["data"])["channel"])], frame }
  },
  marketOf: (stream) => /^diff_order_book_(.+)$/.exec(stream)?.[1] ?? null,
  acknowledge: ({ way: done, streams: [channel] }) => [
    { event: done === "subscribe" ? "bts:subscription_succeeded" : "bts:unsubscription_succeeded", channel, data: {} },
  ],
  snapshot: null,
  change: (channel, { book }) => ({
    event: "data",
    channel,
    data: { timestamp: "1", microtimestamp: String(book.sequence), bids: [moved(book)], asks: [] },
  }),
  answer: (url, book) => {
    const found = book(/order_book\/([a-z]+)/.exec(url)?.[1] ?? "")
    return { timestamp: "1", microtimestamp: String(found.sequence), bids: found.bids(), asks: found.asks }
  },
}

const kucoin: SpokenVenue = {
  idOf: (base, quote) => `${base}-${quote}`,
  greeting: { id: "1", type: "welcome" },
  read: (frame) => {
    const found = way(frame["type"], "subscribe", "unsubscribe")
    return found && { way: found, streams: [String(frame["topic"])], frame }
  },
  marketOf: (stream) => /^\/market\/level2:(.+)$/.exec(stream)?.[1] ?? null,
  acknowledge: ({ frame }) => [{ id: frame["id"], type: "ack" }],
  snapshot: null,
  change: (topic, { book: { id, sequence }, book }) => ({
    type: "message",
    topic,
    subject: "trade.l2update",
    data: {
      sequenceStart: sequence,
      sequenceEnd: sequence,
      symbol: id,
      time: AT,
      changes: { bids: [[...moved(book), String(sequence)]], asks: [] },
    },
  }),
  answer: (url, book) => {
    if (url.includes("bullet")) {
      const server = { endpoint: "wss://ws-api-spot.kucoin.com/", pingInterval: 18_000 }
      return { code: "200000", data: { token: "t", instanceServers: [server] } }
    }
    const found = book(new URL(url).searchParams.get("symbol") ?? "")
    return {
      code: "200000",
      data: { sequence: String(found.sequence), time: AT, bids: found.bids(), asks: found.asks },
    }
  },
}

/** As the venue documents it: the ten best asks, then bids, of each its digits without the point and the zeros before them. */
const krakenSum = ({ bids, asks }: SpokenBook): number => {
  const digits = (text: string): string => text.replace(".", "").replace(/^0+/, "")
  return crc32([...asks.slice(0, 10), ...bids().slice(0, 10)].map(([p, q]) => digits(p) + digits(q)).join(""))
}
const krakenLevel = ([price, qty]: Level): Words => ({ price: Number(price), qty: Number(qty) })
const krakenBook = (type: string, { book }: Taken, bids: ReadonlyArray<Level>, asks: ReadonlyArray<Level>): Words => {
  const rows = { bids: bids.map(krakenLevel), asks: asks.map(krakenLevel) }
  return {
    channel: "book",
    type,
    data: [{ symbol: book.id, ...rows, checksum: krakenSum(book), timestamp: "2023-11-14T22:13:20.000000Z" }],
  }
}
const kraken: SpokenVenue = {
  // Its sockets know a pair by ccxt's name.
  idOf: (base, quote) => `${base}/${quote}`,
  greeting: { channel: "status", type: "update", data: [{ system: "online", api_version: "v2", version: "2.0.10" }] },
  read: (frame) => {
    const found = way(frame["method"], "subscribe", "unsubscribe")
    const { channel, symbol } = words(frame["params"])
    return found && { way: found, streams: texts(symbol).map((it) => `${channel}:${it}`), frame }
  },
  marketOf: (stream) => (stream.startsWith("book:") ? stream.slice(5) : null),
  acknowledge: ({ way: method, streams, frame }) =>
    streams.map((stream) => {
      const [channel = "", symbol = ""] = stream.split(":")
      const result = { ...words(frame["params"]), channel, symbol }
      return { method, req_id: frame["req_id"], result, success: true, time_in: "", time_out: "" }
    }),
  snapshot: (_, taken) => krakenBook("snapshot", taken, taken.book.bids(), taken.book.asks),
  change: (_, taken) => krakenBook("update", taken, [moved(taken.book)], []),
}

export const SPOKEN: Readonly<Record<string, SpokenVenue>> = {
  BINANCE: binance,
  BINANCEUSDM: binanceusdm,
  BITFINEX: bitfinex,
  BITSTAMP: bitstamp,
  BYBIT: bybit,
  COINBASE: coinbase,
  DERIBIT: deribit,
  GATE: gate,
  GEMINI: gemini,
  KRAKEN: kraken,
  KRAKENFUTURES: krakenfutures,
  KUCOIN: kucoin,
  OKX: okx,
}
