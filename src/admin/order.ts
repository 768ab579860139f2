/**
 * `order ID`: one order's full history, from the database alone, with or without a running gateway. What a running gateway has not committed yet
 * is not in it.
 */
import { Effect } from "effect"
import { InvalidParameter } from "../domain/errors/request.ts"
import { tellStory } from "../domain/order/story.ts"
import { isUuid } from "../foundation/uuid.ts"
import { OrderStories } from "../store/orders/order-story.ts"

export interface OrderCommand {
  readonly _tag: "Order"
  readonly name: string
  readonly tradingAccountId: string | null
  /** Events with later numbers of the account's alone; 0: from the first. */
  readonly eventsAfter: number
  /** One JSON record in place of the page. */
  readonly asRecord: boolean
}

export const ORDER_USAGE = `  order ID [ACCOUNT] [--json] [--events-after NUMBER]
                                   show an order's history: request, checks, commits, what was sent, venue responses, fills, end. ID: tradeOrderId,
                                   or id of a refused request (callId); with the trading account's id also clientOrderId,
                                   idempotencyKey, the venue's id, X-Request-ID
`

/** Undefined: the words are another command, or none. */
export const parseOrder = ([name, ...rest]: ReadonlyArray<string>): OrderCommand | undefined => {
  const at = rest.indexOf("--events-after")
  const after = at === -1 ? "0" : (rest[at + 1] ?? "")
  const words = at === -1 ? rest : rest.toSpliced(at, 2)
  const [id, account, ...more] = words.filter((word) => word !== "--json")
  if (name !== "order" || id === undefined || more.length > 0 || !/^\d{1,15}$/.test(after)) return undefined
  // Without an account only ids of the gateway's own say which order is meant.
  if (!isUuid(account ?? id)) return undefined
  return {
    _tag: "Order",
    name: id,
    tradingAccountId: account ?? null,
    eventsAfter: Number(after),
    asRecord: rest.includes("--json"),
  }
}

export const runOrder = ({ name, tradingAccountId, eventsAfter }: OrderCommand) =>
  Effect.gen(function* () {
    const stored = yield* (yield* OrderStories).find({ name, tradingAccountId, tenantId: null, eventsAfter })
    if (stored !== null) return tellStory(stored, "OPERATOR")
    const reason = `nothing is stored for ${name}: no order has this id, and refused submits are kept for 14 days`
    return yield* new InvalidParameter({ parameter: "order", reason })
  })
