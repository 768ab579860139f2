/**
 * Every known API key in memory, with its user as stored: a request costs one map look-up, and a text that is not one of our keys costs no
 * database query. The one thing to know: a key that has ended never comes back, however late an older read of it arrives.
 */
import { Effect } from "effect"
import { ApiKeyExpired, ApiKeyRevoked } from "../../domain/errors/api-key.ts"
import { InvalidAccessToken } from "../../domain/errors/authentication.ts"
import { IpForbidden } from "../../domain/errors/authorisation.ts"
import type { ApiKeyId } from "../../domain/ids.ts"
import { type ApiKey, isExpired, KEPT_MILLIS, permissionsOf } from "../../domain/user/api-key.ts"
import type { KeyPrincipal, User } from "../../domain/user/user.ts"
import type { NetworksOf } from "../../store/users/allowed-networks.ts"
import type { KeyUse } from "../../store/users/api-keys.ts"
import { type AllowedAddresses, type From, Networks } from "../session/allowed-addresses.ts"
import { type AdminTerms, mayDo, rightsOf } from "../session/live-sessions.ts"
import { hashOf, isWellFormed } from "./secret.ts"

/** The last use is known to the second: an address is not looked for more often. */
const USE_MILLIS = 1_000

export type KeyFailure = InvalidAccessToken | ApiKeyRevoked | ApiKeyExpired | IpForbidden

const revoked = () => new ApiKeyRevoked()
const expired = () => new ApiKeyExpired()

interface LiveKey {
  key: ApiKey
  principal: KeyPrincipal
  readonly networks: Networks | null
  /** How it ended; null: it goes on. */
  ended: { readonly at: number; readonly failure: () => KeyFailure } | null
  /** Once it was presented: it need not be hashed again. */
  text: string | null
  usedAt: number
  usedIp: string
  isUseStored: boolean
}

const principalOf = (user: User, key: ApiKey, admins: AdminTerms): KeyPrincipal => {
  const held = { ...user, permissions: permissionsOf(key.scopes, user.permissions) }
  const accounts = key.tradingAccountIds === null ? null : new Set(key.tradingAccountIds)
  return {
    ...rightsOf(held, { provenAt: 0, secondFactor: key.secondFactor }, admins),
    sessionId: null,
    key: { keyId: key.keyId, accounts },
  }
}

/** When it was revoked, or its user banned; undefined: neither. */
const endOf = (user: User, key: ApiKey): number | undefined => key.revokedAt ?? user.bannedAt ?? undefined

export class LiveKeys {
  readonly #keys = new Map<ApiKeyId, LiveKey>()
  readonly #byHash = new Map<string, LiveKey>()
  /** Ends of keys that are not here yet, by when they were heard of: a key that is being made may be revoked before it is. */
  readonly #endedBefore = new Map<ApiKeyId, number>()
  /** Texts that were hashed once; of keys that go on alone. */
  readonly #known = new Map<string, LiveKey>()
  readonly #endings: Array<(keyId: ApiKeyId) => void> = []
  readonly #renewals: Array<(keyId: ApiKeyId) => void> = []
  /** Wall ms at which the next one expires, or before. */
  #expiresNext = Number.POSITIVE_INFINITY
  readonly #someExpire = Effect.unsafeMakeLatch()
  /** While there is one that goes on and expires. */
  readonly awaitSomeExpire = this.#someExpire.await

  constructor(
    private readonly now: () => number,
    private readonly addresses: AllowedAddresses,
    private readonly admins: AdminTerms,
  ) {}

  onEnded(listener: (keyId: ApiKeyId) => void): void {
    this.#endings.push(listener)
  }

  onRenewed(listener: (keyId: ApiKeyId) => void): void {
    this.#renewals.push(listener)
  }

  /** How many go on. */
  count(): number {
    let count = 0
    for (const { ended } of this.#keys.values()) if (ended === null) count++
    return count
  }

  knows(keyId: ApiKeyId): boolean {
    return this.#keys.has(keyId)
  }

  /** As stored, with its user as stored. */
  enter(user: User, key: ApiKey): void {
    const live = this.#keys.get(key.keyId)
    if (live !== undefined) return this.#follow(live, user, key)
    const endedAt = endOf(user, key) ?? this.#endedBefore.get(key.keyId)
    this.#endedBefore.delete(key.keyId)
    const made: LiveKey = {
      key,
      principal: principalOf(user, key, this.admins),
      networks: key.ipAllow === null ? null : new Networks(key.ipAllow),
      ended: endedAt === undefined ? null : { at: endedAt, failure: revoked },
      text: null,
      usedAt: key.lastUsedAt ?? 0,
      usedIp: key.lastUsedIp ?? "",
      isUseStored: true,
    }
    this.#keys.set(key.keyId, made)
    this.#byHash.set(key.secretHash.toString("latin1"), made)
    if (made.ended === null && key.expiresAt !== null) this.#expireNext(key.expiresAt)
  }

  #expireNext(at: number): void {
    this.#expiresNext = Math.min(this.#expiresNext, at)
    this.#someExpire.unsafeOpen()
  }

