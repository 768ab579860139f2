/**
 * `npm run demo [-- URL]`: a newcomer's whole story against a running gateway, over HTTP and the official `centrifuge` client. Each step
 * prints what it saw; the first one that is not as it should be ends the walk with exit code 1.
 */
import { Centrifuge, type PublicationContext } from "centrifuge"
import { WebSocket } from "ws"

const base = (process.argv[2] ?? "http://127.0.0.1:8080").replace(/\/$/, "")
const socketUrl = `${base.replace(/^http/, "ws")}/connection/websocket`

type Json = Record<string, unknown>
let accessToken = ""
let steps = 0
const STEPS = 13

const bar = () => `[${"#".repeat(steps).padEnd(STEPS, ".")}] ${String(steps).padStart(2)}/${STEPS}`
const step = (title: string, seen: string): void => {
  steps++
  console.log(`${bar()} ${title}`)
  for (const line of seen.split("\n")) console.log(`      ${line}`)
}

const call = async (method: "GET" | "POST", path: string, body?: Json): Promise<{ data: Json; replayed: boolean }> => {
  const response = await fetch(`${base}/api/v3${path}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(accessToken === "" ? {} : { Authorization: `Bearer ${accessToken}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const envelope = (await response.json()) as { success: boolean; errno: number; error: string | null; data: Json }
  if (!envelope.success)
    throw new Error(`${method} ${path}: HTTP ${response.status}, errno ${envelope.errno}, ${envelope.error}`)
  return { data: envelope.data, replayed: response.headers.get("Idempotency-Replayed") === "true" }
}

const pause = (millis: number) => new Promise((done) => setTimeout(done, millis))

/** Waits until `seen()` is true, at most 10 s. */
const until = async (what: string, seen: () => boolean): Promise<void> => {
  for (let waited = 0; waited < 10_000; waited += 20) {
    if (seen()) return
    await pause(20)
  }
  throw new Error(`waited 10 s for ${what}`)
}

const expect = (what: string, actual: unknown, wanted: unknown): void => {
  if (actual !== wanted) throw new Error(`${what}: ${String(actual)} instead of ${String(wanted)}`)
}

const row = (order: Json): string =>
  `${order["orderSide"]} ${order["quantity"]} ${order["instrumentId"]} ${order["orderType"]}` +
  `${order["limitPrice"] === null ? "" : ` at ${order["limitPrice"]}`}: ${order["status"]} (${order["orderStatus"]}), ` +
  `executed ${order["executedQuantity"]}${order["averagePrice"] === null ? "" : ` at ${order["averagePrice"]}`}`

const walk = async (): Promise<void> => {
  const health = await call("GET", "/health")
  step("the gateway answers", `${health.data["status"]}, version ${health.data["version"]}`)

  const email = `demo-${Date.now()}@example.com`
  const session = await call("POST", "/auth/signup", { email, password: "correct horse battery staple" })
  accessToken = String(session.data["accessToken"])
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
  await call("POST", "/auth/logout")
  step("log out", "done")
}

walk().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`demo failed: ${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  },
)
