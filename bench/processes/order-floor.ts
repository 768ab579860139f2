/**
 * The floors of `order`: bare uWebSockets, JSON.parse and JSON.stringify, one row of 14 columns an order in a group commit, the answer after
 * it, then the matcher of MOCK. `events`: beside each row the least that recovery needs, an event of the row's commit, and one with the next
 * of what the matcher said. No checks, no actor, no session, no publication; nothing of the gateway's store.
 */
import * as uws from "uWebSockets.js"
import { randomUUID } from "node:crypto"
import type pg from "pg"
import { Decimal } from "../../src/domain/decimal.ts"
import type { InstrumentId, TenantId, TradeOrderId, TradingAccountId, VenueId } from "../../src/domain/ids.ts"
import type { SubmitRequest } from "../../src/domain/order/submit-request.ts"
import type { TradeOrder } from "../../src/domain/order/trade-order.ts"
import { tradeOrderRecord } from "../../src/domain/order/trade-order-record.ts"
import { connectDedicated } from "../../src/store/postgres/sql.ts"
import { Matcher } from "../../src/venues/matching/matcher.ts"
import { answer } from "../kit/child.ts"
import { ACCOUNTS, SUBMIT_PATH } from "./order-wire.ts"

export interface FloorPlan {
  readonly url: string
  readonly events: boolean
}

const VENUE = "MOCK" as VenueId
const TENANT = "default" as TenantId
const TOKEN = `bench.${"t".repeat(480)}`
const BATCH_MAX = 512
/** Of prices and quantities, as whole numbers of the matcher's. */
const SCALE = 8

const fail = (reason: unknown): never => {
  throw reason instanceof Error ? reason : new Error(String(reason))
}

const TABLES = `
  CREATE TABLE trade_order (
    trade_order_id uuid PRIMARY KEY, trading_account_id uuid NOT NULL, instrument_id text NOT NULL, order_side text NOT NULL,
    order_type text NOT NULL, time_in_force text NOT NULL, order_status text NOT NULL, limit_price numeric, quantity numeric NOT NULL,
    executed_quantity numeric NOT NULL, client_order_id text, idempotency_key text, created_at bigint NOT NULL, updated_at bigint NOT NULL);
  CREATE UNIQUE INDEX ON trade_order (trading_account_id, idempotency_key);
  CREATE INDEX ON trade_order (trading_account_id, created_at);
  CREATE TABLE account_event (
    trading_account_id uuid NOT NULL, sequence bigint NOT NULL, at bigint NOT NULL, kind text NOT NULL, payload text NOT NULL,
    PRIMARY KEY (trading_account_id, sequence));`

const ORDER_TYPES = "uuid uuid text text text text text numeric numeric numeric text text bigint bigint".split(" ")
const EVENT_TYPES = "uuid bigint bigint text text".split(" ")

const insert = (table: string, types: ReadonlyArray<string>, first: number): string =>
  `INSERT INTO ${table} SELECT * FROM unnest(${types.map((type, i) => `$${first + i}::${type}[]`).join(", ")})`

/** Of orders and events, of orders alone, of events alone. */
const STATEMENTS = {
  both: `WITH orders AS (${insert("trade_order", ORDER_TYPES, 1)}) ${insert("account_event", EVENT_TYPES, ORDER_TYPES.length + 1)}`,
  orders: insert("trade_order", ORDER_TYPES, 1),
  events: insert("account_event", EVENT_TYPES, 1),
}

type Row = ReadonlyArray<string | number>

interface Entry {
  readonly order: Row | null
  readonly event: Row | null
  readonly stored: () => void
}

const columns = (types: ReadonlyArray<string>, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  types.map((_, column) => `{${rows.map((row) => row[column]).join(",")}}`)

/** First in, first out, one statement in flight. */
const groupCommit = (client: pg.Client): ((entry: Entry) => void) => {
  let waiting: Array<Entry> = []
  let isRunning = false
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX)
      waiting = waiting.slice(BATCH_MAX)
      const orders = batch.flatMap(({ order }) => (order === null ? [] : [order]))
      const events = batch.flatMap(({ event }) => (event === null ? [] : [event]))
      const name = orders.length === 0 ? "events" : events.length === 0 ? "orders" : "both"
      const values = [
        ...(orders.length === 0 ? [] : columns(ORDER_TYPES, orders)),
        ...(events.length === 0 ? [] : columns(EVENT_TYPES, events)),
      ]
      await client.query({ name, text: STATEMENTS[name], values })
      for (const { stored } of batch) stored()
    }
    isRunning = false
  }
  return (entry) => {
    waiting.push(entry)
    if (isRunning) return
    isRunning = true
    setImmediate(() => void run().catch(fail))
  }
}

