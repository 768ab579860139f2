/** Requests at a node that passes them to another, over real sockets and a cable in memory: done once, held, asked again, or said to be unknown. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Effect, Schema } from "effect"
import { afterEach, beforeEach, expect, it } from "vitest"
import { Cable } from "../../../src/cluster/cable.ts"
import { OutcomeUnknown } from "../../../src/domain/errors/trade-order.ts"
import { OrderRates } from "../../../src/domain/order/rates.ts"
import { RATE_LIMITS } from "../../../src/domain/user/rate-limits.ts"
import { JsonText, Ok } from "../../../src/http/edge/envelope.ts"
import type { HandlersOf } from "../../../src/http/edge/mount.ts"
import { Access, Deadline, Query, within } from "../../../src/http/edge/route.ts"
import { makeServer } from "../../../src/http/edge/server.ts"
import { Forwarder, PEER_CALLS } from "../../../src/http/forward/forwarder.ts"
import { mountEdge } from "../../../src/http/forward/mount-edge.ts"
import { RequestLimiter } from "../../../src/http/limits/rate-limit.ts"
import { MeterBoard } from "../../../src/ports/meters.ts"
import { MemoryBroker } from "../../kit/cable/memory-wire.ts"
import { eventually, raw, serveTest, type TestHttp, type TestHttpOptions } from "../../kit/servers/http-server.ts"

const Any = Ok(Schema.Unknown)
const doubt = { millis: 500, failure: () => new OutcomeUnknown({ tradeOrderId: null }) }
const brief = { ...doubt, millis: 60_000 }
const Word = Schema.Struct({ word: Schema.String })
const Named = Schema.Struct({
  tradeOrderId: Schema.optional(Schema.String),
  clientOrderId: Schema.optional(Schema.String),
})
const WRITE = "/api/v3/tradeOrder/write"
const BRIEF = "/api/v3/tradeOrder/brief"
const CANCEL = "/api/v3/tradeOrder/cancel"
const Group = HttpApiGroup.make("test")
  .add(
    HttpApiEndpoint.get("query", "/query")
      .setUrlParams(Query({ depth: Schema.optional(Schema.Int) }))
      .addSuccess(Any)
      .annotate(Access, "read"),
  )
  .add(HttpApiEndpoint.get("long", "/long").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("told", "/told").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("stuck", "/stuck").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.post("cancel", CANCEL).setPayload(Named).addSuccess(Any).annotate(Access, "write"))
  .add(HttpApiEndpoint.post("write", WRITE).setPayload(Word).addSuccess(Any).annotate(Access, "write"))
  .add(
    HttpApiEndpoint.post("doubtful", "/doubtful")
      .setPayload(Word)
      .addSuccess(Any)
      .annotate(Access, "none")
      .annotate(Deadline, doubt),
  )
  .add(
    HttpApiEndpoint.post("patient", "/patient")
      .setPayload(Word)
      .addSuccess(Any)
      .annotate(Access, "none")
      .annotate(Deadline, { ...doubt, millis: 600_000 }),
  )
  .add(HttpApiEndpoint.post("bare", "/bare").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.post("short", "/short").addSuccess(Any).annotate(Access, "none").annotate(Deadline, within(400)))
  .add(HttpApiEndpoint.post("brief", BRIEF).addSuccess(Any).annotate(Access, "write").annotate(Deadline, brief))

const api = HttpApi.make("test").add(Group)

const MEGABYTES = "x".repeat(3_000_000)
const HEADERS = { "content-type": "application/json", authorization: "Bearer writer" }
const after = (millis: number, work: () => void): void => void setTimeout(work, millis)
const monotonic = (): number => performance.now()

let broker: MemoryBroker
const defects: Array<unknown> = []
const closing: Array<() => void> = []
beforeEach(() => {
  broker = new MemoryBroker(after)
})
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
  expect(defects.splice(0)).toEqual([])
})

const cableOf = (inbox: string): Cable => {
  const onDefect = (error: unknown): void => void defects.push(error)
  const cable = new Cable({
    wire: broker.wire(),
    inbox,
    prefix: "test",
    monotonic,
    soon: setImmediate,
    after,
    onDefect,
  })
  cable.hear("all", () => {})
  const timer = setInterval(() => cable.tell("all", ""), 100)
  closing.push(() => {
    clearInterval(timer)
    cable.close()
  })
  return cable
}

interface Core {
  readonly http: TestHttp
  readonly cable: Cable
  readonly calls: Array<string>
  /** Answers to what is `slow`, each when it is called. */
  readonly slow: Array<() => void>
}

