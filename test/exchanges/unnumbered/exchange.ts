/**
 * A loopback of the venues that number nothing in their streams: one BTC/USD book that the test changes, told in Bitfinex's, Bitstamp's or
 * Gemini's words. A change can be lost on its way, and a stream can fall silent until it is subscribed anew; REST always has the book.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { crc32 } from "node:zlib"
import { type WebSocket, WebSocketServer } from "ws"

type Side = "bids" | "asks"
type Level = readonly [price: string, quantity: string]

interface Book {
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
  /** Microseconds of its newest change. */
  readonly changedAt: number
}

type Message = Readonly<Record<string, unknown>>

interface Dialect {
  readonly hosts: ReadonlyArray<string>
  /** The body for a REST path without its query, as text where JSON.stringify would spell it otherwise; undefined: 404. */
  readonly rest: (path: string, book: Book) => unknown
  readonly isSubscribe: (message: Message) => boolean
  /** What it answers at once, and has nothing to do with its book. */
  readonly aside?: (message: Message) => unknown
  /** Texts of frames. */
  readonly answers: (message: Message, book: Book) => ReadonlyArray<string>
  /** `book`: with the change. */
  readonly change: (side: Side, level: Level, book: Book) => ReadonlyArray<string>
}

/** A side has so many; no more than Bitfinex sends of a book. */
const LEVELS = 20

const CHANNEL = "diff_order_book_btcusd"

/** [price, count, amount]: asks have amounts below zero, a count of zero deletes. */
const counted = (side: Side, [price, quantity]: Level): string =>
  `[${price},${quantity === "0" ? "0,1" : `1,${side === "asks" ? "-" : ""}${quantity}`}]`

const countedRows = ({ bids, asks }: Book): string =>
  `[${[...bids.map((level) => counted("bids", level)), ...asks.map((level) => counted("asks", level))].join(",")}]`

/** Of prices and amounts as numbers, best bid, best ask, next bid, …; signed. */
const checksum = ({ bids, asks }: Book): number => {
  const summed = Array.from({ length: SUMMED_LEVELS }, (_, i) => [
    ...(bids[i] ?? []),
    ...(asks[i] ?? []).map((text, place) => (place === 1 ? `-${text}` : text)),
  ])
  return crc32(summed.flat().map(Number).join(":")) | 0
}

const SUMMED_LEVELS = 25

const DIALECTS = {
  /** The whole book with the subscription, then its changes, each with a checksum. */
  BITFINEX: {
    hosts: ["api.bitfinex.com:443", "api-pub.bitfinex.com:443"],
    rest: (path, book) => {
      if (path.includes("pub:info:pair"))
        return [[["BTCUSD", [null, null, null, "0.1", "100000", null, null, null]]], [], [], []]
      if (path.startsWith("/v2/conf/")) return [[], [], [], [], [], [], [], [], []]
      return path.startsWith("/v2/book/") ? countedRows(book) : undefined
    },
    isSubscribe: ({ event }) => event === "subscribe" || event === "conf",
    aside: ({ event, cid }) => (event === "ping" ? { event: "pong", ts: Date.now(), cid } : undefined),
    answers: ({ event, flags }, book) => {
      const answer = {
        chanId: 7,
        channel: "book",
        symbol: "tBTCUSD",
        pair: "BTCUSD",
        prec: "P0",
        freq: "F0",
        len: "25",
      }
      if (event === "conf") return [JSON.stringify({ event, status: "OK", flags })]
      if (event === "unsubscribe") return [JSON.stringify({ event: "unsubscribed", status: "OK", chanId: 7 })]
      return [JSON.stringify({ event: "subscribed", ...answer }), `[7,${countedRows(book)}]`]
    },
    change: (side, level, book) => [`[7,${counted(side, level)}]`, `[7,"cs",${checksum(book)}]`],
  },
  /** Changes alone; the book comes by REST and is joined by time. */
  BITSTAMP: {
    hosts: ["www.bitstamp.net:443", "ws.bitstamp.net:443"],
    rest: (path, { bids, asks, changedAt }) => {
      if (path === "/api/v2/currencies/") return []
      if (path.startsWith("/api/v2/order_book/btcusd"))
        return { timestamp: `${Math.floor(changedAt / 1e6)}`, microtimestamp: `${changedAt}`, bids, asks }
      if (path !== "/api/v2/markets/") return undefined
      return [
        {
          name: "BTC/USD",
          market_symbol: "btcusd",
          base_currency: "BTC",
          counter_currency: "USD",
          base_decimals: 8,
          counter_decimals: 2,
          market_type: "SPOT",
          trading: "Enabled",
        },
      ]
    },
    isSubscribe: ({ event }) => event === "bts:subscribe",
    answers: ({ event }) => {
      const done = event === "bts:subscribe" ? "bts:subscription_succeeded" : "bts:unsubscription_succeeded"
      return [JSON.stringify({ event: done, channel: CHANNEL, data: {} })]
    },
    change: (side, level, { changedAt }) => {
      const times = { timestamp: `${Math.floor(changedAt / 1e6)}`, microtimestamp: `${changedAt}` }
      const data = { ...times, bids: [], asks: [], [side]: [level] }
      return [JSON.stringify({ event: "data", channel: CHANNEL, data })]
    },
  },
  /** The whole book with the subscription, then its changes. */
  GEMINI: {
    hosts: ["api.gemini.com:443", "exchange.gemini.com:443"],
    rest: (path, { bids, asks }) => {
      const rows = (levels: ReadonlyArray<Level>) =>
        levels.map(([price, amount]) => ({ price, amount, timestamp: "0" }))
      if (path === "/v1/symbols") return ["btcusd"]
      return path === "/v1/book/btcusd" ? { bids: rows(bids), asks: rows(asks) } : undefined
    },
    isSubscribe: ({ type }) => type === "subscribe",
    answers: ({ type }, { bids, asks }) => {
      if (type !== "subscribe") return []
      const changes = [...bids.map((level) => ["buy", ...level]), ...asks.map((level) => ["sell", ...level])]
      return [JSON.stringify({ type: "l2_updates", symbol: "BTCUSD", changes, trades: [], auction_events: [] })]
    },
    change: (side, level) => {
      const changes = [[side === "bids" ? "buy" : "sell", ...level]]
      return [JSON.stringify({ type: "l2_updates", symbol: "BTCUSD", changes })]
    },
  },
} as const satisfies Readonly<Record<string, Dialect>>

