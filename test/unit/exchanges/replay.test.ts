/**
 * Replay: frames leave byte-equal and in order, a client may join at any moment, and the recorded oracle holds.
 * The oracle: whenever a diff's final id equals a bookTicker's id, the book's best levels must equal that bookTicker as texts.
 */
import { createHmac } from "node:crypto"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { BinanceExchange, BinanceExchangeOptions } from "../../exchanges/binance/exchange.ts"
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import type { CaptureLine, CaptureRow, DepthFrame } from "../../exchanges/binance/replay/capture.ts"
import { findSnapshot, readCapture } from "../../exchanges/binance/replay/capture.ts"
import { ReplayBook } from "../../exchanges/binance/replay/replay-book.ts"
import { SMALL_CAPTURE_TEXTS, writeSmallCapture } from "./small-capture.ts"

const RECORDED = fileURLToPath(new URL("../../../../shared/data/hftbacktest/spot/btcusdt_20240808.gz", import.meta.url))
if (!existsSync(RECORDED)) console.warn("recorded capture absent: the tests on it are skipped")

const small = writeSmallCapture()
afterAll(() => small.remove())

const USER = { apiKey: "key", apiSecret: "secret", balances: { USDT: "1000" } }
const running: Array<BinanceExchange> = []
const sockets: Array<WebSocket> = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate()
  for (const exchange of running.splice(0)) await exchange.stop()
})

const start = async (replay: NonNullable<BinanceExchangeOptions["replay"]>) => {
  const exchange = await startBinanceExchange({ replay, users: [USER] })
  running.push(exchange)
  if (exchange.replay === undefined) throw new Error("no replay")
  return { exchange, replay: exchange.replay }
}

/** Frames as they arrive, bare texts. */
const listen = async (
  exchange: BinanceExchange,
  path: string,
): Promise<{ frames: Array<string>; socket: WebSocket }> => {
  const socket = new WebSocket(`${exchange.url.replace("http", "ws")}${path}`)
  sockets.push(socket)
  const frames: Array<string> = []
  socket.on("message", (bytes) => frames.push(String(bytes)))
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  return { frames, socket }
}

/** Everything sent so far has arrived when a later answer has. */
const drained = (socket: WebSocket, frames: Array<string>): Promise<void> =>
  new Promise((resolve) => {
    const look = (bytes: unknown) => {
      if (!String(bytes).includes('"id":4711')) return
      socket.off("message", look)
      frames.splice(
        frames.findIndex((text) => text.includes('"id":4711')),
        1,
      )
      resolve()
    }
    socket.on("message", look)
    socket.send('{"method":"LIST_SUBSCRIPTIONS","id":4711}')
  })

const snapshotOf = async (
  exchange: BinanceExchange,
  limit: number,
): Promise<ConstructorParameters<typeof ReplayBook>[0]> => {
  const answer = await fetch(`${exchange.url}/api/v3/depth?symbol=BTCUSDT&limit=${limit}`)
  return (await answer.json()) as ConstructorParameters<typeof ReplayBook>[0]
}

const asFrame = (text: string): DepthFrame => {
  const { U, u, b, a, s } = JSON.parse(text)
  return {
    kind: "depth",
    receivedAtNanos: 0n,
    text,
    stream: "",
    symbol: s,
    firstUpdateId: U,
    finalUpdateId: u,
    bids: b,
    asks: a,
  }
}

describe("a capture", () => {
  it("is read line by line with the venue's own text", async () => {
    const lines: Array<CaptureLine> = []
    for await (const line of readCapture(small.path)) lines.push(line)
    expect(lines.map(({ kind }) => kind)).toEqual([
      "depth",
      "depth",
      "snapshot",
      "bookTicker",
      "trade",
      "depth",
      "depth",
    ])
    expect(lines.filter(({ kind }) => kind !== "snapshot").map(({ text }) => text)).toEqual(SMALL_CAPTURE_TEXTS)
    expect(lines[3]).toMatchObject({ updateId: 20, bid: ["100.00000000", "2.00000000"], ask: ["101.00000000", "1.10"] })
    expect(lines[0]?.receivedAtNanos).toBe(1723161254000000000n)
  })

  it("that is missing or broken fails instead of hanging", async () => {
    await expect(findSnapshot("/nowhere/at/all.gz")).rejects.toThrow("ENOENT")
    await expect(findSnapshot(fileURLToPath(import.meta.url))).rejects.toThrow()
  })
})

