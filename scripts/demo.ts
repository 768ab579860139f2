/**
 * `npm run demo [-- URL [SETUP_TOKEN]]`: a newcomer's whole story over HTTP and the official `centrifuge` client. Without a URL it builds the gateway,
 * starts it with an empty database beside a loopback exchange, and ends both. Each step prints what it saw; the first one that is not as
 * it should be ends the walk with exit code 1.
 */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Centrifuge, type PublicationContext } from "centrifuge"
import { WebSocket } from "ws"
import { startBinanceExchange } from "../test/exchanges/binance/exchange.ts"
import { endGateways, startGateway } from "../test/kit/servers/gateway.ts"
import { DEALER_STEPS, dealerStory, type HedgeVenue } from "./demo-dealer.ts"
import { type Json, openStage } from "./demo-stage.ts"

/** Of the first half. */
const TRADER_STEPS = 13

const row = (order: Json): string =>
  `${order["orderSide"]} ${order["quantity"]} ${order["instrumentId"]} ${order["orderType"]}` +
  `${order["limitPrice"] === null ? "" : ` at ${order["limitPrice"]}`}: ${order["status"]} (${order["orderStatus"]}), ` +
  `executed ${order["executedQuantity"]}${order["averagePrice"] === null ? "" : ` at ${order["averagePrice"]}`}`

