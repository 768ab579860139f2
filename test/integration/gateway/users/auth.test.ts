/** Users and sessions over the wire: what ends with a session ends at once, and nobody learns more than is theirs. */

import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signUpFounder } from "../../../kit/servers/founder.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { closeClients, connectClient, listen } from "../markets/socket.ts"
import { signUp, signUpWithMock } from "./people.ts"

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway()
  await signUpFounder(gateway, "first@example.com")
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

const nowSeconds = () => Math.floor(Date.now() / 1000)

/** The close code that ends the client for good. */
const ending = async (token: string) => {
  const client = await connectClient(gateway, token)
  const codes: Array<number> = []
  client.on("disconnected", ({ code }) => codes.push(code))
  client.on("connecting", ({ code }) => codes.push(code))
  return { client, codes }
}

describe("a session", () => {
  it("starts with signup, in the words of the specification", async () => {
    const email = `User-${randomUUID()}@Example.com`
    const { record: session, status, headers } = await api(gateway).signup(email)
    expect(status).toBe(200)
    expect(headers.get("x-request-id")).toMatch(/\S+/)
    expect(headers.get("content-type")).toMatch(/^application\/json; *charset=utf-8$/i)
    expect(headers.get("cache-control")).toBe("no-store")
    expect(session).toMatchObject({ tokenType: "bearer", expiresIn: 3600 })
    expect(Math.abs(session.expiresAt - nowSeconds() - 3600)).toBeLessThan(60)
    expect(session.user).toMatchObject({ role: "authenticated", phone: null })
    const user = (await api(gateway).as(session.accessToken).user()).record
    expect(user.id).toBe(session.user.id)
    const twin = await api(gateway).signup(email.toLowerCase())
    expect(twin.envelope.errno, "one user per address, whatever its case").toBe(-101001)
    const weak = await api(gateway).signup(`user-${randomUUID()}@example.com`, "short")
    expect([weak.status, weak.envelope.errno]).toEqual([400, -101002])
  })

  it("goes on with a refresh: new tokens, the old access token still names the same session", async () => {
    const { session, calls } = await signUp(gateway)
    const renewed = (await api(gateway).refresh(session.refreshToken)).record
    expect(renewed.refreshToken).not.toBe(session.refreshToken)
    expect((await calls.as(renewed.accessToken).user()).record.id).toBe(session.user.id)
    const third = await api(gateway).refresh(renewed.refreshToken)
    expect(third.status).toBe(200)
  })

  it("ends everywhere when an old refresh token comes back: tokens refused, sockets closed", async () => {
    const { session, calls } = await signUp(gateway)
    // Each token is used before the next: a token that is known already must end too.
    expect((await calls.user()).status).toBe(200)
    const renewed = (await api(gateway).refresh(session.refreshToken)).record
    expect((await calls.as(renewed.accessToken).user()).status).toBe(200)
    const latest = (await api(gateway).refresh(renewed.refreshToken)).record
    const { codes } = await ending(latest.accessToken)
    const reused = await api(gateway).refresh(session.refreshToken)
    expect([reused.status, reused.envelope.errno]).toEqual([401, -100008])
    for (const token of [session.accessToken, renewed.accessToken, latest.accessToken]) {
      const answer = await calls.as(token).user()
      expect([answer.status, answer.envelope.errno]).toEqual([401, -100005])
    }
    expect((await api(gateway).refresh(latest.refreshToken)).status).toBe(401)
    await until("the socket's end", () => codes.includes(3500))
  })

  it("ends with logout for its older access tokens too", async () => {
    const { session, calls } = await signUp(gateway)
    expect((await calls.user()).status).toBe(200)
    const renewed = (await api(gateway).refresh(session.refreshToken)).record
    expect((await calls.as(renewed.accessToken).post("/auth/logout")).status).toBe(200)
    for (const token of [session.accessToken, renewed.accessToken]) {
      const answer = await calls.as(token).user()
      expect([answer.status, answer.envelope.errno]).toEqual([401, -100005])
    }
  })

  it("ends with logout at once, and its sockets with it; another session of the user goes on", async () => {
    const { session, calls, email } = await signUp(gateway)
    const other = (await api(gateway).login(email)).record
    const { codes } = await ending(session.accessToken)
    expect((await calls.post("/auth/logout")).envelope.data).toBe("ok")
    const after = await calls.user()
    expect([after.status, after.envelope.errno]).toEqual([401, -100005])
    expect((await api(gateway).refresh(session.refreshToken)).status).toBe(401)
    expect((await calls.as(other.accessToken).user()).status).toBe(200)
    await until("the socket's end", () => codes.length > 0)
    expect(codes[0]).toBe(3500)
  })
})

