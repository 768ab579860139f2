/**
 * Whose account a trading account is: every key that it trades with has shown the venue's one account, or is nobody else's. The loopback
 * exchanges are the judge of whose orders came.
 */
import { randomBytes } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { TradingAccountRecord } from "../../../../src/domain/account/trading-account.ts"
import type { TradeOrderRecord } from "../../../../src/domain/order/trade-order-record.ts"
import type { HealthRecord } from "../../../../src/http/root/endpoints.ts"
import { type BinanceExchange, startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { type KrakenExchange, startKrakenExchange } from "../../../exchanges/kraken/exchange.ts"
import {
  type Answer,
  type Api,
  api,
  endGateways,
  type Gateway,
  startGateway,
  until,
} from "../../../kit/servers/gateway.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"
import { signUp } from "./people.ts"

const NOT_VISIBLE = [400, -120008]
const TAKEN = [409, -120003]

const makeDatabase = withDatabaseServer()
let database: OwnDatabase
let binance: BinanceExchange
let kraken: KrakenExchange
let gateway: Gateway
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  binance = await startBinanceExchange({ market: "empty" })
  kraken = await startKrakenExchange({ market: "empty" })
  database = await makeDatabase()
  env = { DATABASE_URL: database.url, VENUE_ROUTES: JSON.stringify({ ...binance.routes, ...kraken.routes }) }
  gateway = await startGateway({ env })
})
afterAll(async () => {
  await endGateways()
  await binance?.stop()
  await kraken?.stop()
})

interface Key {
  readonly venue: string
  readonly apiKey: string
  readonly apiSecret: string
}

const newKey = (venue: string): Key => ({
  venue,
  apiKey: `key${randomBytes(24).toString("hex")}`,
  apiSecret: randomBytes(48).toString("base64"),
})

/** Of a new account at the exchange. */
const newAccount = (venue: "BINANCE" | "KRAKEN"): Key => {
  const key = newKey(venue)
  const exchange = venue === "BINANCE" ? binance : kraken
  exchange.addUser({ ...key, balances: { USDT: "1000000", USD: "1000000", BTC: "10" } })
  return key
}

/** The second key of an account at BINANCE. */
const sameAccount = (other: Key): Key => {
  const key = newKey(other.venue)
  binance.addKey({ ...key, opens: other.apiKey })
  return key
}

const stored = async (calls: Api, ...keys: ReadonlyArray<Key>): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (const key of keys) ids.push((await calls.createCredential({ ...key })).record.credentialId)
  return ids
}

