/**
 * What the whole installation currently accepts from clients, set by an operator. The one thing to know: a mode concerns new requests. Cancels
 * work in every mode, and what was accepted before continues: armed triggers fire, exits follow their entries.
 */
import { Context, Schema } from "effect"
import { TradingHalted } from "../errors/risk.ts"
import { hasExits } from "../order/rules/exits.ts"
import type { SubmitRequest } from "../order/submit-request.ts"
import type { TradeOrder } from "../order/trade-order.ts"

export const TradingMode = Schema.Literal("online", "cancel_only", "post_only", "maintenance").annotations({
  identifier: "TradingMode",
  description:
    "online: everything. post_only: new orders that cannot take liquidity, and cancels. cancel_only: cancels. maintenance: cancels only, and hedges of executed quotes are delayed too.",
})
export type TradingMode = typeof TradingMode.Type

/** What the audit says of a change. */
export const modeWords = (tradingMode: TradingMode, reason: string | null): string =>
  reason === null ? tradingMode : `${tradingMode}: ${reason}`

/** The mode of this process, asked at every order. Without a word of the composition root: online. */
export class TradingModeInForce extends Context.Reference<TradingModeInForce>()("domain/TradingModeInForce", {
  defaultValue: (): { readonly current: () => TradingMode } => ({ current: () => "online" }),
}) {}

const isPostOnly = ({ orderType, timeInForce }: Pick<SubmitRequest, "orderType" | "timeInForce">): boolean =>
  orderType === "LIMIT_MAKER" || (orderType === "LIMIT" && timeInForce === "GTX")

/** A hedge closes what a client was promised: it leaves in every mode but maintenance. */
export const submitHalted = (
  mode: TradingMode,
  request: SubmitRequest,
  isHedge: boolean,
): TradingHalted | undefined => {
  if (mode === "online" || (isHedge && mode !== "maintenance")) return undefined
  // Exits wait for fills and then take: an entry with exits is not an order that can only rest.
  if (mode === "post_only" && isPostOnly(request) && !hasExits(request)) return undefined
  return new TradingHalted({ tradingMode: mode })
}

/** A change puts the order where it was not: it is judged as a new one would be. Not for one that only ends it. */
export const changeHalted = (mode: TradingMode, order: TradeOrder): TradingHalted | null =>
  mode === "online" || (mode === "post_only" && isPostOnly(order)) ? null : new TradingHalted({ tradingMode: mode })

/** Executing a quote takes liquidity, so in any other mode no quotes are made. */
export const quotesHalted = (mode: TradingMode): TradingHalted | undefined =>
  mode === "online" ? undefined : new TradingHalted({ tradingMode: mode })
