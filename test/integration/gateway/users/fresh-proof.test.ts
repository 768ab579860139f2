/** Dangerous acts need a proof of who asks that is younger than the token in hand: what a stolen token of some minutes can no longer do. */
import { randomUUID } from "node:crypto"
import { HttpApi } from "@effect/platform"
import { Context } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SessionEntry, SessionRecord } from "../../../../src/domain/user/user.ts"
import { Api as Declared } from "../../../../src/http/api.ts"
import { Fresh } from "../../../../src/http/edge/route.ts"
import {
  type Answer,
  type Api,
  api,
  endGateways,
  type Gateway,
  PASSWORD,
  startGateway,
} from "../../../kit/servers/gateway.ts"
import { query } from "../../store/account-store-rig.ts"
import { closeClients, connectClient } from "../markets/socket.ts"
import { withDatabaseServer } from "../running/database.ts"
import { type Newcomer, signUp, signUpAdmin } from "./people.ts"

const FRESH_SECONDS = 600

const newDatabase = withDatabaseServer()
let gateway: Gateway
let admin: Newcomer
/** Each test's own. */
let people: ReadonlyArray<Newcomer>
beforeAll(async () => {
  const { url, adminUrl } = await newDatabase()
  const env = { DATABASE_URL: url, FRESH_SECONDS: String(FRESH_SECONDS), MOCK_TICK_MS: "0" }
  const first = await startGateway({ env })
  admin = await signUpAdmin(first)
  const newcomers = await Promise.all(Array.from({ length: 3 }, () => signUp(first)))
  await first.stop()
  // The time that goes by is in the rows of the sessions, which a start goes by.
  await query(adminUrl, "UPDATE session SET proven_at = proven_at - $1", [FRESH_SECONDS * 1000])
  gateway = await startGateway({ env, dataDir: first.dataDir })
  const here = (one: Newcomer): Newcomer => ({ ...one, calls: api(gateway).as(one.session.accessToken) })
  admin = here(admin)
  people = newcomers.map(here)
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

const heard = ({ status, envelope }: Answer<unknown>): readonly [status: number, errno: number] => [
  status,
  envelope.errno,
]
const NEEDED = [401, -100_011] as const
const EXPIRED = [401, -100_004] as const

/** A call of each kind that is marked, well formed and by one with every right. */
const ASKED: Readonly<Record<string, (calls: Api) => Promise<Answer<unknown>>>> = {
  "auth.logout": (calls) => calls.post("/auth/logout?scope=others"),
  "auth.sessionRevoke": (calls) => calls.post("/auth/session/revoke", { sessionId: randomUUID() }),
  "auth.update": (calls) => calls.post("/auth/user/update", { password: "a password of the thief's" }),
  "secondFactor.enrol": (calls) => calls.post("/auth/totp/enrol"),
  "secondFactor.confirm": (calls) => calls.post("/auth/totp/confirm", { code: "123456" }),
  "secondFactor.remove": (calls) => calls.post("/auth/totp/remove", { code: "123456" }),
  "secondFactor.renewCodes": (calls) => calls.post("/auth/recoveryCode/renew"),
  "apiKey.create": (calls) => calls.post("/apiKey/create", { name: "bot", scopes: ["read"] }),
  "apiKey.revoke": (calls) => calls.post("/apiKey/revoke", { apiKeyId: randomUUID() }),
  "credential.create": (calls) =>
    calls.post("/credential/create", { venue: "BINANCE_UAT", apiKey: "k".repeat(64), apiSecret: "s".repeat(64) }),
  "credential.revoke": (calls) => calls.post("/credential/revoke", { credentialId: randomUUID() }),
  "tradingAccount.disconnect": (calls) =>
    calls.post("/tradingAccount/disconnect", { tradingAccountId: randomUUID(), force: true }),
  "market.instrumentCreate": (calls) =>
    calls.post("/market/instrument/create", { baseAsset: "BTC", quoteAsset: "USD", tickSize: "1", lotSize: "1" }),
  "market.instrumentRetire": (calls) => calls.post("/market/instrument/retire", { instrumentId: "INTERNAL:BTC/USD" }),
  "dealer.create": (calls) => calls.post("/dealer/create", { name: "Thieves", baseCurrencies: ["USDT"] }),
  "dealer.update": (calls) => calls.post("/dealer/update", { dealerAccountId: randomUUID(), updatedAt: 1, config: {} }),
  "dealer.archive": (calls) => calls.post("/dealer/archive", { dealerAccountId: randomUUID() }),
  "dealer.accountFunding": (calls) =>
    calls.post("/dealer/account/funding", {
      dealerAccountId: randomUUID(),
      tradingAccountId: randomUUID(),
      asset: "USDT",
      amount: "1",
      direction: "DEPOSIT",
    }),
  "dealer.hedgeResolve": (calls) =>
    calls.post("/dealer/hedge/resolve", {
      dealerAccountId: randomUUID(),
      tradeOrderId: randomUUID(),
      executedQuantity: "0",
    }),
  "wallet.deposit": (calls) => calls.post("/wallet/deposit", { walletId: randomUUID(), asset: "USDT", amount: "1" }),
  "wallet.withdraw": (calls) => calls.post("/wallet/withdraw", { walletId: randomUUID(), asset: "USDT", amount: "1" }),
  "wallet.freeze": (calls) => calls.post("/wallet/freeze", { walletId: randomUUID() }),
  "wallet.unfreeze": (calls) => calls.post("/wallet/unfreeze", { walletId: randomUUID() }),
  "adminUser.ban": (calls) => calls.post("/admin/user/ban", { email: "user@example.com" }),
  "adminUser.unban": (calls) => calls.post("/admin/user/unban", { email: "user@example.com" }),
  "adminUser.grant": (calls) => calls.post("/admin/user/grant", { email: "user@example.com", permission: "read" }),
  "adminUser.revoke": (calls) => calls.post("/admin/user/revoke", { email: "user@example.com", permission: "admin" }),
  "adminUser.signOut": (calls) => calls.post("/admin/user/signOut", { email: "user@example.com" }),
  "adminUser.resetSecondFactor": (calls) => calls.post("/admin/user/resetSecondFactor", { email: "user@example.com" }),
  "adminNetwork.allow": (calls) => calls.post("/admin/network/allow", { userId: randomUUID(), network: "203.0.113.7" }),
  "adminNetwork.forget": (calls) => calls.post("/admin/network/forget", { network: "203.0.113.7" }),
  "adminTenant.create": (calls) => calls.post("/admin/tenant/create", { tenantId: "thieves" }),
  "adminTenant.move": (calls) => calls.post("/admin/tenant/move", { email: "user@example.com", tenantId: "thieves" }),
  "tradingMode.set": (calls) => calls.post("/admin/tradingMode", { tradingMode: "online" }),
}

const markedEndpoints = (): ReadonlyArray<string> => {
  const marked: Array<string> = []
  HttpApi.reflect(Declared, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint }) => {
      if (Context.get(endpoint.annotations as Context.Context<never>, Fresh) === null) return
      marked.push(`${group.identifier}.${endpoint.name}`)
    },
  })
  return marked
}

