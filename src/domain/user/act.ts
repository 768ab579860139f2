/**
 * Acts that leave one row in the audit: on money, rights, keys and modes; by whom, from where, on what. The one thing to know: the row is written
 * in the transaction of the act, so that neither exists without the other.
 */
import type { ApiKeyId, SessionId, TenantId, UserId } from "../ids.ts"

/** All that are written. */
export const ACTIONS = [
  "user.setup",
  "user.grant",
  "user.revoke",
  "user.environments",
  "user.move",
  "user.signout",
  "user.ban",
  "user.unban",
  "factor.enrol",
  "factor.confirm",
  "factor.remove",
  "factor.reset",
  "codes.renew",
  "ip.allow",
  "ip.forget",
  "tenant.create",
  "credential.create",
  "credential.revoke",
  "apiKey.create",
  "apiKey.revoke",
  "account.connect",
  "account.disconnect",
  "instrument.create",
  "instrument.retire",
  "instrument.sync",
  "keys.rotate_encryption",
  "keys.rotate_signing",
  "keys.rotate_cursor",
  "keys.retire",
  "keys.abandon",
  "keys.taken",
  "tradingMode.set",
  "orders.archive",
  "database.write",
  "dealer.create",
  "dealer.update",
  "dealer.pause",
  "dealer.resume",
  "dealer.archive",
  "dealer.link",
  "dealer.unlink",
  "dealer.fund",
  "dealer.resolve_hedge",
  "wallet.create",
  "wallet.freeze",
  "wallet.unfreeze",
  "wallet.close",
  "wallet.deposit",
  "wallet.withdraw",
  "wallet.transfer",
] as const
export type Action = (typeof ACTIONS)[number]

/** Who acts, and by which request. */
export interface Actor {
  /** OPERATOR: the command line. SYSTEM: the gateway itself. */
  readonly kind: "USER" | "OPERATOR" | "SYSTEM"
  /** Of USER; null while it is not known who calls. */
  readonly userId: UserId | null
  readonly sessionId: SessionId | null
  /** Of the API key that it was done with. */
  readonly keyId: ApiKeyId | null
  /** The actor's own, which need not be the object's. */
  readonly tenantId: TenantId | null
  /** The client's address; null where nothing came over a network. */
  readonly ip: string | null
  readonly userAgent: string | null
  /** The gateway's own id of the request, a uuid; null without a request. */
  readonly requestId: string | null
  /** As the client named the request, unless the gateway did. */
  readonly clientRequestId: string | null
}

/** What people ask for of an order's request: who, from where, and the ids by which its lines are found in the logs. */
export type PlacedBy = Pick<Actor, "userId" | "sessionId" | "ip" | "requestId" | "clientRequestId"> & {
  /** Absent without an API key. */
  readonly keyId?: ApiKeyId | null
}

export const placedBy = ({ userId, sessionId, keyId, ip, requestId, clientRequestId }: PlacedBy): PlacedBy => ({
  userId,
  sessionId,
  ...(keyId === null || keyId === undefined ? undefined : { keyId }),
  ip,
  requestId,
  clientRequestId,
})

/** What the gateway does by itself. */
export const SYSTEM: Actor = {
  kind: "SYSTEM",
  userId: null,
  sessionId: null,
  keyId: null,
  tenantId: null,
  ip: null,
  userAgent: null,
  requestId: null,
  clientRequestId: null,
}

/** In which right money is moved: as owner of the wallets, as admin of their tenant, or on the side of their dealer. */
export interface Authority {
  readonly actor: Actor
  readonly right: "OWNER" | "ADMIN" | "DEALER"
}

/** What an act is about. */
export interface ActObject {
  readonly type:
    | "USER"
    | "SESSION"
    | "TENANT"
    | "WALLET"
    | "ACCOUNT"
    | "CREDENTIAL"
    | "API_KEY"
    | "DEALER"
    | "VENUE"
    | "INSTRUMENT"
    | "KEY"
    | "MODE"
  readonly id: string
  /** Null: of the installation, or not known. */
  readonly tenantId: TenantId | null
}

export interface Act {
  /** A uuid, the same when the act is sent again: an id that has its row gets no second one. */
  readonly actId: string
  readonly action: Action
  readonly actor: Actor
  /** Null while it is not known. */
  readonly object: ActObject | null
  /** The other party: the other wallet of a transfer, the linked account of a dealer, the hedge that is resolved. */
  readonly otherId?: string
  readonly asset?: string
  /** Decimal text. */
  readonly amount?: string
  /** Further words of the act: a right, a mode and its reason. */
  readonly what?: string
}
