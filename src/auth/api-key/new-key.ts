/** A key being created, by its user or by an operator: its secret, which is not stored, the row that is, and the mail that notifies its user. */
import { Effect } from "effect"
import { AdminRequired, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { ApiKeyId, TradingAccountId } from "../../domain/ids.ts"
import type { ActObject } from "../../domain/user/act.ts"
import { type ApiKey, type ApiKeyScope, PERMISSION_OF, scopesOf } from "../../domain/user/api-key.ts"
import { NOTICE_MILLIS } from "../../domain/user/letter.ts"
import type { Permission, User } from "../../domain/user/user.ts"
import { newNetworkFault } from "../../foundation/network.ts"
import { dateTime, secondsFault } from "../../foundation/time.ts"
import type { LetterBox } from "../user/letter-box.ts"
import { hashOf, newSecret, prefixOf } from "./secret.ts"

// The mail that tells a user of a new API key. The one thing to know: it has the key's own id, so that each key is told of once:
// by the create itself, and of what was made elsewhere (an operator, a statement by hand) by the gateway when it first takes the key up.

export type Announce = (user: User, key: ApiKey) => Effect.Effect<void, StorageUnavailable>

/** What is older than a notice is worth was told of, or would tell its user nothing of use. */
export const makeAnnounce =
  (letters: LetterBox["Type"], now: () => number): Announce =>
  (user, { keyId, name, prefix, scopes, createdAt }) => {
    const expiresAt = createdAt + NOTICE_MILLIS
    if (expiresAt <= now()) return Effect.void
    return letters.drop(user.email, { _tag: "ApiKeyCreated", name, prefix, scopes, createdAt }, expiresAt, keyId)
  }

export interface AskedKey {
  readonly name: string
  readonly scopes: ReadonlyArray<ApiKeyScope>
  /** Of accounts that its user reaches: the caller has looked. Null: not limited. */
  readonly tradingAccountIds: ReadonlyArray<TradingAccountId> | null
  /** Addresses or CIDRs; null: from everywhere. */
  readonly ipAllow: ReadonlyArray<string> | null
  /** Wall ms; null: never. */
  readonly expiresAt: number | null
}

/** The last millisecond that is written with a year of four digits: "never", as programs say it, is before, and microseconds are after. */
const EXPIRY_MAX = Date.UTC(9_999, 11, 31, 23, 59, 59, 999)

const expiryFault = (expiresAt: number, now: number): string | undefined => {
  if (expiresAt > EXPIRY_MAX)
    return `is after ${dateTime(EXPIRY_MAX)}: milliseconds since the Unix epoch are expected; now is ${now}`
  if (expiresAt > now) return undefined
  return secondsFault(expiresAt) ?? `is in the past: it must be later than ${now}, in milliseconds since the Unix epoch`
}

/** What is wrong with what is asked for; undefined: nothing. */
export const askedFault = ({ ipAllow, expiresAt }: AskedKey, now: number): InvalidParameter | undefined => {
  for (const network of ipAllow ?? []) {
    const fault = newNetworkFault(network)
    if (fault !== undefined) return new InvalidParameter({ parameter: "ipAllow", reason: `${network} is not ${fault}` })
  }
  const expiry = expiresAt === null ? undefined : expiryFault(expiresAt, now)
  return expiry === undefined ? undefined : new InvalidParameter({ parameter: "expiresAt", reason: expiry })
}

/** A key lets nothing through that its user may not do when it is made. */
export const missingRight = (
  scopes: ReadonlyArray<ApiKeyScope>,
  provided: ReadonlyArray<Permission>,
): AdminRequired | InsufficientPermissions | undefined => {
  for (const scope of scopesOf(scopes)) {
    const permission = PERMISSION_OF[scope]
    if (provided.includes(permission)) continue
    const fields = { required: [permission], provided: [...provided] }
    return permission === "admin" ? new AdminRequired(fields) : new InsufficientPermissions(fields)
  }
  return undefined
}

export const newKey = (
  asked: AskedKey,
  { userId, tenantId }: User,
  made: { readonly keyId: ApiKeyId; readonly secondFactor: boolean; readonly at: number },
): { readonly key: ApiKey; readonly secret: string } => {
  const secret = newSecret()
  const key: ApiKey = {
    keyId: made.keyId,
    userId,
    tenantId,
    name: asked.name,
    prefix: prefixOf(secret),
    secretHash: hashOf(secret),
    scopes: scopesOf(asked.scopes),
    tradingAccountIds: asked.tradingAccountIds === null ? null : [...new Set(asked.tradingAccountIds)],
    ipAllow: asked.ipAllow,
    secondFactor: made.secondFactor,
    createdAt: made.at,
    expiresAt: asked.expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    lastUsedIp: null,
  }
  return { key, secret }
}

/** For the audit. */
export const keyObject = ({ keyId, tenantId }: Pick<ApiKey, "keyId" | "tenantId">): ActObject => ({
  type: "API_KEY",
  id: keyId,
  tenantId,
})

/** As the audit tells of it: what it is called and what it lets through. */
export const keyWords = ({ name, scopes, tradingAccountIds, ipAllow, expiresAt }: AskedKey | ApiKey): string =>
  [
    JSON.stringify(name),
    scopesOf(scopes).join(","),
    ...(tradingAccountIds === null ? [] : [`accounts ${tradingAccountIds.join(",")}`]),
    ...(ipAllow === null ? [] : [`from ${ipAllow.join(",")}`]),
    ...(expiresAt === null ? [] : [`until ${new Date(expiresAt).toISOString()}`]),
  ].join(" ")
