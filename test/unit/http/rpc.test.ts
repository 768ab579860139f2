/** The API's operations as calls of a socket: names, input, answers and every way in which a call could end twice, or never. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Effect, Runtime, Schema } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Busy, DeadlineExceeded } from "../../../src/domain/errors/service.ts"
import { OrderNotFound, OutcomeUnknown } from "../../../src/domain/errors/trade-order.ts"
import { Api as Declared } from "../../../src/http/api.ts"
import { declaredRoutes, reflect } from "../../../src/http/docs/reflect.ts"
import { Deadlines, type Defect, makeRun, type Surroundings } from "../../../src/http/edge/call.ts"
import { Fail, JsonText, Ok, Page } from "../../../src/http/edge/envelope.ts"
import { Access, type AnyHandler, Deadline, Query } from "../../../src/http/edge/route.ts"
import { transportPolicy } from "../../../src/http/edge/transport.ts"
import { isReadCall, makeRpc, rpcCodeOf, rpcMethodOf, waitsAsCall } from "../../../src/http/rpc/rpc.ts"
import type { RpcAnswer } from "../../../src/ports/rpc.ts"
import { principal } from "../../kit/servers/http-server.ts"

const Any = Ok(Schema.Unknown)
const Order = Schema.Struct({
  tradingAccountId: Schema.UUID,
  quantity: Schema.String,
  free: Schema.optional(Schema.Unknown),
})
const short = { millis: 100, failure: () => new DeadlineExceeded() }

const get = <const N extends string>(name: N) =>
  HttpApiEndpoint.get(name, `/api/v3/test/${name}`).addSuccess(Any).annotate(Access, "read")

const fields = {
  depth: Schema.optional(Schema.Int.pipe(Schema.between(1, 1_000))),
  ids: Schema.optional(Schema.Array(Schema.String).pipe(Schema.minItems(1))),
  flag: Schema.optional(Schema.Boolean),
  word: Schema.optional(Schema.String),
  accountId: Schema.optional(Schema.UUID),
}

const TestGroup = HttpApiGroup.make("test")
  .add(get("query").setUrlParams(Query(fields)))
  .add(get("required").setUrlParams(Query({ word: Schema.String })))
  .add(get("plain"))
  .add(HttpApiEndpoint.get("page", "/api/v3/test/page").addSuccess(Page(Schema.Int)).annotate(Access, "session"))
  .add(get("text"))
  .add(get("throws"))
  .add(get("dies"))
  .add(get("cyclic"))
  .add(get("interrupted"))
  .add(get("twice"))
  .add(get("fails").addError(Fail(OrderNotFound)))
  .add(get("busy").addError(Fail(Busy)))
  .add(get("slow").annotate(Deadline, short))
  .add(get("patient").addError(Fail(OutcomeUnknown)))
  .add(get("named").annotate(Deadline, short).addError(Fail(OutcomeUnknown)))
  .add(HttpApiEndpoint.post("change", "/api/v3/test/change").setPayload(Order).addSuccess(Any).annotate(Access, "read"))

const OrderGroup = HttpApiGroup.make("tradeOrder").add(
  HttpApiEndpoint.post("submit", "/api/v3/tradeOrder/submit")
    .setPayload(Order)
    .addSuccess(Any)
    .annotate(Access, "write"),
)

const RootGroup = HttpApiGroup.make("root")
  .add(HttpApiEndpoint.get("slash", "/api/v3/").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("health", "/api/v3/health").addSuccess(Any).annotate(Access, "none"))

const Api = HttpApi.make("test").add(TestGroup).add(OrderGroup).add(RootGroup)

const ACCOUNT = "0198F3A2-5B1C-7C3E-9D2F-6A1B0C2D3E4F"
const order = { tradingAccountId: ACCOUNT, quantity: "1" }

/** Stands for bytes that are no JSON. */
const BROKEN = Symbol("broken")

interface Envelope {
  readonly success: boolean
  readonly errno: number
  readonly error: string | null
  readonly data: unknown
  readonly pagination?: unknown
  readonly details?: Readonly<Record<string, unknown>>
}

