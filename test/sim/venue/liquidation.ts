/** A position that its venue closes by an order of its own, which nobody sees at work. */
import type { Tally } from "../tally.ts"
import type { Random } from "../time.ts"
import type { Exchange } from "./exchange.ts"

export const liquidate = (exchange: Exchange, random: Random, tally: Tally): void => {
  const held = exchange.accounts.flatMap((account) =>
    exchange.instruments.flatMap((instrumentId) => {
      const open = exchange.positions.openIn(account, instrumentId)
      return open.isZero() ? [] : [{ account, instrumentId, open }]
    }),
  )
  if (held.length === 0) return
  const { account, instrumentId, open } = random.pick(held)
  tally.add("liquidated")
  const sim = exchange.place(
    {
      instrumentId,
      orderSide: open.isNegative() ? "BUY" : "SELL",
      orderType: "LIMIT",
      timeInForce: "GTC",
      limitPrice: exchange.priceIn(instrumentId).toString(),
      quantity: open.abs().toString(),
      reduceOnly: true,
    },
    null,
    account,
    `autoclose-${exchange.orders.size}`,
  )
  exchange.fill(sim, sim.quantity)
}
