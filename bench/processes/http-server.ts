/**
 * The server side of `http`, one process per variant: a route declared and reflected through the gateway's own adapter (`bare`: log off;
 * `shipped`: access log, rate limits and metrics on, as the gateway runs; `session` and `key`: the same, spoken for by an access token or an API
 * key as the gateway knows them), or bare uWebSockets with JSON.parse and JSON.stringify (`floor`). Same bytes both ways, but for the token.
 */

import * as uws from "uWebSockets.js"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
// As the gateway's own clock: the global of this name is a getter.
import { performance } from "node:perf_hooks"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Effect, Schema } from "effect"
import { AccessTokenMissing, InvalidAccessToken } from "../../src/domain/errors/authentication.ts"
import { AccountForbidden } from "../../src/domain/errors/authorisation.ts"
import { InsufficientBalance } from "../../src/domain/errors/risk.ts"
import type { SessionId, TradingAccountId } from "../../src/domain/ids.ts"
import { OrderRates } from "../../src/domain/order/rates.ts"
import { SubmitRequest } from "../../src/domain/order/submit-request.ts"
import { RATE_LIMITS } from "../../src/domain/user/rate-limits.ts"
import type { Principal } from "../../src/domain/user/user.ts"
import { Fail, Ok } from "../../src/http/edge/envelope.ts"
import { type MountOptions, mount } from "../../src/http/edge/mount.ts"
import { Access, type Handlers } from "../../src/http/edge/route.ts"
import { makeServer } from "../../src/http/edge/server.ts"
import { RequestLimiter } from "../../src/http/limits/rate-limit.ts"
import { openRequestLog } from "../../src/http/watch/request-log.ts"
import { watchRequests } from "../../src/http/watch/request-watch.ts"
import { requestIds } from "../../src/live.ts"
import { MeterBoard } from "../../src/ports/meters.ts"
import { answer } from "../kit/child.ts"
import { ownCpuMicros } from "../kit/usage.ts"
import { benchSpeakers, user } from "./http-speakers.ts"
import { type Listening, PATH, TOKEN, type Variant } from "./http-wire.ts"

const text = Schema.String
/** What the handler answers: 863 bytes with its envelope. */
const OrderAnswer = Schema.Struct({
  tradeOrderId: text,
  tradingAccountId: text,
  venue: text,
  instrumentId: text,
  baseAsset: text,
  quoteAsset: text,
  orderSide: text,
  orderType: text,
  timeInForce: text,
  status: text,
  orderStatus: text,
  limitPrice: Schema.NullOr(text),
  stopPrice: Schema.NullOr(text),
  quantity: text,
  orderQuantityType: text,
  baseQuantity: text,
  executedPrice: Schema.NullOr(text),
  averagePrice: Schema.NullOr(text),
  executedQuantity: text,
  executedCost: text,
  fees: Schema.Array(text),
  executions: Schema.Array(text),
  clientOrderId: Schema.NullOr(text),
  externalOrderId: Schema.NullOr(text),
  createdAt: Schema.Int,
  createdAtDateTime: text,
  updatedAt: Schema.Int,
  updatedAtDateTime: text,
})

class BenchApi extends HttpApiGroup.make("tradeOrder").add(
  HttpApiEndpoint.post("submit", "/tradeOrder/submit")
    .setPayload(SubmitRequest)
    .addSuccess(Ok(OrderAnswer))
    .addError(Fail(AccountForbidden, InsufficientBalance))
    .annotate(Access, "write"),
) {}
const api = HttpApi.make("bench").add(BenchApi).prefix("/api/v3")

const AT = 1_700_000_000_000
const AT_TEXT = new Date(AT).toISOString()

/** The same work in every variant. */
const orderAnswer = (body: SubmitRequest): typeof OrderAnswer.Type => ({
  tradeOrderId: "018bcfe5-6800-7000-8000-00000000b31c",
  tradingAccountId: body.tradingAccountId,
  venue: "MOCK",
  instrumentId: body.instrumentId ?? "",
  baseAsset: "BTC",
  quoteAsset: "USDT",
  orderSide: body.orderSide,
  orderType: body.orderType ?? "",
  timeInForce: body.timeInForce ?? "GTC",
  status: "PENDING",
  orderStatus: "CREATED",
  limitPrice: body.limitPrice ?? null,
  stopPrice: null,
  quantity: body.quantity,
  orderQuantityType: "BASE",
  baseQuantity: body.quantity,
  executedPrice: null,
  averagePrice: null,
  executedQuantity: "0",
  executedCost: "0",
  fees: [],
  executions: [],
  clientOrderId: body.clientOrderId ?? null,
  externalOrderId: null,
  createdAt: AT,
  createdAtDateTime: AT_TEXT,
  updatedAt: AT,
  updatedAtDateTime: AT_TEXT,
})