/** It does the operations, and answers some of them `never`. */
const core = async (
  inbox: string,
  answers: "always" | "never" = "always",
  options?: TestHttpOptions,
): Promise<Core> => {
  const calls: Array<string> = []
  const slow: Array<() => void> = []
  const handlers: HandlersOf<typeof Group> = {
    test: {
      query: ({ query, principal }, reply) => reply.ok({ query, userId: principal.userId }),
      long: (_input, reply) => reply.ok(new JsonText(JSON.stringify(MEGABYTES))),
      told: ({ request }, reply) => {
        reply.ok({ ip: request.ip, agent: request.header("user-agent"), cookie: request.header("cookie") })
      },
      stuck: (_input, reply) => {
        calls.push("stuck")
        if (answers === "always") reply.ok(inbox)
      },
      write: ({ body }, reply) => {
        calls.push(body.word)
        reply.ok(body, { headers: { "Set-Cookie": "a=b; HttpOnly" } })
      },
      cancel: ({ body }, reply) => {
        calls.push(body.tradeOrderId ?? "by a client's id")
        reply.ok(body)
      },
      doubtful: ({ body }, reply) => {
        calls.push(body.word)
        if (answers === "always") reply.ok(body)
      },
      patient: ({ body }, reply) => {
        calls.push(body.word)
        if (body.word === "slow") slow.push(() => reply.ok(body))
        else if (answers === "always") reply.ok(body)
      },
      bare: ({ body }, reply) => reply.ok(body ?? "no body"),
      short: (_input, reply) => reply.ok("ok"),
      brief: (_input, reply) => {
        calls.push("brief")
        if (answers === "always") reply.ok("ok")
      },
    },
  }
  const http = await serveTest(api, handlers, options)
  closing.push(http.close)
  const cable = cableOf(inbox)
  cable.serve(PEER_CALLS, { term: 1, take: http.mounted.takePeerCall })
  return { http, cable, calls, slow }
}

const limiter = (): RequestLimiter =>
  new RequestLimiter({
    limits: RATE_LIMITS,
    orders: new OrderRates(RATE_LIMITS),
    now: Date.now,
    monotonic,
    venueWeight: () => null,
  })

interface Edge {
  readonly url: string
  readonly port: number
  /** From now on it is the owner, as far as the edge has heard. */
  readonly turnTo: (inbox: string | undefined, term?: number) => void
  readonly inFlight: () => number
  readonly meters: MeterBoard
}

const edge = async (limits: RequestLimiter | null = null): Promise<Edge> => {
  const server = makeServer({ host: "127.0.0.1", port: 0, production: false, tls: null, trustProxy: [] })
  const cable = cableOf("edge")
  const listeners: Array<() => void> = []
  let peer: { readonly inbox: string; readonly term: number } | undefined
  const meters = new MeterBoard()
  const home = { peer: () => peer, onPeer: (listener: () => void) => void listeners.push(listener) }
  const forwarder = new Forwarder({ cable, home, monotonic, after, meters })
  let count = 0
  const mounted = mountEdge(server.app, api as unknown as HttpApi.HttpApi.AnyWithProps, {
    transport: server.transport,
    requestId: () => `edge-${++count}`,
    now: Date.now,
    monotonic,
    log: null,
    onDefect: ({ error }) => void defects.push(error),
    limiter: limits,
    pages: [],
    forwarder,
    own: {},
    isDraining: () => false,
  })
  closing.push(() => {
    server.close()
    mounted.close()
  })
  const { http, port } = await Effect.runPromise(server.listen)
  return {
    url: http,
    port,
    inFlight: mounted.inFlight,
    meters,
    turnTo: (inbox, term = 1) => {
      peer = inbox === undefined ? undefined : { inbox, term }
      for (const listener of listeners) listener()
    },
  }
}

interface Envelope {
  readonly errno: number
  readonly data: unknown
  readonly details?: Readonly<Record<string, unknown>>
}

const ask = async (url: string, path: string, init: RequestInit = {}) => {
  const response = await fetch(url + path, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text || "null") as Envelope }
}
const post = (url: string, path: string, word: string, headers: Record<string, string> = HEADERS) =>
  ask(url, path, { method: "POST", headers, body: JSON.stringify({ word }) })

