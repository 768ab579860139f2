/** Orders as admins ask about them: one order's whole story, within their tenant. `gateway admin order` tells the same without a gateway. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { OrderNotFound } from "../../domain/errors/trade-order.ts"
import { TradingAccountId } from "../../domain/ids.ts"
import { OrderStory } from "../../domain/order/story.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, Query } from "../edge/route.ts"
import { text } from "../edge/wire-text.ts"

const get = HttpApiEndpoint.get("get", "/api/v3/admin/order/get")
  .setUrlParams(
    Query({
      id: text(128).annotations({
        description:
          "tradeOrderId, or the gateway's own id of a request that was refused (callId of the access log); with tradingAccountId also clientOrderId, idempotencyKey, the venue's id of the order, or X-Request-ID",
      }),
      tradingAccountId: Schema.optional(TradingAccountId),
      eventsAfter: Schema.optional(Schema.Int.pipe(Schema.between(0, Number.MAX_SAFE_INTEGER))).annotations({
        description:
          "Events with later numbers of the account's alone: where a story says that there are more than it tells at once",
      }),
    }),
  )
  .addSuccess(Ok(OrderStory))
  .addError(Fail(OrderNotFound))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "Tell an order's whole story (admin)")
  .annotate(
    OpenApi.Description,
    "Extension. Why was it rejected? The request, the checks, what was stored and sent and when, the venue's words, evidence, fills, events and its end, as far as they are kept; of a submit that was refused the figures of the refusal, for 14 days. Of your tenant's orders.",
  )

export class AdminOrderApi extends HttpApiGroup.make("adminOrder")
  .add(get)
  .annotate(OpenApi.Title, "Administration of orders")
  .annotate(OpenApi.Description, "For admins, within their tenant.") {}
