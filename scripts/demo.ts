/**
 * `npm run demo [-- [--open] [URL [SETUP_TOKEN]]]`: the first steps of a new user with the TypeScript client. Without a URL it builds the gateway,
 * starts it with an empty database beside a loopback exchange, and stops both. Each step prints its result; the first unexpected one ends the
 * demo with exit code 1.
 *
 * With --open the demo is followed in the console: it begins once its user has signed in there, pauses between steps (`--pace SECONDS`), and
 * keeps what it created; its own gateway runs on until Ctrl-C.
 */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
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
import { openStage, PASSWORD, type Stage, signUp } from "./demo-stage.ts"

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

/** How the story is told. */
interface Telling {
  readonly isOpen: boolean
  readonly pauseMillis: number
}

const walk = async (
  url: string,
  hedge: HedgeVenue,
  setupToken: string | undefined,
  { isOpen, pauseMillis }: Telling,
): Promise<void> => {
  let isAdmin = true
  // Nothing logs out of a story that is looked at.
  const steps = () => TRADER_STEPS - (isOpen ? 1 : 0) + (isAdmin ? DEALER_STEPS : 0)
  const stage = openStage(url, steps, pauseMillis)
  const { step } = stage
  const health = await new Gateway({ url }).get("health")
  await step("the gateway answers", `${health.status}, version ${health.version}`)

  const email = `demo-${Date.now()}@example.com`
  const session = await signUp(url, email, setupToken)
  const gateway = new Gateway({ url, as: session, webSocket: WebSocket })
  // What only admins are answered.
  isAdmin = await gateway.get("dealer/list", { limit: 1 }).then(
    () => true,
    () => false,
  )
  await step("sign up", `${email}, token valid ${session.expiresIn} s`)
  if (isOpen) await inConsole(stage, gateway, email)

  const venues = await gateway.get("market/venue/list")
  await step("venues", venues.map(({ venue, status, features }) => `${venue} ${status} ${String(features)}`).join("\n"))
  try {
    await trade(stage, gateway)
    const client = isAdmin ? await dealerStory(stage, gateway, hedge) : null
    if (isOpen) stage.say(signIns(url, [email, ...(client === null ? [] : [client])]))
  } finally {
    gateway.close()
  }
  if (!isOpen) {
    await gateway.post("auth/logout", {})
    await step("log out", "done")
  }
  if (!isAdmin)
    console.log(
      "      dealers are made by admins, which this user is not: `npm run demo` without a URL shows them, or with the setupToken of the ready line behind the URL",
    )
}

const signIns = (url: string, emails: ReadonlyArray<string>): string =>
  `the console: ${url}/console\n${emails.map((email) => `sign in: ${email}, password: ${PASSWORD}`).join("\n")}`

/** Until the user has a second session: the console's. Who only reads along has none, and the story begins all the same. */
const inConsole = async ({ say, until, url }: Stage, gateway: Gateway, email: string): Promise<void> => {
  say(`${signIns(url, [email])}\nthe story begins once you are signed in there, after 30 s at the latest`)
  await until("a sign-in", async () => (await gateway.get("auth/session/list")).length > 1).catch(() =>
    say("no sign-in was seen: it begins"),
  )
}

const trade = async ({ step, until, expect }: Stage, gateway: Gateway): Promise<void> => {
  const { tradingAccountId, status } = await gateway.post("tradingAccount/connect", {
    venue: "MOCK",
    externalTradingAccountId: "demo",
    nickname: "Demo account",
  })
  await step("connect a trading account", `${tradingAccountId}: ${status}`)

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
  await step("follow the market and the account", "a book and an account of the TypeScript client, over one socket")

  await until("a live book", () => updates >= 4)
  const [bid, ask] = [book.bids[0]!, book.asks[0]!]
  const verdict = await book.verify()
  expect("string for string the gateway's own book", verdict.isSame, true)
  await step(
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
  await step(
    "place a resting order",
    `${row(resting.order)}\nthen on the socket: ${events.map(({ kind }) => kind).join(", ")}`,
  )

  const { tradeOrderId } = resting.order
  const cancelled = await gateway.post("tradeOrder/cancel", { tradingAccountId, tradeOrderId })
  expect("cancel", cancelled.status, "CANCELLED")
  await step("cancel it", row(cancelled))

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
  await step("buy at market", row(bought.order))

  const again = await submit(gateway, order, { key: bought.key })
  expect("the same with its key", again.outcome, "Replayed")
  if (again.outcome === "Replayed") expect("replay", again.order.tradeOrderId, bought.order.tradeOrderId)
  await step(
    "send the same order again",
    "the same order came back, marked Idempotency-Replayed: nothing was bought twice",
  )

  await until("PORTFOLIO.UPDATED", seen("PORTFOLIO.UPDATED"))
  const portfolio = await gateway.get("tradingAccount/portfolio/list", { tradingAccountId, limit: 100 })
  await step(
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
  await step("list the orders", `${orders.map(row).join("\n")}\nevents ${proof?.from} to ${proof?.to}, none missing`)
  account.close()
  book.close()
}

/** Everything that it takes, and nothing that stays. */
const walkAlone = async (telling: Telling): Promise<void> => {
  console.log("building, then starting a gateway with an empty database and a loopback exchange")
  execFileSync(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))], { stdio: "inherit" })
  const exchange = await startBinanceExchange()
  try {
    const gateway = await startGateway({ built: true, env: { VENUE_ROUTES: JSON.stringify(exchange.routes) } })
    const register = (keys: { apiKey: string; apiSecret: string }): void => {
      exchange.addUser({ ...keys, balances: { USDT: "1000000", BTC: "10" } })
    }
    await walk(gateway.http, { venue: "BINANCE", register }, gateway.setupToken, telling)
    if (telling.isOpen) {
      console.log("      the gateway runs on, with what was made, until Ctrl-C")
      isTold = true
      await gateway.exited
    }
    await gateway.stop()
  } finally {
    await endGateways()
    await exchange.stop()
  }
}

const { values, positionals } = parseArgs({
  options: { open: { type: "boolean", default: false }, pace: { type: "string" } },
  allowPositionals: true,
})
const pace = Number(values.pace ?? (values.open ? 3 : 0))
if (!(pace >= 0)) {
  console.error("--pace is a number of seconds")
  process.exit(1)
}
let isTold = false
// What was started is in process groups of its own, which hear no Ctrl-C.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void endGateways().finally(() => process.exit(isTold ? 0 : 130)))

const telling: Telling = { isOpen: values.open, pauseMillis: pace * 1_000 }
const given = positionals[0]?.replace(/\/$/, "")
const ended = given === undefined ? walkAlone(telling) : walk(given, { venue: "MOCK" }, positionals[1], telling)
ended.then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`demo failed: ${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  },
)