const NOT_ALIKE = new Set(["date", "x-ratelimit-remaining", "x-ratelimit-reset", "x-request-id"])
const alike = ({ status, headers, text }: Awaited<ReturnType<typeof ask>>) => ({
  status,
  text: text.replace(/"request_id":"[^"]*"/, ""),
  // Of a failure the length is that of the request's id, too.
  headers: [...headers].filter(([name]) => !NOT_ALIKE.has(name) && !(name === "content-length" && text !== "")),
})

it("answers what the owner would have answered: envelopes, headers, failures, HEAD, and more than a frame holds", async () => {
  const { http, calls } = await core("owner", "always", { limiter: limiter() })
  const { url, turnTo, port } = await edge()
  turnTo("owner")
  const form = { "content-type": "text/plain", authorization: "Bearer writer" }
  const asks: ReadonlyArray<(at: string) => ReturnType<typeof ask>> = [
    (at) => ask(at, "/query?depth=7", { headers: HEADERS }),
    (at) => ask(at, "/query?dpeth=7", { headers: HEADERS }),
    (at) => ask(at, "/query", { method: "HEAD", headers: HEADERS }),
    (at) => ask(at, "/query"),
    (at) => ask(at, "/told", { headers: { "user-agent": "bot/1", cookie: "a=b" } }),
    (at) => ask(at, "/long"),
    (at) => post(at, WRITE, "ä€😀"),
    (at) => post(at, WRITE, "reader", { ...HEADERS, authorization: "Bearer reader" }),
    (at) => post(at, WRITE, "misspelt", { ...HEADERS, "idempotncy-key": "k" }),
    (at) => post(at, WRITE, "form", form),
    (at) => post(at, WRITE, "x".repeat(65_000)),
    (at) => ask(at, WRITE, { method: "POST", headers: HEADERS, body: "{" }),
    (at) => ask(at, "/bare", { method: "POST" }),
    (at) => ask(at, "/bare", { method: "POST", headers: form, body: "x" }),
  ]
  /** What the edge says by itself: of lengths, and of what is not there. */
  const own: typeof asks = [
    (at) => ask(at, WRITE, { method: "POST", headers: HEADERS, body: "x".repeat(1_000_000) }),
    (at) => ask(at, "/nowhere"),
    (at) => ask(at, WRITE, { headers: HEADERS }),
  ]
  // The first is held until the edge has heard of the owner.
  await ask(url, "/told")
  for (const [index, each] of asks.entries())
    expect([index, alike(await each(url))]).toEqual([index, alike(await each(http.url))])
  for (const each of own) {
    const [here, there] = [alike(await each(url)), alike(await each(http.url))]
    expect([here.status, here.text]).toEqual([there.status, there.text])
  }
  expect((await ask(url, "/long")).text.length).toBeGreaterThan(3_000_000)
  // Each was done once here and once there.
  expect(calls).toEqual(["ä€😀", "ä€😀", "x".repeat(65_000), "x".repeat(65_000)])
  const named = await ask(url, "/nowhere2?", { headers: { "x-request-id": "mine" } })
  expect(named.headers.get("x-request-id")).toBe("mine")
  const refused = await ask(url, "/query", { headers: { "x-request-id": "mine" } })
  expect([refused.status, refused.body.details?.["request_id"]]).toEqual([401, "mine"])
  // Of the limits the owner tells, by the address of the edge's client.
  expect((await ask(url, "/query", { headers: HEADERS })).headers.get("x-ratelimit-bucket")).toBe("http")
  const [chunked] = await raw(
    port,
    `POST ${WRITE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{"word":\r\n4\r\n"c"}\r\n0\r\n\r\n`,
  )
  expect(chunked?.status).toBe(200)
})

it("holds what no node has taken, and gives it to the next; says that nothing was done where none comes in time", async () => {
  const first = await core("first")
  const { url, turnTo, inFlight } = await edge()
  const early = post(url, WRITE, "early")
  await eventually(() => inFlight() === 1)
  turnTo("first")
  expect((await early).status).toBe(200)
  // It ends: what it does not take is for the next.
  first.http.draining.now = true
  const later = post(url, WRITE, "later")
  await eventually(() => inFlight() === 1)
  const second = await core("second")
  turnTo("second", 1)
  expect((await later).status).toBe(200)
  expect([first.calls, second.calls]).toEqual([["early"], ["later"]])
  // Of another term, and of nobody.
  for (const none of ["second", "gone", undefined]) {
    turnTo(none, 2)
    const answer = await ask(url, "/short", { method: "POST" })
    expect([answer.status, answer.body.errno, answer.headers.get("retry-after")]).toEqual([503, -190001, "1"])
  }
})

