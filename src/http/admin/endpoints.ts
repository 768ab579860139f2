/**
 * What admins do over HTTP, within their tenant: operations on its users, and one order's full history. `gateway admin` does the same for all
 * tenants, and shows the same history without a gateway.
 */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import { AdminRequired } from "../../domain/errors/authorisation.ts"
import { ConflictingParameters, InvalidCursor, InvalidParameter } from "../../domain/errors/request.ts"
import { OrderNotFound } from "../../domain/errors/trade-order.ts"
import { UserNotFound } from "../../domain/errors/user.ts"
import { TradingAccountId } from "../../domain/ids.ts"
import { OrderStory } from "../../domain/order/story.ts"
import { AdminUserRecord, Permission, SessionEntry } from "../../domain/user/user.ts"
import { Fail, Ok, Page } from "../edge/envelope.ts"
import { Access, always, Fresh, Query } from "../edge/route.ts"
import { Ask, optional, text } from "../edge/wire-text.ts"

// Operations of admins on users of their tenant: who there is, bans, rights, sessions, second factors.

/** Who an operation of an admin is about. */
export const which = {
  userId: optional(Schema.UUID),
  email: optional(text(320)).annotations({ description: "Instead of userId" }),
}

const BanUser = Schema.Struct({ ...which, reason: optional(text(500)) }).annotations({
  identifier: "BanUser",
  examples: [{ email: "mallory@example.com", reason: "stolen account" }],
})

const UnbanUser = Schema.Struct(which).annotations({
  identifier: "UnbanUser",
  examples: [{ email: "mallory@example.com" }],
})

const ban = HttpApiEndpoint.post("ban", "/api/v3/admin/user/ban")
  .setPayload(BanUser)
  .addSuccess(Ok(AdminUserRecord))
  .addError(Fail(UserNotFound, AdminRequired, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Ban a user")
  .annotate(
    OpenApi.Description,
    "Ends all sessions of the user at once, sockets included, and refuses logins until unban. Orders are not affected.",
  )

const unban = HttpApiEndpoint.post("unban", "/api/v3/admin/user/unban")
  .setPayload(UnbanUser)
  .addSuccess(Ok(AdminUserRecord))
  .addError(Fail(UserNotFound, AdminRequired, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Lift a ban")
  .annotate(OpenApi.Description, "The user may log in again; ended sessions are not restored.")

const ChangeRight = Schema.Struct({ ...which, permission: Permission }).annotations({
  identifier: "ChangeRight",
  examples: [{ email: "ada@example.com", permission: "write" }],
})

const SignOutUser = Schema.Struct(which).annotations({
  identifier: "SignOutUser",
  examples: [{ email: "mallory@example.com" }],
})

const list = HttpApiEndpoint.get("list", "/api/v3/admin/user/list")
  .setUrlParams(Query({ limit: Ask.limit(1_000, 50), offset: Ask.offsetUpTo(COUNTED_MAX), cursor: Ask.cursor }))
  .addSuccess(Page(AdminUserRecord))
  .addError(Fail(InvalidCursor, ConflictingParameters))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "List users (admin)")
  .annotate(OpenApi.Description, "Extension. The users of your tenant, sorted by e-mail address.")

const sessionList = HttpApiEndpoint.get("sessionList", "/api/v3/admin/user/session/list")
  .setUrlParams(Query({ userId: Schema.UUID }))
  .addSuccess(Ok(Schema.Array(SessionEntry)))
  .addError(Fail(UserNotFound))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "List a user's sessions (admin)")
  .annotate(OpenApi.Description, "Extension. Open sessions of a user of your tenant, most recently used first.")

const grant = HttpApiEndpoint.post("grant", "/api/v3/admin/user/grant")
  .setPayload(ChangeRight)
  .addSuccess(Ok(AdminUserRecord))
  .addError(Fail(UserNotFound, AdminRequired, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Grant a right")
  .annotate(
    OpenApi.Description,
    "Extension. Grants the right and those it implies, effective immediately on open sockets too. You cannot grant rights to yourself.",
  )

const revoke = HttpApiEndpoint.post("revoke", "/api/v3/admin/user/revoke")
  .setPayload(ChangeRight)
  .addSuccess(Ok(AdminUserRecord))
  .addError(Fail(UserNotFound, AdminRequired, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Revoke a right")
  .annotate(
    OpenApi.Description,
    "Extension. Revokes the right and those that imply it, effective immediately; subscriptions that need it end. You cannot revoke your own rights.",
  )

const signOut = HttpApiEndpoint.post("signOut", "/api/v3/admin/user/signOut")
  .setPayload(SignOutUser)
  .addSuccess(Ok(AdminUserRecord))
  .addError(Fail(UserNotFound, AdminRequired, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "End a user's sessions")
  .annotate(
    OpenApi.Description,
    "Extension. Ends all of them, sockets included; the user may log in again. API keys remain valid.",
  )

const resetSecondFactor = HttpApiEndpoint.post("resetSecondFactor", "/api/v3/admin/user/resetSecondFactor")
  .setPayload(
    Schema.Struct(which).annotations({
      identifier: "ResetSecondFactor",
      examples: [{ email: "ada@example.com" }],
    }),
  )
  .addSuccess(Ok(AdminUserRecord))
  .addError(Fail(UserNotFound, AdminRequired, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Reset a user's second factor")
  .annotate(
    OpenApi.Description,
    "Extension. For a user who lost the authenticator and the recovery codes: removes both, ends all sessions of the user, and tells the user by mail. The next sign-in needs the password alone. Your own is removed with auth/totp/remove.",
  )

export class AdminUserApi extends HttpApiGroup.make("adminUser")
  .add(list)
  .add(sessionList)
  .add(ban)
  .add(unban)
  .add(grant)
  .add(revoke)
  .add(signOut)
  .add(resetSecondFactor)
  .annotate(OpenApi.Title, "Administration of users")
  .annotate(OpenApi.Description, "For admins, within their tenant.") {}

const get = HttpApiEndpoint.get("get", "/api/v3/admin/order/get")
  .setUrlParams(
    Query({
      id: text(128).annotations({
        description:
          "tradeOrderId, or the gateway's own id of a refused request (callId of the access log); with tradingAccountId also clientOrderId, idempotencyKey, the venue's id of the order, or X-Request-ID",
      }),
      tradingAccountId: Schema.optional(TradingAccountId),
      eventsAfter: Schema.optional(Schema.Int.pipe(Schema.between(0, Number.MAX_SAFE_INTEGER))).annotations({
        description: "Only account events with a later sequence number: for when the history says that it is cut",
      }),
    }),
  )
  .addSuccess(Ok(OrderStory))
  .addError(Fail(OrderNotFound))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "Get an order's full history (admin)")
  .annotate(
    OpenApi.Description,
    "Extension. Explains why an order was rejected: the request, the checks, what was stored and sent and when, venue responses, evidence, fills, events and the final state, as far as they are retained; for a refused submit the figures of the refusal, for 14 days. Only for orders of your tenant.",
  )

export class AdminOrderApi extends HttpApiGroup.make("adminOrder")
  .add(get)
  .annotate(OpenApi.Title, "Administration of orders")
  .annotate(OpenApi.Description, "For admins, within their tenant.") {}
