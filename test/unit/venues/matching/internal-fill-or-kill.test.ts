/** All or nothing at the platform's own venue: what stands in front of such an order in the queue takes nothing of what it may meet. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { TenantId, TradeOrderId, TradingAccountId, UserId } from "../../../../src/domain/ids.ts"
import { type InternalOrder, internalInstrumentId } from "../../../../src/domain/order/internal-order.ts"
import type { WalletId } from "../../../../src/domain/wallet/wallet.ts"
import type { Self } from "../../../../src/kernel/behaviour.ts"
import type { LedgerRequest } from "../../../../src/ports/ledger-port.ts"
import type { SessionReport } from "../../../../src/ports/venue-session.ts"
import { internalMarket, MAKERS_MAX } from "../../../../src/venues/internal/market.ts"
import { instrumentOf } from "../../../kit/records/instruments.ts"

const tenantId = "default" as TenantId
const instrument = { ...instrumentOf(internalInstrumentId("BTC", "USD")), tenantId }
const CANCELS = 40

const orderOf = (n: number, change: Partial<InternalOrder>): InternalOrder => ({
  tradeOrderId: `order-${n}` as TradeOrderId,
  tradingAccountId: "seller" as TradingAccountId,
  tenantId,
  ownerId: "seller" as UserId,
  walletId: "seller" as WalletId,
  instrumentId: instrument.instrumentId,
  orderSide: "SELL",
  orderType: "LIMIT",
  timeInForce: "GTC",
  limitPrice: Decimal.of("100"),
  quantity: Decimal.ONE,
  budget: null,
  executed: Decimal.ZERO,
  status: "OPEN",
  ending: null,
  sequence: n,
  holdId: `hold-${n}`,
  held: Decimal.ONE,
  createdAt: 1,
  updatedAt: 1,
  ...change,
})

it("an order to fill or kill is filled by as many as one settlement takes, whatever cancels stand in front of it", async () => {
  const makers = Array.from({ length: MAKERS_MAX }, (_, n) => orderOf(n, {}))
  const others = Array.from({ length: CANCELS }, (_, n) =>
    orderOf(MAKERS_MAX + n, { limitPrice: Decimal.of("200"), tradingAccountId: "other" as TradingAccountId }),
  )
  const asked: Array<LedgerRequest> = []
  const told: Array<SessionReport> = []
  let ids = 0
  const self = { settling: (run: unknown) => run } as unknown as Self<never>
  const { handlers, started } = await Effect.runPromise(
    internalMarket(
      {
        instrument,
        fees: { makerRate: Decimal.ZERO, takerRate: Decimal.ZERO },
        ledger: { post: (request) => void asked.push(request), wallet: () => Effect.succeed(null) },
        isOpen: () => true,
        openOrders: Effect.succeed([...makers, ...others]),
        now: () => 1,
        uuid: () => `id-${++ids}`,
        hit: () => undefined,
        report: (account, report) => void (account === "buyer" && told.push(report)),
        published: () => undefined,
        opened: () => undefined,
        decided: () => undefined,
        notice: () => undefined,
      },
      self,
    ),
  )
  started?.()
  const answer = (index: number): void =>
    asked.splice(index, 1)[0]!.settled({ _tag: "Applied", replayed: false, balances: [] })
  // The first is being settled while the others and the order gather behind it.
  for (const { tradeOrderId, tradingAccountId: account } of others)
    handlers.Cancel({ _tag: "Cancel", account, tradeOrderId })
  handlers.Submit({
    _tag: "Submit",
    notAfter: 2,
    order: orderOf(999, {
      tradingAccountId: "buyer" as TradingAccountId,
      ownerId: "buyer" as UserId,
      walletId: "buyer" as WalletId,
      orderSide: "BUY",
      timeInForce: "FOK",
      quantity: Decimal.of(`${MAKERS_MAX}`),
      holdId: null,
      held: Decimal.ZERO,
    }),
  })
  expect(asked).toHaveLength(2)
  answer(1)
  while (asked.length > 0) answer(0)
  expect(told.filter(({ _tag }) => _tag === "Filled")).toHaveLength(MAKERS_MAX)
})
