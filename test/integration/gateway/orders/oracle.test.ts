/**
 * The whole market data path against a recorded market: capture → loopback exchange → ccxt → worker → book → hub → centrifuge client,
 * and over HTTP. The oracle is the capture itself: a depth frame whose `u` equals a bookTicker's `u` must have exactly its best rows, and
 * every level within the range that the book says it covers, which reaches to 200 at least. The first quarter of the capture; all of it, with
 * and without faults of the line, is `npm run torture -- oracle`.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OrderBookRecord } from "../../../../src/domain/market/market.ts"
import type { BinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import type { BookTickerFrame, DepthFrame, SnapshotLine } from "../../../exchanges/binance/replay/capture.ts"
import { readCapture } from "../../../exchanges/binance/replay/capture.ts"
import { ReplayBook } from "../../../exchanges/binance/replay/replay-book.ts"
import { endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { ClientBook, closeClients, connectClient, listen, pairs } from "../markets/socket.ts"
import { signUp } from "../users/people.ts"

const FILE = fileURLToPath(new URL("../../../../../shared/data/hftbacktest/spot/btcusdt_20240808.gz", import.meta.url))
const hasCapture = existsSync(FILE)
if (!hasCapture) console.warn("oracle: skipped, the recorded capture is not beside this checkout (../shared/data)")

const INSTRUMENT = "BINANCE:BTC/USDT"
const SPEED = 200
const DEPTH = 1000
/** The bookTickers of the capture whose depth frame there is: 564. */
const CHECKPOINTS = 140
/** Levels a side within the covered range, at the least. */
const COVERED = 200

const eventAt = (frame: DepthFrame): number => JSON.parse(frame.text).E

