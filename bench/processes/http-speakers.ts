/**
 * The identities behind the requests of `http`, as the gateway knows them: a session by its access token, and a key by its secret, both of one
 * user. The one thing to know: the work per request is the gateway's own (`makeSpeakers` over its live sessions and keys); only the store behind
 * them is absent.
 */
import { LiveKeys } from "../../src/auth/api-key/live-keys.ts"
import { newKey } from "../../src/auth/api-key/new-key.ts"
import { newSigningKey, parseSigningKey } from "../../src/auth/keys/signing-keys.ts"
import { AllowedAddresses } from "../../src/auth/session/allowed-addresses.ts"
import { LiveSessions } from "../../src/auth/session/live-sessions.ts"
import { makeSpeakers, type Speakers } from "../../src/auth/session/speakers.ts"
import { makeTokens } from "../../src/auth/session/tokens.ts"
import type { ApiKeyId, SessionId, TenantId, UserId } from "../../src/domain/ids.ts"
import type { User } from "../../src/domain/user/user.ts"

const sessionId = "018bcfe5-6800-7000-8000-0000000000bb" as SessionId
const keyId = "018bcfe5-6800-7000-8000-0000000000cc" as ApiKeyId
const HOUR_MILLIS = 3_600_000

export const user: User = {
  userId: "018bcfe5-6800-7000-8000-0000000000aa" as UserId,
  email: "bench@example.com",
  tenantId: "default" as TenantId,
  permissions: ["read", "write"],
  environments: ["PROD"],
  userMetadata: {},
  emailConfirmedAt: 0,
  lastSignInAt: 0,
  bannedAt: null,
  banReason: null,
  pendingEmail: null,
  secondFactorAt: null,
  createdAt: 0,
  updatedAt: 0,
}

export interface BenchSpeakers {
  readonly speakers: Speakers["Type"]
  readonly tokens: Readonly<Record<"session" | "key", string>>
}

export const benchSpeakers = (): BenchSpeakers => {
  const now = Date.now()
  const admins = { needsSecondFactor: false, idleMillis: null }
  const addresses = new AllowedAddresses()
  const tokens = makeTokens({ signing: { active: parseSigningKey(newSigningKey()), previous: [] } }, "bench")
  const sessions = new LiveSessions(tokens, Date.now, addresses, admins, "on", () => undefined)
  const proof = { sessionId, provenAt: now, generation: 0, secondFactor: false }
  sessions.enter(user, { ...proof, refreshedAt: now })
  const session = tokens.issue(user, { ...proof, method: "password" }, now, now + HOUR_MILLIS).token
  const keys = new LiveKeys(Date.now, addresses, admins)
  const asked = { name: "bench", scopes: ["trade"], tradingAccountIds: null, ipAllow: null, expiresAt: null } as const
  const made = newKey(asked, user, { keyId, secondFactor: false, at: now })
  keys.enter(user, made.key)
  return {
    speakers: makeSpeakers(
      {
        authenticate: (header, from) => sessions.authenticate(header, from),
        verify: (token, from) => sessions.verify(token, from),
        allows: (principal, from) => addresses.allows(principal, from),
        onEnded: () => undefined,
        onRenewed: () => undefined,
      },
      keys,
    ),
    tokens: { session, key: made.secret },
  }
}
