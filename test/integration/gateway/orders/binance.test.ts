/**
 * Orders on a venue behind the network: the gateway, unmodified ccxt and the loopback exchange as the judge. Every test has a user and
 * an API key of its own; what happened at the exchange is asked of the exchange itself, never of the gateway.
 */
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { TradeOrderRecord } from "../../../../src/domain/order/trade-order-record.ts"
import type { BinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { connectBinance } from "../../../exchanges/ccxt-client.ts"
import { type Answer, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { type AccountEvent, closeClients, connectClient, type Feed, gapsIn, listen } from "../markets/socket.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"
import { holdings, type Newcomer, signUp, type Trader } from "../users/people.ts"

const INSTRUMENT = "BINANCE:BTC/USDT"
/** Long enough for the worker's request timeout, the queries and the venue's expiry. */
const PROOF_MILLIS = 90_000
/** The floors of the audits are 10, 30 and 60 s (contract C3). */
const AUDIT_MILLIS = 120_000

const makeDatabase = withDatabaseServer()
let database: OwnDatabase
let exchange: BinanceExchange
let gateway: Gateway
const secrets: Array<string> = []
const said: Array<string> = []
const traders: Array<Trader> = []

beforeAll(async () => {
  exchange = await startBinanceExchange({ market: "still" })
  database = await makeDatabase()
  gateway = await startGateway({
    env: { DATABASE_URL: database.url, VENUE_ROUTES: JSON.stringify(exchange.routes) },
  })
})
beforeEach(() => {
  exchange.fault({ fault: "clear" })
})
/** An account that is left connected is audited for ever, and agrees again after every cut: all that from the venue's one budget. */
afterEach(async () => {
  exchange.fault({ fault: "clear" })
  for (const { calls, tradingAccountId } of traders.splice(0)) await calls.disconnect(tradingAccountId)
})
afterAll(async () => {
  closeClients()
  await endGateways()
  await exchange?.stop()
})

const remember = <A>(answer: Answer<A>): A => {
  said.push(answer.text)
  return answer.record
}

interface BinanceTrader extends Trader {
  readonly apiKey: string
  readonly apiSecret: string
  readonly credentialId: string
  readonly feed: Feed<AccountEvent>
}

const newKey = () => {
  const apiKey = `key${randomBytes(24).toString("hex")}`
  const apiSecret = `canary${randomBytes(24).toString("hex")}`
  secrets.push(apiKey, apiSecret)
  exchange.addUser({ apiKey, apiSecret, balances: { USDT: "1000000", BTC: "10" } })
  return { apiKey, apiSecret }
}

const trader = async (newcomer?: Newcomer): Promise<BinanceTrader> => {
  const user = newcomer ?? (await signUp(gateway))
  const { apiKey, apiSecret } = newKey()
  const credential = remember(await user.calls.createCredential({ venue: "BINANCE", apiKey, apiSecret, name: "main" }))
  const { credentialId } = credential
  const account = remember(await user.calls.connect({ venue: "BINANCE", credentialIds: [credentialId] }))
  const { tradingAccountId } = account
  traders.push({ ...user, tradingAccountId })
  await until("the account is ACTIVE", async () =>
    (await user.calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
  )
  const client = await connectClient(gateway, user.session.accessToken)
  const feed = await listen<AccountEvent>(client, `tradingAccount:${tradingAccountId}`)
  return { ...user, tradingAccountId, apiKey, apiSecret, credentialId, feed }
}

type Fields = Readonly<Record<string, unknown>>

describe("another user's credential", () => {
  it("is nobody else's to connect with, on no venue; one's own may be named in either case", async () => {
    const owner = await trader()
    const { calls } = await signUp(gateway)
    const credentialIds = [owner.credentialId]
    const stolen = await calls.connect({ venue: "BINANCE", credentialIds })
    expect([stolen.status, stolen.envelope.errno]).toEqual([404, -121001])
    const mock = await calls.connect({ venue: "MOCK", externalTradingAccountId: "x", credentialIds })
    expect([mock.status, mock.envelope.errno]).toEqual([400, -104009])
    const again = await owner.calls.connect({
      venue: "BINANCE",
      credentialIds: [owner.credentialId, owner.credentialId.toUpperCase()],
    })
    expect(again.record).toMatchObject({ tradingAccountId: owner.tradingAccountId })
    expect(again.record.credentials.map((it) => it.credentialId)).toEqual([owner.credentialId])
  })
})

const limit = (who: Trader, fields: Fields = {}) => ({
  tradingAccountId: who.tradingAccountId,
  instrumentId: INSTRUMENT,
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.01",
  limitPrice: "50000",
  ...fields,
})

const market = (who: Trader, fields: Fields = {}) => ({
  tradingAccountId: who.tradingAccountId,
  instrumentId: INSTRUMENT,
  orderSide: "BUY",
  orderType: "MARKET",
  quantity: "0.01",
  awaitClosed: true,
  ...fields,
})

const read = async (who: Trader, tradeOrderId: string): Promise<TradeOrderRecord> =>
  remember(await who.calls.order(who.tradingAccountId, tradeOrderId))

const reaches = (
  who: Trader,
  tradeOrderId: string,
  wanted: ReadonlyArray<string>,
  millis?: number,
): Promise<TradeOrderRecord> => {
  let last = ""
  return until(
    () => `${wanted.join(" or ")}, seen ${last}`,
    async () => {
      const order = await read(who, tradeOrderId)
      last = `${order.orderStatus} ${order.rejectReason ?? ""}`
      return wanted.includes(order.orderStatus) ? order : undefined
    },
    millis,
  )
}

const clientId = (tradeOrderId: string): string => tradeOrderId.replaceAll("-", "")
const placementOf = (tradeOrderId: string) =>
  exchange.placements().find(({ clientOrderId }) => clientOrderId === clientId(tradeOrderId))
const atExchange = (who: BinanceTrader, tradeOrderId: string) =>
  exchange.orders(who.apiKey).find(({ clientOrderId }) => clientOrderId === clientId(tradeOrderId))
const plain = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text)
const kindsOf = (who: BinanceTrader, tradeOrderId: string): ReadonlyArray<string> =>
  who.feed.records().flatMap(({ kind, data }) => (data["tradeOrderId"] === tradeOrderId ? [kind] : []))
const eventsAreWhole = (who: BinanceTrader): void => {
  expect(gapsIn(who.feed.records().map(({ sequence }) => sequence))).toEqual([])
}

describe("a credential", () => {
  it("is proved at the venue first: a wrong one is refused and nothing is stored", async () => {
    const user = await signUp(gateway)
    const { apiKey, apiSecret } = newKey()
    const wrong = await user.calls.createCredential({ venue: "BINANCE", apiKey, apiSecret: `${apiSecret}x` })
    said.push(wrong.text)
    expect([wrong.status, wrong.envelope.errno]).toEqual([400, -121002])
    const unknown = await user.calls.createCredential({ venue: "BINANCE", apiKey: "k".repeat(64), apiSecret })
    expect([unknown.status, unknown.envelope.errno]).toEqual([400, -121002])
    expect((await user.calls.credentials()).record).toEqual([])

    const good = remember(await user.calls.createCredential({ venue: "BINANCE", apiKey, apiSecret, name: "main" }))
    expect(good).toMatchObject({ status: "ACTIVE", apiKey: `****${apiKey.slice(-4)}`, name: "main" })
  })

  it("is needed to connect, and of a user of one's own", async () => {
    const who = await trader()
    const without = await who.calls.connect({ venue: "BINANCE" })
    expect([without.status, without.envelope.errno]).toEqual([400, -120007])
    const thief = await signUp(gateway)
    const stolen = await thief.calls.connect({ venue: "BINANCE", credentialIds: [who.credentialId] })
    expect([stolen.status, stolen.envelope.errno]).toEqual([404, -121001])
    const { apiKey, apiSecret } = who
    const own = remember(await thief.calls.createCredential({ venue: "BINANCE", apiKey, apiSecret }))
    const taken = await thief.calls.connect({ venue: "BINANCE", credentialIds: [own.credentialId] })
    expect([taken.status, taken.envelope.errno], "one account of the venue, one user").toEqual([409, -120003])
  })
})

describe("an order at the exchange", () => {
  it("rests and is cancelled, under our id, with the hold that the exchange shows too", async () => {
    const who = await trader()
    const sync = await who.calls.post<{ readonly synced: number }>("/market/instrument/sync", { venue: "BINANCE" })
    expect(sync.record.synced).toBeGreaterThan(0)
    const instruments = (await who.calls.instruments({ venue: "BINANCE", symbol: "BTC/USDT" })).record
    expect(instruments[0]).toMatchObject({ instrumentId: INSTRUMENT, tickSize: "0.01", lotSize: "0.00001" })

    const submitted = remember(await who.calls.submit(limit(who)))
    const { tradeOrderId } = submitted
    const open = await reaches(who, tradeOrderId, ["ACCEPTED"])
    expect(atExchange(who, tradeOrderId)).toMatchObject({
      status: "NEW",
      price: "50000.00000000",
      origQty: "0.01000000",
    })
    expect(open.externalOrderId).toBe(String(atExchange(who, tradeOrderId)?.orderId))
    expect((await holdings(who))["USDT"]).toEqual(["1000000", "999500", "500"])

    remember(await who.calls.cancel(who.tradingAccountId, tradeOrderId))
    const cancelled = await reaches(who, tradeOrderId, ["CANCELLED"])
    expect(cancelled).toMatchObject({ status: "CANCELLED", cancelReason: "USER_REQUEST" })
    expect(atExchange(who, tradeOrderId)?.status).toBe("CANCELED")
    expect((await holdings(who))["USDT"]).toEqual(["1000000", "1000000", "0"])
    eventsAreWhole(who)
  })

  it("fills at market with the exchange's own trades and fees", async () => {
    const who = await trader()
    const order = remember(await who.calls.submit(market(who, { quantity: "0.5" })))
    const filled = await reaches(who, order.tradeOrderId, ["FILLED"])
    const fills = exchange.fills(who.apiKey)
    expect(fills.length).toBeGreaterThan(1)
    const ours = filled.executions.map((each) => [
      each.externalTradeId,
      each.executedPrice,
      each.executedQuantity,
      each.fees.map(({ asset, quantity }) => [asset, quantity]),
    ])
    const theirs = fills.map((fill) => [
      String(fill.id),
      plain(fill.price),
      plain(fill.qty),
      [[fill.commissionAsset, plain(fill.commission)]],
    ])
    expect(ours.toSorted()).toEqual(theirs.toSorted())
    expect(filled.executedCost).toBe(plain(atExchange(who, order.tradeOrderId)?.cummulativeQuoteQty ?? ""))
    await until("the last of its events", () => kindsOf(who, order.tradeOrderId).includes("TRADE_ORDER.FILLED"))
    const kinds = kindsOf(who, order.tradeOrderId)
    expect(kinds.filter((kind) => kind === "EXECUTION.CREATED")).toHaveLength(fills.length)
    await until("the exchange's balances", async () => {
      const mine = await holdings(who)
      return exchange.balances(who.apiKey).every(({ a, f }) => (mine[a]?.[1] ?? "0") === plain(f))
    })
    eventsAreWhole(who)
  })

  it("fills on three instruments although the exchange numbers the trades of each from the same number", async () => {
    const who = await trader()
    const placed: Array<string> = []
    for (const [symbol, quantity] of [
      ["XRP/USDT", "100"],
      ["ETH/USDT", "0.1"],
      ["SOL/USDT", "1"],
    ] as const) {
      const body = market(who, { instrumentId: `BINANCE:${symbol}`, quantity })
      placed.push(remember(await who.calls.submit(body)).tradeOrderId)
    }
    for (const tradeOrderId of placed) {
      const filled = await reaches(who, tradeOrderId, ["FILLED"])
      const { orderId, cummulativeQuoteQty } = atExchange(who, tradeOrderId)!
      const theirs = exchange.fills(who.apiKey).filter((fill) => fill.orderId === orderId)
      expect(filled.executedCost).toBe(plain(cummulativeQuoteQty))
      expect(filled.executions.map(({ inferred }) => inferred)).toEqual(theirs.map(() => false))
      expect(filled.overfillQuantity).toBe("0")
    }
    await until("the exchange's balances", async () => {
      const mine = await holdings(who)
      return exchange.balances(who.apiKey).every(({ a, f }) => (mine[a]?.[1] ?? "0") === plain(f))
    })
    eventsAreWhole(who)
  })

  it("ends as the contract says: IOC and FOK remainders are CANCELLED, a taker post-only is REJECTED", async () => {
    const who = await trader()
    const ioc = remember(await who.calls.submit(limit(who, { timeInForce: "IOC", awaitClosed: true })))
    expect(await reaches(who, ioc.tradeOrderId, ["CANCELLED", "EXPIRED"])).toMatchObject({
      orderStatus: "CANCELLED",
      cancelReason: "IOC_REMAINDER",
      executedQuantity: "0",
    })
    const fok = limit(who, { timeInForce: "FOK", quantity: "3", limitPrice: "60000.1", awaitClosed: true })
    const killed = remember(await who.calls.submit(fok))
    expect(await reaches(who, killed.tradeOrderId, ["CANCELLED", "EXPIRED"])).toMatchObject({
      orderStatus: "CANCELLED",
      cancelReason: "FOK_NOT_FILLED",
    })
    const maker = limit(who, { orderType: "LIMIT_MAKER", limitPrice: "61000", awaitClosed: true })
    const rejected = remember(await who.calls.submit(maker))
    const final = await reaches(who, rejected.tradeOrderId, ["REJECTED"])
    expect(final.rejectReason).toMatch(/^WOULD_TAKE/)
    expect((await holdings(who))["USDT"]).toEqual(["1000000", "1000000", "0"])
  })

  it("is refused without a trace when the funds do not suffice", async () => {
    const who = await trader()
    const before = exchange.placements().length
    const refused = await who.calls.submit(limit(who, { quantity: "100" }))
    expect([refused.status, refused.envelope.errno]).toEqual([400, -111000])
    expect(exchange.placements().length).toBe(before)
    expect((await who.calls.orders({ tradingAccountId: who.tradingAccountId })).record).toEqual([])
  })
})

describe("an order whose outcome is unknown", () => {
  it.each(["apply-then-destroy", "apply-then-hang"] as const)(
    "keeps its hold while in doubt and is found (%s), never sent again",
    async (kind) => {
      const who = await trader()
      exchange.fault({ fault: "suppressUserEvents", on: true })
      exchange.fault({ fault: "answer", match: "POST /api/v3/order", action: { kind } })
      // Nor does an audit find it before it is in doubt.
      for (const match of ["GET /api/v3/order", "GET /api/v3/openOrders"])
        exchange.fault({ fault: "answer", match, times: "always", action: { kind: "status", status: 503 } })
      const { tradeOrderId } = remember(await who.calls.submit(limit(who)))
      const doubt = await reaches(who, tradeOrderId, ["UNKNOWN"], PROOF_MILLIS)
      expect(doubt).toMatchObject({ status: "PENDING", inDoubt: true })
      expect((await holdings(who))["USDT"]).toEqual(["1000000", "999500", "500"])

      exchange.fault({ fault: "clear" })
      const found = await reaches(who, tradeOrderId, ["ACCEPTED"], PROOF_MILLIS)
      expect(found).toMatchObject({ status: "OPEN", inDoubt: false })
      expect(placementOf(tradeOrderId)).toMatchObject({ count: 1, created: 1 })
      expect((await holdings(who))["USDT"]).toEqual(["1000000", "999500", "500"])
      await until("the word of the doubt", () => kindsOf(who, tradeOrderId).includes("TRADE_ORDER.UNKNOWN"))
      eventsAreWhole(who)
    },
  )
})

describe("the private stream", () => {
  it("may repeat itself: an execution counts once", async () => {
    const who = await trader()
    const { tradeOrderId } = remember(await who.calls.submit(market(who)))
    const filled = await reaches(who, tradeOrderId, ["FILLED"])
    const order = atExchange(who, tradeOrderId)!
    const fills = exchange.fills(who.apiKey)
    for (const fill of [...fills, ...fills]) {
      const event = {
        ...{ e: "executionReport", E: Date.now(), s: "BTCUSDT", c: order.clientOrderId, S: "BUY", o: "MARKET" },
        ...{ f: "GTC", q: order.origQty, p: "0.00000000", P: "0.00000000", F: "0.00000000", g: -1, C: "" },
        ...{ x: "TRADE", X: "FILLED", r: "NONE", i: order.orderId, l: fill.qty, z: order.executedQty },
        ...{ L: fill.price, n: fill.commission, N: fill.commissionAsset, T: order.updateTime, t: fill.id },
        ...{ I: 1, w: false, m: false, M: false, O: order.time, Z: order.cummulativeQuoteQty, Y: fill.quoteQty },
        ...{ Q: "0.00000000", W: order.time, V: "EXPIRE_MAKER" },
      }
      exchange.fault({ fault: "pushUserEvent", apiKey: who.apiKey, event })
    }
    // A later order's events come after the repeats on the same stream: once it is there, they were handled.
    const later = remember(await who.calls.submit(market(who)))
    await reaches(who, later.tradeOrderId, ["FILLED"])
    const again = await read(who, tradeOrderId)
    expect(again.executions).toEqual(filled.executions)
    expect(again).toMatchObject({ executedQuantity: filled.executedQuantity, overfillQuantity: "0" })
    eventsAreWhole(who)
  })

  it("may be cut: it comes back and nothing is missing", async () => {
    const who = await trader()
    const body = limit(who, { limitPrice: "60000.01", quantity: "0.01" })
    const { tradeOrderId } = remember(await who.calls.submit(body))
    await reaches(who, tradeOrderId, ["ACCEPTED", "FILLED"])
    exchange.fault({ fault: "closeSockets", kind: "user" })
    exchange.trade("BTCUSDT", "SELL", "0.02")
    await reaches(who, tradeOrderId, ["FILLED"], AUDIT_MILLIS)
    eventsAreWhole(who)
  })
})

/** All of them from the beginning on: they wait for the same seconds. */
describe("what only time tells", () => {
  let unplaced: BinanceTrader
  let unheard: BinanceTrader
  let busy: BinanceTrader
  let lost: TradeOrderRecord
  let silent: TradeOrderRecord
  let foreignId: string | undefined
  beforeAll(async () => {
    exchange.fault({ fault: "clear" })
    unplaced = await trader()
    unheard = await trader()
    busy = await trader()
    traders.splice(0)
    exchange.fault({ fault: "answer", match: "POST /api/v3/order", action: { kind: "hang" } })
    lost = remember(await unplaced.calls.submit(limit(unplaced)))
    await until("the order that goes astray", () => placementOf(lost.tradeOrderId))
    // Close to the market, so that a seller reaches it first.
    const body = limit(unheard, { limitPrice: "60000.01", quantity: "0.01" })
    silent = remember(await unheard.calls.submit(body))
    await reaches(unheard, silent.tradeOrderId, ["ACCEPTED"])
    exchange.fault({ fault: "suppressUserEvents", on: true })
    exchange.trade("BTCUSDT", "SELL", "0.02")
    exchange.fault({ fault: "suppressUserEvents", on: false })
    const elsewhere = connectBinance(exchange.routes, { apiKey: busy.apiKey, secret: busy.apiSecret })
    foreignId = (await elsewhere.createOrder("BTC/USDT", "limit", "buy", 0.02, 40_000)).id
    await elsewhere.close()
  })
  afterAll(async () => {
    for (const { calls, tradingAccountId } of [unplaced, unheard, busy]) await calls.disconnect(tradingAccountId)
  })

  it("keeps an order that was never placed UNKNOWN with its hold until the venue's expiry proves it", async () => {
    const { tradeOrderId, createdAt } = lost
    await reaches(unplaced, tradeOrderId, ["UNKNOWN"], PROOF_MILLIS)
    expect((await holdings(unplaced))["USDT"]).toEqual(["1000000", "999500", "500"])
    const proven = await reaches(unplaced, tradeOrderId, ["REJECTED"], PROOF_MILLIS)
    expect(proven.rejectReason).toMatch(/^NOT_PLACED/)
    // Commit + 2 s to leave, 5 s of the venue's window, 10 s of margin (contract C3).
    expect(proven.updatedAt - createdAt).toBeGreaterThanOrEqual(15_000)
    expect(placementOf(tradeOrderId)).toMatchObject({ count: 1, created: 0 })
    expect((await holdings(unplaced))["USDT"]).toEqual(["1000000", "1000000", "0"])
    eventsAreWhole(unplaced)
  })

  it("is what the private stream did not say: audits reach the truth", async () => {
    expect(atExchange(unheard, silent.tradeOrderId)?.status).toBe("FILLED")
    const filled = await reaches(unheard, silent.tradeOrderId, ["FILLED"], AUDIT_MILLIS)
    expect(filled.executions.map(({ externalTradeId }) => externalTradeId)).toEqual(
      exchange.fills(unheard.apiKey).map(({ id }) => String(id)),
    )
    eventsAreWhole(unheard)
  })

  it("shows orders that were placed elsewhere", async () => {
    const { tradingAccountId, calls } = busy
    const imported = await until(
      "the foreign order",
      async () => (await calls.orders({ tradingAccountId })).record.find((it) => it.externalOrderId === foreignId),
      AUDIT_MILLIS,
    )
    expect(imported).toMatchObject({ origin: "EXTERNAL", status: "OPEN", limitPrice: "40000", quantity: "0.02" })
    remember(await calls.cancel(tradingAccountId, imported.tradeOrderId))
    const cancelled = await reaches(busy, imported.tradeOrderId, ["CANCELLED"])
    expect(cancelled.status).toBe("CANCELLED")
    expect(exchange.orders(busy.apiKey).map(({ status }) => status)).toEqual(["CANCELED"])
  })
})

describe("an account on the exchange", () => {
  it("disconnects: nothing stays open at the exchange, the credential is revoked, its secret gone", async () => {
    const who = await trader()
    for (const limitPrice of ["50000", "49000"]) {
      const { tradeOrderId } = remember(await who.calls.submit(limit(who, { limitPrice })))
      await reaches(who, tradeOrderId, ["ACCEPTED"])
    }
    const gone = remember(await who.calls.disconnect(who.tradingAccountId))
    expect(gone.status).toBe("DISCONNECTED")
    expect(exchange.orders(who.apiKey).map(({ status }) => status)).toEqual(["CANCELED", "CANCELED"])
    const [credential] = remember(await who.calls.credentials())
    expect(credential).toMatchObject({ status: "REVOKED", revokedAt: expect.any(Number) })
    await until("the end of the channel", who.feed.ended)
    expect(who.feed.records().at(-1)?.kind).toBe("TRADING_ACCOUNT.UPDATED")
    eventsAreWhole(who)
    await until("the end of the venue stream", async () => {
      const rows = await query("SELECT secret FROM credential WHERE credential_id = $1", [who.credentialId])
      return rows.length === 1 && rows[0]?.["secret"] === null
    })
  })
})

const query = async (text: string, values: Array<unknown> = []): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const filesUnder = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory).flatMap((name) => {
    const path = join(directory, name)
    return statSync(path).isDirectory() ? filesUnder(path) : [path]
  })

describe("secrets", () => {
  it("are in no answer, no event, no log, no row", async () => {
    const who = await trader()
    remember(await who.calls.credentials())
    remember(await who.calls.accounts())
    const tables = ["credential", "trading_account", "account_event", "session", "app_user"]
    const rows: Array<unknown> = []
    for (const table of tables) rows.push(await query(`SELECT row_to_json(t)::text AS row FROM ${table} t`))
    const texts: Array<readonly [where: string, text: string]> = [
      ["an answer", said.join("\n")],
      ["an event", JSON.stringify(who.feed.records())],
      ["stdout", gateway.stdout.join("\n")],
      ["stderr", gateway.stderr()],
      ["a row", JSON.stringify(rows)],
      ...filesUnder(gateway.dataDir).map((path) => [path, readFileSync(path, "latin1")] as const),
    ]
    expect(secrets.length).toBeGreaterThan(2)
    expect(said.length).toBeGreaterThan(2)
    const leaks = texts.flatMap(([where, text]) => secrets.filter((secret) => text.includes(secret)).map(() => where))
    expect(leaks).toEqual([])
  })
})
