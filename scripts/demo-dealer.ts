/**
 * The second half of the demo: a dealer is created and funded, a client requests a firm price from it and executes it, the dealer hedges at a
 * venue, and the ledger shows every transfer. The one thing to know: it needs an admin.
 */
import { randomBytes } from "node:crypto"
import { Gateway, type Quote, submit, type TradingAccount } from "../clients/typescript/src/index.ts"
import { type Stage, signUp } from "./demo-stage.ts"

/** Where the dealer hedges: an exchange that knows these keys, or a simulated venue of the gateway's own. */
export type HedgeVenue =
  | { readonly venue: "BINANCE"; readonly register: (keys: { apiKey: string; apiSecret: string }) => void }
  | { readonly venue: "MOCK" }

export const DEALER_STEPS = 7

/** `admin`: who makes the dealer. Answers the client's address. */
export const dealerStory = async (stage: Stage, admin: Gateway, hedge: HedgeVenue): Promise<string> => {
  const { url, step, expect, until } = stage
  const { tradingAccountId, status } = await connect(admin, hedge)
  await step("an account at a venue, to hedge with", `${hedge.venue} ${tradingAccountId}: ${status}`)

  const dealer = await admin.post("dealer/create", {
    name: "Demo desk",
    baseCurrencies: ["BTC"],
    riskThreshold: "5",
    config: {
      pricingProfiles: { retail: { markupBps: 15, ttlBps: 1 } },
      defaultPricingProfile: "retail",
      pricing: { allowSimulatedVenues: hedge.venue === "MOCK" },
    },
  })
  const { dealerAccountId } = dealer
  await admin.post("dealer/account/link", { dealerAccountId, tradingAccountId })
  await step(
    "create a dealer",
    `${dealer.name} ${dealerAccountId}: ${dealer.status}, prices from ${hedge.venue}\nwallet ${dealer.walletId}`,
  )

  const email = `client-${Date.now()}@example.com`
  const client = new Gateway({ url, as: await signUp(url, email) })
  const account = await client.post("tradingAccount/connect", { venue: "INTERNAL", dealerAccountId })
  const walletId = present("the client's wallet", account.walletId)
  const walletOfDealer = present("the dealer's wallet", dealer.walletId)
  await admin.post("wallet/deposit", { walletId: walletOfDealer, asset: "BTC", amount: "5" })
  await admin.post("wallet/deposit", { walletId, asset: "USDT", amount: "100000" })
  await step(
    "fund the dealer, and a client of it",
    `the dealer has 5 BTC, the client ${email} 100000 USDT in wallet ${walletId}`,
  )

  let quote: Quote | null = null
  await until("a firm quote", async () => {
    const instrumentId = "INTERNAL:BTC/USDT"
    const asked = { dealerAccountId, instrumentId, orderSide: "BUY", quantity: "0.5", ttl: 60 } as const
    quote = await client.post("quote/request", asked)
    return quote.status === "CREATED"
  })
  const { quoteId, quantity, price, expireAtDateTime } = present<Quote>("a quote", quote)
  const receipt = present("its receipt", (await admin.get("quote/get", { quoteId })).receipt)
  await step(
    "ask for a firm price",
    `BUY ${quantity} BTC at ${price}, binding until ${expireAtDateTime}\n` +
      `for the dealer's eyes: ${receipt.levels?.length} levels walked to ${receipt.walkedPrice}, ` +
      `${receipt.takerFeeBps} + ${receipt.markupBps} + ${receipt.ttlBps} basis points`,
  )

  const taken = await submit(client, {
    tradingAccountId: account.tradingAccountId,
    orderType: "QUOTED",
    quoteId,
    orderSide: "BUY",
    quantity: present("its quantity", quantity),
    awaitClosed: true,
  })
  if (taken.outcome !== "Stored") throw new Error(`the quoted order is ${taken.outcome}`)
  const { order } = taken
  expect("quoted order", order.status, "FILLED")
  expect("its price", order.averagePrice, price)
  await step("take it", `${order.orderType} order ${order.tradeOrderId}: ${order.status} at ${order.averagePrice}`)

  const hedging = async () => (await admin.get("dealer/get", { dealerAccountId })).hedging?.[0]
  // What the exchange takes as its fee is bought, too, down to less than an order.
  await until("the hedge", async () => ["FLAT", "ACCUMULATING"].includes((await hedging())?.state ?? ""))
  const report = present("the hedge", await hedging())
  const hedges = (await admin.get("tradeOrder/list", { tradingAccountId })).filter(
    (it) => it.dealerAccountId === dealerAccountId,
  )
  await step(
    "it is hedged",
    `${hedges
      .map((it) => `${it.orderSide} ${it.executedQuantity} at ${it.averagePrice} on ${it.venue}`)
      .join("\n")}\n` +
      `position ${report.position}, spread ${report.spreadCaptured}, slippage ${report.hedgeSlippage}, ` +
      `profit ${report.profit} USDT`,
  )

  const statement = await client.get("wallet/transfer/list", { walletId })
  const { balances } = await client.get("wallet/get", { walletId })
  expect("the client's BTC", balances.find(({ asset }) => asset === "BTC")?.balance, "0.5")
  await step(
    "read the ledger",
    `${statement.map((it) => `${it.code} ${it.kind} ${it.amount} ${it.asset}`).join("\n")}\n` +
      `the client has ${balances.map((it) => `${it.balance} ${it.asset}`).join(" and ")}`,
  )
  return email
}

const present = <A>(what: string, value: A | null | undefined): A => {
  if (value === null || value === undefined) throw new Error(`${what} is not there`)
  return value
}

const connect = async (admin: Gateway, hedge: HedgeVenue): Promise<TradingAccount> => {
  const { venue } = hedge
  if (hedge.venue === "MOCK")
    return admin.post("tradingAccount/connect", { venue, externalTradingAccountId: `desk-${Date.now()}` })
  const keys = { apiKey: randomBytes(32).toString("hex"), apiSecret: randomBytes(32).toString("hex") }
  hedge.register(keys)
  const { credentialId } = await admin.post("credential/create", { venue, ...keys, name: "desk" })
  return admin.post("tradingAccount/connect", { venue, credentialIds: [credentialId] })
}
