/** A trailing stop that the gateway watches: how far it came is durable in a bounded time, or a restart would give ground away. */
import type { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, TradeOrderId } from "../../../src/domain/ids.ts"
import { placeOf, type TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { isBetter } from "../../../src/domain/order/trigger-prices.ts"
import type { SimMarkets } from "../venue/market.ts"
import type { AccountView } from "./view.ts"

/** Images of one stop are stored so far apart at most, a slow store included. */
const STORED_MILLIS = 15_000

interface Best {
  readonly price: Decimal
  readonly at: number
}

export class TrailingChecks {
  /** The best price that the process heard while the order was armed. */
  private readonly best = new Map<TradeOrderId, Best>()
  private restarts = 0

  constructor(
    private readonly view: AccountView,
    market: SimMarkets,
  ) {
    market.hears.push((price, instrumentId) => this.heard(price, instrumentId))
  }

  processStarted(): void {
    this.best.clear()
    this.restarts = 0
  }

  private armed(): ReadonlyArray<TradeOrder> {
    return this.view.rows().filter((it) => (it.terms?.trigger?.trailing ?? null) !== null && placeOf(it) === "ARMED")
  }

  private heard(price: Decimal, instrumentId: InstrumentId): void {
    const { world } = this.view
    for (const { tradeOrderId, terms, ...order } of this.armed()) {
      if (order.instrumentId !== instrumentId) continue
      const known = this.best.get(tradeOrderId)
      if (known !== undefined && !isBetter(terms!.trigger!.on, price, known.price)) continue
      this.best.set(tradeOrderId, { price, at: world.time.now })
    }
  }

  safety(): void {
    const { world } = this.view
    const { restarts } = world
    if (restarts !== this.restarts || !world.isRunning) this.best.clear()
    this.restarts = restarts
    for (const { tradeOrderId, terms } of this.armed()) {
      const { on, trailing } = terms!.trigger!
      const best = this.best.get(tradeOrderId)
      if (best === undefined || world.time.now - Math.max(best.at, world.units.promptSince) < STORED_MILLIS) continue
      if (isBetter(on, best.price, trailing!.highWaterMark))
        this.view.say(
          `${tradeOrderId} follows ${trailing!.highWaterMark} by what is stored, and ${best.price} was heard`,
        )
    }
  }
}