describe("a replayed market", () => {
  it("sends every frame byte-equal and in order, wrapped or bare", async () => {
    const { exchange, replay } = await start({ file: small.path, speed: 1000, start: "by hand" })
    const all = "btcusdt@depth@100ms/btcusdt@bookTicker/btcusdt@trade"
    const bare = await listen(exchange, `/ws/${all}`)
    const wrapped = await listen(exchange, `/stream?streams=${all}`)
    replay.start()
    await replay.done
    await Promise.all([drained(bare.socket, bare.frames), drained(wrapped.socket, wrapped.frames)])
    expect(bare.frames).toEqual(SMALL_CAPTURE_TEXTS)
    expect(wrapped.frames[1]).toBe(`{"stream":"btcusdt@depth@100ms","data":${SMALL_CAPTURE_TEXTS[1]}}`)
    expect(replay.framesSent).toBe(6)
  })

  it("begins with the first depth subscriber, not before", async () => {
    const { exchange, replay } = await start({ file: small.path, speed: 1000 })
    await listen(exchange, "/ws/btcusdt@trade")
    expect((await snapshotOf(exchange, 5)).lastUpdateId).toBe(15)
    expect(replay.framesSent).toBe(0)
    await listen(exchange, "/ws/btcusdt@depth@100ms")
    await replay.done
    expect(replay.framesSent).toBe(6)
  })

  it("shows over REST the snapshot plus exactly what has been sent, digits untouched", async () => {
    const { exchange, replay } = await start({ file: small.path, speed: 1000, start: "by hand" })
    const paused = replay.pauseAfter((frame) => frame.kind === "depth" && frame.finalUpdateId === 20)
    replay.start()
    expect((await paused).text).toBe(SMALL_CAPTURE_TEXTS[1])
    expect(await snapshotOf(exchange, 5)).toEqual({
      lastUpdateId: 20,
      bids: [
        ["100.00000000", "2.00000000"],
        ["99.90000000", "1.0"],
      ],
      asks: [
        ["101.00000000", "1.10"],
        ["102.00000000", "5.5"],
      ],
    })
    expect(replay.framesSent).toBe(2)
    replay.resume()
    await replay.done
    expect(await snapshotOf(exchange, 5)).toEqual({
      lastUpdateId: 40,
      bids: [
        ["99.90000000", "1.0"],
        ["99.50000000", "3.00000000"],
      ],
      asks: [
        ["100.50000000", "4.00000000"],
        ["101.00000000", "0.6"],
        ["102.00000000", "5.5"],
      ],
    })
  })

  it("fills orders against the replayed levels, at once or when the market comes, and never shows them", async () => {
    const { exchange, replay } = await start({ file: small.path, speed: 1000, start: "by hand" })
    const place = async (parameters: Record<string, string>) => {
      const asked = { symbol: "BTCUSDT", side: "BUY", ...parameters, timestamp: String(Date.now()) }
      const query = String(new URLSearchParams(asked))
      const signature = createHmac("sha256", USER.apiSecret).update(query).digest("hex")
      const headers = { "x-mbx-apikey": USER.apiKey }
      await fetch(`${exchange.url}/api/v3/order?${query}&signature=${signature}`, { method: "POST", headers })
      return exchange.orders(USER.apiKey).at(-1)
    }
    const before = exchange.depth("BTCUSDT", 5)
    expect(await place({ type: "MARKET", quantity: "0.5" })).toMatchObject({
      status: "FILLED",
      cummulativeQuoteQty: "50.50000000",
    })
    const limit = { type: "LIMIT", timeInForce: "GTC", quantity: "2", price: "100.50" }
    expect(await place(limit)).toMatchObject({ status: "NEW", executedQty: "0.00000000" })
    expect(exchange.depth("BTCUSDT", 5)).toEqual(before)
    replay.start()
    await replay.done
    expect(exchange.orders(USER.apiKey).at(-1)).toMatchObject({ status: "FILLED", cummulativeQuoteQty: "201.00000000" })
    expect(exchange.depth("BTCUSDT", 1).asks).toEqual([["100.50000000", "4.00000000"]])
  })

  it("drops, repeats and swaps diffs on demand, but REST stays right", async () => {
    const { exchange, replay } = await start({ file: small.path, speed: 1000, start: "by hand" })
    const { frames, socket } = await listen(exchange, "/ws/btcusdt@depth@100ms")
    exchange.fault({ fault: "dropNextDiffs", symbol: "BTCUSDT", count: 1 })
    exchange.fault({ fault: "duplicateNextDiffs", symbol: "BTCUSDT", count: 1 })
    exchange.fault({ fault: "reorderNextDiffs", symbol: "BTCUSDT" })
    replay.start()
    await replay.done
    await drained(socket, frames)
    const [, second, , , third, fourth] = SMALL_CAPTURE_TEXTS
    expect(frames).toEqual([second, second, fourth, third])
    expect((await snapshotOf(exchange, 1)).lastUpdateId).toBe(40)
  })
})

