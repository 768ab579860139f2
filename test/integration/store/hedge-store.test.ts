/** What a dealer's actor reads when it wakes, against the same sums in memory: any intents, any hedges, several pairs and dealers. */
import { randomUUID } from "node:crypto"
import { Effect, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import type { HedgeVerdict } from "../../../src/domain/dealer/hedging/hedging.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DealerAccountId, HedgeIntentId, QuoteId, TradeOrderId } from "../../../src/domain/ids.ts"
import { graver } from "../../../src/domain/order/evidence/doubt.ts"
import type { OrderSide, TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { HedgeStore, hedgeIntentFact, hedgeKey, type StoredHedges } from "../../../src/ports/hedge-store.ts"
import { hedgeStoreLayer } from "../../../src/store/dealers/hedge-store-sql.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { intentOf } from "../../kit/records/hedges.ts"
import { storedHedges } from "../../kit/records/stored-hedges.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import {
  commit,
  executionRow,
  filled,
  image,
  newExecution,
  newOrder,
  orderRow,
  query,
  type Rig,
  sqlRig,
} from "./account-store-rig.ts"

const database = withTestDatabase()
let rig: Rig
let runtime: ManagedRuntime.ManagedRuntime<HedgeStore, unknown>
beforeAll(async () => {
  rig = await sqlRig(database())
  runtime = ManagedRuntime.make(hedgeStoreLayer.pipe(Layer.provide(sqlLayer(database().url))))
})
afterAll(async () => {
  await runtime.dispose()
  await rig.close()
})

const amount = fc.integer({ min: 1, max: 3_000 }).map((units) => Decimal.fromUnits(BigInt(units), 3))
const side = fc.constantFrom<OrderSide>("BUY", "SELL")
const base = fc.constantFrom("BTC", "ETH")

interface Sold {
  readonly _tag: "Sold"
  readonly base: string
  readonly orderSide: OrderSide
  readonly quantity: Decimal
}
interface Hedged {
  readonly _tag: "Hedged"
  readonly base: string
  readonly orderSide: OrderSide
  readonly quantity: Decimal
  readonly status: "CANCELLED" | "FILLED" | "UNKNOWN"
  /** What an admin says of it, in tenths more than its venue; null: nothing. */
  readonly verdict: number | null
}
const step: fc.Arbitrary<Sold | Hedged> = fc.oneof(
  fc.record({ _tag: fc.constant("Sold" as const), base, orderSide: side, quantity: amount }),
  fc.record({
    _tag: fc.constant("Hedged" as const),
    base,
    orderSide: side,
    quantity: amount,
    status: fc.constantFrom("CANCELLED" as const, "FILLED" as const, "UNKNOWN" as const),
    verdict: fc.option(fc.integer({ min: -5, max: 5 })),
  }),
)

const plain = (line: StoredHedges): unknown => ({
  ...line,
  totals: { ...JSON.parse(JSON.stringify(line.totals)), fees: [...line.totals.fees].map(String).sort() },
  intents: JSON.parse(JSON.stringify(line.intents)),
  sent: [...line.sent].map(String).sort(),
  hedges: JSON.parse(JSON.stringify(line.hedges.toSorted((a, b) => a.tradeOrderId.localeCompare(b.tradeOrderId)))),
})

describe("the store of hedges", () => {
  it("sums up what a dealer owes and has hedged, and gives what makes up the difference", async () => {
    const account = await rig.account()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const dealerAccountId = randomUUID() as DealerAccountId
        const intents: Array<HedgeIntent> = []
        const hedges: Array<TradeOrder> = []
        const verdicts = new Map<TradeOrderId, HedgeVerdict>()
        for (const it of steps) {
          if (it._tag === "Sold") {
            const intent = intentOf(0, {
              orderSide: it.orderSide,
              quantity: it.quantity,
              dealerAccountId,
              baseAsset: it.base,
              hedgeIntentId: randomUUID() as HedgeIntentId,
              quoteId: randomUUID() as QuoteId,
            })
            intents.push(intent)
            const rows = JSON.stringify([hedgeIntentFact(intent).row])
            // Twice: a repeated batch of the ledger.
            for (let time = 0; time < 2; time++)
              await query(database().url, "SELECT ledger_facts_hedge_intent($1::jsonb)", [rows])
          } else if (intents.some(({ baseAsset }) => baseAsset === it.base)) {
            const lead = intents.find(({ baseAsset }) => baseAsset === it.base)!
            const key = hedgeKey(dealerAccountId, lead.hedgeIntentId, hedges.length + 1)
            const order = newOrder(account, {
              dealerAccountId,
              hedgeForQuoteIds: [lead.quoteId],
              hedgeForQuoteCount: 1,
              idempotencyKey: key,
              baseAsset: it.base,
              orderSide: it.orderSide,
              baseQuantity: Decimal.of("5"),
            })
            const execution = newExecution(order, { executedQuantity: it.quantity, orderSide: it.orderSide })
            const doubt = it.status === "UNKNOWN" ? graver(order, "SUBMIT") : null
            const last = image(filled(order, execution), { orderStatus: it.status, doubt })
            hedges.push(last)
            const { tradingAccountId: accountId } = account
            await commit(rig.store(), { accountId, rows: [orderRow(order)], events: [] })
            await commit(rig.store(), { accountId, rows: [orderRow(last), executionRow(execution)], events: [] })
            if (it.verdict !== null) {
              const said = Decimal.max(Decimal.ZERO, it.quantity.add(Decimal.fromUnits(BigInt(it.verdict), 1)))
              verdicts.set(order.tradeOrderId, { executedQuantity: said, executedCost: said.multiply(Decimal.of("7")) })
              await query(database().url, "INSERT INTO hedge_verdict VALUES ($1, $2, $3, 1)", [
                order.tradeOrderId,
                `${said}`,
                `${said.multiply(Decimal.of("7"))}`,
              ])
            }
          }
        }
        const loaded = await runtime.runPromise(Effect.flatMap(HedgeStore, ({ load }) => load(dealerAccountId)))
        const byBase = (lines: ReadonlyArray<StoredHedges>) =>
          lines.toSorted((a, b) => a.baseAsset.localeCompare(b.baseAsset)).map(plain)
        expect(byBase(loaded)).toEqual(byBase(storedHedges(intents, hedges, verdicts)))
      }),
      { numRuns: 25 },
    )
  })
})
