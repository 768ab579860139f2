/** Operations of admins on users of their tenant: ban and unban. Everything else about users is `gateway admin`'s. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AdminRequired } from "../../domain/errors/authorisation.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { UserNotFound } from "../../domain/errors/user.ts"
import { AdminUserRecord } from "../../domain/user/user.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, always, Fresh } from "../edge/route.ts"
import { optional, text } from "../edge/wire-text.ts"

const which = {
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
    "Ends all sessions of the user at once, sockets included, and refuses logins until unban. Orders stay as they are.",
  )

const unban = HttpApiEndpoint.post("unban", "/api/v3/admin/user/unban")
  .setPayload(UnbanUser)
  .addSuccess(Ok(AdminUserRecord))
  .addError(Fail(UserNotFound, AdminRequired, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Lift a ban")
  .annotate(OpenApi.Description, "The user may log in again; sessions that ended stay ended.")

export class AdminUserApi extends HttpApiGroup.make("adminUser")
  .add(ban)
  .add(unban)
  .annotate(OpenApi.Title, "Administration of users")
  .annotate(OpenApi.Description, "For admins, within their tenant.") {}