const orderOf = (request: SubmitRequest, now: number): TradeOrder => {
  const instrumentId = (request.instrumentId ?? "") as InstrumentId
  const quantity = Decimal.of(request.quantity)
  const limitPrice = Decimal.of(request.limitPrice ?? "0")
  return {
    tradeOrderId: randomUUID() as TradeOrderId,
    tenantId: TENANT,
    tradingAccountId: request.tradingAccountId,
    version: 1,
    venue: VENUE,
    instrumentId,
    orderListId: null,
    contingencyType: null,
    quoteId: null,
    positionId: null,
    replacesTradeOrderId: null,
    dealerAccountId: null,
    hedgeForQuoteIds: [],
    hedgeForQuoteCount: 0,
    terms: null,
    baseAsset: instrumentId.slice(5, 8),
    quoteAsset: instrumentId.slice(9),
    orderSide: "BUY",
    orderType: "LIMIT",
    timeInForce: "GTC",
    orderStatus: "CREATED",
    statusBeforeCancel: null,
    rejectReason: null,
    cancelReason: null,
    limitPrice,
    quantity,
    orderQuantityType: "BASE",
    quantityRounding: "",
    baseQuantity: quantity,
    executedQuantity: Decimal.ZERO,
    executedCost: Decimal.ZERO,
    executedPrice: null,
    overfillQuantity: Decimal.ZERO,
    executions: [],
    executionCount: 0,
    fees: [],
    unexplained: null,
    clientOrderId: request.clientOrderId ?? null,
    idempotencyKey: request.idempotencyKey ?? null,
    // As long as a real one; making it is not the floor's work.
    fingerprint: "0".repeat(64),
    externalOrderId: null,
    origin: "GATEWAY",
    doubt: null,
    cancelRequested: false,
    evidence: [],
    notAfter: now + 2_000,
    submitDeadline: now + 2_000,
    held: limitPrice.multiply(quantity),
    createdAt: now,
    updatedAt: now,
    expireAt: null,
    canceledAt: null,
    venueUpdatedAt: null,
  }
}

const rowOf = (order: TradeOrder): Row => [
  order.tradeOrderId,
  order.tradingAccountId,
  order.instrumentId,
  order.orderSide,
  order.orderType,
  order.timeInForce,
  order.orderStatus,
  order.limitPrice?.toString() ?? "NULL",
  order.quantity.toString(),
  "0",
  order.clientOrderId ?? "NULL",
  order.idempotencyKey ?? "NULL",
  order.createdAt,
  order.updatedAt,
]

const unitsOf = (value: Decimal | null): bigint => BigInt(Math.round(Number(value ?? 0) * 10 ** SCALE))

/** By instrument. */
const matchers = new Map<string, Matcher>()

/** The last word that the matcher says of it. */
const matched = (order: TradeOrder): string => {
  const { instrumentId, tradeOrderId, tradingAccountId, orderSide, limitPrice, quantity } = order
  const matcher = matchers.get(instrumentId) ?? new Matcher("NONE")
  matchers.set(instrumentId, matcher)
  const said = matcher.submit({
    id: tradeOrderId,
    owner: tradingAccountId,
    side: orderSide,
    price: unitsOf(limitPrice),
    quantity: unitsOf(quantity),
    timeInForce: "GTC",
    postOnly: false,
  })
  return said.some(({ _tag }) => _tag === "Done") ? "FILLED" : "ACCEPTED"
}

const serve = (commit: (entry: Entry) => void, hasEvents: boolean): Promise<number> => {
  const app = uws.App()
  const sessions = new Set([`Bearer ${TOKEN}`])
  const sequences = new Map<TradingAccountId, number>()
  const eventOf = ({ tradeOrderId, tradingAccountId, version }: TradeOrder, status: string, at: number): Row | null => {
    if (!hasEvents) return null
    const sequence = (sequences.get(tradingAccountId) ?? 0) + 1
    sequences.set(tradingAccountId, sequence)
    const payload = `"{\\"id\\":\\"${tradeOrderId}\\",\\"v\\":${version}}"`
    return [tradingAccountId, sequence, at, `TRADE_ORDER.${status}`, payload]
  }
  const match = (order: TradeOrder): void => {
    const event = eventOf({ ...order, version: 2 }, matched(order), Date.now())
    if (event !== null) commit({ order: null, event, stored: () => undefined })
  }
  app.post(SUBMIT_PATH, (res, req) => {
    const isKnown = sessions.has(req.getHeader("authorization"))
    let aborted = false
    res.onAborted(() => {
      aborted = true
    })
    res.onData((chunk, isLast) => {
      if (!isLast || !isKnown) fail("the bench's requests come in one piece, with its token")
      const request: SubmitRequest = JSON.parse(Buffer.from(chunk).toString("utf8"))
      const now = Date.now()
      const order = orderOf(request, now)
      commit({
        order: rowOf(order),
        event: eventOf(order, "CREATED", now),
        stored: () => {
          match(order)
          if (aborted) return
          res.cork(() => {
            res
              .writeHeader("Content-Type", "application/json; charset=utf-8")
              .end(`{"success":true,"errno":0,"error":null,"data":${JSON.stringify(tradeOrderRecord(order))}}`)
          })
        },
      })
    })
  })
  return new Promise((resolve, reject) => {
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket === false) reject(new Error("cannot listen"))
      else resolve(uws.us_socket_local_port(socket as uws.us_socket))
    })
  })
}

answer({
  start: async ({ url, events }: FloorPlan) => {
    const client = await connectDedicated(url, { applicationName: "bench order floor" })
    await client.query(TABLES)
    await client.query("SET plan_cache_mode = force_generic_plan")
    return {
      port: await serve(groupCommit(client), events),
      token: TOKEN,
      accounts: Array.from({ length: ACCOUNTS }, () => randomUUID()),
    }
  },
})
