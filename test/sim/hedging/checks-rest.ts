/** When the faults have stopped: nothing is open but dust, and what is told of it is what venues executed in truth. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DealerAccountId } from "../../../src/domain/ids.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { LineChecks } from "./checks.ts"
import { PAIRS } from "./listing.ts"
import { truthOf } from "./venue-hedge.ts"
import { signed, sizeOf, viewOf } from "./view.ts"
import type { HedgingWorld } from "./world.ts"

/** No venue of a world asks for more, in base: a tenth, or what a tenth was worth in the beginning. */
const DUST = Decimal.of("0.12")

export class RestChecks {
  constructor(
    private readonly world: HedgingWorld,
    private readonly lines: LineChecks,
    private readonly say: (violation: string) => void,
  ) {}

  judge(): void {
    const { world } = this
    for (const { dealerAccountId: id, status } of world.directory.all()) {
      if (status === "ARCHIVED") continue
      const report = this.lines.reportOf(id)
      if (report === undefined) {
        this.say(`${id.slice(-2)} does not answer`)
        continue
      }
      for (const { symbol, state, position, trouble } of report) {
        if (state !== "FLAT" && state !== "ACCUMULATING")
          this.say(`${symbol} of ${id.slice(-2)} is stuck: ${state} with ${position} (${trouble})`)
        if (sizeOf(Decimal.fromVenue(position)!).greaterThan(DUST))
          this.say(`${symbol} of ${id.slice(-2)} has ${position} although every venue takes so much`)
        const truth = this.#truth(id, symbol)
        if (!truth.equals(Decimal.fromVenue(position)!))
          this.say(`${symbol} of ${id.slice(-2)} has ${position} by its dealer and ${truth} in truth`)
      }
      if (report.every(({ state }) => state === "FLAT"))
        for (const [instrumentId, holders] of world.books.held)
          if (holders.has(`hedge ${id}`))
            this.say(`${instrumentId} is kept open by ${id.slice(-2)}, who has nothing open`)
    }
  }

  /** What the dealer has, by what clients and venues executed. */
  #truth(id: DealerAccountId, symbol: string): Decimal {
    const { database, linked } = this.world
    const [baseAsset] = symbol.split("/")
    let has = viewOf(database, id, symbol).owed.negate()
    for (const order of database.hedgesOf(id, symbol)) {
      const hedge = linked.atVenue.get(order.tradeOrderId)!
      // What a venue adds to an order that was over, after its account was disconnected, nobody hears of.
      const isUnheard =
        isTerminal(order.orderStatus) && database.accounts.get(order.tradingAccountId)!.status === "DISCONNECTED"
      if (isUnheard) {
        has = has.add(signed(order.orderSide, order.executedQuantity))
        for (const { asset, quantity } of order.fees) if (asset === baseAsset) has = has.subtract(quantity)
        continue
      }
      has = has.add(signed(order.orderSide, truthOf(hedge).quantity))
      // What was charged is known from the venue alone: beyond what it told, an admin's word leaves it out.
      const isTold = order.executedQuantity.equals(truthOf(hedge).quantity)
      const fees = isTold ? hedge.fills.flatMap(({ fee }) => fee ?? []) : order.fees
      for (const { asset, quantity } of fees) if (asset === baseAsset) has = has.subtract(quantity)
    }
    return has
  }

  /** A dealer is archived only with nothing at work and nothing but dust open. */
  static archived(world: HedgingWorld, id: DealerAccountId, say: (violation: string) => void): void {
    for (const { symbol } of PAIRS) {
      const view = viewOf(world.database, id, symbol, (intent) => world.heard.has(intent))
      if (view.unsettled.length > 0)
        say(`${id.slice(-2)} is archived with ${view.unsettled.length} hedges of ${symbol} at work`)
    }
  }
}
