/**
 * Which of its linked accounts a dealer believes, over HTTP: those of one environment, counted in base. Both of BINANCE and BINANCE_UAT are the loopback
 * Binance here, so that a price says where it came from and the exchange says who ordered.
 */
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type BinanceExchange, startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import {
  type Client,
  connectExchange,
  type Desk,
  INVENTORY,
  openClient,
  openDesk,
  requestQuote,
  trade,
  untilHedged,
} from "../../../kit/desks/hedging-desk.ts"
import { founder } from "../../../kit/servers/founder.ts"
import { type Api, api, endGateways, type Gateway, startGateway, taken, until } from "../../../kit/servers/gateway.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const makeDatabase = withDatabaseServer()
let exchange: BinanceExchange
let database: OwnDatabase
let gateway: Gateway
let admin: Api

const start = async (dataDir?: string): Promise<Gateway> => {
  const env = { DATABASE_URL: database.url, VENUE_ROUTES: JSON.stringify(exchange.routes) }
  return await startGateway({ env, ...(dataDir !== undefined && { dataDir }) })
}

beforeAll(async () => {
  exchange = await startBinanceExchange({ market: "still" })
  database = await makeDatabase()
  gateway = await start()
  admin = await founder(gateway)
})
afterAll(async () => {
  await endGateways()
  await exchange?.stop()
})

/** What an older version left behind, or another hand: written while no gateway runs. */
const meanwhile = async (...statements: ReadonlyArray<readonly [sql: string, values: Array<unknown>]>) => {
  await gateway.stop()
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  try {
    for (const [sql, values] of statements) await client.query(sql, values)
  } finally {
    await client.end()
  }
  gateway = await start(gateway.dataDir)
}

/** The same people at the gateway that runs now, once their accounts are open again. */
const again = async (desk: Desk, client: Client): Promise<readonly [Desk, Client]> => {
  admin = api(gateway).as(admin.token!)
  const calls = api(gateway).as(client.calls.token!)
  const accounts = [
    [admin, desk.linkedAccountId],
    [calls, client.tradingAccountId],
  ] as const
  for (const [of, tradingAccountId] of accounts)
    await until("an ACTIVE account", async () =>
      (await of.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
    )
  return [
    { ...desk, calls: admin },
    { ...client, calls },
  ]
}

const link = (desk: Desk, tradingAccountId: string, verb = "link") =>
  desk.calls.post(`/dealer/account/${verb}`, { dealerAccountId: desk.dealerAccountId, tradingAccountId })

describe("a dealer", () => {
  it("is linked to accounts of one environment, and says of which the refused one is", async () => {
    const desk = await openDesk(admin, exchange, { config: { pricing: { allowSimulatedVenues: true } } })
    const uat = await connectExchange(admin, exchange, INVENTORY, "BINANCE_UAT")
    const mock = (await admin.connectMock()).record.tradingAccountId
    expect(await link(desk, uat.tradingAccountId)).toMatchObject({
      status: 400,
      envelope: {
        errno: -141008,
        details: {
          metadata: {
            venue: "BINANCE_UAT",
            environment: "UAT",
            linked: "PROD",
            reason: expect.stringContaining("unlink those first"),
          },
        },
      },
    })
    expect((await link(desk, mock)).envelope.errno).toBe(-141008)
    expect((await link(desk, desk.linkedAccountId, "unlink")).envelope.errno).toBe(0)
    expect((await link(desk, uat.tradingAccountId)).envelope.errno).toBe(0)
    expect((await link(desk, desk.linkedAccountId)).envelope).toMatchObject({
      errno: -141008,
      details: { metadata: { venue: "BINANCE", environment: "PROD", linked: "UAT" } },
    })
  })

  it("that has a test network linked beside a real venue is priced and hedged at the real one alone", async () => {
    const opened = await openDesk(admin, exchange, { config: { pricing: { allowSimulatedVenues: true } } })
    const uat = await connectExchange(admin, exchange, INVENTORY, "BINANCE_UAT")
    const dealer = opened.dealerAccountId
    const known = await openClient(gateway, opened)
    await meanwhile(
      ["UPDATE dealer_link SET position = 1 WHERE dealer_account_id = $1", [dealer]],
      [
        "INSERT INTO dealer_link (dealer_account_id, trading_account_id, position) VALUES ($1, $2, 0)",
        [dealer, uat.tradingAccountId],
      ],
    )
    const [desk, client] = await again(opened, known)
    const { quote } = await trade(client, desk)
    expect(quote.receipt?.venue).toBe("BINANCE")
    await untilHedged(desk)
    expect([exchange.orders(desk.apiKey).length, exchange.orders(uat.apiKey).length]).toEqual([1, 0])
  })

  it("quotes a pair that is quiet, for as long as its venue answers", async () => {
    const desk = await openDesk(admin, exchange)
    const client = await openClient(gateway, desk)
    const { quote } = await trade(client, desk, { orderSide: "SELL" })
    await untilHedged(desk)
    // Nothing has moved since: the book is old after two seconds.
    await until("a quote of a pair that has been quiet for 6 s", async () => {
      const { status, createdAt } = (await taken(() => requestQuote(client, desk, { ttl: 1 }))).record
      return status === "CREATED" && createdAt - quote.createdAt >= 6_000
    })
  })

  it("quotes from no book that is counted in contracts of another currency", async () => {
    const opened = await openDesk(admin, exchange)
    const known = await openClient(gateway, opened)
    await trade(known, opened)
    await untilHedged(opened)
    const inverse = "UPDATE instrument SET contract_type = 'INVERSE', contract_size = 100 WHERE instrument_id = $1"
    await meanwhile([inverse, ["BINANCE:BTC/USDT"]])
    const [desk, client] = await again(opened, known)
    expect((await requestQuote(client, desk)).envelope).toMatchObject({
      errno: -140002,
      details: { reason: "COUNTED_IN_CONTRACTS" },
    })
    expect((await desk.calls.instruments({ venue: "BINANCE", symbol: "BTC/USDT" })).record).toMatchObject([
      { contractType: "INVERSE", contractSize: "100" },
    ])
  })
})
