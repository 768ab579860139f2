/**
 * exchange-core's basic.feature over HTTP at the platform's own venue, every step as it is written: whole numbers are amounts of the ledger,
 * and each scenario has instruments of its own, since a price far from the last one is refused.
 */
import { afterAll, beforeAll, describe } from "vitest"
import { type InternalMarket, internalMarket } from "../kit/desks/internal-market.ts"
import { endGateways, startGateway, until } from "../kit/servers/gateway.ts"
import { bindFeature } from "./feature.ts"
import { deskStage } from "./gateway-stage.ts"
import { deskOf } from "./quiet-market.ts"
import { documentOf } from "./vector-table.ts"

const text = documentOf("exchange-core/basic.feature")

/**
 * exchange-core's own scales: a lot of ETH_XBT is 100,000 units of ETH, and a price unit is 10 units of XBT for it. EUR_USD is a pair on
 * margin there; here clients sell what they have, which is ETH.
 */
const TERMS = {
  EUR_USD: { base: "ETH", quote: "USD", price: 1, lot: 1 },
  ETH_XBT: { base: "ETH", quote: "XBT", price: 0.0001, lot: 100_000 },
} as const

describe.skipIf(text === null)("basic.feature over HTTP at INTERNAL", () => {
  let market: InternalMarket
  let scenarios = 0

  beforeAll(async () => {
    const env = { INTERNAL_MAKER_FEE_BPS: "0", INTERNAL_TAKER_FEE_BPS: "0" }
    market = await internalMarket(await startGateway({ env }))
  })
  afterAll(endGateways)

  const stage = () => {
    const own = (asset: string): string => `${asset}${scenario}`
    const scenario = ++scenarios
    const assets = Object.fromEntries(["USD", "XBT", "ETH"].map((name) => [name, { asset: own(name), unit: 1 }]))
    const scales = Object.fromEntries(
      Object.entries(TERMS).map(([symbol, { base, quote, price, lot }]) => [
        symbol,
        { instrumentId: `INTERNAL:${own(base)}/${own(quote)}`, price, lot },
      ]),
    )
    const listed = (async () => {
      for (const { base, quote, price, lot } of Object.values(TERMS)) {
        const terms = { baseAsset: own(base), quoteAsset: own(quote), tickSize: `${price}`, lotSize: `${lot}` }
        await market.admin.post("/market/instrument/create", terms).then(({ record }) => record)
      }
    })()
    return deskStage({
      scales,
      assets,
      open: async (balances) => {
        await listed
        const { calls, tradingAccountId, walletId, portfolio } = await market.trader()
        for (const [name, amount] of Object.entries(balances)) await market.deposit(walletId, own(name), `${amount}`)
        await until("the account sees its money", async () => {
          const held = await portfolio()
          return Object.entries(balances).every(([name, amount]) => held[own(name)]?.[0] === `${amount}`)
        })
        return deskOf(calls, tradingAccountId, scales["ETH_XBT"]!.instrumentId)
      },
      book: async (symbol) => {
        const { bids, asks } = (await market.admin.orderBook(scales[symbol]!.instrumentId)).record
        const numbers = (levels: typeof bids) =>
          levels.map(([price, quantity]) => [Number(price), Number(quantity)] as const)
        return { bids: numbers(bids), asks: numbers(asks) }
      },
      prepare: async () => undefined,
    })
  }

  bindFeature(text ?? "", "HTTP at INTERNAL", stage, true)
})
