/** Submit requests drawn from a seed: every type, quantity type and time in force, lists of every kind; some of them are to be refused. */
import { Decimal } from "../../src/domain/decimal.ts"
import type { SubmitRequest } from "../../src/domain/order/submit-request.ts"
import type { Random } from "./time.ts"
import type { Units } from "./venue/listing.ts"

export type Drawn = Partial<SubmitRequest>

type Fields = Record<string, unknown>

const PRICES = [
  "limitPrice",
  "stopPrice",
  "trailingAmount",
  "takeProfitPrice",
  "takeProfitLimitPrice",
  "stopLossPrice",
  "stopLossLimitPrice",
]

/** Fields drawn in units, in the amounts of an instrument. */
export const scaled = <A extends Fields>(fields: A, { price, quantity }: Units): A => {
  const by = (name: string): Decimal | null => {
    if (PRICES.includes(name)) return price
    if (name !== "quantity") return null
    if (fields.quantityType === "QUOTE") return price.multiply(quantity)
    return fields.quantityType === undefined ? quantity : null
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const unit = by(name)
      return [name, unit === null || typeof value !== "string" ? value : unit.multiply(Decimal.of(value)).toString()]
    }),
  ) as A
}

/** `price` is the market's in units, a whole number; `wall` the gateway's wall clock. */
export const drawRequest = (random: Random, price: number, wall: number, units: Units): Drawn => {
  const side = random.pick(["BUY", "SELL"] as const)
  const kind = random.pick([
    "plain",
    "plain",
    "plain",
    "plain",
    "trigger",
    "trigger",
    "trailing",
    "entry",
    "entry",
    "entry",
    "pair",
  ] as const)
  const fields =
    kind === "plain"
      ? plain(random, price)
      : kind === "trigger"
        ? trigger(random, price, side)
        : kind === "trailing"
          ? trailing(random, price, side)
          : kind === "entry"
            ? entry(random, price, side)
            : pair(random, price, side)
  const drawn: Fields = {
    orderSide: side,
    ...amount(random, fields.orderType === "MARKET"),
    ...time(random, fields, wall),
    ...fields,
    awaitClosed: random.chance(0.15),
  }
  return scaled(drawn, units) as Drawn
}

const text = (value: number): string => `${value}`

const amount = (random: Random, isMarket: boolean): Fields => {
  const dice = random.next()
  if (dice < 0.08) return { quantity: text(random.between(50, 900)), quantityType: "QUOTE" }
  if (dice < 0.11) return { quantity: `0.0${random.between(1, 4)}`, quantityType: "POSITION_RATIO" }
  if (dice < 0.14) return { quantity: text(random.between(1, 4)), quantityType: "POSITION_PERCENTAGE" }
  if (dice < 0.2)
    return { quantity: `${random.between(1, 5)}.${random.between(1, 9999)}`, quantityRounding: "HALF_EVEN" }
  return { quantity: isMarket ? text(random.between(1, 5)) : `${random.between(1, 9)}${random.pick(["", ".5"])}` }
}

const time = (random: Random, { orderType }: Fields, wall: number): Fields => {
  const dice = random.next()
  if (orderType === "MARKET") return {}
  if (dice < 0.12) return { timeInForce: "GTD", expireAt: wall + random.pick([500, 3_000, 15_000, 60_000, 300_000]) }
  if (dice < 0.17) return { timeInForce: "DAY" }
  if (orderType !== "LIMIT") return {}
  return dice < 0.24 ? { timeInForce: "IOC" } : dice < 0.27 ? { timeInForce: "GTX" } : {}
}

const limit = (random: Random, price: number): string => text(price + random.between(-5, 5))

const plain = (random: Random, price: number): Fields => {
  const orderType = random.pick(["LIMIT", "LIMIT", "LIMIT", "MARKET", "LIMIT_MAKER"] as const)
  return { orderType, ...(orderType === "MARKET" ? { limitPrice: undefined } : { limitPrice: limit(random, price) }) }
}

const STOPS = ["STOP", "STOP_MARKET", "STOP_LIMIT", "STOP_LOSS", "STOP_LOSS_LIMIT"] as const
const PROFITS = ["TAKE_PROFIT", "TAKE_PROFIT_LIMIT"] as const

/** A price on one side of the market; now and then on the wrong one, which is refused. */
const away = (random: Random, price: number, isAbove: boolean): number =>
  price + random.between(1, 4) * (isAbove === random.chance(0.95) ? 1 : -1)

const released = (random: Random, orderType: string, stop: number): Fields => ({
  limitPrice: orderType.endsWith("_LIMIT") ? text(stop + random.between(-2, 2)) : undefined,
})

const trigger = (random: Random, price: number, side: "BUY" | "SELL"): Fields => {
  const isStop = random.chance(0.6)
  const orderType = isStop ? random.pick(STOPS) : random.pick(PROFITS)
  const stop = away(random, price, isStop === (side === "BUY"))
  return { orderType, stopPrice: text(stop), ...released(random, orderType, stop) }
}

const trailing = (random: Random, price: number, side: "BUY" | "SELL"): Fields => {
  const stop = away(random, price, side === "BUY")
  const distance = random.pick<Fields>([
    { trailingAmount: text(random.between(1, 4)) },
    { trailingDelta: random.between(50, 400) },
    { stopPrice: text(stop) },
    { trailingAmount: text(random.between(1, 4)), stopPrice: text(stop) },
  ])
  return { orderType: "TRAILING_STOP", limitPrice: random.chance(0.2) ? text(stop) : undefined, ...distance }
}

/** Exits of an entry around `at`. */
const exits = (random: Random, at: number, side: "BUY" | "SELL"): Fields => {
  const sign = side === "BUY" ? 1 : -1
  const which = random.pick(["both", "both", "profit", "loss"] as const)
  const profit = text(at + sign * random.between(1, 5))
  const loss = text(at - sign * random.between(1, 5))
  return {
    ...(which !== "loss" && random.pick([{ takeProfitPrice: profit }, { takeProfitLimitPrice: profit }])),
    ...(which !== "profit" && { stopLossPrice: loss }),
    ...(which !== "profit" && random.chance(0.3) && { stopLossLimitPrice: loss }),
    ...(which !== "profit" && random.chance(0.1) && { stopLossTimeInForce: "DAY" }),
  }
}

const entry = (random: Random, price: number, side: "BUY" | "SELL"): Fields => {
  const dice = random.next()
  if (dice < 0.25) return { orderType: "MARKET", limitPrice: undefined, ...exits(random, price, side) }
  if (dice < 0.4) {
    const stop = away(random, price, side === "BUY")
    return { orderType: "STOP", limitPrice: undefined, stopPrice: text(stop), ...exits(random, stop, side) }
  }
  const at = price + random.between(-3, 3)
  return { orderType: "LIMIT", limitPrice: text(at), ...exits(random, at, side) }
}

const pair = (random: Random, price: number, side: "BUY" | "SELL"): Fields => {
  const sign = side === "SELL" ? 1 : -1
  const profit = price + sign * random.between(1, 5)
  const loss = price - sign * random.between(1, 5)
  if (random.chance(0.5)) {
    const orderType = random.pick(PROFITS)
    return { orderType, stopPrice: text(profit), ...released(random, orderType, profit), stopLossPrice: text(loss) }
  }
  const orderType = random.pick(["STOP_LOSS", "STOP_LOSS_LIMIT"] as const)
  return {
    orderType,
    stopPrice: text(loss),
    ...released(random, orderType, loss),
    ...random.pick([{ takeProfitPrice: text(profit) }, { takeProfitLimitPrice: text(profit) }]),
  }
}