describe("a token that was stolen some time after the sign-in", () => {
  it("does no dangerous act, whichever is declared one; a proof of the password does them all", async () => {
    expect(Object.keys(ASKED).sort()).toEqual([...markedEndpoints()].sort())
    for (const [act, ask] of Object.entries(ASKED)) {
      const answer = await ask(admin.calls)
      expect([act, ...heard(answer)]).toEqual([act, ...NEEDED])
      expect(answer.envelope.details?.metadata).toEqual({ maxAgeSeconds: FRESH_SECONDS, needs: ["password"] })
    }
    expect(heard(await admin.calls.post("/auth/user/update", { email: "thief@example.com" }))).toEqual(NEEDED)
    for (const [act, ask] of Object.entries(ASKED)) {
      // A new password ends what others have, and would end the proof's own password.
      if (act === "auth.update") continue
      const proven = await admin.calls.post<SessionRecord>("/auth/reauthenticate", { currentPassword: PASSWORD })
      admin = { ...admin, calls: admin.calls.as(proven.record.accessToken) }
      expect([act, (await ask(admin.calls)).envelope.errno]).not.toEqual([act, -100_011])
    }
  })

  it("is worth nothing more when its owner proves the password: old tokens are over, the session and its sockets go on", async () => {
    const owner = people[0]!
    const thief = owner.calls
    const client = await connectClient(gateway, owner.session.accessToken)
    const ended: Array<number> = []
    client.on("disconnected", ({ code }) => ended.push(code))
    expect(heard(await thief.post("/auth/reauthenticate", { currentPassword: "a guess" }))).toEqual([400, -100_001])
    const proof = await owner.calls.post<SessionRecord>("/auth/reauthenticate", { currentPassword: PASSWORD })
    const proven = owner.calls.as(proof.record.accessToken)
    expect(heard(await thief.user())).toEqual(EXPIRED)
    expect(heard(await thief.post("/auth/user/update", { password: "a password of the thief's" }))).toEqual(EXPIRED)
    const own = (await proven.get<ReadonlyArray<SessionEntry>>("/auth/session/list")).record
    expect(own.map(({ current }) => current)).toEqual([true])
    expect(ended).toEqual([])
    expect((await proven.post("/auth/user/update", { password: "another good password" })).status).toBe(200)
    // The refresh token of before is an old one, however soon it comes.
    expect(heard(await api(gateway).refresh(owner.session.refreshToken))).toEqual([401, -100_008])
    expect(heard(await proven.user())).toEqual([401, -100_005])
  })

  it("changes what it is asked to with the current password beside it, and with a wrong one nothing", async () => {
    const { calls, email } = people[1]!
    const password = "another good password"
    const wrong = await calls.post("/auth/user/update", { password, currentPassword: "a guess" })
    expect(heard(wrong)).toEqual([400, -100_001])
    const address = { email: `new-${randomUUID()}@example.com`, currentPassword: "a guess" }
    expect(heard(await calls.post("/auth/user/update", address))).toEqual([400, -100_001])
    expect((await calls.post("/auth/user/update", { metadata: { desk: "fx" } })).status).toBe(200)
    expect((await calls.post("/auth/user/update", { password, currentPassword: PASSWORD })).status).toBe(200)
    expect((await api(gateway).login(email, password)).status).toBe(200)
  })

  it("is proven by a refresh to be held by its owner no more than before", async () => {
    const { session } = people[2]!
    const refreshed = (await api(gateway).refresh(session.refreshToken)).record
    const calls = api(gateway).as(refreshed.accessToken)
    expect(heard(await calls.post("/auth/user/update", { password: "a password of the thief's" }))).toEqual(NEEDED)
  })
})
