/** Tells orders' stories from the store: what is durable, never what an actor only plans. */
import { Effect } from "effect"
import { OrderNotFound } from "../../domain/errors/trade-order.ts"
import { tellStory } from "../../domain/order/story.ts"
import type { OrderStories } from "../../store/orders/order-story.ts"
import type { Handlers } from "../edge/route.ts"
import type { AdminOrderApi } from "./order-endpoints.ts"

export interface AdminOrderParts {
  readonly stories: OrderStories
  readonly now: () => number
}

export const adminOrderHandlers = ({ stories, now }: AdminOrderParts): Handlers<typeof AdminOrderApi> => ({
  get: ({ query, principal }, reply) => {
    const { id, tradingAccountId = null } = query
    const { tenantId } = principal
    return Effect.map(stories.find({ name: id, tradingAccountId, tenantId }, now()), (stored) =>
      stored === null ? reply.fail(new OrderNotFound()) : reply.ok(tellStory(stored)),
    )
  },
})