const principal: Principal = {
  userId: user.userId,
  sessionId: "018bcfe5-6800-7000-8000-0000000000bb" as SessionId,
  tenantId: user.tenantId,
  permissions: ["read", "write"],
  environments: ["PROD"],
  provenAt: 0,
  secondFactor: "none",
  isAdminWithheld: false,
  key: null,
}
/** Of the bench's orders. */
const ACCOUNT = "9f1b3a52-51fb-4c4e-8f4e-00000000000a" as TradingAccountId
const sessions = new Map([[TOKEN, principal]])

const BEARER = "Bearer "
const principalOf = (authorization: string): Principal | AccessTokenMissing | InvalidAccessToken => {
  if (!authorization.startsWith(BEARER)) return new AccessTokenMissing({ reason: "no token" })
  return sessions.get(authorization.slice(BEARER.length)) ?? new InvalidAccessToken()
}

const handlers: Handlers<typeof BenchApi> = { submit: ({ body }, reply) => reply.ok(orderAnswer(body)) }

const startFloor = (): Promise<number> => {
  const app = uws.App()
  app.post(PATH, (res, req) => {
    const authorization = req.getHeader("authorization")
    let aborted = false
    res.onAborted(() => {
      aborted = true
    })
    res.onData((chunk, isLast) => {
      if (!isLast) throw new Error("the bench's bodies come in one piece")
      const found = principalOf(authorization)
      if ("_tag" in found) throw new Error("the bench knows its token")
      const body: SubmitRequest = JSON.parse(Buffer.from(chunk).toString("utf8"))
      const answered = JSON.stringify({ success: true, errno: 0, error: null, data: orderAnswer(body) })
      if (aborted) return
      res.cork(() => {
        // The headers of the gateway's answers, so that as many bytes leave.
        res
          .writeHeader("Content-Type", "application/json; charset=utf-8")
          .writeHeader("Cache-Control", "no-store")
          .writeHeader("X-Request-ID", "018bcfe5-6800-7000-8000-00000000b31d")
          .writeHeader("X-Content-Type-Options", "nosniff")
          .end(answered)
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

/** The work of the limits, and no refusal: a user may ask 500 orders a second of the gateway as it ships. */
const LIMITS = { ...RATE_LIMITS, orderCalls: { perSecond: 1_000_000, burst: 1_000_000 } }

const limiter = (): RequestLimiter => {
  const orders = new OrderRates(LIMITS)
  const monotonic = () => performance.now()
  orders.ofAccount(ACCOUNT, principal.userId, monotonic())
  return new RequestLimiter({ limits: LIMITS, orders, now: Date.now, monotonic, venueWeight: () => null })
}

const logDirectory = mkdtempSync(join(tmpdir(), "bench-http-"))

type Authenticate = MountOptions["authenticate"]

const startGateway = async (withLog: boolean, authenticate: Authenticate): Promise<number> => {
  const server = makeServer({ host: "127.0.0.1", port: 0, tls: null, trustProxy: [], production: false })
  const log = withLog
    ? openRequestLog({
        directory: logDirectory,
        onTrouble: (error) => {
          throw error
        },
      })
    : null
  const listening = await Effect.runPromise(
    mount(
      server.app,
      api,
      { tradeOrder: handlers },
      {
        transport: server.transport,
        requestId: requestIds(),
        now: Date.now,
        monotonic: () => performance.now(),
        log: log?.write ?? null,
        watch: withLog ? watchRequests(new MeterBoard(), { tell: () => undefined }) : undefined,
        onDefect: ({ error }) => console.error(error),
        authenticate,
        isDraining: () => false,
        freshMillis: 300_000,
        pages: [],
        // As shipped: with the headers of the account's bucket.
        limiter: withLog ? limiter() : null,
      },
    ).pipe(Effect.andThen(server.listen)),
  )
  return listening.port
}

const start = async (variant: Variant): Promise<Listening> => {
  if (variant === "floor") return { port: await startFloor(), token: TOKEN }
  if (variant !== "session" && variant !== "key")
    return { port: await startGateway(variant === "shipped", principalOf), token: TOKEN }
  const { speakers, tokens } = benchSpeakers()
  return { port: await startGateway(true, speakers.authenticate), token: tokens[variant] }
}

answer(
  {
    start,
    usage: () => ({ cpuMicros: ownCpuMicros(), rssBytes: process.memoryUsage().rss }),
  },
  () => rmSync(logDirectory, { recursive: true, force: true }),
)