const walk = async (base: string, hedge: HedgeVenue, setupToken: string | undefined): Promise<void> => {
  const socketUrl = `${base.replace(/^http/, "ws")}/connection/websocket`
  let isAdmin = true
  const stage = openStage(base, () => TRADER_STEPS + (isAdmin ? DEALER_STEPS : 0))
  const { call, step, until, expect } = stage
  const health = await call("GET", "/health")
  step("the gateway answers", `${health.data["status"]}, version ${health.data["version"]}`)

  const email = `demo-${Date.now()}@example.com`
  const session = await call("POST", "/auth/signup", { email, password: "correct horse battery staple", setupToken })
  // With SIGNUP=confirm the answer is the user, and the session comes with the mailed token.
  if (session.data["accessToken"] === undefined)
    throw new Error(
      `${base} wants addresses confirmed by mail (SIGNUP=confirm), and this is nobody's: start a gateway with SIGNUP=open for the demo, or run it without an address, against one of its own`,
    )
  const accessToken = String(session.data["accessToken"])
  stage.signIn(accessToken)
  // What only admins are answered.
  isAdmin = await call("GET", "/dealer/list?limit=1").then(
    () => true,
    () => false,
  )
  step("sign up", `${email}, token valid ${session.data["expiresIn"]} s`)

  const venues = (await call("GET", "/market/venue/list")).data as unknown as ReadonlyArray<Json>
  step("venues", venues.map((v) => `${v["venue"]} ${v["status"]} ${String(v["features"])}`).join("\n"))

  const account = (
    await call("POST", "/tradingAccount/connect", {
      venue: "MOCK",
      externalTradingAccountId: "demo",
      nickname: "Demo account",
    })
  ).data
  const tradingAccountId = String(account["tradingAccountId"])
  step("connect a trading account", `${tradingAccountId}: ${account["status"]}`)

  const instrumentId = "MOCK:BTC/USDT"
  const client = new Centrifuge(socketUrl, { token: accessToken, websocket: WebSocket })
  const levels = { bids: new Map<string, string>(), asks: new Map<string, string>() }
  let updates = 0
  const events: Array<Json> = []
  const book = client.newSubscription(`market:orderbook:${instrumentId}`)
  book.on("publication", ({ data }: PublicationContext) => {
    updates++
    if (data.updateType === "SNAPSHOT") {
      levels.bids.clear()
      levels.asks.clear()
    }
    for (const side of ["bids", "asks"] as const)
      for (const [price, quantity] of data[side]) {
        if (quantity === "0") levels[side].delete(price)
        else levels[side].set(price, quantity)
      }
  })
  const accountEvents = client.newSubscription(`tradingAccount:${tradingAccountId}`)
  accountEvents.on("publication", ({ data }: PublicationContext) => events.push(data))
  client.on("error", ({ error }) => console.log(`      socket: ${error.message}`))
  book.subscribe()
  accountEvents.subscribe()
  client.connect()
  await Promise.all([client.ready(10_000), book.ready(10_000), accountEvents.ready(10_000)])
  step("open the socket", `${socketUrl} with the unmodified centrifuge client, two channels subscribed`)

  await until("a live book", () => updates >= 4 && levels.bids.size > 0 && levels.asks.size > 0)
  const best = (side: "bids" | "asks", order: 1 | -1) =>
    [...levels[side]].sort(([a], [b]) => order * (Number(a) - Number(b)))[0]!
  const [bid, ask] = [best("bids", -1), best("asks", 1)]
  step(
    "stream the live order book",
    `${updates} updates, ${levels.bids.size} bids and ${levels.asks.size} asks\nbest bid ${bid[1]} at ${bid[0]}, best ask ${ask[1]} at ${ask[0]}`,
  )

  const restingPrice = String(Math.floor(Number(bid[0]) * 0.8))
  const resting = (
    await call("POST", "/tradeOrder/submit", {
      tradingAccountId,
      instrumentId,
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.01",
      limitPrice: restingPrice,
      idempotencyKey: `demo-resting-${Date.now()}`,
    })
  ).data
  await until("OPEN", () => events.some((e) => e["kind"] === "TRADE_ORDER.ACCEPTED"))
  step("place a resting order", `${row(resting)}\nthen on the socket: ${events.map((e) => e["kind"]).join(", ")}`)

  const cancelled = (
    await call("POST", "/tradeOrder/cancel", { tradingAccountId, tradeOrderId: resting["tradeOrderId"] })
  ).data
  expect("cancel", cancelled["status"], "CANCELLED")
  step("cancel it", row(cancelled))

  const key = `demo-market-${Date.now()}`
  const order = {
    tradingAccountId,
    instrumentId,
    orderSide: "BUY",
    orderType: "MARKET",
    quantity: "0.02",
    idempotencyKey: key,
    awaitClosed: true,
  }
  const filled = (await call("POST", "/tradeOrder/submit", order)).data
  expect("market order", filled["status"], "FILLED")
  step("buy at market", row(filled))

  const again = await call("POST", "/tradeOrder/submit", order)
  expect("replay", again.data["tradeOrderId"], filled["tradeOrderId"])
  expect("Idempotency-Replayed", again.replayed, true)
  step("send the same order again", "the same order came back, marked Idempotency-Replayed: nothing was bought twice")

  await until("PORTFOLIO.UPDATED", () => events.some((e) => e["kind"] === "PORTFOLIO.UPDATED"))
  const portfolio = (await call("GET", `/tradingAccount/portfolio/list?tradingAccountId=${tradingAccountId}&limit=100`))
    .data as unknown as ReadonlyArray<Json>
  step(
    "read the portfolio",
    portfolio
      .map((p) => `${p["currency"]}: ${p["balance"]} (${p["available"]} available, ${p["locked"]} locked)`)
      .join("\n"),
  )

  const orders = (await call("GET", `/tradeOrder/list?tradingAccountId=${tradingAccountId}`))
    .data as unknown as ReadonlyArray<Json>
  const sequences = events.map((e) => Number(e["sequence"]))
  for (const [i, sequence] of sequences.entries())
    if (i > 0) expect("account sequence", sequence, sequences[i - 1]! + 1)
  step("list the orders", `${orders.map(row).join("\n")}\n${events.length} account events, numbered without a gap`)

  client.disconnect()
  if (isAdmin) await dealerStory(stage, hedge)
  await call("POST", "/auth/logout")
  step("log out", "done")
  if (!isAdmin)
    console.log(
      "      dealers are made by admins, which this user is not: `npm run demo` without a URL shows them, or with the setupToken of the ready line behind the URL",
    )
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
