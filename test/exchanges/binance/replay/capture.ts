/**
 * Reads a recorded Binance Spot capture: one line is `<local receive time in ns> <JSON>`, gzip or plain, streamed line by line.
 * `text` is the venue's own bytes (what stood under `data`), never formatted again: an oracle compares digits, not numbers.
 * Format: combined-stream frames `{"stream","data"}`, and one bare REST snapshot `{"lastUpdateId",...}` (hftbacktest, examples/spot).
 */
import { createReadStream } from "node:fs"
import { createGunzip } from "node:zlib"

/** `[price, quantity]`, decimal texts; quantity zero means the level is gone. */
export type CaptureRow = readonly [string, string]

interface Recorded {
  readonly receivedAtNanos: bigint
  readonly text: string
}

export interface DepthFrame extends Recorded {
  readonly kind: "depth"
  readonly stream: string
  readonly symbol: string
  readonly firstUpdateId: number
  readonly finalUpdateId: number
  readonly bids: ReadonlyArray<CaptureRow>
  readonly asks: ReadonlyArray<CaptureRow>
}

export interface BookTickerFrame extends Recorded {
  readonly kind: "bookTicker"
  readonly stream: string
  readonly symbol: string
  readonly updateId: number
  readonly bid: CaptureRow
  readonly ask: CaptureRow
}

export interface TradeFrame extends Recorded {
  readonly kind: "trade"
  readonly stream: string
  readonly symbol: string
  readonly tradeId: number
  readonly price: string
  readonly quantity: string
  readonly tradedAt: number
  readonly isBuyerMaker: boolean
}

export interface SnapshotLine extends Recorded {
  readonly kind: "snapshot"
  readonly lastUpdateId: number
  readonly bids: ReadonlyArray<CaptureRow>
  readonly asks: ReadonlyArray<CaptureRow>
}

export type CaptureFrame = DepthFrame | BookTickerFrame | TradeFrame
export type CaptureLine = CaptureFrame | SnapshotLine

/** Every line of a capture, in file order. Throws on a line it does not understand, with its number. */
export async function* readCapture(path: string): AsyncGenerator<CaptureLine> {
  let number = 0
  for await (const line of lines(path)) {
    number += 1
    if (line !== "") yield readLine(line, `${path}:${number}`)
  }
}

/** The inlined REST snapshot; `undefined` when the capture has none. Reads only as far as it must. */
export const findSnapshot = async (path: string): Promise<SnapshotLine | undefined> => {
  for await (const line of readCapture(path)) if (line.kind === "snapshot") return line
  return undefined
}

async function* lines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path)
  const source = path.endsWith(".gz") ? file.pipe(createGunzip()) : file
  // A pipe does not carry errors: a missing file would otherwise hang the reader.
  file.on("error", (error) => source.destroy(error))
  let rest = ""
  try {
    for await (const chunk of source.setEncoding("utf8")) {
      const parts = (rest + String(chunk)).split("\n")
      rest = parts.pop() ?? ""
      yield* parts
    }
    if (rest !== "") yield rest
  } finally {
    file.destroy()
  }
}

const HEAD = '{"stream":"'
const MIDDLE = '","data":'

const readLine = (line: string, where: string): CaptureLine => {
  const space = line.indexOf(" ")
  const receivedAtNanos = BigInt(line.slice(0, space))
  const json = line.slice(space + 1).trimEnd()
  if (!json.startsWith(HEAD)) {
    const { lastUpdateId, bids, asks } = JSON.parse(json)
    if (typeof lastUpdateId !== "number") throw new Error(`${where}: neither a stream frame nor a snapshot`)
    return { kind: "snapshot", receivedAtNanos, text: json, lastUpdateId, bids, asks }
  }
  const middle = json.indexOf(MIDDLE)
  const stream = json.slice(HEAD.length, middle)
  const text = json.slice(middle + MIDDLE.length, -1)
  const event = JSON.parse(text)
  const symbol: string = event.s
  const recorded = { receivedAtNanos, text, stream, symbol }
  if (event.e === "depthUpdate") {
    return { kind: "depth", ...recorded, firstUpdateId: event.U, finalUpdateId: event.u, bids: event.b, asks: event.a }
  }
  if (event.e === "trade") {
    const { t: tradeId, p: price, q: quantity, T: tradedAt, m: isBuyerMaker } = event
    return { kind: "trade", ...recorded, tradeId, price, quantity, tradedAt, isBuyerMaker }
  }
  if (stream.endsWith("@bookTicker")) {
    const { u: updateId, b, B, a, A } = event
    return { kind: "bookTicker", ...recorded, updateId, bid: [b, B], ask: [a, A] }
  }
  throw new Error(`${where}: unknown frame on ${stream}`)
}
