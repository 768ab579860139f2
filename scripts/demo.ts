/**
 * `npm run demo [-- URL [SETUP_TOKEN]]`: a newcomer's whole story on the TypeScript client. Without a URL it builds the gateway, starts it with an empty
 * database beside a loopback exchange, and ends both. Each step prints what it saw; the first one that is not as it should be ends the walk
 * with exit code 1.
 */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { WebSocket } from "ws"
import {
  Account,
  type AccountEvent,
  Book,
  Gateway,
  type SubmitOrder,
  submit,
  type TradeOrder,
} from "../clients/typescript/src/index.ts"
import { startBinanceExchange } from "../test/exchanges/binance/exchange.ts"
import { endGateways, startGateway } from "../test/kit/servers/gateway.ts"
import { DEALER_STEPS, dealerStory, type HedgeVenue } from "./demo-dealer.ts"
import { openStage, type Stage, signUp } from "./demo-stage.ts"

/** Of the first half. */
const TRADER_STEPS = 13
const INSTRUMENT = "MOCK:BTC/USDT"

type Row = Pick<
  TradeOrder,
  | "orderSide"
  | "quantity"
  | "instrumentId"
  | "orderType"
  | "limitPrice"
  | "status"
  | "orderStatus"
  | "executedQuantity"
  | "averagePrice"
>
const row = (order: Row): string =>
  `${order.orderSide} ${order.quantity} ${order.instrumentId} ${order.orderType}` +
  `${order.limitPrice === null ? "" : ` at ${order.limitPrice}`}: ${order.status} (${order.orderStatus}), ` +
  `executed ${order.executedQuantity}${order.averagePrice === null ? "" : ` at ${order.averagePrice}`}`

const walk = async (url: string, hedge: HedgeVenue, setupToken: string | undefined): Promise<void> => {
  let isAdmin = true
  const stage = openStage(url, () => TRADER_STEPS + (isAdmin ? DEALER_STEPS : 0))
  const { step } = stage
  const health = await new Gateway({ url }).get("health")
  step("the gateway answers", `${health.status}, version ${health.version}`)

  const email = `demo-${Date.now()}@example.com`
  const session = await signUp(url, email, setupToken)
  const gateway = new Gateway({ url, as: session, webSocket: WebSocket })
  // What only admins are answered.
  isAdmin = await gateway.get("dealer/list", { limit: 1 }).then(
    () => true,
    () => false,
  )
  step("sign up", `${email}, token valid ${session.expiresIn} s`)

  const venues = await gateway.get("market/venue/list")
  step("venues", venues.map(({ venue, status, features }) => `${venue} ${status} ${String(features)}`).join("\n"))
  try {
    await trade(stage, gateway)
    if (isAdmin) await dealerStory(stage, gateway, hedge)
  } finally {
    gateway.close()
  }
  await gateway.post("auth/logout", {})
  step("log out", "done")
  if (!isAdmin)
    console.log(
      "      dealers are made by admins, which this user is not: `npm run demo` without a URL shows them, or with the setupToken of the ready line behind the URL",
    )
}

const trade = async ({ step, until, expect }: Stage, gateway: Gateway): Promise<void> => {
  const { tradingAccountId, status } = await gateway.post("tradingAccount/connect", {
    venue: "MOCK",
    externalTradingAccountId: "demo",
    nickname: "Demo account",
  })
  step("connect a trading account", `${tradingAccountId}: ${status}`)

  let updates = 0
  const events: Array<AccountEvent> = []
  const seen = (kind: string) => () => events.some((event) => event.kind === kind)
  const book = new Book(gateway, INSTRUMENT, {
    onChange: () => {
      updates++
    },
  })
  const account = new Account(gateway, tradingAccountId, { onEvent: (event) => events.push(event) })
  await Promise.all([book.ready(), account.ready()])
  step("follow the market and the account", "a book and an account of the TypeScript client, over one socket")

  await until("a live book", () => updates >= 4)
  const [bid, ask] = [book.bids[0]!, book.asks[0]!]
  const verdict = await book.verify()
  expect("string for string the gateway's own book", verdict.isSame, true)
  step(
    "stream the live order book",
    `${updates} updates, ${book.bids.length} bids and ${book.asks.length} asks, proven at ${verdict.sequence}\n` +
      `best bid ${bid[1]} at ${bid[0]}, best ask ${ask[1]} at ${ask[0]}`,
  )

  const resting = await submit(gateway, {
    tradingAccountId,
    instrumentId: INSTRUMENT,
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "0.01",
    limitPrice: String(Math.floor(Number(bid[0]) * 0.8)),
  })
  if (resting.outcome !== "Stored") throw new Error(`the resting order is ${resting.outcome}`)
  await until("OPEN", seen("TRADE_ORDER.ACCEPTED"))
  step(
    "place a resting order",
    `${row(resting.order)}\nthen on the socket: ${events.map(({ kind }) => kind).join(", ")}`,
  )

  const { tradeOrderId } = resting.order
  const cancelled = await gateway.post("tradeOrder/cancel", { tradingAccountId, tradeOrderId })
  expect("cancel", cancelled.status, "CANCELLED")
  step("cancel it", row(cancelled))

  const order: SubmitOrder = {
    tradingAccountId,
    instrumentId: INSTRUMENT,
    orderSide: "BUY",
    orderType: "MARKET",
    quantity: "0.02",
    awaitClosed: true,
  }
  const bought = await submit(gateway, order)
  if (bought.outcome !== "Stored") throw new Error(`the market order is ${bought.outcome}`)
  expect("market order", bought.order.status, "FILLED")
  step("buy at market", row(bought.order))

  const again = await submit(gateway, order, { key: bought.key })
  expect("the same with its key", again.outcome, "Replayed")
  if (again.outcome === "Replayed") expect("replay", again.order.tradeOrderId, bought.order.tradeOrderId)
  step("send the same order again", "the same order came back, marked Idempotency-Replayed: nothing was bought twice")

  await until("PORTFOLIO.UPDATED", seen("PORTFOLIO.UPDATED"))
  const portfolio = await gateway.get("tradingAccount/portfolio/list", { tradingAccountId, limit: 100 })
  step(
    "read the portfolio",
    portfolio
      .map(
        ({ currency, balance, available, locked }) =>
          `${currency}: ${balance} (${available} available, ${locked} locked)`,
      )
      .join("\n"),
  )

  const orders = await gateway.get("tradeOrder/list", { tradingAccountId })
  const proof = account.proof
  expect("account events without a gap", proof?.gaps, 0)
  step("list the orders", `${orders.map(row).join("\n")}\nevents ${proof?.from} to ${proof?.to}, none missing`)
  account.close()
  book.close()
}

/** Everything that it takes, and nothing that stays. */
const walkAlone = async (): Promise<void> => {
  console.log("building, then starting a gateway with an empty database and a loopback exchange")
  execFileSync(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))], { stdio: "inherit" })
  const exchange = await startBinanceExchange()
  try {
    const gateway = await startGateway({ built: true, env: { VENUE_ROUTES: JSON.stringify(exchange.routes) } })
    const register = (keys: { apiKey: string; apiSecret: string }): void => {
      exchange.addUser({ ...keys, balances: { USDT: "1000000", BTC: "10" } })
    }
    await walk(gateway.http, { venue: "BINANCE", register }, gateway.setupToken)
    await gateway.stop()
  } finally {
    await endGateways()
    await exchange.stop()
  }
}

const given = process.argv[2]?.replace(/\/$/, "")
const ended = given === undefined ? walkAlone() : walk(given, { venue: "MOCK" }, process.argv[3])
ended.then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`demo failed: ${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  },
)