export interface UnnumberedExchange {
  /** A VENUE_ROUTES value. */
  readonly routes: Readonly<Record<string, string>>
  /** Best first. */
  readonly depth: () => Pick<Book, Side>
  /** "0" deletes; a change that is `lost` reaches nobody. */
  readonly setLevel: (side: Side, price: string, quantity: string, way?: "lost") => void
  /** No change leaves any more, until somebody subscribes anew. */
  readonly fallSilent: () => void
  /** Books asked for by REST so far. */
  readonly asked: () => number
  readonly stop: () => Promise<void>
}

export const startUnnumbered = async (venue: keyof typeof DIALECTS): Promise<UnnumberedExchange> => {
  const dialect: Dialect = DIALECTS[venue]
  const levels = { bids: new Map<string, string>(), asks: new Map<string, string>() }
  for (let i = 0; i < LEVELS; i++) {
    levels.bids.set(`${60_000 - i}.00`, `${1 + i}.50000000`)
    levels.asks.set(`${60_001 + i}.00`, `${1 + i}.50000000`)
  }
  let changedAt = Date.now() * 1000
  let asked = 0
  let isSilent = false
  const sorted = (side: Side): ReadonlyArray<Level> =>
    [...levels[side]].sort(([a], [b]) => (side === "bids" ? Number(b) - Number(a) : Number(a) - Number(b)))
  const book = (): Book => ({ bids: sorted("bids"), asks: sorted("asks"), changedAt })

  const server = createServer((request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?")
    const body = dialect.rest(path, book())
    if (path.includes("book")) asked += 1
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(typeof body === "string" ? body : JSON.stringify(body ?? { error: "no such page" }))
  })
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  const subscribers = new Set<WebSocket>()
  sockets.on("connection", (socket) => {
    // A peer that vanishes is an ordinary event here.
    socket.on("error", () => socket.terminate())
    socket.on("close", () => subscribers.delete(socket))
    socket.on("message", (text) => {
      const message: Message = JSON.parse(String(text))
      const aside = dialect.aside?.(message)
      if (aside !== undefined) return socket.send(JSON.stringify(aside))
      if (dialect.isSubscribe(message)) {
        isSilent = false
        subscribers.add(socket)
      } else subscribers.delete(socket)
      for (const answer of dialect.answers(message, book())) socket.send(answer)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    routes: Object.fromEntries(dialect.hosts.map((host) => [host, url])),
    depth: () => ({ bids: sorted("bids"), asks: sorted("asks") }),
    setLevel: (side, price, quantity, way) => {
      changedAt = Math.max(changedAt + 1, Date.now() * 1000)
      if (quantity === "0") levels[side].delete(price)
      else levels[side].set(price, quantity)
      if (way === "lost" || isSilent) return
      for (const frame of dialect.change(side, [price, quantity], book()))
        for (const socket of subscribers) socket.send(frame)
    },
    fallSilent: () => {
      isSilent = true
    },
    asked: () => asked,
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