const world = () => {
  const clock = { now: 0 }
  const deadlines = new Deadlines(() => clock.now)
  const defects: Array<Defect> = []
  const lines: Array<Record<string, unknown>> = []
  const draining = { now: false }
  const broken = { log: false }
  /** Answers that a handler owes. */
  const owed: Array<() => void> = []
  let count = 0
  const around: Surroundings = {
    transport: transportPolicy({ host: "127.0.0.1", production: false, tls: null, trustProxy: [] }),
    deadlines,
    requestId: () => `generated-${++count}`,
    now: () => 0,
    monotonic: () => clock.now,
    log: (line) => {
      if (broken.log) throw new Error("the disk is full")
      lines.push(JSON.parse(line))
    },
    onDefect: (defect) => defects.push(defect),
    limiter: null,
  }
  const loop: Record<string, unknown> = {}
  loop["self"] = loop
  const echo: AnyHandler = ({ query, body }: { query: unknown; body: unknown }, reply: { ok: (it: never) => void }) =>
    reply.ok((body ?? query) as never)
  // The types of handlers are the adapter's affair; here they only play parts.
  type Reply = Parameters<AnyHandler>[1] & { readonly ok: (answer: unknown, options?: unknown) => void }
  const handler = (play: (reply: Reply) => void | Effect.Effect<void, OrderNotFound>): AnyHandler =>
    ((_input, reply) => play(reply as Reply)) as AnyHandler
  const routes = reflect(Api as unknown as HttpApi.HttpApi.AnyWithProps, {
    test: {
      query: echo,
      required: echo,
      plain: handler((reply) => reply.ok("ok")),
      page: handler((reply) => reply.ok([1], { pagination: { offset: 0, limit: 1, total: 1 } })),
      text: handler((reply) => reply.ok(new JsonText('{"price":"1.10"}'))),
      throws: handler(() => {
        throw new Error("secret detail of the inside")
      }),
      dies: handler(() => Effect.dieMessage("secret detail of the inside")),
      cyclic: handler((reply) => reply.ok(loop)),
      interrupted: handler(() => Effect.interrupt),
      twice: handler((reply) => {
        reply.ok("first")
        reply.ok("second")
        reply.relay(new OrderNotFound())
      }),
      fails: handler(() => new OrderNotFound()),
      busy: handler((reply) => reply.relay(new Busy({ retryAfterSeconds: 3 }))),
      slow: handler((reply) => void owed.push(() => reply.ok("late"))),
      named: handler((reply) => {
        reply.onDeadline(() => new OutcomeUnknown({ tradeOrderId: null }))
        owed.push(() => reply.ok("late"))
      }),
      patient: handler((reply) => reply.onDeadline(() => new OutcomeUnknown({ tradeOrderId: null }))),
      change: echo,
    },
    tradeOrder: { submit: echo },
    root: { slash: handler((reply) => reply.ok("root")), health: handler((reply) => reply.ok("healthy")) },
  })
  const rpc = makeRpc(routes, around, {
    run: makeRun(Runtime.defaultRuntime, { freshMillis: 300_000, now: Date.now }),
    isDraining: () => draining.now,
  })

  /** Every answer that the call was given: there must never be a second one. */
  const call = (
    method: string,
    data?: unknown,
    who = principal(),
    hear: (answer: RpcAnswer | "unknown method") => void = () => undefined,
  ) => {
    const answers: Array<RpcAnswer | "unknown method"> = []
    rpc({ method, data, isMalformed: data === BROKEN, principal: who, ip: "192.0.2.7" }, (answer) => {
      answers.push(answer)
      hear(answer)
    })
    return answers
  }
  const ask = async (...given: Parameters<typeof call>) => {
    const answers = call(...given)
    await vi.waitFor(() => expect(answers).toHaveLength(1), 60_000)
    const answer = answers[0]
    if (answer === undefined || answer === "unknown method") throw new Error(`${given[0]}: unknown method`)
    return { ...answer, body: JSON.parse(answer.envelope) as Envelope }
  }
  /** Code and errno of a refusal. */
  const refused = async (...given: Parameters<typeof call>) => {
    const { failure, body } = await ask(...given)
    expect(failure?.message).toBe(body.error)
    expect(body).toMatchObject({ success: false, data: null })
    return [failure?.code, body.errno]
  }
  return { broken, clock, deadlines, defects, lines, draining, owed, rpc, call, ask, refused }
}

