/** The order that is being written: what the ticket shows, and what would be sent. Nothing is sent from here. */
import { batch, computed, effect, signal } from "@preact/signals"
import type { SubmitOrder } from "../../../clients/typescript/src/index.ts"
import { isDecimal, misreading, times } from "../format.ts"
import { chosen } from "../live.ts"
import { userId } from "../session.ts"
import { instrument, instrumentId } from "./market.ts"

export type Side = "BUY" | "SELL"
export const side = signal<Side>("BUY")
export const orderType = signal<string>("LIMIT")
export const quantity = signal("")
export const limitPrice = signal("")
export const stopPrice = signal("")
export const timeInForce = signal("GTC")

// What one user was writing is nothing for the next.
effect(() => {
  if (userId.value !== null) return
  batch(() => {
    for (const field of [quantity, limitPrice, stopPrice]) field.value = ""
  })
})

export const needsLimit = computed(() =>
  /^(LIMIT|LIMIT_MAKER|STOP_LIMIT|STOP_LOSS_LIMIT|TAKE_PROFIT_LIMIT)$/.test(orderType.value),
)
export const needsStop = computed(() =>
  /^(STOP|STOP_LOSS|STOP_LIMIT|STOP_LOSS_LIMIT|TAKE_PROFIT|TAKE_PROFIT_LIMIT)$/.test(orderType.value),
)

/** What is still missing, in words; null: the order is whole. What is wrong with it beside that the gateway says. */
export const missing = computed((): string | null => {
  if (chosen.value === null) return "an account"
  if (instrument.value === null) return "an instrument"
  if (!isDecimal(quantity.value)) return "a quantity"
  if (needsStop.value && !isDecimal(stopPrice.value)) return "a stop price"
  if (needsLimit.value && !isDecimal(limitPrice.value)) return "a limit price"
  return null
})

/** Why a number is not taken as it stands; null: none is doubtful. */
export const misread = computed(
  (): string | null =>
    misreading(quantity.value) ??
    (needsStop.value ? misreading(stopPrice.value) : null) ??
    (needsLimit.value ? misreading(limitPrice.value) : null),
)

/** Null: not known yet, or a market order. */
export const notional = computed((): string | null =>
  needsLimit.value && isDecimal(quantity.value) && isDecimal(limitPrice.value)
    ? times(quantity.value, limitPrice.value)
    : null,
)

export const order = computed((): SubmitOrder | null => {
  const account = chosen.value
  if (account === null || missing.value !== null) return null
  return {
    tradingAccountId: account.tradingAccountId,
    instrumentId: instrumentId.value,
    orderSide: side.value,
    orderType: orderType.value as SubmitOrder["orderType"],
    quantity: quantity.value,
    ...(needsLimit.value ? { limitPrice: limitPrice.value } : {}),
    ...(needsStop.value ? { stopPrice: stopPrice.value } : {}),
    ...(orderType.value === "LIMIT"
      ? { timeInForce: timeInForce.value as NonNullable<SubmitOrder["timeInForce"]> }
      : {}),
  }
})

/** `BUY 0.01 BTC at 60000`. */
export const sentence = computed((): string => {
  const base = instrument.value?.baseAsset ?? ""
  const at = needsLimit.value ? ` at ${limitPrice.value || "…"}` : orderType.value === "MARKET" ? " at market" : ""
  const stop = needsStop.value ? ` when ${stopPrice.value || "…"} trades` : ""
  return `${side.value} ${quantity.value || "…"} ${base}${at}${stop}`
})

/** What is available for the side that is written; null: nothing is known of it. */
export const paysWith = computed(
  () => (side.value === "BUY" ? instrument.value?.quoteAsset : instrument.value?.baseAsset) ?? null,
)
