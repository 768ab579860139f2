/** API keys in memory: what a request costs, what ends one, and that nothing which is over comes back. */
import { randomUUID } from "node:crypto"
import { beforeEach, describe, expect, it } from "vitest"
import { LiveKeys } from "../../../src/auth/api-key/live-keys.ts"
import { type AskedKey, newKey } from "../../../src/auth/api-key/new-key.ts"
import { newSecret } from "../../../src/auth/api-key/secret.ts"
import { AllowedAddresses } from "../../../src/auth/session/allowed-addresses.ts"
import type { ApiKeyId, TenantId, TradingAccountId, UserId } from "../../../src/domain/ids.ts"
import type { User } from "../../../src/domain/user/user.ts"

const HOUR = 3_600_000
const user: User = {
  userId: randomUUID() as UserId,
  email: "ada@example.com",
  tenantId: "default" as TenantId,
  permissions: ["read", "write", "admin"],
  environments: ["PROD", "UAT"],
  userMetadata: {},
  emailConfirmedAt: 1,
  lastSignInAt: 1,
  bannedAt: null,
  banReason: null,
  pendingEmail: null,
  secondFactorAt: null,
  createdAt: 1,
  updatedAt: 1,
}
const here = { ip: "192.0.2.1" }

let now: number
let addresses: AllowedAddresses
let live: LiveKeys
let ended: Array<ApiKeyId>
let renewed: Array<ApiKeyId>

const open = (needsSecondFactor = false): void => {
  live = new LiveKeys(() => now, addresses, { needsSecondFactor, idleMillis: null })
  ended = []
  renewed = []
  live.onEnded((id) => ended.push(id))
  live.onRenewed((id) => renewed.push(id))
}
beforeEach(() => {
  now = 1_000 * HOUR
  addresses = new AllowedAddresses()
  open()
})

const make = (change: Partial<AskedKey> = {}, secondFactor = false) =>
  newKey({ name: "bot", scopes: ["trade"], tradingAccountIds: null, ipAllow: null, expiresAt: null, ...change }, user, {
    keyId: randomUUID() as ApiKeyId,
    secondFactor,
    at: now,
  })

const heard = (secret: string, from = here): string => {
  const found = live.verify(secret, from)
  return "principal" in found ? found.principal.permissions.join(",") : found._tag
}

describe("a key that is known", () => {
  it("speaks for its user with what its scopes let through of the user's rights, and proves nothing", () => {
    for (const [scopes, permissions] of [
      [["read"], "read"],
      [["trade"], "read,write"],
      [["admin"], "read,write,admin"],
    ] as const) {
      const { key, secret } = make({ scopes })
      live.enter(user, key)
      expect(heard(secret)).toBe(permissions)
      const found = live.verify(secret, here)
      expect("principal" in found && found.principal).toMatchObject({
        userId: user.userId,
        sessionId: null,
        provenAt: 0,
        key: { keyId: key.keyId, accounts: null },
      })
    }
  })

  it("follows its user's rights, and its listeners hear of a change and of nothing else", () => {
    const { key, secret } = make({ scopes: ["admin"] })
    live.enter(user, key)
    live.enter({ ...user, updatedAt: 2 }, key)
    expect(renewed).toEqual([])
    live.enter({ ...user, permissions: ["read"] }, key)
    expect([heard(secret), renewed]).toEqual(["read", [key.keyId]])
    live.enter({ ...user, permissions: ["read"], environments: ["UAT"] }, key)
    expect(renewed.length).toBe(2)
    expect(ended).toEqual([])
  })

  it("lets admin through only with the second factor, where the installation wants one, if its maker had proven it", () => {
    open(true)
    const careful = { ...user, secondFactorAt: 1 }
    const [without, proven] = [make({ scopes: ["admin"] }), make({ scopes: ["admin"] }, true)]
    for (const { key } of [without, proven]) live.enter(careful, key)
    expect([heard(without.secret), heard(proven.secret)]).toEqual(["read,write", "read,write,admin"])
    live.enter(user, proven.key)
    expect(heard(proven.secret), "without a factor there is none to have proven").toBe("read,write")
  })

  it("comes from its own networks, and from those that its user may come from", () => {
    const { key, secret } = make({ ipAllow: ["192.0.2.0/24", "2001:db8::/32"] })
    live.enter(user, key)
    expect(heard(secret)).toBe("read,write")
    expect(heard(secret, { ip: "2001:db8::7" })).toBe("read,write")
    expect(heard(secret, { ip: "198.51.100.1" })).toBe("IpForbidden")
    addresses.set({ userId: user.userId }, ["198.51.100.0/24"])
    expect(heard(secret)).toBe("IpForbidden")
    live.review({ userId: user.userId })
    live.review({ tenantId: "another" as TenantId })
    expect(renewed).toEqual([key.keyId])
    const found = live.verify(secret, here)
    expect("principal" in found).toBe(false)
  })

  it("tells the accounts that it is limited to", () => {
    const account = randomUUID() as TradingAccountId
    const { key, secret } = make({ tradingAccountIds: [account, account] })
    live.enter(user, key)
    const found = live.verify(secret, here)
    expect("principal" in found && [...(found.principal.key.accounts ?? [])]).toEqual([account])
  })
})

