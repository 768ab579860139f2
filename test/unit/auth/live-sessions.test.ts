/** Sessions in memory: what their users may do, and from where. */
import { describe, expect, it } from "vitest"
import { AllowedAddresses } from "../../../src/auth/session/allowed-addresses.ts"
import { type AdminTerms, LiveSessions } from "../../../src/auth/session/live-sessions.ts"
import type { Tokens } from "../../../src/auth/session/tokens.ts"
import type { SessionId, TenantId } from "../../../src/domain/ids.ts"
import type { ConsoleMode } from "../../../src/domain/user/console-mode.ts"
import { someUser as user } from "../../kit/records/some-user.ts"

const NOW = 1_790_000_000_000
const session = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff" as SessionId
const begun = { sessionId: session, provenAt: NOW, generation: 0, secondFactor: false, refreshedAt: NOW }

const rig = (
  admins: AdminTerms = { needsSecondFactor: false, idleMillis: null },
  console: { readonly mode: ConsoleMode; readonly isOfConsole: boolean } = { mode: "on", isOfConsole: false },
) => {
  const clock = { now: NOW }
  // Whether a token is good is another test's: this one always is.
  const tokens: Pick<Tokens, "verify"> = {
    verify: () => ({
      sessionId: session,
      generation: 0,
      expiresAt: NOW / 1000 + 3600,
      isOfConsole: console.isOfConsole,
    }),
  }
  const addresses = new AllowedAddresses()
  const live = new LiveSessions(
    tokens as Tokens,
    () => clock.now,
    addresses,
    admins,
    console.mode,
    () => undefined,
  )
  const token = "a.good.one"
  const told: Array<SessionId> = []
  live.onRenewed((id) => told.push(id))
  return { live, addresses, clock, token, told, header: `Bearer ${token}` }
}
const from = (ip: string) => ({ ip })

describe("a token of the console", () => {
  const allowed = { needsSecondFactor: false, idleMillis: null }
  const spoken = (mode: ConsoleMode, isOfConsole: boolean) => {
    const { live, token, header } = rig(allowed, { mode, isOfConsole })
    live.enter(user, begun)
    return { called: live.authenticate(header, from("::1")), socket: live.verify(token, from("::1")) }
  }

  it("only reads where the console does, over HTTP and on a socket", () => {
    const { called, socket } = spoken("read", true)
    expect(called).toMatchObject({ permissions: user.permissions, isReading: true })
    expect(socket).toMatchObject({ principal: { isReading: true } })
  })

  it("is refused where there is no console", () => {
    const { called, socket } = spoken("off", true)
    expect([called, socket]).toMatchObject([{ _tag: "SessionRevoked" }, { _tag: "SessionRevoked" }])
  })

  it("is as any other where the console may change things, and no other token is touched by its setting", () => {
    for (const { called } of [spoken("on", true), spoken("read", false), spoken("off", false)]) {
      expect(called).toMatchObject({ permissions: user.permissions })
      expect(called).not.toHaveProperty("isReading")
    }
  })
})

describe("a live session", () => {
  it("follows its user's rights, and is told of them only when they are others", () => {
    const { live, token, header, told } = rig()
    live.enter(user, begun)
    const seen = live.verify(token, from("::1"))
    live.renew(user)
    expect(told).toEqual([])
    live.renew({ ...user, permissions: ["read"] })
    expect(told).toEqual([session])
    expect(live.authenticate(header, from("::1"))).toMatchObject({ permissions: ["read"] })
    expect(seen).toMatchObject({ principal: { permissions: ["read"] } })
  })

  it("is not found without its scheme: the answer says how a token is sent", () => {
    const { live, token, header } = rig()
    live.enter(user, begun)
    const reason = expect.stringContaining("Authorization: Bearer ")
    expect(live.authenticate("", from("::1"))).toMatchObject({ _tag: "AccessTokenMissing", reason })
    expect(live.authenticate(token, from("::1"))).toMatchObject({ _tag: "InvalidAccessToken", reason })
    expect(live.authenticate(`${header}${"x".repeat(5_000)}`, from("::1"))).not.toHaveProperty("reason")
  })

  it("does not get a right back from a refresh that was under way when it was taken", () => {
    const { live, header } = rig()
    live.enter(user, begun)
    live.renew({ ...user, permissions: [] })
    live.enter(user, begun)
    expect(live.authenticate(header, from("::1"))).toMatchObject({ permissions: [] })
  })
})

describe("a session of an admin", () => {
  const admin = { ...user, permissions: ["read", "write", "admin"] as const }

  it("is over once nothing was asked in it for so long, over HTTP or the socket", () => {
    const { live, clock, header, token } = rig({ needsSecondFactor: false, idleMillis: 60_000 })
    live.enter(admin, begun)
    const socket = live.verify(token, from("::1"))
    clock.now += 60_000
    expect(live.authenticate(header, from("::1"))).toMatchObject({ userId: admin.userId })
    clock.now += 60_000
    // What a socket asks counts.
    expect(socket).toMatchObject({ principal: { userId: admin.userId } })
    clock.now += 60_000
    expect(live.idle()).toEqual([])
    clock.now += 1
    expect(live.idle()).toEqual([session])
    expect(live.authenticate(header, from("::1"))).toMatchObject({ _tag: "SessionRevoked" })
  })

  it("is as idle as it likes where its user is no admin", () => {
    const { live, clock, header } = rig({ needsSecondFactor: false, idleMillis: 60_000 })
    live.enter(user, begun)
    clock.now += 3_000_000
    expect(live.idle()).toEqual([])
    expect(live.authenticate(header, from("::1"))).toMatchObject({ userId: user.userId })
  })

  it("has the right only with the second factor where that is required, and tells those who listen when it has it", () => {
    const { live, told, header } = rig({ needsSecondFactor: true, idleMillis: null })
    live.enter(admin, begun)
    expect(live.authenticate(header, from("::1"))).toMatchObject({
      permissions: ["read", "write"],
      secondFactor: "none",
      isAdminWithheld: true,
    })
    live.renew({ ...admin, secondFactorAt: NOW })
    expect(live.authenticate(header, from("::1"))).toMatchObject({ secondFactor: "lacking", isAdminWithheld: true })
    expect(told).toEqual([])
    live.factorProven(session)
    live.renew({ ...admin, secondFactorAt: NOW })
    expect(live.authenticate(header, from("::1"))).toMatchObject({
      permissions: admin.permissions,
      secondFactor: "proven",
    })
    expect(told).toEqual([session])
  })
})

describe("a proof of who asks", () => {
  it("is counted: tokens of before it are over, and one that comes late takes nothing back", () => {
    const { live, header } = rig()
    live.enter(user, begun)
    live.enter(user, { ...begun, generation: 1, provenAt: NOW + 5 })
    expect(live.authenticate(header, from("::1"))).toMatchObject({ _tag: "AccessTokenExpired" })
    live.enter(user, begun)
    expect(live.authenticate(header, from("::1"))).toMatchObject({ _tag: "AccessTokenExpired" })
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
    live.enter(user, begun)
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