const isActive = (calls: Api, tradingAccountId: string): Promise<TradingAccountRecord> =>
  until("the account is ACTIVE", async () =>
    (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
  )

const connected = async (calls: Api, body: Readonly<Record<string, unknown>>): Promise<TradingAccountRecord> =>
  isActive(calls, (await calls.connect({ venue: "BINANCE", ...body })).record.tradingAccountId)

const refused = ({ status, envelope }: Answer<unknown>) => [status, envelope.errno]

/** An order that stands at the exchange; the account may have to agree with it first. */
const rests = async (calls: Api, { tradingAccountId, venue }: TradingAccountRecord): Promise<TradeOrderRecord> => {
  const { tradeOrderId } = await until("the submit to be taken", async () => {
    const answer = await calls.submit({
      tradingAccountId,
      instrumentId: venue === "BINANCE" ? "BINANCE:BTC/USDT" : "KRAKEN:BTC/USD",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.01",
      limitPrice: "20000",
    })
    return answer.status === 200 && answer.record
  })
  return until("the order at the exchange", async () => {
    const { record } = await calls.order(tradingAccountId, tradeOrderId)
    return record.orderStatus === "ACCEPTED" && record
  })
}

const placedWith = (key: Key): number => binance.placements().filter(({ apiKey }) => apiKey === key.apiKey).length

it("connects nothing with keys of two accounts, in whatever order they are given, and names the key that opens another", async () => {
  const { calls } = await signUp(gateway)
  const [one, two] = [newAccount("BINANCE"), newAccount("BINANCE")]
  const [first, second] = await stored(calls, one, two)
  const mixed = await calls.connect({ venue: "BINANCE", credentialIds: [first, second] })
  expect(refused(mixed)).toEqual(NOT_VISIBLE)
  expect(mixed.envelope.details?.metadata).toEqual({ credentialId: second })
  expect(refused(await calls.connect({ venue: "BINANCE", credentialIds: [second, first] }))).toEqual(NOT_VISIBLE)
  expect((await calls.accounts()).record).toEqual([])

  const account = await connected(calls, { credentialIds: [first] })
  for (const credentialIds of [
    [first, second],
    [second, first],
  ])
    expect(refused(await calls.connect({ venue: "BINANCE", credentialIds }))).toEqual(NOT_VISIBLE)
  const { externalTradingAccountId } = account
  const named = { venue: "BINANCE", credentialIds: [second], externalTradingAccountId }
  expect(refused(await calls.connect(named))).toEqual(NOT_VISIBLE)
  const after = (await calls.accounts()).record
  expect(after.map((it) => it.credentials.map(({ credentialId }) => credentialId))).toEqual([[first]])

  await rests(calls, account)
  expect([placedWith(one), placedWith(two)]).toEqual([1, 0])
  await calls.disconnect(account.tradingAccountId)
})

it("names the key that the venue refuses", async () => {
  const { calls } = await signUp(gateway)
  const [good, gone] = [newAccount("BINANCE"), newAccount("BINANCE")]
  const credentialIds = await stored(calls, good, gone)
  binance.removeUser(gone.apiKey)
  const answer = await calls.connect({ venue: "BINANCE", credentialIds })
  expect(refused(answer)).toEqual([400, -121002])
  expect(answer.envelope.details?.metadata).toMatchObject({ credentialId: credentialIds[1] })
})

it("gives nobody another user's account behind a key of one's own", async () => {
  const [victim, thief] = [await signUp(gateway), await signUp(gateway)]
  const [own, theirs] = [newAccount("BINANCE"), newAccount("BINANCE")]
  const account = await connected(victim.calls, { credentialIds: await stored(victim.calls, theirs) })
  const [mine, copied] = await stored(thief.calls, own, sameAccount(theirs))
  expect(refused(await thief.calls.connect({ venue: "BINANCE", credentialIds: [copied] }))).toEqual(TAKEN)
  expect(refused(await thief.calls.connect({ venue: "BINANCE", credentialIds: [mine, copied] }))).toEqual(NOT_VISIBLE)
  expect((await thief.calls.accounts()).record).toEqual([])
  await victim.calls.disconnect(account.tradingAccountId)
})

it("gives nobody another user's key either, at a venue that does not say whose account it opens", async () => {
  const [victim, thief] = [await signUp(gateway), await signUp(gateway)]
  const [own, theirs] = [newAccount("KRAKEN"), newAccount("KRAKEN")]
  const main = { venue: "KRAKEN", externalTradingAccountId: "main" }
  const account = await connected(victim.calls, { ...main, credentialIds: await stored(victim.calls, theirs) })
  const [mine, copied] = await stored(thief.calls, own, theirs)
  expect(refused(await thief.calls.connect({ ...main, credentialIds: [mine, copied] }))).toEqual(TAKEN)
  expect((await thief.calls.accounts()).record).toEqual([])
  const { tradingAccountId } = await connected(thief.calls, { ...main, credentialIds: [mine] })
  expect(refused(await thief.calls.connect({ ...main, credentialIds: [copied] }))).toEqual(TAKEN)
  const [kept] = (await thief.calls.accounts({ tradingAccountId })).record
  expect(kept?.credentials.map((it) => it.credentialId)).toEqual([mine])

  // Its keys are free again with the account.
  await victim.calls.disconnect(account.tradingAccountId)
  const again = await thief.calls.connect({ ...main, credentialIds: [copied] })
  expect(again.record.tradingAccountId).toBe(tradingAccountId)
  await thief.calls.disconnect(tradingAccountId)
})

it("signs nothing more with a key that was revoked: the account goes on with its other one, and is the same", async () => {
  const { calls } = await signUp(gateway)
  const first = newAccount("BINANCE")
  const second = sameAccount(first)
  const credentialIds = await stored(calls, first, second)
  const account = await connected(calls, { credentialIds })
  const order = await rests(calls, account)
  const [used, other] = placedWith(second) === 1 ? [second, first] : [first, second]
  const usedId = credentialIds[used === first ? 0 : 1]
  expect((await calls.post("/credential/revoke", { credentialId: usedId })).status).toBe(200)
  const later = await isActive(calls, account.tradingAccountId)
  expect(later.externalTradingAccountId).toBe(account.externalTradingAccountId)
  await rests(calls, later)
  expect([placedWith(used), placedWith(other)]).toEqual([1, 1])
  expect((await calls.order(account.tradingAccountId, order.tradeOrderId)).record).toMatchObject({
    orderStatus: "ACCEPTED",
    inDoubt: false,
  })
  await calls.disconnect(account.tradingAccountId)
})

it("attaches a further key together with its row of the audit, whatever becomes of the account's own writing", async () => {
  const { calls } = await signUp(gateway)
  const first = newAccount("BINANCE")
  const [known, further] = await stored(calls, first, sameAccount(first))
  const { tradingAccountId } = await connected(calls, { credentialIds: [known] })
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  const rows = async (): Promise<number> => {
    const found = await client.query(
      "SELECT FROM audit_row WHERE action = 'account.connect' AND result = 'ok' AND object_id = $1",
      [tradingAccountId],
    )
    return found.rows.length
  }
  expect(await rows()).toBe(1)
  // What the account stores of it waits.
  await client.query("BEGIN")
  await client.query("SELECT FROM trading_account WHERE trading_account_id = $1 FOR NO KEY UPDATE", [tradingAccountId])
  const asked = calls.connect({ venue: "BINANCE", credentialIds: [further] })
  await until("the key is attached", async () => {
    const attached = "SELECT FROM trading_account_credential WHERE trading_account_id = $1 AND credential_id = $2"
    return (await client.query(attached, [tradingAccountId, further])).rows.length === 1
  })
  expect(await rows()).toBe(2)
  await client.query("COMMIT")
  expect((await asked).status).toBe(200)
  expect((await calls.connect({ venue: "BINANCE", credentialIds: [further] })).status).toBe(200)
  expect(await rows()).toBe(2)
  await client.end()
  await calls.disconnect(tradingAccountId)
})

it("asks about keys that were attached unasked before it trades with one: those of other accounts are left alone", async () => {
  const { calls } = await signUp(gateway)
  const [own, stranger] = [newAccount("BINANCE"), newAccount("BINANCE")]
  const spare = sameAccount(own)
  const [first, second, third] = await stored(calls, own, spare, stranger)
  const account = await connected(calls, { credentialIds: [first] })
  const { tradingAccountId, externalTradingAccountId } = account
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  const attach =
    "INSERT INTO trading_account_credential (trading_account_id, credential_id, position) VALUES ($1, $2, $3)"
  await client.query(attach, [tradingAccountId, second, 2])
  await client.query(attach, [tradingAccountId, third, 3])
  await client.query("UPDATE trading_account_credential SET external_key = NULL WHERE credential_id = $1", [first])
  await gateway.stop()
  gateway = await startGateway({ env, dataDir: gateway.dataDir })
  const later = api(gateway).as(calls.token)
  await rests(later, account)
  expect([placedWith(own), placedWith(spare), placedWith(stranger)]).toEqual([0, 1, 0])
  const { rows } = await client.query(
    "SELECT credential_id FROM trading_account_credential WHERE trading_account_id = $1 AND external_key = $2",
    [tradingAccountId, externalTradingAccountId],
  )
  expect(rows).toEqual([{ credential_id: second }])
  await client.end()

  await later.post("/credential/revoke", { credentialId: second })
  await rests(later, account)
  expect([placedWith(own), placedWith(spare), placedWith(stranger)]).toEqual([1, 1, 0])
  // With the stranger's alone there is nothing to trade with.
  await later.post("/credential/revoke", { credentialId: first, force: true })
  const [end] = await until("the account is INACTIVE", async () => {
    const { record } = await later.accounts({ tradingAccountId })
    return record[0]?.status === "INACTIVE" && record
  })
  expect(end?.externalTradingAccountId).toBe(externalTradingAccountId)
  expect(placedWith(stranger)).toBe(0)
})

it("is told of in health and metrics while a secret of it does not open: it takes no orders, and the others trade", async () => {
  const { calls } = await signUp(gateway)
  const [broken, sound] = await stored(calls, newAccount("BINANCE"), newAccount("BINANCE"))
  const account = await connected(calls, { credentialIds: [broken] })
  const other = await connected(calls, { credentialIds: [sound] })
  await gateway.stop()
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  const swapped = "secret = (SELECT secret FROM credential WHERE credential_id = $2)"
  await client.query(`UPDATE credential SET ${swapped} WHERE credential_id = $1`, [broken, sound])
  await client.end()
  gateway = await startGateway({ env: { ...env, METRICS_PORT: "0" }, dataDir: gateway.dataDir })
  const later = api(gateway).as(calls.token)
  const actors = await until("health to tell", async () => {
    const { data, details } = (await later.get<HealthRecord>("/health")).envelope
    // Another check may be unhealthy on a busy machine: the record comes beside the failure then.
    const check = (data ?? (details?.metadata["health"] as HealthRecord | undefined))?.checks["actors"]
    return check?.status === "degraded" && check
  })
  expect(actors.reason).toBe("stopped after repeated defects, until the next start: accounts: 1")
  const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(gateway.stderr())?.[0] ?? ""
  expect(await (await fetch(url)).text()).toContain('actors_parked{type="account"} 1')
  const { status, envelope, headers } = await later.submit({
    tradingAccountId: account.tradingAccountId,
    instrumentId: "BINANCE:BTC/USDT",
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "0.01",
    limitPrice: "20000",
  })
  expect([status, envelope.errno, headers.get("retry-after")]).toEqual([503, -120009, "60"])
  expect(envelope.details).toMatchObject({ reason: "STOPPED" })
  await rests(later, other)
})
