/**
 * The venue of `book`: the loopback exchange answers REST, and a separate market-stream endpoint pushes depth frames at a given rate. Each frame
 * changes one bid whose quantity is the frame's number, so that a reader of the level knows which frame it saw.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"
import { type BinanceExchange, startBinanceExchange } from "../../test/exchanges/binance/exchange.ts"
import { answer } from "../kit/child.ts"
import { nowMicros } from "../kit/clock.ts"
import { MARKED_PRICE, quantityOf } from "./book-wire.ts"

const SYMBOL = "BTCUSDT"
const PACE_MILLIS = 1

let exchange: BinanceExchange | undefined
const door = new WebSocketServer({ noServer: true, perMessageDeflate: false })
const listeners = new Map<WebSocket, string>()
let updateId = 0
let frame = 0
let trickle: NodeJS.Timeout | undefined

door.on("connection", (socket) => {
  socket.on("close", () => listeners.delete(socket))
  socket.on("message", (message) => {
    const { id, method, params } = JSON.parse(String(message)) as { id: number; method: string; params: Array<string> }
    socket.send(JSON.stringify({ result: null, id }))
    const depth = params.find((stream) => stream.includes("@depth"))
    if (method === "SUBSCRIBE" && depth !== undefined) listeners.set(socket, depth)
  })
})

/** A price level that moves with the frames, so that frames are as large as usual ones: four levels. */
const frameText = (n: number): string => {
  updateId++
  const at = Date.now()
  const others = [1, 2].map((step) => `["${(58_000 + ((n * step) % 400)).toFixed(2)}","0.${100 + (n % 900)}"]`)
  const ask = `["${(62_000 + (n % 400)).toFixed(2)}","0.${100 + (n % 900)}"]`
  const bids = `["${MARKED_PRICE}","${quantityOf(n)}"],${others.join(",")}`
  return `{"e":"depthUpdate","E":${at},"s":"${SYMBOL}","U":${updateId},"u":${updateId},"b":[${bids}],"a":[${ask}]}`
}

const push = (): number => {
  const text = frameText(++frame)
  const sentAt = nowMicros()
  for (const socket of listeners.keys()) socket.send(text)
  return sentAt
}

/** Both sides first load the book; frames at ten a second show that it is there. */
const startTrickle = (): void => {
  // Nothing before somebody listens: the snapshot over REST stands still, and the first frame has to follow it.
  trickle ??= setInterval(() => {
    if (listeners.size > 0) push()
  }, 100)
}

answer(
  {
    start: async () => {
      exchange = await startBinanceExchange({ market: "still" })
      const { lastUpdateId } = exchange.depth(SYMBOL, 5)
      updateId = lastUpdateId
      const server = createServer()
      server.on("upgrade", (request, socket, head) => {
        door.handleUpgrade(request, socket, head, (ws) => door.emit("connection", ws, request))
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      const { port } = server.address() as AddressInfo
      startTrickle()
      return { ...exchange.routes, "stream.binance.com:9443": `http://127.0.0.1:${port}` }
    },
    listeners: () => listeners.size,
    /** Pushes at the rate and answers the first frame's number and the instant (µs) of each one. */
    push: async ({ perSecond, millis }: { readonly perSecond: number; readonly millis: number }) => {
      clearInterval(trickle)
      trickle = undefined
      const first = frame + 1
      const total = Math.floor((perSecond * millis) / 1000)
      const sentAt = new Float64Array(total)
      const startedAt = performance.now()
      await new Promise<void>((done) => {
        let sent = 0
        const timer = setInterval(() => {
          const due = Math.min(total, Math.floor(((performance.now() - startedAt) * perSecond) / 1000))
          while (sent < due) sentAt[sent++] = push()
          if (sent < total) return
          clearInterval(timer)
          done()
        }, PACE_MILLIS)
      })
      return { first, sentAt }
    },
    trickle: startTrickle,
  },
  async () => {
    door.close()
    await exchange?.stop()
  },
)
