/**
 * What admins do with the networks that users may connect from, and with tenants. The one thing to know: networks are each tenant's own affair;
 * other tenants are seen and made by admins of the installation's own alone.
 */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AdminRequired, TenantForbidden } from "../../domain/errors/authorisation.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { UserNotFound } from "../../domain/errors/user.ts"
import { TENANT_NAME } from "../../domain/ids.ts"
import { AdminUserRecord } from "../../domain/user/user.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, always, Fresh, Query } from "../edge/route.ts"
import { optional, text } from "../edge/wire-text.ts"
import { which } from "./endpoints.ts"

const NetworkList = Schema.Struct({
  userId: Schema.NullOr(Schema.String).annotations({ description: "null: the list of your tenant, for all its users" }),
  ipAllow: Schema.Array(Schema.String).annotations({ description: "CIDRs; empty: any address" }),
}).annotations({ identifier: "NetworkList" })
export type NetworkList = typeof NetworkList.Type

const ChangeNetwork = Schema.Struct({
  userId: optional(Schema.UUID).annotations({ description: "Absent: your tenant's list" }),
  network: text(64).annotations({ description: "An address or a CIDR" }),
})

const list = HttpApiEndpoint.get("list", "/api/v3/admin/network/list")
  .setUrlParams(Query({ userId: Schema.optional(Schema.UUID) }))
  .addSuccess(Ok(NetworkList))
  .addError(Fail(UserNotFound))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "List allowed networks (admin)")
  .annotate(
    OpenApi.Description,
    "Extension. The networks that a user of your tenant, or without userId every user of it, may connect from. With both lists an address must be on both.",
  )

const allow = HttpApiEndpoint.post("allow", "/api/v3/admin/network/allow")
  .setPayload(ChangeNetwork.annotations({ identifier: "AllowNetwork", examples: [{ network: "203.0.113.0/24" }] }))
  .addSuccess(Ok(NetworkList))
  .addError(Fail(UserNotFound, AdminRequired, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Allow a network")
  .annotate(
    OpenApi.Description,
    "Extension. The first network of a list closes it to all others, at once and on open sockets too. A list that would leave out your own address is refused.",
  )

const forget = HttpApiEndpoint.post("forget", "/api/v3/admin/network/forget")
  .setPayload(ChangeNetwork.annotations({ identifier: "ForgetNetwork", examples: [{ network: "203.0.113.0/24" }] }))
  .addSuccess(Ok(NetworkList))
  .addError(Fail(UserNotFound, AdminRequired, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Remove an allowed network")
  .annotate(
    OpenApi.Description,
    "Extension. Without its last network a list is open to any address. A list that would leave out your own address is refused.",
  )

export class AdminNetworkApi extends HttpApiGroup.make("adminNetwork")
  .add(list)
  .add(allow)
  .add(forget)
  .annotate(OpenApi.Title, "Administration of networks")
  .annotate(OpenApi.Description, "For admins, within their tenant.") {}

const TenantRecord = Schema.Struct({
  tenantId: Schema.String,
  isHome: Schema.Boolean.annotations({
    description: "The installation's own (DEFAULT_TENANT_ID): its admins create tenants",
  }),
  users: Schema.Int,
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
}).annotations({ identifier: "Tenant" })
export type TenantRecord = typeof TenantRecord.Type

const tenantName = Schema.String.pipe(Schema.pattern(new RegExp(`^${TENANT_NAME}$`)))

const tenantList = HttpApiEndpoint.get("list", "/api/v3/admin/tenant/list")
  .addSuccess(Ok(Schema.Array(TenantRecord)))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "List tenants (admin)")
  .annotate(
    OpenApi.Description,
    "Extension. All of them, by name, for admins of the installation's own tenant; admins of another see their own alone.",
  )

const create = HttpApiEndpoint.post("create", "/api/v3/admin/tenant/create")
  .setPayload(
    Schema.Struct({ tenantId: tenantName }).annotations({
      identifier: "CreateTenant",
      examples: [{ tenantId: "acme" }],
    }),
  )
  .addSuccess(Ok(TenantRecord))
  .addError(Fail(AdminRequired, TenantForbidden, InvalidParameter, UserNotFound))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Create a tenant")
  .annotate(
    OpenApi.Description,
    "Extension, for admins of the installation's own tenant. It is empty: give a user admin, then move that user into it.",
  )

const move = HttpApiEndpoint.post("move", "/api/v3/admin/tenant/move")
  .setPayload(
    Schema.Struct({ ...which, tenantId: tenantName }).annotations({
      identifier: "MoveUser",
      examples: [{ email: "ada@example.com", tenantId: "acme" }],
    }),
  )
  .addSuccess(Ok(AdminUserRecord))
  .addError(Fail(AdminRequired, TenantForbidden, InvalidParameter, UserNotFound))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Move a user to another tenant")
  .annotate(
    OpenApi.Description,
    "Extension, for admins of the installation's own tenant, with users of it. Refused while the user owns anything. Ends the user's sessions and API keys; from then on the user is the other tenant's admins' affair.",
  )

export class AdminTenantApi extends HttpApiGroup.make("adminTenant")
  .add(tenantList)
  .add(create)
  .add(move)
  .annotate(OpenApi.Title, "Administration of tenants")
  .annotate(OpenApi.Description, "For admins of the installation's own tenant.") {}
