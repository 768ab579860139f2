/** Dealers as their admins, operators and everybody else see them, over HTTP. */

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DealerRecord } from "../../../../src/domain/dealer/dealer.ts"
import type { WalletRecord } from "../../../../src/domain/wallet/wallet.ts"
import { openDesk, signUp } from "../../../kit/desks/quoting.ts"
import { founder } from "../../../kit/servers/founder.ts"
import type { Api, Gateway } from "../../../kit/servers/gateway.ts"
import { endGateways, startGateway, until } from "../../../kit/servers/gateway.ts"
import { closeClients, connectClient, listen } from "../markets/socket.ts"

let gateway: Gateway
let admin: Api

beforeAll(async () => {
  gateway = await startGateway()
  admin = await founder(gateway)
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

const create = (fields: Record<string, unknown>) =>
  admin.post<DealerRecord>("/dealer/create", { name: "Desk", baseCurrencies: ["USDT"], ...fields })

describe("a dealer", () => {
  it("is made with an account and a wallet of its own", async () => {
    const { record } = await create({ riskThreshold: "1000", config: { riskCurrency: "USDT" } })
    expect(record).toMatchObject({
      status: "ACTIVE",
      baseCurrencies: ["USDT"],
      riskThreshold: "1000",
      linkedAccountIds: [],
      config: { riskCurrency: "USDT" },
    })
    const wallet = (await admin.get<WalletRecord>("/wallet/get", { walletId: record.walletId! })).record
    expect(wallet).toMatchObject({ walletType: "DEALER", dealerAccountId: record.dealerAccountId, balances: [] })
    const account = (await admin.accounts({ tradingAccountId: record.tradingAccountId! })).record[0]
    expect(account).toMatchObject({ venue: "INTERNAL", status: "ACTIVE", walletId: record.walletId })
    const gone = await admin.disconnect(record.tradingAccountId!)
    expect(gone).toMatchObject({ status: 400, envelope: { errno: -120011 } })
  })

  it("is refused what its configuration cannot mean", async () => {
    const errnoOf = async (fields: Record<string, unknown>) => {
      const { envelope } = await create(fields)
      return [envelope.errno, envelope.details?.metadata["parameter"]]
    }
    const misspelt = (await create({ config: { pricingProfiles: { std: { markup: 50 } } } })).envelope
    expect([misspelt.errno, misspelt.error]).toEqual([
      -104013,
      'Unknown field "config.pricingProfiles.std.markup": did you mean "config.pricingProfiles.std.markupBps"?',
    ])
    expect(await errnoOf({ baseCurrencies: [] })).toEqual([-104003, "baseCurrencies"])
    expect(await errnoOf({ riskThreshold: "-1" })).toEqual([-104003, "riskThreshold"])
    const venue = { takerFeeBpsByVenue: { BINANCE: 10, NOWHERE: 5 } }
    expect(await errnoOf({ config: venue })).toEqual([-104003, "config.takerFeeBpsByVenue.NOWHERE"])
    const other = { defaultPricingProfile: "b", pricingProfiles: { B: {} } }
    expect(await errnoOf({ config: other })).toEqual([-104003, "config.defaultPricingProfile"])
    for (const collarPercent of ["0", "100.1"])
      expect(await errnoOf({ config: { pricing: { collarPercent } } })).toEqual([
        -104003,
        "config.pricing.collarPercent",
      ])
    const offered = { clientPricingProfiles: ["B", "b"], pricingProfiles: { B: {} } }
    expect(await errnoOf({ config: offered })).toEqual([-104003, "config.clientPricingProfiles"])
    const upsideDown = { pricingProfiles: { a: { minNotional: "2", maxNotional: "1" } } }
    expect(await errnoOf({ config: upsideDown })).toEqual([-104003, "config.pricingProfiles.a.minNotional"])
    expect((await errnoOf({ config: { pricingProfiles: { a: { markupBps: 1.5 } } } }))[0]).toBe(-104003)
    expect((await create({ config: { pricingProfiles: { a: { markupBps: "1.5" } } } })).envelope.errno).toBe(0)
  })

  it("is administered by admins, and shown whole to its own side alone", async () => {
    const operator = await signUp(gateway)
    const operatorId = (await operator.user()).record.id
    const { record } = await create({ config: { operators: [operatorId] } })
    const { dealerAccountId } = record
    const anybody = await signUp(gateway)
    for (const path of ["create", "update", "pause", "resume", "archive"]) {
      const named = { dealerAccountId, ...(path === "update" && { updatedAt: record.updatedAt, config: {} }) }
      const body = path === "create" ? { name: "x", baseCurrencies: ["USDT"] } : named
      const answer = await operator.post(`/dealer/${path}`, body)
      expect(answer).toMatchObject({ status: 403, envelope: { errno: -102003 } })
    }
    expect((await operator.get("/dealer/list")).envelope.errno).toBe(-102003)
    const whole = (await operator.get<DealerRecord>("/dealer/get", { dealerAccountId })).record
    expect(whole).toMatchObject({ walletId: record.walletId, openQuotes: 0, hedging: [] })
    const little = (await anybody.get<DealerRecord>("/dealer/get", { dealerAccountId })).record
    expect(little).toMatchObject({
      name: "Desk",
      status: "ACTIVE",
      config: null,
      walletId: null,
      linkedAccountIds: null,
    })
    const listed = (await admin.get<ReadonlyArray<DealerRecord>>("/dealer/list", { limit: "1" })).record
    expect(listed.map((it) => it.dealerAccountId)).toEqual([dealerAccountId])
  })

  it("is linked to accounts by their owners, who operate it", async () => {
    const operator = await signUp(gateway)
    const { record } = await create({ config: { operators: [(await operator.user()).record.id] } })
    const { dealerAccountId } = record
    const own = (await operator.connectMock()).record.tradingAccountId
    const link = (calls: Api, tradingAccountId: string, verb = "link") =>
      calls.post(`/dealer/account/${verb}`, { dealerAccountId, tradingAccountId })
    expect(await link(admin, own)).toMatchObject({ status: 403, envelope: { errno: -102001 } })
    const anybody = await signUp(gateway)
    const theirs = (await anybody.connectMock()).record.tradingAccountId
    expect(await link(anybody, theirs)).toMatchObject({ status: 403, envelope: { errno: -102002 } })
    expect((await link(operator, own, "unlink")).envelope.errno).toBe(-141006)
    expect((await link(operator, own)).envelope).toMatchObject({ errno: 0, data: "ok" })
    expect(await link(operator, own)).toMatchObject({ status: 409, envelope: { errno: -141005 } })
    const linked = (await operator.get<DealerRecord>("/dealer/get", { dealerAccountId })).record
    expect(linked.linkedAccountIds).toEqual([own])
    expect((await link(admin, record.tradingAccountId!)).envelope.errno).toBe(-104003)
    expect((await link(operator, own, "unlink")).envelope.errno).toBe(0)
    expect((await link(operator, own)).envelope.errno).toBe(0)
    await operator.disconnect(own)
    const left = (await operator.get<DealerRecord>("/dealer/get", { dealerAccountId })).record
    expect(left.linkedAccountIds).toEqual([])
  })

  it("quotes from simulated books only where it says so", async () => {
    const desk = await openDesk(gateway, admin, { config: {} })
    const client = await desk.client()
    expect(await client.ask()).toMatchObject({ envelope: { errno: -140002, details: { reason: "VENUE_NOT_ALLOWED" } } })
    const { dealerAccountId, updatedAt } = await desk.dealerNow()
    const update = (fields: Record<string, unknown>) =>
      admin.post<DealerRecord>("/dealer/update", { dealerAccountId, updatedAt, ...fields })
    const config = { pricing: { allowSimulatedVenues: true }, defaultPricingProfile: "a", pricingProfiles: { a: {} } }
    const changed = (await update({ config })).record
    expect(changed).toMatchObject({ config, status: "ACTIVE", linkedAccountIds: [desk.linkedAccountId] })
    expect((await client.ask()).record).toMatchObject({ status: "CREATED", pricingProfileId: "a" })
    expect(await desk.dealerNow()).toMatchObject({ config, updatedAt: changed.updatedAt })
    // What is left out is at its default again.
    expect((await update({ config: {}, updatedAt: changed.updatedAt })).record.config).toEqual({})
    expect((await client.ask()).envelope.errno).toBe(-140002)
  })

  it("is not configured over what another has just configured, nor with what cannot be meant", async () => {
    const { dealerAccountId, updatedAt } = (await create({})).record
    const update = (config: object) =>
      admin.post<DealerRecord>("/dealer/update", { dealerAccountId, updatedAt, config })
    expect((await update({ defaultPricingProfile: "b" })).envelope).toMatchObject({
      errno: -104003,
      details: { metadata: { parameter: "config.defaultPricingProfile" } },
    })
    const answers = await Promise.all([update({ riskCurrency: "BTC" }), update({ riskCurrency: "USDT" })])
    expect(answers.map((it) => it.status).sort()).toEqual([200, 409])
    const stored = (await admin.get<DealerRecord>("/dealer/get", { dealerAccountId })).record
    expect(stored).toMatchObject({ config: answers.find((it) => it.status === 200)?.record.config })
    expect(answers.find((it) => it.status === 409)?.envelope).toMatchObject({
      errno: -141009,
      details: { metadata: { updatedAt: stored.updatedAt } },
    })
  })

  it("is heard no longer by who was taken from its operators", async () => {
    const operator = await signUp(gateway)
    const operatorId = (await operator.user()).record.id
    const { dealerAccountId, tradingAccountId, updatedAt } = (await create({ config: { operators: [operatorId] } }))
      .record
    const feed = await listen(await connectClient(gateway, operator.token!), `tradingAccount:${tradingAccountId}`)
    const left = await admin.post("/dealer/update", { dealerAccountId, updatedAt, config: {} })
    expect(left.status).toBe(200)
    await until("the subscription to end", () => Promise.resolve(feed.ended()))
    expect((await operator.get<DealerRecord>("/dealer/get", { dealerAccountId })).record.config).toBeNull()
  })

  it("pauses without breaking its word, and is archived when it owes nothing", async () => {
    const desk = await openDesk(gateway, admin)
    const { dealerAccountId } = desk.dealer
    const client = await desk.client()
    const quote = await client.quote({ ttl: 2 })
    const kept = await client.quote({ ttl: 60, quoteRequestId: "kept" })
    const set = async (verb: string) =>
      (await admin.post<DealerRecord>(`/dealer/${verb}`, { dealerAccountId })).envelope
    expect(await set("resume")).toMatchObject({ errno: 0, data: { status: "ACTIVE" } })
    expect(await set("pause")).toMatchObject({ errno: 0, data: { status: "PAUSED" } })
    expect(await set("pause")).toMatchObject({ errno: 0, data: { status: "PAUSED" } })
    expect((await client.ask()).envelope.errno).toBe(-141002)
    const again = await client.ask({ ttl: 60, quoteRequestId: "kept" })
    expect(again.record.quoteId).toBe(kept.quoteId)
    expect(await set("archive")).toMatchObject({ errno: -141004, data: null })
    const order = await client.execute(kept)
    expect(order.envelope.errno).toBe(0)
    await until("the first to be over", async () => (await client.quoteNow(quote.quoteId)).status === "EXPIRED")
    await until("the hedge to be done", async () => (await set("archive")).errno === 0)
    expect((await client.ask()).envelope.errno).toBe(-141003)
    expect((await client.execute(quote)).envelope.errno).toBe(-140005)
    for (const verb of ["pause", "resume", "archive"]) expect((await set(verb)).errno).toBe(-141003)
    const walletId = desk.dealer.walletId!
    const { USDT } = await desk.wallet(walletId)
    expect((await admin.post("/wallet/withdraw", { walletId, asset: "USDT", amount: USDT![0] })).envelope.errno).toBe(0)
  })

  it("never owes more than its threshold, counting every quote as executed", async () => {
    const desk = await openDesk(gateway, admin, { riskThreshold: "70000" })
    const client = await desk.client()
    const first = await client.quote({ quantity: "1", ttl: 60 })
    const second = (await client.ask({ quantity: "1", ttl: 60 })).record
    expect(second).toMatchObject({ status: "REJECTED", rejectReason: "RISK_LIMIT", rejectErrno: -140007 })
    const other = (await client.ask({ quantity: "1", orderSide: "SELL", ttl: 60 })).record
    expect(other.status).toBe("CREATED")
    expect((await client.execute(first)).envelope.errno).toBe(0)
  })

  it("has nothing to promise beyond its inventory", async () => {
    const desk = await openDesk(gateway, admin)
    const client = await desk.client()
    await client.quote({ quantity: "1", ttl: 1 })
    const walletId = desk.dealer.walletId!
    const { BTC } = await desk.wallet(walletId)
    await admin.post("/wallet/withdraw", { walletId, asset: "BTC", amount: BTC![0] })
    const none = (await client.ask({ quantity: "2" })).record
    expect(none).toMatchObject({ status: "REJECTED", rejectReason: "INSUFFICIENT_INVENTORY", rejectErrno: null })
    await admin.post("/wallet/freeze", { walletId })
    expect((await client.ask({ orderSide: "SELL" })).record).toMatchObject({ rejectReason: "INSUFFICIENT_INVENTORY" })
    await admin.post("/wallet/unfreeze", { walletId })
    await admin.post("/wallet/freeze", { walletId: client.walletId })
    expect((await client.ask({ orderSide: "SELL" })).envelope.errno).toBe(-150002)
  })

  it("prices by profile, and keeps to its notional", async () => {
    const cheap = "0198f3a2-9f50-7072-9b63-ae5f40617284"
    const dear = "Dear_1"
    const config = {
      pricing: { allowSimulatedVenues: true },
      pricingProfiles: {
        [cheap]: { markupBps: 0 },
        [dear]: { markupBps: "500.5", ttlBps: "0.5", minNotional: "100", maxNotional: "50000" },
      },
      defaultPricingProfile: cheap,
      clientPricingProfiles: [dear],
      takerFeeBpsByVenue: { MOCK: 0 },
      caps: { openQuotesPerClient: 3 },
    }
    const desk = await openDesk(gateway, admin, { config })
    const client = await desk.client()
    const low = await client.quote({ ttl: 60 })
    const high = await client.quote({ ttl: 60, pricingProfileId: dear })
    expect(low.pricingProfileId).toBe(cheap)
    expect(Number(high.price)).toBeGreaterThan(Number(low.price) * 1.04)
    for (const quantity of ["0.001", "1"])
      expect((await client.ask({ quantity, pricingProfileId: dear })).record).toMatchObject({
        rejectReason: "NOTIONAL_LIMIT",
      })
    await client.quote({ ttl: 60 })
    expect(await client.ask()).toMatchObject({ status: 429, envelope: { errno: -103003 } })
  })
})
