/** The public feed of one venue with unmodified ccxt, dialled to a socket that speaks as the venue does; nothing else is scripted. */
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { MarketStream } from "../../../src/ports/market-source.ts"
import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import type { Batch, WorkerRecord } from "../../../src/venues/connector/wire.ts"
import type { CcxtExchange } from "../../../src/venues/worker/exchange/ccxt.ts"
import { publicInstance } from "../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../src/venues/worker/exchange/load.ts"
import { Markets } from "../../../src/venues/worker/exchange/markets.ts"
import { PublicFeed } from "../../../src/venues/worker/feed/public-feed.ts"
import { Outbox } from "../../../src/venues/worker/outbox.ts"
import { type Line, SPOKEN, type SpokenBook, type Taken } from "./venues.ts"

interface Scriptable extends CcxtExchange {
  safeMarketStructure(market: Readonly<Record<string, unknown>>): unknown
  setMarkets(markets: ReadonlyArray<unknown>): unknown
  fetch(url: string, method: string, headers?: unknown, body?: unknown): Promise<unknown>
}

/** After so many changes a venue that was told to stop does so. */
const ON_THEIR_WAY = 2

/** Changes by which a replica is behind. */
const LATE = 50

export interface SpokenFeed {
  readonly feed: PublicFeed
  readonly instrument: (base: string) => InstrumentId
  readonly open: (stream: MarketStream, base: string) => void
  readonly close: (stream: MarketStream, base: string) => void
  /** Connections that were made so far, and those of them that ended. */
  readonly connections: () => number
  readonly ended: () => number
  /** One change of each book that is being sent. */
  readonly move: () => void
  /** Every connection ends, without a word. */
  readonly cut: () => void
  /** So many books are answered by REST as they were fifty changes ago; answers their best bids. */
  readonly answerLate: (times: number) => ReadonlySet<string>
  readonly told: () => ReadonlyArray<WorkerRecord>
  /** Snapshots of the book that were told. */
  readonly snapshots: (base: string) => number
  /** The newest best bid that readers heard of, and the one that the venue sent. */
  readonly best: (base: string) => { readonly heard: string | undefined; readonly sent: string }
  /** The venue's names of what it is sending. */
  readonly taken: () => ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

/** How a venue refuses every connection: it cuts it, answers its upgrade with a status, or closes it once it is open. */
export type Refusal = "cuts" | "closes" | number

export const speaking = async (name: string, bases: ReadonlyArray<string>, refusal?: Refusal): Promise<SpokenFeed> => {
  const [venue, profile] = [SPOKEN[name], PROFILES.find((it) => it.venue === name)]
  if (venue === undefined || profile === undefined) throw new Error(`${name} is not spoken here`)
  const isSwap = profile.lists === "perpetual"
  const quote = "USDT"

  const books = new Map<string, SpokenBook>()
  const bookOf = (id: string): SpokenBook => {
    const known = books.get(id)
    if (known !== undefined) return known
    const book: SpokenBook = {
      id,
      sequence: 1000,
      bids: () => [
        ["100.5", `${book.sequence}.5`],
        ["100.25", "3.25"],
      ],
      asks: [
        ["101.5", "2.5"],
        ["102.5", "4.5"],
      ],
    }
    books.set(id, book)
    return book
  }

  const lines = new Set<Line>()
  let connections = 0
  let ended = 0
  let channels = 0
  const changed = (line: Line, stream: string, taken: Taken): void => {
    taken.book.sequence += 1
    for (const other of lines)
      for (const [theirs, its] of other.taken)
        if (its.book === taken.book) other.say(venue.change(theirs, its, () => other.sent++))
    if (!line.taken.has(stream)) throw new Error(`${stream} is not sent`)
  }
  const heard = (line: Line, text: string): void => {
    // OKX's own.
    if (text === "ping") return line.say("pong")
    const frame: unknown = JSON.parse(text)
    if (typeof frame !== "object" || frame === null) return
    const asked = venue.read(frame as Record<string, unknown>, line)
    if (asked === null) return
    const answer = (): void => {
      for (const one of venue.acknowledge(asked, line, () => line.sent++)) line.say(one)
    }
    for (const stream of asked.streams) {
      const id = venue.marketOf(stream)
      const before = line.taken.get(stream)
      if (asked.way === "unsubscribe") {
        for (let nth = 0; nth < ON_THEIR_WAY && before !== undefined && id !== null; nth++)
          changed(line, stream, before)
        line.taken.delete(stream)
      } else
        line.taken.set(stream, { book: bookOf(id ?? `no book: ${stream}`), channel: before?.channel ?? ++channels })
    }
    answer()
    if (asked.way === "unsubscribe") return
    for (const stream of asked.streams) {
      const taken = line.taken.get(stream)
      if (taken === undefined || venue.marketOf(stream) === null || venue.snapshot === null) continue
      line.say(venue.snapshot(stream, taken, () => line.sent++))
    }
  }
  const server = new WebSocketServer({
    port: 0,
    host: "127.0.0.1",
    verifyClient: ({ req }, answer) => {
      connections += 1
      if (refusal === "cuts") req.socket.destroy()
      else if (typeof refusal === "number") answer(false, refusal)
      else answer(true)
    },
  })
  server.on("connection", (far: WebSocket) => {
    if (refusal === "closes") return far.close()
    const line: Line = {
      say: (frame) => far.send(frame === "pong" ? frame : JSON.stringify(frame)),
      taken: new Map(),
      sent: 0,
    }
    lines.add(line)
    if (venue.greeting !== undefined) line.say(venue.greeting)
    far.on("message", (data) => heard(line, String(data)))
    far.on("close", () => {
      lines.delete(line)
      ended += 1
    })
  })
  await new Promise((resolve) => server.once("listening", resolve))
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const routes = Object.fromEntries(profile.hosts.map((host) => [host, to]))
  const settings = { connector: name, profile, routes, proxy: null, breakable: false }
  const exchange = publicInstance(await loadExchange(profile.exchange), settings) as Scriptable
  exchange.throttle = () => Promise.resolve()
  exchange.has["fetchTime"] = false
  // ccxt spaces what it sends by tens to hundreds of milliseconds.
  exchange.options["ws"] = { ...(exchange.options["ws"] as object), cost: 0 }
  let late = 0
  const lateBids = new Set<string>()
  const answered = (id: string): SpokenBook => {
    const book = bookOf(id)
    if (late === 0) return book
    late -= 1
    const sequence = book.sequence - LATE
    lateBids.add(`${sequence}.5`)
    return { ...book, sequence, bids: () => [["100.5", `${sequence}.5`], ...book.bids().slice(1)] }
  }
  exchange.fetch = async (url) => venue.answer?.(url, answered) ?? {}
  const settle = isSwap ? quote : undefined
  exchange.loadMarkets = () => {
    const rows = bases.map((base) =>
      exchange.safeMarketStructure({
        id: venue.idOf(base, quote),
        // BINANCE's streams are called by it.
        lowercaseId: venue.idOf(base, quote).toLowerCase(),
        symbol: isSwap ? `${base}/${quote}:${quote}` : `${base}/${quote}`,
        ...{ base, quote, settle, baseId: base, quoteId: quote, settleId: settle },
        ...{ type: isSwap ? "swap" : "spot", spot: !isSwap, swap: isSwap, contract: isSwap, active: true },
        ...(isSwap ? { linear: true, inverse: false } : {}),
        precision: { price: 0.01, amount: 0.01 },
      }),
    )
    if (exchange.markets === undefined) exchange.setMarkets(rows)
    return Promise.resolve(exchange.markets ?? {})
  }
  const markets = new Markets(profile, exchange, () => undefined)
  await markets.loaded()
  const records: Array<WorkerRecord> = []
  const outbox = new Outbox({
    postMessage: (batch: Batch) => {
      records.push(...batch.records)
      outbox.acknowledge(batch.weight)
    },
  })
  const feed = new PublicFeed(settings, exchange, markets, outbox)
  const instrument = (base: string): InstrumentId => `${name}:${base}/${quote}` as InstrumentId
  const told = (): ReadonlyArray<WorkerRecord> => {
    outbox.flush()
    return records
  }
  const depths = (base: string) =>
    told().flatMap((it) => (it._tag === "Depth" && it.update.instrumentId === instrument(base) ? [it.update] : []))
  return {
    feed,
    instrument,
    open: (stream, base) => feed.open(stream, instrument(base)),
    close: (stream, base) => feed.close(stream, instrument(base)),
    connections: () => connections,
    ended: () => ended,
    move: () => {
      const done = new Set<SpokenBook>()
      for (const line of lines)
        for (const [stream, taken] of line.taken) {
          if (done.has(taken.book) || venue.marketOf(stream) === null) continue
          done.add(taken.book)
          changed(line, stream, taken)
        }
    },
    cut: () => {
      lines.clear()
      for (const client of server.clients) client.terminate()
    },
    answerLate: (times) => {
      late = times
      return lateBids
    },
    told,
    snapshots: (base) => depths(base).filter(({ snapshot }) => snapshot).length,
    best: (base) => {
      let best: string | undefined
      for (const { bids } of depths(base))
        for (let at = 0; at < bids.length; at += 2) if (bids[at]?.startsWith("100.5")) best = bids[at + 1]
      return { heard: best, sent: `${bookOf(venue.idOf(base, quote)).sequence}.5` }
    },
    taken: () => [...lines].flatMap(({ taken }) => [...taken.keys()]),
    stop: async () => {
      await feed.stop()
      for (const client of server.clients) client.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
