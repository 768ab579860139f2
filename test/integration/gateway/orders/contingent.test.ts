/** Orders with conditions over HTTP on a whole gateway: exits with an entry, a refusal by number, and the times that a submit took. */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { TradeOrderRecord } from "../../../../src/domain/order/trade-order-record.ts"
import { type Answer, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"
import { type Newcomer, signUp } from "../users/people.ts"

type Submitted = TradeOrderRecord & { readonly linkedOrders?: ReadonlyArray<TradeOrderRecord> }

const makeDatabase = withDatabaseServer()
let database: OwnDatabase
let gateway: Gateway
let ada: Newcomer
let tradingAccountId: string

beforeAll(async () => {
  database = await makeDatabase()
  gateway = await startGateway({ env: { DATABASE_URL: database.url } })
  ada = await signUp(gateway)
  const account = (await ada.calls.connect({ venue: "MOCK", externalTradingAccountId: "contingent" })).record
  tradingAccountId = account.tradingAccountId
  await until("the account is ACTIVE", async () =>
    (await ada.calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
  )
})
afterAll(endGateways)

const submit = (fields: object): Promise<Answer<Submitted>> =>
  ada.calls.call<Submitted>("POST", "/tradeOrder/submit", {
    tradingAccountId,
    instrumentId: "MOCK:BTC/USDT",
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "0.01",
    limitPrice: "1000",
    ...fields,
  })

const entry = { clientOrderId: "entry", takeProfitPrice: "2000", stopLossPrice: "900", stopLossLimitPrice: "890" }

it("answers an entry with its exits, says when each step was done, and lists them", async () => {
  const { status, record, headers } = await submit(entry)
  expect([status, record.contingencyType, record.orderListId]).toEqual([200, "OTOCO", record.tradeOrderId])
  expect(record).toMatchObject({ takeProfitPrice: "2000", stopLossPrice: "900", stopLossLimitPrice: "890" })
  expect(record.linkedOrders).toMatchObject([
    { orderType: "TAKE_PROFIT", stopPrice: "2000", orderSide: "SELL", orderStatus: "CREATED" },
    { orderType: "STOP_LOSS_LIMIT", stopPrice: "900", limitPrice: "890", orderListId: record.tradeOrderId },
  ])
  const steps = /^received;dur=0, checked;dur=(\S+), committed;dur=(\S+), dispatched;dur=(\S+)$/
  const [, checked, committed, dispatched] = steps.exec(headers.get("server-timing") ?? "") ?? []
  expect(Number(checked)).toBeLessThanOrEqual(Number(committed))
  expect(Number(committed)).toBeLessThanOrEqual(Number(dispatched))
  const listed = await ada.calls.call<ReadonlyArray<TradeOrderRecord>>(
    "GET",
    `/tradeOrder/list?orderListId=${record.orderListId}&ascending=true`,
  )
  const ids = (orders: ReadonlyArray<TradeOrderRecord> | undefined) => orders?.map((it) => it.tradeOrderId).sort()
  expect(ids(listed.record)).toEqual(ids(record.linkedOrders))
})

it("answers a repeat with the same orders", async () => {
  const { record, headers } = await submit(entry)
  expect(headers.get("idempotency-replayed")).toBe("true")
  expect(record.linkedOrders?.map((it) => it.orderType).sort()).toEqual(["STOP_LOSS_LIMIT", "TAKE_PROFIT"])
})

it.each([
  ["exits on the wrong side", { takeProfitPrice: "999" }, -112012],
  ["half of a stop-loss", { stopLossLimitPrice: "900" }, -112006],
  ["a stop without its price", { orderType: "STOP", limitPrice: null }, -112004],
  ["a distance of nothing", { orderType: "TRAILING_STOP", limitPrice: null, trailingDelta: 0 }, -112014],
  ["more than all of it", { quantityType: "POSITION_RATIO", quantity: "2" }, -112032],
  ["an auction", { timeInForce: "MOC" }, -112021],
])("refuses %s with its own number", async (_name, fields, errno) => {
  const { status, envelope } = await submit(fields)
  expect([status, envelope.errno]).toEqual([400, errno])
})

it("arms a stop, and refuses one that is there already: the price is looked up for it", async () => {
  const far = await submit({ orderType: "STOP_MARKET", limitPrice: null, stopPrice: "200000", awaitAccepted: true })
  const armed = await until("the stop to be armed", async () => {
    const { record } = await ada.calls.order(tradingAccountId, far.record.tradeOrderId)
    return record.status !== "PENDING" && record
  })
  expect(armed).toMatchObject({ orderType: "STOP", status: "OPEN", execution: "EMULATED", stopPrice: "200000" })
  const there = await submit({ orderType: "STOP", limitPrice: null, stopPrice: "10" })
  expect([there.status, there.envelope.errno]).toEqual([400, -112011])
})