  #follow(live: LiveKey, user: User, key: ApiKey): void {
    if (live.ended !== null) return
    const endedAt = endOf(user, key)
    if (endedAt !== undefined) return this.#end(live, endedAt, revoked)
    const before = live.principal
    live.key = key
    live.principal = principalOf(user, key, this.admins)
    if (mayDo(live.principal) !== mayDo(before)) for (const listener of this.#renewals) listener(key.keyId)
  }

  end(keyId: ApiKeyId): void {
    const live = this.#keys.get(keyId)
    if (live === undefined) this.#endedBefore.set(keyId, this.now())
    else this.#end(live, this.now(), revoked)
  }

  #end(live: LiveKey, at: number, failure: () => KeyFailure): void {
    if (live.ended !== null) return
    live.ended = { at, failure }
    if (live.text !== null) this.#known.delete(live.text)
    live.text = null
    for (const listener of this.#endings) listener(live.key.keyId)
  }

  /** Ends what has expired; costs nothing while nothing has. */
  expire(): void {
    const now = this.now()
    if (now < this.#expiresNext) return
    this.#expiresNext = Number.POSITIVE_INFINITY
    this.#someExpire.unsafeClose()
    for (const live of this.#keys.values()) {
      if (live.ended !== null || live.key.expiresAt === null) continue
      if (isExpired(live.key, now)) this.#end(live, live.key.expiresAt, expired)
      else this.#expireNext(live.key.expiresAt)
    }
  }

  /** From where this user, or the users of this tenant, may come has changed. */
  review(whose: NetworksOf): void {
    for (const { ended, principal } of this.#keys.values()) {
      if (ended !== null) continue
      const isMeant = "userId" in whose ? principal.userId === whose.userId : principal.tenantId === whose.tenantId
      if (isMeant) for (const listener of this.#renewals) listener(principal.key.keyId)
    }
  }

  /** In its very millisecond, as for requests; `expire` tells of it later. */
  isOver({ key: { keyId } }: KeyPrincipal): boolean {
    const live = this.#keys.get(keyId)
    return live === undefined || live.ended !== null || isExpired(live.key, this.now())
  }

  /** Whether a key that goes on may come from there. */
  allows(principal: KeyPrincipal, from: From): boolean {
    const live = this.#keys.get(principal.key.keyId)
    return live !== undefined && this.#mayCome(live, from)
  }

  #mayCome({ principal, networks }: LiveKey, from: From): boolean {
    return (networks === null || networks.has(from.ip)) && this.addresses.allows(principal, from)
  }

  /** `now.principal` follows the key. */
  verify(text: string, from: From): { readonly principal: KeyPrincipal } | KeyFailure {
    const live = this.#known.get(text) ?? this.#find(text)
    if (!("key" in live)) return live
    const now = this.now()
    if (isExpired(live.key, now)) return new ApiKeyExpired()
    if (!this.#mayCome(live, from)) return new IpForbidden()
    if (now >= live.usedAt + USE_MILLIS) {
      live.usedAt = now
      live.usedIp = from.ip
      live.isUseStored = false
    }
    return live
  }

  /** One that was not presented yet, or is none. */
  #find(text: string): LiveKey | KeyFailure {
    if (!isWellFormed(text)) return new InvalidAccessToken()
    const live = this.#byHash.get(hashOf(text).toString("latin1"))
    if (live === undefined) return new InvalidAccessToken()
    if (live.ended !== null) return live.ended.failure()
    live.text = text
    this.#known.set(text, live)
    return live
  }

  /** With its last use as it is known here. */
  seen(key: ApiKey): ApiKey {
    const live = this.#keys.get(key.keyId)
    return live === undefined || live.usedAt <= (key.lastUsedAt ?? 0)
      ? key
      : { ...key, lastUsedAt: live.usedAt, lastUsedIp: live.usedIp }
  }

  /** Uses that are not stored yet; they are as good as stored from here on. */
  takeUses(): ReadonlyArray<KeyUse> {
    const uses: Array<KeyUse> = []
    for (const live of this.#keys.values()) {
      if (live.isUseStored) continue
      live.isUseStored = true
      uses.push({ keyId: live.key.keyId, at: live.usedAt, ip: live.usedIp })
    }
    return uses
  }

  /** They could not be stored: the next time, with what was used since. */
  giveBack(uses: ReadonlyArray<KeyUse>): void {
    for (const { keyId } of uses) {
      const live = this.#keys.get(keyId)
      if (live !== undefined) live.isUseStored = false
    }
  }

  /** What is over for a month is not known any more, as in the store. */
  forgetOld(): void {
    const before = this.now() - KEPT_MILLIS
    for (const [keyId, at] of this.#endedBefore) if (at < before) this.#endedBefore.delete(keyId)
    for (const [keyId, live] of this.#keys) {
      if (live.ended === null || live.ended.at >= before) continue
      this.#keys.delete(keyId)
      this.#byHash.delete(live.key.secretHash.toString("latin1"))
    }
  }
}