describe("login", () => {
  it("does not tell an unknown user from a wrong password", async () => {
    const { email } = await signUp(gateway)
    const wrong = await api(gateway).login(email, "not the password")
    const unknown = await api(gateway).login(`nobody-${randomUUID()}@example.com`, "not the password")
    expect([wrong.status, wrong.envelope.errno]).toEqual([400, -100001])
    const blind = (text: string) => text.replace(/"request_id":"[^"]*"/, "")
    expect(blind(unknown.text)).toBe(blind(wrong.text))
    expect(unknown.status).toBe(wrong.status)
  })

  it("is needed: no token, a broken token and another installation's token are 401, on the socket too", async () => {
    const without = await api(gateway).user()
    expect([without.status, without.envelope.errno]).toEqual([401, -100002])
    const broken = await api(gateway).as("not.a.token").user()
    expect([broken.status, broken.envelope.errno]).toEqual([401, -100003])

    const stranger = await startGateway()
    const { session } = await signUp(stranger)
    const foreign = await api(gateway).as(session.accessToken).user()
    expect([foreign.status, foreign.envelope.errno]).toEqual([401, -100003])
    await expect(connectClient(gateway, session.accessToken)).rejects.toBeDefined()
    await stranger.stop()
  })
})

describe("who may do what", () => {
  it("lets an admin ask for what is another user's, and no user", async () => {
    const admin = (await api(gateway).login("first@example.com")).record
    const other = await signUp(gateway)
    // Only admins may ask for another user's accounts (contract C16).
    const query = { userId: other.session.user.id }
    expect((await api(gateway).as(admin.accessToken).accounts(query)).status).toBe(200)
    const refused = await other.calls.accounts({ userId: admin.user.id })
    expect([refused.status, refused.envelope.errno]).toEqual([403, -102002])
    expect(refused.envelope.details).toMatchObject({ code: "INSUFFICIENT_PERMISSIONS" })
  })

  it("keeps one user's account and orders from another: 403 for the account, 404 for what does not exist", async () => {
    const owner = await signUpWithMock(gateway)
    const stranger = await signUpWithMock(gateway)
    const body = {
      tradingAccountId: owner.tradingAccountId,
      instrumentId: "MOCK:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.01",
      limitPrice: "1000",
    }
    const { tradeOrderId } = (await owner.calls.submit(body)).record
    const forbidden = [
      await stranger.calls.submit(body),
      await stranger.calls.cancel(owner.tradingAccountId, tradeOrderId),
      await stranger.calls.order(owner.tradingAccountId, tradeOrderId),
      await stranger.calls.orders({ tradingAccountId: owner.tradingAccountId }),
      await stranger.calls.portfolio(owner.tradingAccountId),
      await stranger.calls.disconnect(owner.tradingAccountId),
    ]
    expect(forbidden.map(({ status, envelope }) => [status, envelope.errno])).toEqual(
      forbidden.map(() => [403, -102001]),
    )
    const elsewhere = await stranger.calls.order(stranger.tradingAccountId, tradeOrderId)
    expect([elsewhere.status, elsewhere.envelope.errno]).toEqual([404, -110001])
    const unknown = await stranger.calls.portfolio(randomUUID())
    expect([unknown.status, unknown.envelope.errno]).toEqual([404, -120002])
    expect((await stranger.calls.orders({})).record).toEqual([])

    const client = await connectClient(gateway, stranger.session.accessToken)
    const subscription = client.newSubscription(`tradingAccount:${owner.tradingAccountId}`)
    const codes: Array<number> = []
    subscription.on("unsubscribed", ({ code }) => codes.push(code))
    subscription.subscribe()
    await until("the refusal", () => codes.length > 0)
    expect(codes).toEqual([103])
    const own = await listen(client, `tradingAccount:${stranger.tradingAccountId}`)
    expect(own.ended()).toBeUndefined()
  })
})
