/**
 * A dealer's room: who cannot pay for quotes takes little of it and for a short time, each client has a share, and time has its price. Every
 * client asks over HTTP.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { QuoteRecord } from "../../../../src/domain/dealer/quote.ts"
import { type Client, type Desk, openDesk } from "../../../kit/desks/quoting.ts"
import { signUpFounder } from "../../../kit/servers/founder.ts"
import { type Answer, type Api, api, endGateways, type Gateway, startGateway } from "../../../kit/servers/gateway.ts"

const SIMULATED = { pricing: { allowSimulatedVenues: true } }
const NO_FUNDS = {}

let gateway: Gateway
let admin: Api

beforeAll(async () => {
  gateway = await startGateway()
  admin = api(gateway).as((await signUpFounder(gateway)).accessToken)
})
afterAll(endGateways)

const said = ({ status, envelope }: Answer<QuoteRecord>): unknown =>
  status === 200 ? (envelope.data?.rejectReason ?? envelope.data?.status) : [status, envelope.errno]

/** Until the book is there the dealer has no price. */
const warmed = async (desk: Desk): Promise<Client> => {
  const client = await desk.client()
  await client.execute(await client.quote({ quantity: "0.001" }))
  return client
}

/** Of the same user, without funds. */
const anotherAccount = async ({ calls }: Client): Promise<string> =>
  (await calls.connect({ venue: "INTERNAL" })).record.tradingAccountId

it("keeps its desk open to those who can pay, whatever those who cannot ask for", async () => {
  const desk = await openDesk(gateway, admin, { config: { ...SIMULATED, caps: { openQuotes: 40 } } })
  const client = await warmed(desk)
  const [one, other] = [await desk.client(NO_FUNDS), await desk.client(NO_FUNDS)]
  const answers: Array<unknown> = []
  for (const poor of [one, other]) {
    const accounts = [poor.tradingAccountId, await anotherAccount(poor)]
    for (let n = 0; n < 20; n++)
      answers.push(said(await poor.ask({ traderAccountId: accounts[n % 2], quantity: "0.01", ttl: 10 })))
  }
  expect(answers.filter((it) => it === "CREATED")).toHaveLength(4)
  expect(answers.at(-1)).toEqual([429, -103003])
  for (let n = 0; n < 3; n++) expect(said(await client.ask({ quantity: "0.01", ttl: 300 }))).toBe("CREATED")

  const long = await one.ask({ traderAccountId: one.tradingAccountId, ttl: 11 })
  expect(said(long)).toEqual([400, -111000])
  expect(long.envelope.details?.metadata).toMatchObject({ asset: "USDT", available: "0" })
  expect(long.envelope.details?.metadata["reason"]).toContain("more than 10 s")
})

it("keeps no more than a part of its inventory and its risk for those who cannot pay", async () => {
  const desk = await openDesk(gateway, admin, { config: SIMULATED, riskThreshold: "1000000" })
  const client = await warmed(desk)
  const walletId = desk.dealer.walletId!
  const kept = async () => Number((await desk.wallet(walletId))["BTC"]![0])
  await admin.post("/wallet/withdraw", { walletId, asset: "BTC", amount: String(Math.floor((await kept()) - 2)) })
  const poor = await desk.client(NO_FUNDS)
  expect(said(await poor.ask({ quantity: "0.5", ttl: 5 }))).toBe("INSUFFICIENT_INVENTORY")
  expect(said(await poor.ask({ quantity: "0.2", ttl: 10 }))).toBe("CREATED")
  expect(said(await poor.ask({ quantity: "0.2", ttl: 5 }))).toBe("INSUFFICIENT_INVENTORY")
  expect(said(await client.ask({ quantity: "1.5", ttl: 60 }))).toBe("CREATED")

  const careful = await openDesk(gateway, admin, { config: SIMULATED, riskThreshold: "100000" })
  await warmed(careful)
  const other = await careful.client(NO_FUNDS)
  expect(said(await other.ask({ quantity: "0.5", ttl: 5 }))).toBe("RISK_LIMIT")
  const none = { ...SIMULATED, caps: { uncoveredPercent: 0 } }
  const strict = await openDesk(gateway, admin, { config: none })
  await warmed(strict)
  const refused = await (await strict.client(NO_FUNDS)).ask({ quantity: "0.01", ttl: 5 })
  expect(said(refused)).toEqual([400, -111000])
  expect(refused.envelope.details?.metadata["reason"]).toContain("who have the funds")
  const few = await openDesk(gateway, admin, { config: { ...SIMULATED, caps: { openQuotes: 5 } } })
  await warmed(few)
  const first = await few.client(NO_FUNDS)
  expect(said(await first.ask({ quantity: "0.01", ttl: 10 }))).toBe("CREATED")
  expect(said(await first.ask({ quantity: "0.01", ttl: 5 }))).toEqual([429, -103003])
})

it("counts what a client's other quotes will cost it", async () => {
  const desk = await openDesk(gateway, admin, { config: SIMULATED })
  await warmed(desk)
  const client = await desk.client({ USDT: "100000" })
  expect(said(await client.ask({ quantity: "1", ttl: 60 }))).toBe("CREATED")
  expect(said(await client.ask({ quantity: "1", ttl: 60 }))).toEqual([400, -111000])
  // The other side is paid in the other asset, of which it has none.
  expect(said(await client.ask({ quantity: "0.1", orderSide: "SELL", ttl: 60 }))).toEqual([400, -111000])
  expect(said(await client.ask({ quantity: "0.1", ttl: 60 }))).toBe("CREATED")
})

it("gives one user a share of its quotes, over all accounts", async () => {
  const desk = await openDesk(gateway, admin, { config: { ...SIMULATED, caps: { openQuotesPerUser: 3 } } })
  const client = await warmed(desk)
  const second = (await client.calls.connect({ venue: "INTERNAL" })).record
  await desk.deposit(second.walletId!, "USDT", "100000")
  const asks = [client.tradingAccountId, second.tradingAccountId, client.tradingAccountId, second.tradingAccountId]
  const answers: Array<unknown> = []
  for (const traderAccountId of asks)
    answers.push(said(await client.ask({ traderAccountId, quantity: "0.01", ttl: 60 })))
  expect(answers).toEqual(["CREATED", "CREATED", "CREATED", [429, -103003]])
  expect(said(await (await desk.client()).ask({ quantity: "0.01", ttl: 60 }))).toBe("CREATED")
})

it("takes a price for time where its profile names none, but for the first seconds", async () => {
  const config = {
    ...SIMULATED,
    pricingProfiles: { free: { ttlBps: 0 }, dear: { ttlBps: "0.5" } },
    clientPricingProfiles: ["free", "dear"],
  }
  const desk = await openDesk(gateway, admin, { config })
  const client = await warmed(desk)
  const time = async (fields: Readonly<Record<string, unknown>>) => {
    const { quoteId } = await client.quote({ quantity: "0.01", ...fields })
    return (await admin.get<QuoteRecord>("/quote/get", { quoteId })).record.receipt?.ttlBps
  }
  expect(await time({})).toBe("0")
  expect(await time({ ttl: 10 })).toBe("0")
  expect(await time({ ttl: 300 })).toBe("29")
  expect(await time({ ttl: 300, pricingProfileId: "free" })).toBe("0")
  expect(await time({ ttl: 20, pricingProfileId: "dear" })).toBe("10")
})
