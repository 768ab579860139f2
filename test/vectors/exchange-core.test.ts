/** exchange-core's basic.feature over HTTP at MOCK, every step as it is written. */
import { afterAll, beforeAll, describe } from "vitest"
import { endGateways } from "../kit/servers/gateway.ts"
import { bindFeature } from "./feature.ts"
import { gatewayStage, SCALES } from "./gateway-stage.ts"
import { type Desk, type QuietMarket, quietGateway, quietMarket } from "./quiet-market.ts"
import { documentOf } from "./vector-table.ts"

const text = documentOf("exchange-core/basic.feature")

describe.skipIf(text === null)("basic.feature over HTTP", () => {
  const markets = new Map<string, QuietMarket>()
  let house: Desk

  beforeAll(async () => {
    const gateway = await quietGateway()
    for (const [symbol, { instrumentId }] of Object.entries(SCALES))
      markets.set(symbol, await quietMarket(gateway, instrumentId))
    // The house buys what a client has too much of: nobody else may bid there.
    house = await (await quietMarket(gateway, "MOCK:BTC/USDT")).desk()
  })
  afterAll(endGateways)

  bindFeature(text ?? "", "HTTP", () => gatewayStage(markets, house), true)
})