describe("what is no key", () => {
  it("is an invalid token, misspelt or well spelt", () => {
    const { key, secret } = make()
    live.enter(user, key)
    for (const text of ["vgk_", newSecret(), secret.slice(0, -1), `${secret}0`, secret.replace("vgk_", "VGK_")])
      expect([text, heard(text)]).toEqual([text, "InvalidAccessToken"])
  })
})

describe("a key that is over", () => {
  it("is refused at once, told of once, and never comes back by an older reading", () => {
    const { key, secret } = make()
    live.enter(user, key)
    expect(heard(secret)).toBe("read,write")
    live.end(key.keyId)
    live.end(key.keyId)
    expect([heard(secret), ended]).toEqual(["ApiKeyRevoked", [key.keyId]])
    live.enter(user, key)
    expect(heard(secret)).toBe("ApiKeyRevoked")
    expect(live.count()).toBe(0)
  })

  it("is found revoked by a reading of the store", () => {
    const { key, secret } = make()
    live.enter(user, key)
    live.enter(user, { ...key, revokedAt: now })
    expect([heard(secret), ended]).toEqual(["ApiKeyRevoked", [key.keyId]])
    // As a start finds it.
    open()
    live.enter(user, { ...key, revokedAt: now })
    expect(heard(secret)).toBe("ApiKeyRevoked")
  })

  it("is that of a banned user, as it is found and as it goes on, whatever its own row says", () => {
    const { key, secret } = make()
    const banned = { ...user, bannedAt: now }
    live.enter(user, key)
    expect(heard(secret)).toBe("read,write")
    live.enter(banned, key)
    live.enter(user, key)
    expect([heard(secret), ended]).toEqual(["ApiKeyRevoked", [key.keyId]])
    // As a start finds it.
    open()
    live.enter(banned, key)
    expect([heard(secret), live.count()]).toEqual(["ApiKeyRevoked", 0])
  })

  it("is one whose end was heard of before it was", () => {
    const { key, secret } = make()
    live.end(key.keyId)
    live.enter(user, key)
    expect(heard(secret)).toBe("ApiKeyRevoked")
  })

  it("ends in its very millisecond for requests, and for sockets with the next look", () => {
    const first = make({ expiresAt: now + 500 })
    const later = make({ expiresAt: now + HOUR })
    const lasting = make()
    for (const { key } of [first, later, lasting]) live.enter(user, key)
    live.expire()
    expect(ended).toEqual([])
    now += 499
    const found = live.verify(first.secret, here)
    if (!("principal" in found)) throw new Error(found._tag)
    expect(live.isOver(found.principal)).toBe(false)
    now += 1
    expect(live.isOver(found.principal), "before its sockets are told").toBe(true)
    expect(heard(first.secret)).toBe("ApiKeyExpired")
    live.expire()
    expect(ended).toEqual([first.key.keyId])
    now += HOUR
    live.expire()
    expect(ended).toEqual([first.key.keyId, later.key.keyId])
    expect([heard(first.secret), heard(later.secret), heard(lasting.secret)]).toEqual([
      "ApiKeyExpired",
      "ApiKeyExpired",
      "read,write",
    ])
    now += 31 * 24 * HOUR
    live.forgetOld()
    expect([heard(first.secret), heard(lasting.secret)]).toEqual(["InvalidAccessToken", "read,write"])
  })
})

describe("the last use", () => {
  it("is known to the second and stored when it is taken, not with each request", () => {
    const { key, secret } = make()
    live.enter(user, key)
    expect(live.takeUses()).toEqual([])
    heard(secret)
    now += 10
    heard(secret, { ip: "192.0.2.2" })
    const use = { keyId: key.keyId, at: now - 10, ip: here.ip }
    expect(live.takeUses()).toEqual([use])
    expect(live.takeUses()).toEqual([])
    expect(live.seen(key)).toMatchObject({ lastUsedAt: use.at, lastUsedIp: use.ip })
    live.giveBack([use])
    expect(live.takeUses()).toEqual([use])
    now += 1_000
    heard(secret, { ip: "192.0.2.2" })
    expect(live.takeUses()).toEqual([{ keyId: key.keyId, at: now, ip: "192.0.2.2" }])
  })

  it("is not moved by who is refused", () => {
    const { key, secret } = make({ ipAllow: ["192.0.2.0/24"] })
    live.enter(user, key)
    heard(secret, { ip: "198.51.100.1" })
    expect(live.takeUses()).toEqual([])
  })
})
