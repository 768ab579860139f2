/** Tells orders' stories from the store: what is durable, never what an actor only plans. */
import { Effect } from "effect"
import { OrderNotFound } from "../../domain/errors/trade-order.ts"
import { tellStory } from "../../domain/order/story.ts"
import type { OrderStories } from "../../store/orders/order-story.ts"
import type { Handlers } from "../edge/route.ts"
import type { AdminOrderApi } from "./order-endpoints.ts"

export interface AdminOrderParts {
  readonly stories: OrderStories
}

export const adminOrderHandlers = ({ stories }: AdminOrderParts): Handlers<typeof AdminOrderApi> => ({
  get: ({ query, principal }, reply) => {
    const { id, tradingAccountId = null, eventsAfter = 0 } = query
    const { tenantId } = principal
    return Effect.map(stories.find({ name: id, tradingAccountId, tenantId, eventsAfter }), (stored) =>
      stored === null ? reply.fail(new OrderNotFound()) : reply.ok(tellStory(stored, "ADMIN")),
    )
  },
})
