/** A user, for tests that need any user. */
import type { TenantId, UserId } from "../../../src/domain/ids.ts"
import type { User } from "../../../src/domain/user/user.ts"

export const someUser: User = {
  userId: "0b6fca3e-4b1f-4e0e-9d2c-0a3f5a5b1d11" as UserId,
  email: "a@example.com",
  tenantId: "default" as TenantId,
  permissions: ["read", "write"],
  environments: ["PROD"],
  userMetadata: {},
  emailConfirmedAt: null,
  lastSignInAt: null,
  bannedAt: null,
  banReason: null,
  pendingEmail: null,
  secondFactorAt: null,
  createdAt: 0,
  updatedAt: 0,
}
