/**
 * The calls of the socket beside the HTTP API, on a whole gateway in this process: both doors give the same answers. The table of reads
 * is held against the declaration, so that a new read without a call fails here.
 */

import { rmSync } from "node:fs"
import { HttpApi } from "@effect/platform"
import { Effect, Exit, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { Unseen } from "../../../src/auth/session/unseen.ts"
import type { Gateway } from "../../../src/composition/node.ts"
import { readSettings } from "../../../src/config.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import type { Principal } from "../../../src/domain/user/user.ts"
import { Api as Declared } from "../../../src/http/api.ts"
import type { Mounted, MountOptions } from "../../../src/http/edge/mount.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { signUpFounder } from "../../kit/servers/founder.ts"
import { Api, type Envelope, until } from "../../kit/servers/gateway.ts"
import { readyOf, startInside } from "../../kit/servers/gateway-inside.ts"
import { closeClients, connectClient } from "../gateway/markets/socket.ts"
import { withDatabaseServer } from "../gateway/running/database.ts"

/** What the gateway mounted: looked at, not replaced. */
const seen = vi.hoisted((): { mounted?: Mounted; authenticate?: MountOptions["authenticate"] } => ({}))
vi.mock(import("../../../src/http/edge/mount.ts"), async (original) => {
  const real = await original()
  return {
    ...real,
    mount: (app, api, handlers, options) =>
      Effect.tap(real.mount(app, api, handlers, options), (mounted) => {
        seen.mounted = mounted
        seen.authenticate = options.authenticate
      }),
  }
})

type Input = Readonly<Record<string, unknown>>

/** Every read by the name of its call, from the declaration (contract C14: dots for slashes). */
const reads = new Map<string, string>()
HttpApi.reflect(Declared, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    const path = /^\/api\/v3(\/.+)$/.exec(endpoint.path)?.[1]
    if (endpoint.method === "GET" && path !== undefined) reads.set(path.slice(1).replaceAll("/", "."), path)
  },
})

const UNKNOWN = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f"
const BTC = "MOCK:BTC/USDT"
const ETH = "MOCK:ETH/USDT"

interface User {
  readonly api: Api
  readonly principal: Principal
}

