/** Permissions, and the addresses they may be used from. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

export class Forbidden extends Failure<Forbidden>()("Forbidden", {}) {
  override message = "Forbidden"
}

export class AccountForbidden extends Failure<AccountForbidden>()("AccountForbidden", {}) {
  override message = "Not authorised for this trading account"
}

export class InsufficientPermissions extends Failure<InsufficientPermissions>()("InsufficientPermissions", {
  required: Schema.Array(Schema.String),
  provided: Schema.Array(Schema.String),
}) {
  override message = "Insufficient permissions"
}

export class AdminRequired extends Failure<AdminRequired>()("AdminRequired", {
  required: Schema.Array(Schema.String),
  provided: Schema.Array(Schema.String),
  /** What the session lacks for rights that its user has; absent: the user has none. */
  needs: Schema.optional(Schema.Array(Schema.Literal("totp"))),
}) {
  override message = "Admin only"
}

export class TenantForbidden extends Failure<TenantForbidden>()("TenantForbidden", {
  tenantId: Schema.String,
}) {
  override message = "Tenant mismatch"
}

export class TlsRequired extends Failure<TlsRequired>()("TlsRequired", {}) {
  override message = "HTTPS required"
}

/** The address is on none of the lists that the user or its tenant has. */
export class IpForbidden extends Failure<IpForbidden>()("IpForbidden", {}) {
  override message = "IP address not allowed"
}