describe("an API's calls over a socket", () => {
  let open: ReturnType<typeof world> | undefined
  const opened = () => {
    open = world()
    return open
  }
  afterEach(() => open?.deadlines.close())

  it("are named as their paths: every read, and of the changes those of orders and of a dealer's terms", () => {
    const names = (method: "GET" | "POST") => {
      const found: Array<string> = []
      HttpApi.reflect(Declared, {
        onGroup: () => undefined,
        onEndpoint: ({ endpoint }) => {
          const name = rpcMethodOf({ method: endpoint.method, template: endpoint.path })
          if (endpoint.method === method && name !== undefined) found.push(name)
        },
      })
      return found
    }
    expect(names("POST").sort()).toEqual([
      "dealer.update",
      "tradeOrder.cancel",
      "tradeOrder.cancelAll",
      "tradeOrder.cancelAllAfter",
      "tradeOrder.replace",
      "tradeOrder.submit",
    ])
    expect(names("GET")).toEqual(
      expect.arrayContaining(["market.orderbook.get", "market.ticker.list", "tradeOrder.list", "auth.user", "health"]),
    )
    for (const template of ["/", "/health", "/api/v3", "/api/v3/"])
      expect(rpcMethodOf({ method: "GET", template })).toBeUndefined()
  })

  it("are known by the table of routes, at every node: which change nothing, and may be asked again, and which wait for the writer of orders", () => {
    const calls = new Map(
      declaredRoutes(Declared as unknown as HttpApi.HttpApi.AnyWithProps).map(
        (route) => [rpcMethodOf(route), route] as const,
      ),
    )
    calls.delete(undefined)
    for (const [name = "", { isRead, waitsForOrders }] of calls)
      expect([name, isReadCall(name), waitsAsCall(name, {})]).toEqual([name, isRead, waitsForOrders({})])
    for (const name of ["auth.user", "auth.jwks", "auth.totp", "admin.status", "health", "market.orderbook.get"])
      expect([name, isReadCall(name)]).toEqual([name, true])
    for (const name of ["dealer.update", "tradeOrder.cancel"]) expect([name, isReadCall(name)]).toEqual([name, false])
    expect([waitsAsCall("tradeOrder.cancel", { tradeOrderId: "o" }), waitsAsCall("auth.user", {})]).toEqual([
      false,
      false,
    ])
    // Of a method that there is not, nothing is known.
    for (const method of ["auth.login", "test.nothing", "constructor", "x.get"])
      expect([isReadCall(method), waitsAsCall(method, {})]).toEqual([false, false])
  })

  it("are refused with 1000 and what the HTTP status is above 400", () => {
    expect([400, 401, 403, 404, 409, 429, 500, 503, 504].map(rpcCodeOf)).toEqual([
      1000, 1001, 1003, 1004, 1009, 1029, 1100, 1103, 1104,
    ])
  })

  it("do not exist for other operations", () => {
    const { call, lines } = opened()
    for (const method of ["test.change", "test.nothing", "", "test/plain", "constructor", "__proto__", "api.v3"])
      expect(call(method)).toEqual(["unknown method"])
    expect(lines).toEqual([])
  })

  it("refuse what is no JSON, reads too: without its filters a read would answer something else", async () => {
    const { refused } = opened()
    const malformed = await refused("tradeOrder.submit", undefined)
    for (const method of ["test.query", "test.required", "test.plain", "test.page", "tradeOrder.submit"])
      expect([method, await refused(method, BROKEN)]).toEqual([method, malformed])
  })

  it("answer the envelope of HTTP", async () => {
    const { ask } = opened()
    expect(await ask("test.plain")).toMatchObject({
      envelope: '{"success":true,"errno":0,"error":null,"data":"ok"}',
      failure: null,
    })
    expect((await ask("test.text")).body.data).toEqual({ price: "1.10" })
    expect((await ask("test.page")).body.pagination).toEqual({ offset: 0, limit: 1, total: 1 })
    expect(await ask("test.fails")).toMatchObject({
      failure: { code: 1004, message: "Trade order not found" },
      body: {
        success: false,
        errno: -110001,
        error: "Trade order not found",
        data: null,
        details: { code: "ORDER_NOT_FOUND", resource: "test", action: "fails", metadata: {} },
      },
    })
    expect((await ask("test.busy")).body.details).toMatchObject({ metadata: { retryAfterSeconds: 3 } })
  })

  it("take a read's fields in their own types, or as text", async () => {
    const { ask } = opened()
    const echoed = async (data: unknown) => (await ask("test.query", data)).body.data
    for (const none of [undefined, null, {}, { word: null, ids: null }]) expect(await echoed(none)).toEqual({})
    const whole = { depth: 10, ids: ["a", "b"], flag: true, word: "w" }
    expect(await echoed(whole)).toEqual(whole)
    expect(await echoed({ depth: "10", ids: "a,b", flag: "true", word: "w" })).toEqual(whole)
    expect(await echoed({ ids: ["BTC/USDT,x"] })).toEqual({ ids: ["BTC/USDT,x"] })
    const given = { accountId: ACCOUNT }
    expect(await echoed(given)).toEqual({ accountId: ACCOUNT.toLowerCase() })
    expect(given.accountId).toBe(ACCOUNT)
  })

  const wrongQueries: ReadonlyArray<readonly [unknown, number]> = [
    [[], -104000],
    ["depth=1", -104000],
    [7, -104000],
    [{ depth: 0 }, -104003],
    [{ depth: 1.5 }, -104003],
    [{ depth: 1e300 }, -104003],
    [{ depth: "1e2" }, -104003],
    [{ depth: "" }, -104003],
    [{ depth: [1] }, -104003],
    [{ flag: 1 }, -104003],
    [{ flag: "yes" }, -104003],
    [{ word: 1 }, -104003],
    [{ word: { deep: true } }, -104003],
    [{ word: "a\u0000" }, -104003],
    [{ word: "\ud800" }, -104003],
    [{ ids: [] }, -104003],
    [{ ids: "" }, -104003],
    [{ ids: ["a", 1] }, -104003],
    [{ ids: ["a\u0000"] }, -104003],
    [{ accountId: "nope" }, -104003],
    [{ word: "w", other: null }, -104013],
    [JSON.parse('{"__proto__":{"depth":10}}'), -104013],
  ]
  it.each(wrongQueries)("refuse a read's fields %j", async (data, errno) => {
    const { refused } = opened()
    expect(await refused("test.query", data)).toEqual([1000, errno])
  })

  it("say which field of a read is missing", async () => {
    const { ask } = opened()
    const { failure, body } = await ask("test.required")
    expect(failure?.code).toBe(1000)
    expect(body).toMatchObject({ errno: -104002, details: { metadata: { parameter: "word" } } })
  })

  const wrongBodies: ReadonlyArray<readonly [string, unknown, number]> = [
    ["none", undefined, -104001],
    ["null", null, -104000],
    ["a list", [order], -104000],
    ["without a field", { quantity: "1" }, -104002],
    ["with a wrong type", { ...order, quantity: 1 }, -104003],
    ["with NUL", { ...order, quantity: "\u0000" }, -104003],
    ["with a lone surrogate in a key", { ...order, free: { "\udc00": 1 } }, -104003],
    ["33 levels deep", { ...order, free: JSON.parse(`${"[".repeat(32)}${"]".repeat(32)}`) }, -104000],
    [
      "with too many keys",
      { ...order, free: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [i, i])) },
      -104000,
    ],
  ]
  it.each(wrongBodies)("refuse a body: %s", async (_name, data, errno) => {
    const { refused } = opened()
    expect(await refused("tradeOrder.submit", data)).toEqual([1000, errno])
  })

  it("look at the permission first", async () => {
    const { ask, refused } = opened()
    expect((await ask("tradeOrder.submit", order)).body.data).toEqual({
      ...order,
      tradingAccountId: ACCOUNT.toLowerCase(),
    })
    const { failure, body } = await ask("tradeOrder.submit", "no body", principal(["read"]))
    expect([failure?.code, body.errno]).toEqual([1003, -102002])
    expect(body.details).toMatchObject({ required: ["write"], provided: ["read"], metadata: {} })
    expect(await refused("test.plain", undefined, principal([]))).toEqual([1003, -102002])
    expect((await ask("test.page", undefined, principal([]))).failure).toBeNull()
  })

  it("answers although its line cannot be written, and the operator is told", async () => {
    const { ask, broken, defects } = opened()
    broken.log = true
    expect((await ask("test.plain")).failure).toBeNull()
    expect(defects).toMatchObject([{ what: "a request could not be logged", error: { message: "the disk is full" } }])
  })

  it("survive their handlers, and tell the client nothing of the inside", async () => {
    const { ask, defects } = opened()
    for (const name of ["throws", "dies", "cyclic"]) {
      const { failure, envelope, body } = await ask(`test.${name}`)
      expect([failure?.code, body.errno]).toEqual([1100, -190000])
      expect(envelope).not.toContain("secret")
      expect(defects.at(-1)).toMatchObject({
        requestId: body.details?.["request_id"],
        route: `RPC /api/v3/test/${name}`,
      })
    }
    expect(await ask("test.interrupted")).toMatchObject({ failure: { code: 1103 }, body: { errno: -190002 } })
    expect(defects).toHaveLength(3)
  })

  it("are answered once", async () => {
    const { ask, call } = opened()
    expect((await ask("test.twice")).body.data).toBe("first")
    expect(call("test.twice")).toHaveLength(1)
  })

  it("end before another node that asked for them has given them up, and never later than of themselves", () => {
    const { rpc, clock, deadlines } = opened()
    const answers: Array<string> = []
    const asked = {
      method: "test.patient",
      data: undefined,
      isMalformed: false,
      principal: principal(),
      ip: "192.0.2.7",
    }
    for (const deadline of [2_030, 60_000])
      rpc({ ...asked, deadline }, () => answers.push(`${deadline} at ${clock.now}`))
    for (clock.now = 0; clock.now < 6_000; clock.now += 50) deadlines.sweep(clock.now)
    expect(answers).toEqual(["2030 at 1850", "60000 at 4850"])
  })

  it("are answered by their deadline when nobody does, and count as in flight until then", () => {
    const { call, clock, deadlines, owed } = opened()
    const codes = (answers: ReadonlyArray<RpcAnswer | "unknown method">) =>
      answers.map((answer) => {
        if (answer === "unknown method") throw new Error(answer)
        return [answer.failure?.code ?? 0, (JSON.parse(answer.envelope) as Envelope).errno]
      })
    const slow = call("test.slow")
    const named = call("test.named")
    const prompt = call("test.slow")
    expect(deadlines.size).toBe(3)
    owed.pop()?.()
    expect(codes(prompt)).toEqual([[0, 0]])
    expect(deadlines.size).toBe(2)
    clock.now = 99
    deadlines.sweep(clock.now)
    expect([...slow, ...named]).toEqual([])
    clock.now = 100
    deadlines.sweep(clock.now)
    expect(codes(slow)).toEqual([[1104, -190004]])
    expect(codes(named)).toEqual([[1103, -110014]])
    expect(deadlines.size).toBe(0)
    for (const late of owed) late()
    expect([slow.length, named.length]).toEqual([1, 1])
  })

  it("do not suffer from a listener that throws", () => {
    const { call, clock, deadlines, defects, lines, owed } = opened()
    const deaf = () => {
      throw new Error("the socket is gone")
    }
    expect(call("test.plain", undefined, undefined, deaf)).toHaveLength(1)
    expect(call("test.fails", undefined, undefined, deaf)).toHaveLength(1)
    const late = call("test.slow", undefined, undefined, deaf)
    const expired = call("test.slow", undefined, undefined, deaf)
    owed[0]?.()
    clock.now = 100
    deadlines.sweep(clock.now)
    expect([late.length, expired.length]).toEqual([1, 1])
    expect(defects).toHaveLength(4)
    expect(lines.map((line) => line["status"])).toEqual([200, 404, 200, 504])
  })

  it("are refused while draining, but for the service's own records", async () => {
    const { ask, refused, draining } = opened()
    draining.now = true
    expect(await refused("test.plain")).toEqual([1103, -190002])
    expect(await refused("tradeOrder.submit", order)).toEqual([1103, -190002])
    expect((await ask("health")).body.data).toBe("healthy")
  })

  it("leave one access line each, with the operation and without its input", async () => {
    const { ask, lines } = opened()
    await ask("test.query", { word: "private" })
    const { envelope } = await ask("tradeOrder.submit", order)
    await ask("test.fails")
    const who = principal()
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatchObject({
      requestId: "generated-1",
      method: "RPC",
      route: "/api/v3/test/query",
      status: 200,
      errno: 0,
      userId: who.userId,
      sessionId: who.sessionId,
      tradingAccountId: null,
      ip: "192.0.2.7",
      aborted: false,
    })
    expect(lines[1]).toMatchObject({ tradingAccountId: ACCOUNT.toLowerCase(), bytesOut: envelope.length })
    expect(lines[2]).toMatchObject({ route: "/api/v3/test/fails", status: 404, errno: -110001 })
    expect(JSON.stringify(lines)).not.toContain("private")
  })
})