describe("the calls of the socket", () => {
  const newDatabase = withDatabaseServer()
  let scope: Scope.CloseableScope
  let gateway: Gateway
  let directory: string
  let databaseUrl: string
  let ada: User
  let bob: User
  let account: string
  let bobs: string

  const mounted = (): Mounted => {
    if (seen.mounted === undefined) throw new Error("the gateway mounts nothing")
    return seen.mounted
  }

  const user = (api: Api, token: string): User => {
    const principal = seen.authenticate?.(`Bearer ${token}`, { ip: "127.0.0.1" })
    if (principal === undefined || "_tag" in principal || principal instanceof Unseen)
      throw new Error("the token should be good")
    return { api: api.as(token), principal }
  }

  beforeAll(async () => {
    const database = await newDatabase()
    databaseUrl = database.adminUrl
    directory = scratchDirectory("rpc")
    scope = await Effect.runPromise(Scope.make())
    const settings = readSettings({
      PORT: "0",
      DATA_DIR: directory,
      DATABASE_URL: database.url,
      MOCK_TICK_MS: "0",
      RATE_LIMITS: "off",
    })
    gateway = await Effect.runPromise(startInside(settings).pipe(Scope.extend(scope)))
    const nobody = new Api(gateway.listening.http)
    ada = user(nobody, (await signUpFounder(readyOf(gateway), "ada@example.com")).accessToken)
    bob = user(nobody, (await nobody.signup("bob@example.com")).record.accessToken)
    account = (await ada.api.connectMock("main")).record.tradingAccountId
    bobs = (await bob.api.connectMock("main")).record.tradingAccountId
  })
  afterAll(async () => {
    closeClients()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  })

  const call = (who: User, method: string, data: unknown) =>
    new Promise<{ readonly code: number; readonly text: string; readonly envelope: Envelope<unknown> }>(
      (resolve, reject) => {
        mounted().rpc({ method, data, isMalformed: false, principal: who.principal, ip: "127.0.0.1" }, (answer) => {
          if (answer === "unknown method") return reject(new Error(`${method}: ${answer}`))
          const { envelope: text, failure } = answer
          const envelope = JSON.parse(text) as Envelope<unknown>
          expect(failure?.message ?? null).toBe(envelope.error)
          resolve({ code: failure?.code ?? 0, text, envelope })
        })
      },
    )
  const order = async (method: string, data: Input): Promise<TradeOrderRecord> => {
    const { text, envelope } = await call(ada, method, data)
    if (!envelope.success) throw new Error(text)
    return envelope.data as TradeOrderRecord
  }

  /** A submit or a cancel is answered after a second at the latest, however far it has come. */
  const reaches = (tradeOrderId: string, status: string): Promise<TradeOrderRecord> =>
    vi.waitFor(async () => {
      const now = (await ada.api.order(account, tradeOrderId)).record
      expect(now.status).toBe(status)
      return now
    }, 60_000)

  const overHttp = (who: User, path: string, input: Input) => {
    const pairs = Object.entries(input).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((item): [string, string] => [name, String(item)]),
    )
    return who.api.call<unknown>("GET", `${path}?${new URLSearchParams(pairs)}`)
  }

  /** Everything but the id of the one request, and the instant at which bars were read. */
  const comparable = (envelope: string): string =>
    envelope.replace(/"request_id":"[^"]*"/, '"request_id":""').replace(/("isClosed":\w+,"timestamp":)\d+/, "$10")

  /** Asks both doors until nothing changes between the two, and answers the HTTP status. */
  const expectSame = async (http: () => ReturnType<typeof overHttp>, rpc: () => ReturnType<typeof call>) => {
    let status = 0
    await vi.waitFor(async () => {
      const there = await http()
      const here = await rpc()
      status = there.status
      expect(comparable(here.text)).toBe(comparable(there.text))
      expect(here.code).toBe(status === 200 ? 0 : 1000 + status - 400)
      expect(here.text).not.toContain("\n")
    }, 60_000)
    return status
  }

  const limit = (key: string, changes: Input = {}): Input => ({
    tradingAccountId: account,
    instrumentId: BTC,
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "0.001",
    limitPrice: "20000",
    idempotencyKey: key,
    ...changes,
  })

  it("answer every read as HTTP does", async () => {
    const placed = await ada.api.submitted(limit("read", { awaitAccepted: true }))
    await ada.api.submitted(limit("read-2", { awaitAccepted: true }))
    await ada.api.subscribeBook({ instrumentId: BTC })
    const { tradeOrderId, clientOrderId } = placed
    const adaId = (await ada.api.get<{ readonly id: string }>("/auth/user")).record.id
    const { walletId } = (await ada.api.post<{ readonly walletId: string }>("/wallet/create", {})).record
    await ada.api.post("/wallet/deposit", { walletId, asset: "USDT", amount: "1" })
    const table: Readonly<Record<string, readonly [good: ReadonlyArray<Input>, bad: ReadonlyArray<Input>]>> = {
      health: [[{}], []],
      "health.live": [[{}], []],
      "auth.jwks": [[{}], []],
      "auth.user": [[{}], [{ unknown: "field" }]],
      "auth.session.list": [[{}], []],
      "auth.totp": [[{}], []],
      "apiKey.list": [[{}], []],
      "audit.list": [
        [{}, { result: "ok", limit: 1 }],
        [{ limit: 0 }, { from: 2, to: 1 }],
      ],
      "admin.order.get": [[{ id: tradeOrderId }], [{}, { id: UNKNOWN }]],
      // Its figures move between two answers.
      "admin.status": [[], [{ unknown: "field" }]],
      "admin.network.list": [[{}, { userId: adaId }], [{ userId: UNKNOWN }]],
      "admin.tenant.list": [[{}], [{ unknown: "field" }]],
      "admin.user.list": [[{}, { limit: 1 }], [{ limit: 0 }]],
      "admin.user.session.list": [[{ userId: adaId }], [{}, { userId: UNKNOWN }]],
      "credential.list": [[{}], [{ limit: 0 }]],
      "tradingAccount.list": [
        [{}, { limit: 1 }, { tradingAccountId: account.toUpperCase() }],
        [{ userId: UNKNOWN, limit: 0 }],
      ],
      "tradingAccount.portfolio.list": [
        [{ tradingAccountId: account }, { tradingAccountId: account, currency: "DOGE" }],
        [{ tradingAccountId: UNKNOWN }, { tradingAccountId: account, limit: 101 }],
      ],
      "tradeOrder.get": [
        [{ tradeOrderId }, { tradingAccountId: account, tradeOrderId }],
        [{}, { tradeOrderId: UNKNOWN }, { tradeOrderId: "nope" }, { tradingAccountId: UNKNOWN, tradeOrderId }],
      ],
      "tradeOrder.list": [
        [{}, { tradingAccountId: account, limit: 1, ascending: true }, { status: "OPEN" }, { startTime: 1, offset: 1 }],
        [{ limit: 1_001 }, { startTime: 2, endTime: 1 }, { status: "OPEN", orderStatus: "FILLED" }, { cursor: "x" }],
      ],
      "market.venue.list": [[{}], []],
      "market.venue.capability.list": [[{}, { venue: "MOCK" }], [{ venue: "NOPE" }]],
      "market.instrument.list": [
        [{ venue: "MOCK", limit: 2 }, { symbol: "BTC/USDT" }],
        [{ venue: "NOPE" }, { offset: -1 }],
      ],
      "market.orderbook.get": [
        [{ instrumentId: BTC }, { instrumentId: BTC, depth: 3 }],
        [{}, { instrumentId: BTC, depth: 1_001 }, { instrumentId: "MOCK:NO/NE" }, { instrumentId: "none" }],
      ],
      "market.orderbook.list": [
        [{ instrumentIds: [BTC, ETH], depth: 1 }],
        [{}, { instrumentIds: [BTC, "MOCK:NO/NE"] }],
      ],
      "market.ticker.get": [[{ instrumentId: ETH }], [{ instrumentId: "MOCK:NO/NE" }]],
      "market.ticker.list": [
        [{}, { instrumentIds: [ETH, BTC], limit: 1 }],
        [{ instrumentIds: [] }, { limit: 0 }],
      ],
      "market.kline.get": [
        [
          { instrumentId: BTC, interval: "1M", to: 1 },
          { instrumentId: BTC, interval: "1d", from: 0, to: 5, limit: 2 },
        ],
        [
          { instrumentId: BTC },
          { instrumentId: BTC, interval: "7m" },
          { instrumentId: BTC, interval: "1m", from: 2, to: 1 },
          { instrumentId: BTC, interval: "1m", limit: 1_001 },
          { instrumentId: "MOCK:NO/NE", interval: "1m" },
        ],
      ],
      "market.subscription.orderbook.list": [[{}, { instrumentId: BTC }], [{ instrumentId: "" }]],
      "wallet.get": [[{ walletId }], [{}, { walletId: UNKNOWN }, { walletId: "nope" }]],
      "wallet.list": [
        [{}, { walletType: "CLIENT", limit: 1 }],
        [{ walletType: "PURSE" }, { limit: 0 }],
      ],
      "wallet.transfer.list": [
        [{ walletId }, { walletId, asset: "USDT" }],
        [{}, { walletId: UNKNOWN }],
      ],
      "dealer.get": [[], [{}, { dealerAccountId: UNKNOWN }]],
      "dealer.list": [[{}, { status: "ACTIVE" }], [{ limit: 0 }]],
      "quote.get": [[], [{}, { quoteId: UNKNOWN }]],
      "quote.list": [[{}], [{ limit: 0 }]],
    }
    expect(clientOrderId).toBeNull()
    expect(Object.keys(table).sort()).toEqual([...reads.keys()].sort())
    for (const [method, [good, bad]] of Object.entries(table))
      for (const input of [...good, ...bad]) {
        const path = reads.get(method) ?? ""
        // An empty list has no other form in a query string than its name without a value.
        const asked = Object.fromEntries(Object.entries(input).map(([k, v]) => [k, String(v) === "" ? "" : v]))
        const status = await expectSame(
          () => overHttp(ada, path, asked),
          () => call(ada, method, input),
        )
        expect([method, input, status >= 400]).toEqual([method, input, bad.includes(input)])
      }
  })

  it("walk a list by its cursor, also by the null at its end", async () => {
    const ids: Array<string> = []
    let cursor: string | null | undefined = null
    do {
      const { envelope }: { envelope: Envelope<unknown> } = await call(ada, "tradeOrder.list", { limit: 1, cursor })
      ids.push(...(envelope.data as ReadonlyArray<TradeOrderRecord>).map((it) => it.tradeOrderId))
      cursor = envelope.pagination?.cursor
    } while (typeof cursor === "string")
    const all = (await ada.api.orders({ limit: 1_000 })).record.map((it) => it.tradeOrderId)
    expect(all.length).toBeGreaterThan(1)
    expect(ids).toEqual(all)
  })

  it("place and cancel an order, which HTTP sees", async () => {
    const submit = () => order("tradeOrder.submit", limit("warm", { awaitAccepted: true }))
    const { tradeOrderId } = await submit()
    const open = await reaches(tradeOrderId, "OPEN")
    expect(await submit()).toEqual(open)
    const cancel = () => order("tradeOrder.cancel", { tradingAccountId: account, tradeOrderId })
    expect((await cancel()).tradeOrderId).toBe(tradeOrderId)
    const cancelled = await reaches(tradeOrderId, "CANCELLED")
    expect(await cancel()).toEqual(cancelled)
  })

  it("fill an order", async () => {
    const market = { tradingAccountId: account, instrumentId: BTC, orderSide: "BUY", orderType: "MARKET" }
    const filled = await order("tradeOrder.submit", { ...market, quantity: "0.001", awaitClosed: true })
    expect((await reaches(filled.tradeOrderId, "FILLED")).executedQuantity).toBe("0.001")
  })

  it("repeat an order without placing it twice, through either door", async () => {
    const { tradeOrderId } = await order("tradeOrder.submit", limit("repeat", { awaitAccepted: true }))
    const first = await reaches(tradeOrderId, "OPEN")
    expect(await order("tradeOrder.submit", limit("repeat"))).toEqual(first)
    const again = await ada.api.submit(limit("repeat"))
    expect([again.headers.get("idempotency-replayed"), again.record]).toEqual(["true", first])
    const [one, two] = await Promise.all([
      order("tradeOrder.submit", limit("race")),
      ada.api.submit(limit("race")).then((it) => it.record),
    ])
    expect(two.tradeOrderId).toBe(one.tradeOrderId)
    const listed = (await ada.api.orders({ limit: 1_000 })).record
    for (const key of ["repeat", "race"]) expect(listed.filter((it) => it.idempotencyKey === key)).toHaveLength(1)
  })

  it("refuse changes as HTTP does", async () => {
    const taken = await ada.api.submitted(limit("taken", { awaitAccepted: true }))
    const closed = await ada.api.submitted(limit("closed", { awaitAccepted: true }))
    await ada.api.cancelled(account, closed.tradeOrderId)
    const table: ReadonlyArray<readonly [method: string, status: number, errno: number, Input]> = [
      ["tradeOrder.submit", 400, -104002, {}],
      ["tradeOrder.submit", 400, -104003, limit("x", { tradingAccountId: "nope" })],
      ["tradeOrder.submit", 400, -104003, limit("x", { quantity: 1 })],
      ["tradeOrder.submit", 400, -104003, limit("x", { idempotencyKey: "a\u0000" })],
      ["tradeOrder.submit", 404, -120002, limit("x", { tradingAccountId: UNKNOWN })],
      ["tradeOrder.submit", 403, -102001, limit("x", { tradingAccountId: bobs })],
      ["tradeOrder.submit", 404, -131001, limit("x", { instrumentId: "MOCK:NO/NE" })],
      ["tradeOrder.submit", 400, -112003, limit("x", { limitPrice: null })],
      ["tradeOrder.submit", 400, -112031, limit("x", { quantity: "0.00100000000000001" })],
      ["tradeOrder.submit", 400, -111000, limit("x", { quantity: "1000" })],
      ["tradeOrder.submit", 409, -110006, limit("taken", { limitPrice: "19999" })],
      ["tradeOrder.cancel", 400, -104002, { tradingAccountId: account }],
      ["tradeOrder.cancel", 404, -110001, { tradingAccountId: account, tradeOrderId: UNKNOWN }],
      ["tradeOrder.cancel", 403, -102001, { tradingAccountId: bobs, tradeOrderId: taken.tradeOrderId }],
    ]
    const before = (await ada.api.orders({ limit: 1_000 })).envelope.pagination?.total
    for (const [method, status, errno, body] of table) {
      const path = `/${method.replaceAll(".", "/")}`
      const found = await expectSame(
        () => ada.api.post(path, body),
        () => call(ada, method, body),
      )
      expect([method, body, found, (await call(ada, method, body)).envelope.errno]).toEqual([
        method,
        body,
        status,
        errno,
      ])
    }
    expect((await ada.api.orders({ limit: 1_000 })).envelope.pagination?.total).toBe(before)
  })

  it("keep to permissions, environments and ownership as HTTP does", async () => {
    const { api } = ada
    await api.signup("eve@example.com")
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client
      .query(`UPDATE app_user SET permissions = '{read}', environments = '{PROD}' WHERE email = 'eve@example.com'`)
      .finally(() => client.end())
    const eve = user(api, (await api.login("eve@example.com")).record.accessToken)
    const submitted = await expectSame(
      () => eve.api.post("/tradeOrder/submit", limit("eve")),
      () => call(eve, "tradeOrder.submit", limit("eve")),
    )
    expect([submitted, (await call(eve, "tradeOrder.submit", {})).envelope.errno]).toEqual([403, -102002])
    const refused: ReadonlyArray<readonly [method: string, status: number, Input]> = [
      ["market.instrument.list", 403, { venue: "BINANCE_UAT" }],
      ["tradeOrder.list", 403, { tradingAccountId: account }],
      ["tradingAccount.list", 403, { userId: ada.principal.userId }],
    ]
    for (const [method, status, input] of refused)
      expect([
        method,
        await expectSame(
          () => overHttp(eve, reads.get(method) ?? "", input),
          () => call(eve, method, input),
        ),
      ]).toEqual([method, status])
    expect((await call(eve, "tradeOrder.list", {})).envelope.data).toEqual([])
  })

  it("do not exist for what is no read and no order", async () => {
    for (const method of ["auth.logout", "credential.create", "tradingAccount.connect", "tradeOrder.nothing", "api"])
      await expect(call(ada, method, {})).rejects.toThrow("unknown method")
  })

  it("come over the socket, a failure with its envelope beside the error", async () => {
    const { token } = ada.api
    if (token === null) throw new Error("ada has logged in")
    const client = await connectClient({ ...gateway.listening, version: "" }, token)
    const placed = (await client.rpc("tradeOrder.submit", limit("socket", { awaitAccepted: true }))).data
    expect(placed).toMatchObject({ success: true, data: { idempotencyKey: "socket" } })
    const { tradeOrderId } = placed.data
    await reaches(tradeOrderId, "OPEN")
    const { data: read } = await client.rpc("tradeOrder.get", { tradingAccountId: account, tradeOrderId })
    expect((await ada.api.order(account, tradeOrderId)).envelope).toEqual(read)
    const cancelled = (await client.rpc("tradeOrder.cancel", { tradingAccountId: account, tradeOrderId })).data
    expect(cancelled).toMatchObject({ success: true, data: { tradeOrderId } })
    await reaches(tradeOrderId, "CANCELLED")
    const missing = { code: 1004, message: "Trade order not found" }
    await expect(client.rpc("tradeOrder.get", { tradeOrderId: UNKNOWN })).rejects.toMatchObject(missing)
    await expect(client.rpc("auth.logout", {})).rejects.toMatchObject({ code: 104 })

    const bare = await rawSocket(gateway.listening.ws)
    bare.send({ id: 1, connect: { token } })
    await bare.next()
    bare.send({ id: 2, rpc: { method: "tradeOrder.get", data: { tradeOrderId: UNKNOWN } } })
    const answer = { errno: -110001, details: { code: "ORDER_NOT_FOUND" } }
    expect(await bare.next()).toMatchObject({ id: 2, error: missing, rpc: { data: answer } })
    bare.close()
  })

  // The last one: the gateway takes nothing new after it.
  it("are waited for by a drain, and refused during it", async () => {
    const pending = order("tradeOrder.submit", limit("drain", { awaitClosed: true }))
    expect(mounted().inFlight()).toBe(1)
    const drained = Effect.runPromise(gateway.drain)
    // First the load balancers and the sockets are told; what comes until then is served.
    await until("calls to be refused", async () => (await call(ada, "tradeOrder.list", {})).code !== 0)
    expect(await call(ada, "tradeOrder.list", {})).toMatchObject({ code: 1103, envelope: { errno: -190002 } })
    await drained
    expect(mounted().inFlight()).toBe(0)
    expect((await pending).idempotencyKey).toBe("drain")
  })
})