it("takes nothing from another node while the lease is over, reads included: it is done when that is renewed, or by the next", async () => {
  const [first, second] = [await core("first"), await core("second")]
  const { url, turnTo, inFlight, meters } = await edge()
  turnTo("first")
  await ask(url, "/told")
  const refused = () => meters.counter("peer_asks_total").of("lease").value
  first.http.leased.now = false
  const held = [ask(url, "/stuck"), post(url, WRITE, "renewed")]
  await eventually(() => refused() > 1)
  expect([first.calls, inFlight()]).toEqual([[], 2])
  first.http.leased.now = true
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200])
  first.http.leased.now = false
  const next = post(url, WRITE, "next")
  await eventually(() => inFlight() === 1)
  turnTo("second")
  expect((await next).status).toBe(200)
  expect([[...first.calls].sort(), second.calls]).toEqual([["renewed", "stuck"], ["next"]])
})

it("holds a change of orders for an owner that has no room for it yet, and reads meanwhile", async () => {
  const { http, calls } = await core("owner")
  const { url, turnTo, inFlight } = await edge()
  turnTo("owner")
  await ask(url, "/told")
  http.crowded.now = true
  const held = post(url, WRITE, "held")
  expect((await ask(url, "/query", { headers: HEADERS })).status).toBe(200)
  expect([calls, inFlight()]).toEqual([[], 1])
  http.crowded.now = false
  expect((await held).status).toBe(200)
  expect(calls).toEqual(["held"])
})

it("has an owner take no change that has less time left than it is behind by, and all else", async () => {
  const { http, calls } = await core("owner")
  const { url, turnTo, inFlight } = await edge()
  turnTo("owner")
  await ask(url, "/told")
  http.crowded.behindMillis = Number.MAX_SAFE_INTEGER
  const held = post(url, WRITE, "held")
  const cancel = { method: "POST", headers: HEADERS, body: JSON.stringify({ tradeOrderId: "known" }) }
  expect((await ask(url, CANCEL, cancel)).status).toBe(200)
  expect((await ask(url, "/query", { headers: HEADERS })).status).toBe(200)
  expect([calls, inFlight()]).toEqual([["known"], 1])
  http.crowded.behindMillis = 0
  expect((await held).status).toBe(200)
  expect(calls).toEqual(["known", "held"])
})

it("has an owner without room take a cancel that names its order by its id, and no other", async () => {
  const { http, calls } = await core("owner")
  const { url, turnTo, inFlight } = await edge()
  turnTo("owner")
  await ask(url, "/told")
  http.crowded.now = true
  const cancel = (body: object) => ask(url, CANCEL, { method: "POST", headers: HEADERS, body: JSON.stringify(body) })
  const held = [cancel({ clientOrderId: "one" }), ask(url, CANCEL, { method: "POST", headers: HEADERS, body: "{" })]
  expect((await cancel({ tradeOrderId: "known" })).status).toBe(200)
  expect([calls, inFlight()]).toEqual([["known"], 2])
  http.crowded.now = false
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 400])
  expect(calls).toEqual(["known", "by a client's id"])
})

it("holds a change at the owner's own port while that has no room for it, and says that nothing was done when its time is over", async () => {
  let later = 0
  const { http, calls } = await core("owner", "never", { monotonic: () => performance.now() + later })
  const brief = () => ask(http.url, BRIEF, { method: "POST", headers: HEADERS })
  http.crowded.now = true
  const late = brief()
  await eventually(() => http.mounted.inFlight() === 1)
  later += 60_000
  const { status, body, headers } = await late
  expect([status, body.errno, headers.get("retry-after")]).toEqual([503, -190001, "1"])
  const held = [post(http.url, WRITE, "first"), post(http.url, WRITE, "second"), brief()]
  await eventually(() => http.mounted.inFlight() === 3)
  // What its caller may not ask is not waited for, nor is what changes nothing.
  expect((await post(http.url, WRITE, "x", { ...HEADERS, authorization: "Bearer reader" })).status).toBe(403)
  expect((await post(http.url, WRITE, "x", { "content-type": "application/json" })).status).toBe(401)
  expect((await ask(http.url, "/query", { headers: HEADERS })).status).toBe(200)
  expect([calls, http.mounted.inFlight()]).toEqual([[], 3])
  http.crowded.now = false
  await eventually(() => calls.length === 3)
  expect([...calls].sort()).toEqual(["brief", "first", "second"])
  // Once it was begun it may have been done.
  later += 60_000
  const answers = await Promise.all(held)
  expect(answers.map(({ status, body: { errno } }) => [status, errno])).toEqual([
    [200, 0],
    [200, 0],
    [503, -110014],
  ])
})

