/** Public trades of a whole gateway by the official client, over interruptions of the venue's stream. */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { TradeRecord } from "../../../../src/domain/market/market.ts"
import { type BinanceExchange, startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { signUp } from "../users/people.ts"
import { closeClients, connectClient, gapsIn, listen } from "./socket.ts"

let exchange: BinanceExchange
let gateway: Gateway
beforeAll(async () => {
  exchange = await startBinanceExchange({ market: "still" })
  gateway = await startGateway({ env: { VENUE_ROUTES: JSON.stringify(exchange.routes) } })
})
afterAll(async () => {
  closeClients()
  await endGateways()
  await exchange.stop()
})

it("start over, unrecovered, where the venue cannot supply what an interruption missed, and go on where it can", async () => {
  const { session } = await signUp(gateway)
  const client = await connectClient(gateway, session.accessToken)
  const feed = await listen<TradeRecord>(client, "market:trade:BINANCE:BTC/USDT")
  const codes: Array<number> = []
  const returns: Array<{ readonly wasRecovering: boolean; readonly recovered: boolean; readonly epoch: string }> = []
  feed.subscription.on("subscribing", ({ code }) => codes.push(code))
  feed.subscription.on("subscribed", ({ wasRecovering, recovered, streamPosition }) =>
    returns.push({ wasRecovering, recovered, epoch: streamPosition?.epoch ?? "" }),
  )
  const subscriptions = () => exchange.counts()["WS SUBSCRIBE"] ?? 0
  const trade = (quantity: string) => exchange.trade("BTCUSDT", "BUY", quantity)
  const seen = (): ReadonlyArray<string> => feed.records().map(({ quantity }) => quantity)
  const interrupted = async (missed: string, next: string): Promise<void> => {
    const before = subscriptions()
    exchange.fault({ fault: "closeSockets", kind: "market" })
    trade(missed)
    await until("the venue's stream again", () => subscriptions() > before)
    trade(next)
  }

  await until("the venue's stream", () => subscriptions() === 1)
  trade("0.00100000")
  await until("the first trade", () => seen().length === 1)

  await interrupted("0.00200000", "0.00300000")
  await until("what was missed, and the next", () => seen().length === 3)
  expect(seen()).toEqual(["0.00100000", "0.00200000", "0.00300000"])
  expect([codes, gapsIn(feed.received.map(({ offset }) => offset ?? 0))]).toEqual([[], []])

  const action = { kind: "status", status: 503 } as const
  exchange.fault({ fault: "answer", match: "GET /api/v3/trades", times: "always", action })
  await interrupted("0.00400000", "0.00500000")
  await until("the return", () => returns.length === 1)
  expect(codes).toEqual([2500])
  expect(returns).toMatchObject([{ wasRecovering: true, recovered: false }])
  trade("0.00600000")
  await until("a trade of the new epoch", () => seen().includes("0.00600000"))
  expect(seen()).not.toContain("0.00400000")
})