describe.skipIf(!existsSync(RECORDED))("the recorded BTCUSDT capture", () => {
  const isTop = (
    book: { readonly bids: ReadonlyArray<CaptureRow>; readonly asks: ReadonlyArray<CaptureRow> },
    seen: CaptureLine,
  ) =>
    seen.kind === "bookTicker" &&
    String([...book.bids.slice(0, 1), ...book.asks.slice(0, 1)]) === String([seen.bid, seen.ask])

  it("holds its own oracle 564 times of 564", async () => {
    const snapshot = await findSnapshot(RECORDED)
    if (snapshot === undefined) throw new Error("no snapshot")
    const book = new ReplayBook(snapshot)
    const tickers = new Map<number, CaptureLine>()
    let checked = 0
    let equal = 0
    for await (const line of readCapture(RECORDED)) {
      if (line.kind === "bookTicker") tickers.set(line.updateId, line)
      if (line.kind !== "depth" || !book.apply(line)) continue
      const ticker = tickers.get(line.finalUpdateId)
      if (ticker === undefined) continue
      checked += 1
      if (isTop(book.depth(1), ticker)) equal += 1
    }
    expect([checked, equal]).toEqual([564, 564])
  })

  it("lets a client join in the middle, while it runs, and be right at every later checkpoint", async () => {
    const { exchange, replay } = await start({ file: RECORDED, speed: 100, start: "at once", frameLimit: 25_000 })
    await replay.pauseAfter(() => replay.framesSent >= 3000)
    const { frames, socket } = await listen(exchange, "/ws/btcusdt@depth@100ms/btcusdt@bookTicker")
    replay.resume()
    const snapshot = await snapshotOf(exchange, 5000)
    await replay.done
    await drained(socket, frames)
    const book = new ReplayBook(snapshot)
    const tickers = new Map<number, string>()
    let checked = 0
    for (const text of frames) {
      if (!text.startsWith('{"e":"depthUpdate"')) {
        const { u, b, B, a, A } = JSON.parse(text)
        tickers.set(u, String([b, B, a, A]))
        continue
      }
      if (!book.apply(asFrame(text))) continue
      const expected = tickers.get(book.lastUpdateId)
      if (expected === undefined) continue
      const { bids, asks } = book.depth(1)
      expect(String([bids[0], asks[0]])).toBe(expected)
      checked += 1
    }
    expect(checked).toBeGreaterThan(20)
    expect(book.depth(50)).toEqual(exchange.depth("BTCUSDT", 50))
  })
})
