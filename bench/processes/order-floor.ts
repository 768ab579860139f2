/**
 * The floor of `order`: bare uWebSockets, JSON.parse and JSON.stringify around the gateway's own order writer, which commits the same rows and
 * events: the created order before the answer, the accepted one after it. No checks, no actor, no venue, no publication.
 */

import * as uws from "uWebSockets.js"
import { randomUUID } from "node:crypto"
import { Effect, Scope } from "effect"
import type { AccountEventKind } from "../../src/domain/account/event.ts"
import { positionRecord, type TradingAccount } from "../../src/domain/account/trading-account.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import type { InstrumentId, TenantId, TradeOrderId, TradingAccountId, UserId, VenueId } from "../../src/domain/ids.ts"
import type { SubmitRequest } from "../../src/domain/order/submit-request.ts"
import type { TradeOrder } from "../../src/domain/order/trade-order.ts"
import { tradeOrderRecord } from "../../src/domain/order/trade-order-record.ts"
import { type OrderWriter, startOrderWriter } from "../../src/store/orders/order-writer.ts"
import { ownDatabase } from "../../src/store/postgres/node.ts"
import { connectDedicated, migrate } from "../../src/store/postgres/sql.ts"
import { answer } from "../kit/child.ts"
import { ACCOUNTS, SUBMIT_PATH } from "./order-wire.ts"

const VENUE = "MOCK" as VenueId
const TENANT = "default" as TenantId
const TOKEN = `bench.${"t".repeat(480)}`

const fail = (reason: unknown): never => {
  throw reason instanceof Error ? reason : new Error(String(reason))
}

const startWriter = async (url: string): Promise<OrderWriter> => {
  await migrate(url)
  const scope = Effect.runSync(Scope.make())
  const node = await Effect.runPromise(ownDatabase(url, { now: Date.now }).pipe(Scope.extend(scope)))
  return startOrderWriter({
    connect: () => connectDedicated(url, { applicationName: "bench order writer" }),
    nodeId: node.nodeId,
    epoch: node.epoch,
    lost: fail,
    defect: fail,
    warn: (message) => console.error(message),
  })
}

const DAY_MILLIS = 86_400_000

/** As many as the gateway keeps, so that an event's way to its partition is as long. */
const makePartitions = async (client: Awaited<ReturnType<typeof connectDedicated>>): Promise<void> => {
  const today = Math.floor(Date.now() / DAY_MILLIS)
  for (let day = today - 2; day <= today + 7; day++)
    await client.query(
      `CREATE TABLE account_event_${day} PARTITION OF account_event FOR VALUES FROM (${day * DAY_MILLIS}) TO (${(day + 1) * DAY_MILLIS})`,
    )
}

const accountOf = (userId: UserId, n: number): TradingAccount => ({
  tradingAccountId: randomUUID() as TradingAccountId,
  tenantId: TENANT,
  userId,
  version: 1,
  venue: VENUE,
  externalTradingAccountId: `bench-${n}`,
  nickname: `bench-${n}`,
  status: "ACTIVE",
  credentials: [],
  initialBalances: [],
  channelEpoch: "e1",
  createdAt: Date.now(),
  updatedAt: Date.now(),
  disconnectedAt: null,
  cancelAllAt: null,
  walletId: null,
  dealerAccountId: null,
})

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

const BALANCE = { available: Decimal.of("999999999994.1"), locked: Decimal.of("5.9") }

/** The second commit: what the venue's acknowledgement changes. */
const commitAccepted = (writer: OrderWriter, created: TradeOrder): void => {
  const now = Date.now()
  const submitted: TradeOrder = { ...created, version: 2, orderStatus: "SUBMITTED", updatedAt: now }
  const order: TradeOrder = {
    ...submitted,
    version: 3,
    orderStatus: "ACCEPTED",
    externalOrderId: `bench-${created.tradeOrderId}`,
    updatedAt: now,
    venueUpdatedAt: now,
  }
  const { available, locked } = BALANCE
  const position = {
    tradingAccountId: order.tradingAccountId,
    venue: VENUE,
    currency: order.quoteAsset,
    available,
    locked,
  }
  const event = (kind: AccountEventKind, record: unknown) => ({
    eventId: randomUUID(),
    kind,
    at: now,
    payload: JSON.stringify(record),
  })
  writer.commit({
    accountId: order.tradingAccountId,
    rows: [{ _tag: "Order", order }],
    // As the gateway's account actor writes them.
    events: [
      event("TRADE_ORDER.SUBMITTED", tradeOrderRecord(submitted)),
      event("TRADE_ORDER.ACCEPTED", tradeOrderRecord(order)),
      event("PORTFOLIO.UPDATED", [positionRecord({ ...position, updatedAt: now })]),
    ],
    settled: ({ _tag }) => {
      if (_tag !== "Committed") fail(`the accepted order: ${_tag}`)
    },
  })
}

const serve = (writer: OrderWriter): Promise<number> => {
  const app = uws.App()
  const sessions = new Set([`Bearer ${TOKEN}`])
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
      const payload = JSON.stringify(tradeOrderRecord(order))
      writer.commit({
        accountId: order.tradingAccountId,
        rows: [{ _tag: "Order", order }],
        events: [{ eventId: randomUUID(), kind: "TRADE_ORDER.CREATED", at: now, payload }],
        settled: ({ _tag }) => {
          if (_tag !== "Committed") fail(`the created order: ${_tag}`)
          commitAccepted(writer, order)
          if (aborted) return
          res.cork(() => {
            res
              .writeHeader("Content-Type", "application/json; charset=utf-8")
              .end(`{"success":true,"errno":0,"error":null,"data":${payload}}`)
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
  start: async (url: string) => {
    const writer = await startWriter(url)
    const userId = randomUUID() as UserId
    const client = await connectDedicated(url)
    await client.query("INSERT INTO tenant (tenant_id, created_at) VALUES ($1, 0) ON CONFLICT DO NOTHING", [TENANT])
    await client.query(
      `INSERT INTO app_user (user_id, tenant_id, email, password_hash, permissions, environments, user_metadata, created_at, updated_at)
       VALUES ($1, $2, 'bench@example.com', '', '{read,write}', '{PROD}', '{}', 0, 0)`,
      [userId, TENANT],
    )
    await makePartitions(client)
    await client.end()
    const accounts = Array.from({ length: ACCOUNTS }, (_, n) => accountOf(userId, n))
    for (const account of accounts)
      writer.commit({
        accountId: account.tradingAccountId,
        rows: [{ _tag: "Account", account }],
        events: [],
        settled: ({ _tag }) => {
          if (_tag !== "Committed") fail(`an account: ${_tag}`)
        },
      })
    await writer.drain()
    return { port: await serve(writer), token: TOKEN, accounts: accounts.map((account) => account.tradingAccountId) }
  },
})
