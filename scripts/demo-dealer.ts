/**
 * The second half of the demo: a dealer is made and funded, a client asks it for a firm price and takes it, the dealer hedges at a venue,
 * and the ledger shows where everything went. The one thing to know: it needs an admin.
 */
import { randomBytes } from "node:crypto"
import type { Json, Stage } from "./demo-stage.ts"

/** Where the dealer hedges: an exchange that knows these keys, or a simulated venue of the gateway's own. */
export type HedgeVenue =
  | { readonly venue: "BINANCE"; readonly register: (keys: { apiKey: string; apiSecret: string }) => void }
  | { readonly venue: "MOCK" }

export const DEALER_STEPS = 7

const idOf = (record: Json, field: string): string => String(record[field])
const rowsOf = (record: unknown): ReadonlyArray<Json> => record as ReadonlyArray<Json>

export const dealerStory = async ({ call, as, step, expect, until }: Stage, hedge: HedgeVenue): Promise<void> => {
  const connected = await connect(call, hedge)
  const tradingAccountId = idOf(connected, "tradingAccountId")
  step("an account at a venue, to hedge with", `${hedge.venue} ${tradingAccountId}: ${connected["status"]}`)

  const dealer = (
    await call("POST", "/dealer/create", {
      name: "Demo desk",
      baseCurrencies: ["BTC"],
      riskThreshold: "5",
      config: {
        pricingProfiles: { retail: { markupBps: 15, ttlBps: 1 } },
        defaultPricingProfile: "retail",
        pricing: { allowSimulatedVenues: hedge.venue === "MOCK" },
      },
    })
  ).data
  const dealerAccountId = idOf(dealer, "dealerAccountId")
  await call("POST", "/dealer/account/link", { dealerAccountId, tradingAccountId })
  step(
    "create a dealer",
    `${dealer["name"]} ${dealerAccountId}: ${dealer["status"]}, prices from ${hedge.venue}\nwallet ${dealer["walletId"]}`,
  )

  const session = await call("POST", "/auth/signup", {
    email: `client-${Date.now()}@example.com`,
    password: "correct horse battery staple",
  })
  const client = as(idOf(session.data, "accessToken"))
  const account = (await client("POST", "/tradingAccount/connect", { venue: "INTERNAL", dealerAccountId })).data
  const walletId = idOf(account, "walletId")
  await call("POST", "/wallet/deposit", { walletId: dealer["walletId"], asset: "BTC", amount: "5" })
  await call("POST", "/wallet/deposit", { walletId, asset: "USDT", amount: "100000" })
  step("fund the dealer, and a client of it", `the dealer has 5 BTC, the client 100000 USDT in wallet ${walletId}`)

  let quote: Json = {}
  await until("a firm quote", async () => {
    const asked = { dealerAccountId, instrumentId: "INTERNAL:BTC/USDT", orderSide: "BUY", quantity: "0.5", ttl: 60 }
    quote = (await client("POST", "/quote/request", asked)).data
    return quote["status"] === "CREATED"
  })
  const detail = (await call("GET", `/quote/get?quoteId=${quote["quoteId"]}`)).data
  const receipt = detail["receipt"] as Json
  step(
    "ask for a firm price",
    `BUY ${quote["quantity"]} BTC at ${quote["price"]}, binding until ${quote["expireAtDateTime"]}\n` +
      `for the dealer's eyes: ${rowsOf(receipt["levels"]).length} levels walked to ${receipt["walkedPrice"]}, ` +
      `${receipt["takerFeeBps"]} + ${receipt["markupBps"]} + ${receipt["ttlBps"]} basis points`,
  )

  const order = (
    await client("POST", "/tradeOrder/submit", {
      tradingAccountId: account["tradingAccountId"],
      orderType: "QUOTED",
      quoteId: quote["quoteId"],
      orderSide: "BUY",
      quantity: quote["quantity"],
      idempotencyKey: `demo-quoted-${quote["quoteId"]}`,
      awaitClosed: true,
    })
  ).data
  expect("quoted order", order["status"], "FILLED")
  expect("its price", order["averagePrice"], quote["price"])
  step(
    "take it",
    `${order["orderType"]} order ${order["tradeOrderId"]}: ${order["status"]} at ${order["averagePrice"]}`,
  )

  let hedging: Json = {}
  await until("the hedge", async () => {
    const shown = (await call("GET", `/dealer/get?dealerAccountId=${dealerAccountId}`)).data
    hedging = rowsOf(shown["hedging"])[0] ?? {}
    // What the exchange takes as its fee is bought, too, down to less than an order.
    return hedging["state"] === "FLAT" || hedging["state"] === "ACCUMULATING"
  })
  const hedges = rowsOf((await call("GET", `/tradeOrder/list?tradingAccountId=${tradingAccountId}`)).data).filter(
    (it) => it["dealerAccountId"] === dealerAccountId,
  )
  step(
    "it is hedged",
    `${hedges
      .map((it) => `${it["orderSide"]} ${it["executedQuantity"]} at ${it["averagePrice"]} on ${it["venue"]}`)
      .join("\n")}\n` +
      `position ${hedging["position"]}, spread ${hedging["spreadCaptured"]}, slippage ${hedging["hedgeSlippage"]}, ` +
      `profit ${hedging["profit"]} USDT`,
  )

  const statement = rowsOf((await client("GET", `/wallet/transfer/list?walletId=${walletId}`)).data)
  const balances = rowsOf((await client("GET", `/wallet/get?walletId=${walletId}`)).data["balances"])
  expect("the client's BTC", balances.find((it) => it["asset"] === "BTC")?.["balance"], "0.5")
  step(
    "read the ledger",
    `${statement.map((it) => `${it["code"]} ${it["kind"]} ${it["amount"]} ${it["asset"]}`).join("\n")}\n` +
      `the client has ${balances.map((it) => `${it["balance"]} ${it["asset"]}`).join(" and ")}`,
  )
}

const connect = async (call: Stage["call"], hedge: HedgeVenue): Promise<Json> => {
  const { venue } = hedge
  if (hedge.venue === "MOCK")
    return (await call("POST", "/tradingAccount/connect", { venue, externalTradingAccountId: `desk-${Date.now()}` }))
      .data
  const keys = { apiKey: randomBytes(32).toString("hex"), apiSecret: randomBytes(32).toString("hex") }
  hedge.register(keys)
  const { credentialId } = (await call("POST", "/credential/create", { venue, ...keys, name: "desk" })).data
  return (await call("POST", "/tradingAccount/connect", { venue, credentialIds: [credentialId] })).data
}
