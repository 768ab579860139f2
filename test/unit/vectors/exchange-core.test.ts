/** exchange-core's basic.feature by the matcher, every step as it is written; its balances are proved over HTTP. */
import { describe } from "vitest"
import { type MatchEvent, Matcher, type MatchOrder } from "../../../src/venues/matching/matcher.ts"
import { bindFeature, type Stage } from "../../vectors/feature.ts"
import { documentOf } from "../../vectors/vector-table.ts"

const text = documentOf("exchange-core/basic.feature")

const matcherStage = (): Stage => {
  const matchers = new Map<string, Matcher>()
  const orders = new Map<string, { readonly matcher: Matcher; readonly client: string; readonly size: number }>()
  const prices = new Map<string, number>()
  const done: Array<MatchEvent> = []
  const tradesOf = (id: string) =>
    done.flatMap((event) => (event._tag === "Traded" && [event.maker.id, event.taker.id].includes(id) ? [event] : []))
  const filledOf = (id: string) => tradesOf(id).reduce((sum, { quantity }) => sum + Number(quantity), 0)
  const matcherOf = (symbol: string): Matcher => {
    const matcher = matchers.get(symbol) ?? new Matcher("CANCEL_NEWEST")
    matchers.set(symbol, matcher)
    return matcher
  }
  return {
    open: async () => undefined,
    place: async ({ client, id, side, price, size, type, symbol }) => {
      const matcher = matcherOf(symbol)
      orders.set(id, { matcher, client, size })
      prices.set(id, price)
      const order: MatchOrder = {
        ...{ id, owner: client, side, price: BigInt(price), quantity: BigInt(size), timeInForce: type },
        postOnly: false,
      }
      done.push(...matcher.submit(order))
    },
    move: async (id, price) => {
      const matcher = orders.get(id)?.matcher
      const events = matcher?.amend(id, BigInt(price), matcher.remaining(id) ?? 0n)
      if (!Array.isArray(events)) throw new Error(`cannot move ${id}: ${events}`)
      prices.set(id, price)
      done.push(...events)
    },
    cancel: async (id) => void done.push(...(orders.get(id)?.matcher.cancel(id) ?? [])),
    book: async (symbol) => {
      const levels = (side: "BUY" | "SELL") =>
        [...matcherOf(symbol).levels(side)].map(({ price, quantity }) => [Number(price), Number(quantity)])
      return { bids: levels("BUY"), asks: levels("SELL") }
    },
    filled: async (id) => {
      const last = tradesOf(id).at(-1)
      return { size: filledOf(id), price: Number(last?.price), last: Number(last?.quantity) }
    },
    order: async (id) => ({ price: prices.get(id) ?? 0, size: orders.get(id)?.size ?? 0, filled: filledOf(id) }),
    trades: async () => done.filter((event) => event._tag === "Traded").length,
    active: async (client) =>
      [...orders].filter(([id, order]) => order.client === client && order.matcher.remaining(id) !== undefined).length,
    balances: async () => null,
    close: async () => undefined,
  }
}

describe.skipIf(text === null)("basic.feature by the matcher", () =>
  bindFeature(text ?? "", "matcher", matcherStage, false),
)
