/** Sessions in memory: what their users may do, and from where. */
import { describe, expect, it } from "vitest"
import { AllowedAddresses } from "../../../src/auth/allowed-addresses.ts"
import { LiveSessions } from "../../../src/auth/live-sessions.ts"
import type { Tokens } from "../../../src/auth/tokens.ts"
import type { SessionId, TenantId } from "../../../src/domain/ids.ts"
import { someUser as user } from "../../kit/some-user.ts"

const NOW = 1_790_000_000_000
const session = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff" as SessionId

const rig = () => {
  // Whether a token is good is another test's: this one always is.
  const tokens: Pick<Tokens, "verify"> = { verify: () => ({ sessionId: session, expiresAt: NOW / 1000 + 3600 }) }
  const addresses = new AllowedAddresses()
  const live = new LiveSessions(tokens as Tokens, () => NOW, addresses)
  const token = "a.good.one"
  const told: Array<SessionId> = []
  live.onRenewed((id) => told.push(id))
  return { live, addresses, token, told, header: `Bearer ${token}` }
}
const from = (ip: string) => ({ ip })

describe("a live session", () => {
  it("follows its user's rights, and is told of them only when they are others", () => {
    const { live, token, header, told } = rig()
    live.enter(user, session)
    const seen = live.verify(token, from("::1"))
    live.renew(user)
    expect(told).toEqual([])
    live.renew({ ...user, permissions: ["read"] })
    expect(told).toEqual([session])
    expect(live.authenticate(header, from("::1"))).toMatchObject({ permissions: ["read"] })
    expect(seen).toMatchObject({ principal: { permissions: ["read"] } })
  })

  it("does not get a right back from a refresh that was under way when it was taken", () => {
    const { live, header } = rig()
    live.enter(user, session)
    live.renew({ ...user, permissions: [] })
    live.enter(user, session)
    expect(live.authenticate(header, from("::1"))).toMatchObject({ permissions: [] })
  })
})

describe("the addresses of a user", () => {
  const allowed = ({ addresses }: ReturnType<typeof rig>, ip: string): boolean => addresses.allows(user, from(ip))

  it("are all, without a list", () => {
    const it = rig()
    for (const ip of ["203.0.113.5", "2001:db8::1", ""]) expect(allowed(it, ip)).toBe(true)
    it.addresses.set({ tenantId: "other" as TenantId }, ["10.0.0.0/8"])
    expect(allowed(it, "203.0.113.5")).toBe(true)
  })

  it("are those of the list, of either family, and none where nobody knows it", () => {
    const it = rig()
    it.addresses.set({ userId: user.userId }, ["203.0.113.0/24", "198.51.100.7/32", "2001:db8:7::/48"])
    for (const ip of ["203.0.113.0", "203.0.113.255", "198.51.100.7", "2001:db8:7::1", "2001:0db8:0007:0:0:0:0:9"])
      expect([ip, allowed(it, ip), allowed(it, ip)]).toEqual([ip, true, true])
    for (const ip of ["203.0.114.1", "198.51.100.8", "2001:db8:8::1", "", "unknown", "fe80::1%eth0", "203.0.113.1.1"])
      expect([ip, allowed(it, ip), allowed(it, ip)]).toEqual([ip, false, false])
  })

  it("are on its own list and on its tenant's, until they are taken back", () => {
    const { live, addresses, token, header } = rig()
    live.enter(user, session)
    addresses.set({ userId: user.userId }, ["10.1.0.0/16"])
    addresses.set({ tenantId: user.tenantId }, ["10.0.0.0/8"])
    expect(live.authenticate(header, from("10.1.2.3"))).toMatchObject({ userId: user.userId })
    expect(live.authenticate(header, from("10.2.2.3"))).toMatchObject({ _tag: "IpForbidden" })
    expect(live.verify(token, from("10.2.2.3"))).toMatchObject({ _tag: "IpForbidden" })
    addresses.set({ tenantId: user.tenantId }, ["192.0.2.0/24"])
    expect(live.authenticate(header, from("10.1.2.3"))).toMatchObject({ _tag: "IpForbidden" })
    addresses.set({ tenantId: user.tenantId }, [])
    addresses.set({ userId: user.userId }, [])
    expect(live.authenticate(header, from("192.0.2.99"))).toMatchObject({ userId: user.userId })
  })
})