it("holds changes for an owner that is behind with many of their like, and asks again when it is not", async () => {
  let later = 0
  const monotonic = (): number => performance.now() + later
  const { calls, slow } = await core("owner", "always", { monotonic })
  const { url, turnTo, inFlight } = await edge()
  turnTo("owner")
  await ask(url, "/told")
  const many = Array.from({ length: 16 }, () => post(url, "/patient", "slow"))
  await eventually(() => slow.length === 16)
  // One more is done while they are young.
  expect((await post(url, "/patient", "young")).status).toBe(200)
  later = 2_000
  const held = post(url, "/patient", "held")
  await eventually(() => inFlight() === 17)
  const [read, other] = [await ask(url, "/told"), await post(url, WRITE, "of another kind")]
  expect([read.status, other.status]).toEqual([200, 200])
  expect(calls).not.toContain("held")
  for (const answer of slow) answer()
  expect((await held).status).toBe(200)
  expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([200]))
})

it("says of a change that is not answered that it is unknown, and does not ask for it again; of a read it asks the next", async () => {
  const silent = await core("silent", "never")
  const { url, turnTo, inFlight } = await edge()
  turnTo("silent")
  await ask(url, "/told")
  const [doubtful, stuck] = [post(url, "/doubtful", "once"), ask(url, "/stuck")]
  await eventually(() => silent.calls.length === 2)
  broker.fate = (subject) => (subject.endsWith(".edge") ? [] : [0.1])
  const next = await core("next")
  const unknown = await doubtful
  expect([unknown.status, unknown.body.errno]).toEqual([503, -110014])
  broker.fate = () => [0.1]
  // Terms tell which is later.
  next.cable.serve(PEER_CALLS, { term: 2, take: next.http.mounted.takePeerCall })
  turnTo("next", 2)
  expect((await stuck).body.data).toBe("next")
  expect([silent.calls.sort(), next.calls]).toEqual([["once", "stuck"], ["stuck"]])
  await eventually(() => inFlight() === 0)
})

it("says of a change that it is unknown as soon as a later owner is heard: the one before can answer no more", async () => {
  const silent = await core("silent", "never")
  const { url, turnTo, inFlight } = await edge()
  turnTo("silent")
  await ask(url, "/told")
  const patient = post(url, "/patient", "once")
  await eventually(() => silent.calls.length === 1)
  // The same one again, and none, say nothing.
  turnTo("silent")
  turnTo(undefined)
  expect(inFlight()).toBe(1)
  const next = await core("next")
  turnTo("next", 2)
  const unknown = await patient
  expect([unknown.status, unknown.body.errno]).toEqual([503, -110014])
  expect([silent.calls, next.calls, inFlight()]).toEqual([["once"], [], 0])
})

it("ends at the owner before its time is over here, so that its own words are heard", async () => {
  const silent = await core("silent", "never")
  const { url, turnTo, meters } = await edge()
  turnTo("silent")
  await ask(url, "/told")
  const answer = await post(url, "/doubtful", "slow")
  expect([answer.status, answer.body.errno]).toEqual([503, -110014])
  // The first was held until the edge had heard of the owner.
  expect(meters.counter("peer_asks_total").of("answered").value).toBe(2)
  await eventually(() => silent.http.lines.some((line) => line.includes("/doubtful")))
  expect(JSON.parse(silent.http.lines.find((line) => line.includes("/doubtful"))!)).toMatchObject({ status: 503 })
})

it("counts a body that is too long for any node to the address that it came from", async () => {
  const { turnTo, url } = await edge(limiter())
  turnTo(undefined)
  const long = () => ask(url, WRITE, { method: "POST", headers: HEADERS, body: "x".repeat(100_000) })
  const first = await long()
  expect([first.status, first.headers.get("x-ratelimit-bucket")]).toEqual([413, "httpAddress"])
  const { burst } = RATE_LIMITS.httpAddress
  // More than is given back meanwhile.
  const statuses = new Set<number>()
  for (let i = 0; i < 3 * burst && !statuses.has(429); i += 20)
    for (const { status } of await Promise.all(Array.from({ length: 20 }, long))) statuses.add(status)
  expect(statuses).toEqual(new Set([413, 429]))
})