describe.skipIf(!hasCapture)("the recorded BTCUSDT market, replayed at 200 times its pace", () => {
  const depthFrames: Array<DepthFrame> = []
  const tickers = new Map<number, BookTickerFrame>()
  let snapshot: SnapshotLine
  let exchange: BinanceExchange
  let gateway: Gateway

  beforeAll(async () => {
    for await (const line of readCapture(FILE)) {
      if (line.kind === "snapshot") snapshot = line
      else if (line.kind === "depth") depthFrames.push(line)
      else if (line.kind === "bookTicker") tickers.set(line.updateId, line)
    }
    exchange = await startBinanceExchange({ replay: { file: FILE, speed: SPEED, start: "by hand" } })
    gateway = await startGateway({
      env: { VENUE_ROUTES: JSON.stringify(exchange.routes) },
    })
  })
  afterAll(async () => {
    closeClients()
    await endGateways()
    await exchange?.stop()
  })

  it("equals the capture's own best prices at every checkpoint, over HTTP and rebuilt by a client, and every level that it covers", {
    timeout: 300_000,
  }, async () => {
    const user = await signUp(gateway)
    await user.calls.post("/market/instrument/sync", { venue: "BINANCE" })
    const client = await connectClient(gateway, user.session.accessToken)
    const book = new ClientBook()
    const seen = { diffs: 0, crossed: 0 }
    let covered: OrderBookRecord["coveredRange"]
    /** Event times in the order of their DIFFs: every frame must be there once. */
    const times: Array<number> = []
    await listen<OrderBookRecord>(client, `market:orderbook:${INSTRUMENT}`, (record) => {
      book.apply(record)
      covered = record.coveredRange
      if (record.updateType === "DIFF") {
        seen.diffs += 1
        // What becomes known by another look at the venue is a DIFF of its own, at the time of the newest frame.
        if (record.timestamp !== times.at(-1)) times.push(record.timestamp)
      }
      if (book.isCrossed()) seen.crossed += 1
    })
    await until("the snapshot", () => book.snapshots > 0)

    const dumb = new ReplayBook(snapshot)
    const newer = depthFrames.filter((frame) => frame.finalUpdateId > snapshot.lastUpdateId)
    const checkpoints = newer.filter((frame) => tickers.has(frame.finalUpdateId)).slice(0, CHECKPOINTS)
    const applied = newer.slice(0, newer.indexOf(checkpoints.at(-1)!) + 1)
    const wrong: Array<string> = []
    const right = { client: 0, http: 0 }
    const replay = exchange.replay!
    let next = 0

    const check = async (frame: DepthFrame): Promise<void> => {
      for (; next < applied.length && applied[next]!.finalUpdateId <= frame.finalUpdateId; next += 1)
        dumb.apply(applied[next]!)
      const at = eventAt(frame)
      // The DIFFs' own times: the snapshot over REST has no venue time and stands under the gateway's, years after the capture.
      await until(
        () => `the DIFF of update ${frame.finalUpdateId} (client at ${times.at(-1)}, not ${at})`,
        () => (times.at(-1) ?? 0) >= at,
      )
      const ticker = tickers.get(frame.finalUpdateId)!
      const whole = dumb.depth(Number.POSITIVE_INFINITY)
      const judge = (
        name: "client" | "http",
        bids: ReadonlyArray<unknown>,
        asks: ReadonlyArray<unknown>,
        range: OrderBookRecord["coveredRange"],
      ): void => {
        const [low, high] = [Number(range?.lowestBid ?? 0), Number(range?.highestAsk ?? Number.POSITIVE_INFINITY)]
        const truth = {
          bids: whole.bids.filter(([price]) => Number(price) >= low).slice(0, DEPTH),
          asks: whole.asks.filter(([price]) => Number(price) <= high).slice(0, DEPTH),
        }
        if (truth.bids.length < COVERED || truth.asks.length < COVERED)
          wrong.push(
            `${name} at ${frame.finalUpdateId}: covers ${truth.bids.length} bids and ${truth.asks.length} asks`,
          )
        const best = JSON.stringify([bids[0], asks[0]])
        const wanted = JSON.stringify([ticker.bid, ticker.ask])
        if (best !== wanted) wrong.push(`${name} at ${frame.finalUpdateId}: best ${best}, the capture says ${wanted}`)
        else if (JSON.stringify([bids, asks]) !== JSON.stringify([truth.bids, truth.asks]))
          wrong.push(`${name} at ${frame.finalUpdateId}: levels differ within the range`)
        else right[name] += 1
      }
      // Another look at the venue is told when it is done: HTTP may know it before the client has heard it.
      const answer = await until(
        () => `the book of HTTP and the client's (at ${book.sequence}) at one sequence`,
        async () => {
          const { record } = await user.calls.orderBook(INSTRUMENT, DEPTH)
          return record.sequence === book.sequence && record
        },
      )
      judge("client", book.side("bids", DEPTH), book.side("asks", DEPTH), covered)
      judge("http", pairs(answer.bids), pairs(answer.asks), answer.coveredRange)
    }

    let reached = replay.pauseAfter((frame) => isCheckpoint(frame, checkpoints[0]))
    replay.start()
    for (const [index, checkpoint] of checkpoints.entries()) {
      await reached
      await check(checkpoint)
      const following = checkpoints[index + 1]
      if (following === undefined) continue
      reached = replay.pauseAfter((frame) => isCheckpoint(frame, following))
      replay.resume()
    }
    const last = eventAt(applied.at(-1)!)
    await until("the last DIFF", () => times.at(-1) === last)

    const figures =
      `checkpoints: client ${right.client} of ${checkpoints.length}, HTTP ${right.http} of ${checkpoints.length}; ` +
      `DIFFs ${seen.diffs} of ${applied.length} frames; snapshots ${book.snapshots}; gaps ${book.faults.length}; crossed ${seen.crossed}`
    console.log(`oracle: ${figures}`)
    expect(wrong.slice(0, 5)).toEqual([])
    expect(right).toEqual({ client: CHECKPOINTS, http: CHECKPOINTS })
    expect(book.faults).toEqual([])
    expect(book.snapshots).toBe(1)
    expect(seen.crossed).toBe(0)
    expect(times).toEqual(applied.map(eventAt))
  })
})

const isCheckpoint = (
  frame: { readonly kind: string; readonly finalUpdateId?: number },
  wanted: DepthFrame | undefined,
): boolean => frame.kind === "depth" && frame.finalUpdateId === wanted?.finalUpdateId
