/** Exchange API credentials: the row without its secret, and the public record with a masked key. */
import { Schema } from "effect"
import { dateTime } from "../../foundation/time.ts"
import type { CredentialId, TenantId, UserId, VenueId } from "../ids.ts"

export interface Credential {
  readonly credentialId: CredentialId
  readonly tenantId: TenantId
  readonly userId: UserId
  readonly venue: VenueId
  readonly name: string
  readonly type: string
  /** `****` and the last four characters: all that is ever shown of the key. */
  readonly maskedApiKey: string
  readonly status: "CREATED" | "ACTIVE" | "REVOKED"
  readonly createdAt: number
  readonly updatedAt: number
  readonly revokedAt: number | null
}

/** Another user's, and one's own that stayed in a tenant that the user has left, answer as one that does not exist. */
export const isOwnCredential = (
  { userId, tenantId }: Credential,
  principal: { readonly userId: UserId; readonly tenantId: TenantId },
): boolean => userId === principal.userId && tenantId === principal.tenantId

/** What a connector signs with. Never logged, never returned, never in an error. */
export interface VenueSecrets {
  readonly apiKey: string
  readonly apiSecret: string
  readonly apiPassphrase: string | null
}

export const CredentialRecord = Schema.Struct({
  credentialId: Schema.String,
  userId: Schema.String,
  venue: Schema.String,
  name: Schema.String,
  type: Schema.String,
  credentialType: Schema.Literal("API_KEY"),
  nickname: Schema.String,
  apiKey: Schema.String,
  status: Schema.Literal("CREATED", "ACTIVE", "REVOKED"),
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  updatedAt: Schema.Int,
  updatedAtDateTime: Schema.String,
  revokedAt: Schema.optional(Schema.Int),
  revokedAtDateTime: Schema.optional(Schema.String),
}).annotations({ identifier: "Credential" })
export type CredentialRecord = typeof CredentialRecord.Type

export const credentialRecord = (c: Credential): CredentialRecord => ({
  credentialId: c.credentialId,
  userId: c.userId,
  venue: c.venue,
  name: c.name,
  type: c.type,
  credentialType: "API_KEY",
  nickname: c.name,
  apiKey: c.maskedApiKey,
  status: c.status,
  createdAt: c.createdAt,
  createdAtDateTime: dateTime(c.createdAt),
  updatedAt: c.updatedAt,
  updatedAtDateTime: dateTime(c.updatedAt),
  ...(c.revokedAt === null ? {} : { revokedAt: c.revokedAt, revokedAtDateTime: dateTime(c.revokedAt) }),
})
