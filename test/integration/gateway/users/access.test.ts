/**
 * What operators decide about users, acting on a gateway that runs: from where they may come, what they may do, to which tenant they
 * belong. The gateway stands behind a proxy that it trusts, so that a request comes from wherever the test says.
 */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { Gateway } from "../../../../src/composition/node.ts"
import { readSettings } from "../../../../src/config.ts"
import type { TradingAccountRecord } from "../../../../src/domain/account/trading-account.ts"
import type { SessionRecord, UserRecord } from "../../../../src/domain/user/user.ts"
import { scratchDirectory } from "../../../kit/postgres.ts"
import { readMap } from "../../../kit/readers/map-reader.ts"
import { type Answer, Api, PASSWORD, until } from "../../../kit/servers/gateway.ts"
import { startInside } from "../../../kit/servers/gateway-inside.ts"
import { operatorOf } from "../../../kit/servers/operator.ts"
import { closeClients, connectClient, listen } from "../markets/socket.ts"
import { withDatabaseServer } from "../running/database.ts"

const OFFICE = "203.0.113.5"
const HOME = "198.51.100.9"
const OFFICE_SIX = "2001:db8:7::1"
const BTC = "MOCK:BTC/USDT"

const newDatabase = withDatabaseServer()
let dataDir: string
let databaseUrl: string
let scope: Scope.CloseableScope
let gateway: Gateway
let operator: ReturnType<typeof operatorOf>

const start = async (): Promise<void> => {
  scope = await Effect.runPromise(Scope.make())
  const settings = readSettings({
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    MOCK_TICK_MS: "0",
    RATE_LIMITS: "off",
    TRUST_PROXY: "127.0.0.1",
  })
  gateway = await Effect.runPromise(startInside(settings).pipe(Scope.extend(scope)))
}
const stop = (): Promise<void> => Effect.runPromise(Scope.close(scope, Exit.void))

beforeAll(async () => {
  dataDir = scratchDirectory("access")
  databaseUrl = (await newDatabase()).url
  operator = operatorOf(databaseUrl)
  await start()
})
afterAll(async () => {
  closeClients()
  await stop()
  // tidy: a figure, never a verdict
  console.log(`operators were followed within ${Math.max(...waits).toFixed(0)} ms, ${waits.length} times`)
  rmSync(dataDir, { recursive: true, force: true })
})

const forwarded = (ip: string) => ({ "x-forwarded-proto": "https", "x-forwarded-for": ip })

/** A client as it comes through the proxy. */
class From extends Api {
  constructor(
    readonly ip: string,
    token: string | null = null,
  ) {
    super(gateway.listening.http.replace("https:", "http:"), token)
  }
  override call<A>(
    method: "GET" | "POST",
    path: string,
    body?: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<A>> {
    return super.call(method, path, body, { ...forwarded(this.ip), ...headers })
  }
}

const websocketFrom = (ip: string) =>
  class extends WebSocket {
    constructor(url: string, protocols: string | Array<string> = []) {
      super(url, protocols, { headers: forwarded(ip) })
    }
  }

const connectFrom = (ip: string, token: string) => {
  const ws = gateway.listening.ws.replace("wss:", "ws:")
  return connectClient({ http: "", ws, version: "" }, token, websocketFrom(ip))
}

/** How a connection that may not be ends. */
const refusedFrom = (ip: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const Socket = websocketFrom(ip)
    const socket = new Socket(gateway.listening.ws.replace("wss:", "ws:"))
    socket.on("error", reject)
    socket.on("close", resolve)
    socket.on("open", () => socket.send(JSON.stringify({ id: 1, connect: { token } })))
  })

interface Newcomer {
  readonly email: string
  readonly session: SessionRecord
  readonly from: (ip: string) => From
}

const signUp = async (email = `user-${randomUUID()}@example.com`): Promise<Newcomer> => {
  const session = (await new From(HOME).signup(email)).record
  return { email, session, from: (ip) => new From(ip, session.accessToken) }
}

const heard = async (answer: Promise<Answer<unknown>>): Promise<readonly [status: number, errno: number]> => {
  const { status, envelope } = await answer
  return [status, envelope.errno]
}
const FORBIDDEN = [403, -102_006] as const
const FINE = [200, 0] as const
const UNKNOWN_FIELD = [400, -104_013] as const

const waits: Array<number> = []
/** An operator's command, until what follows from it was seen; how long after the commit that was is printed. */
const acts = async <A>(line: string, what: string, seen: () => boolean | Promise<boolean>): Promise<A> => {
  const records = await operator(line)
  const began = performance.now()
  await until(what, seen)
  waits.push(performance.now() - began)
  return records as A
}

const until200 = (api: Api) => until("to be let in", async () => (await api.user()).status === 200)
const untilForbidden = (api: Api) =>
  until("to be kept out", async () => (await api.user()).envelope.errno === FORBIDDEN[1])

/** All but the request's id. */
const comparable = ({ status, text }: Answer<unknown>) => [status, text.replace(/"request_id":"[^"]*"/, "")]

describe("a list of networks", () => {
  it("keeps a user out from everywhere else, over HTTP and on sockets that are open", async () => {
    const { email, session, from } = await signUp()
    const [atHome, atOffice] = [
      await connectFrom(HOME, session.accessToken),
      await connectFrom(OFFICE, session.accessToken),
    ]
    const closes: Array<number> = []
    atHome.on("disconnected", ({ code }) => closes.push(code))
    const lists = await acts(`ip-allow ${email} add 203.0.113.77/24`, "the socket to close", () => closes[0] === 3507)
    expect(lists).toEqual([{ email, userId: session.user.id, ipAllow: ["203.0.113.0/24"] }])
    expect(await heard(from(HOME).user())).toEqual(FORBIDDEN)
    expect(await heard(from(OFFICE).user())).toEqual(FINE)
    expect(await heard(from(OFFICE_SIX).user())).toEqual(FORBIDDEN)
    expect((await atOffice.rpc("auth.user", {})).data).toMatchObject({ success: true })
    expect(await refusedFrom(HOME, session.accessToken)).toBe(3507)

    await operator(`ip-allow ${email} add 2001:db8:7::/48`)
    await until200(from(OFFICE_SIX))
    await operator(`ip-allow ${email} remove 203.0.113.0/24`)
    await untilForbidden(from(OFFICE))
    expect(await operator(`ip-allow ${email} remove 2001:db8:7::/48`)).toMatchObject([{ ipAllow: [] }])
    await until200(from(HOME))
  })

  it("believes the trusted proxy, and nobody that stands before it", async () => {
    const { email, from } = await signUp()
    await operator(`ip-allow ${email} add ${OFFICE}`)
    await untilForbidden(from(HOME))
    expect(await heard(from(`${OFFICE}, ${HOME}`).user())).toEqual(FORBIDDEN)
    expect(await heard(from(`${HOME}, ${OFFICE}`).user())).toEqual(FINE)
    // Nobody's address is nowhere.
    expect(await heard(from("unknown").user())).toEqual(FORBIDDEN)
  })

  it("tells a login from elsewhere nothing, not even that its password is right", async () => {
    const { email, session } = await signUp()
    await operator(`ip-allow ${email} add ${OFFICE}`)
    await until("to be kept out", async () => (await new From(HOME).login(email)).status !== 200)
    const [right, wrong, unknown] = [
      await new From(HOME).login(email),
      await new From(HOME).login(email, `${PASSWORD}!`),
      await new From(HOME).login(`${randomUUID()}@example.com`),
    ]
    expect(comparable(right)).toEqual(comparable(wrong))
    expect(comparable(right)).toEqual(comparable(unknown))
    expect(await heard(new From(HOME).refresh(session.refreshToken))).toEqual(FORBIDDEN)
    expect(await heard(new From(OFFICE).login(email))).toEqual(FINE)
    // The refused refresh has used nothing up.
    expect(await heard(new From(OFFICE).refresh(session.refreshToken))).toEqual(FINE)
  })

  it("of a tenant holds for everybody in it, beside their own, also after a restart", async () => {
    await operator("tenant create fortress")
    const { email } = await signUp()
    await operator(`user move ${email} fortress`)
    const session = (await new From(HOME).login(email)).record
    const from = (ip: string) => new From(ip, session.accessToken)
    const client = await connectFrom(HOME, session.accessToken)
    const closes: Array<number> = []
    client.on("disconnected", ({ code }) => closes.push(code))
    const lists = await acts("ip-allow fortress add 203.0.113.0/24", "the socket to close", () => closes[0] === 3507)
    expect(lists).toEqual([{ tenantId: "fortress", ipAllow: ["203.0.113.0/24"] }])
    expect(await heard(from(OFFICE).user())).toEqual(FINE)
    await operator(`ip-allow ${email} add ${HOME}`)
    await untilForbidden(from(OFFICE))
    expect(await heard(from(HOME).user())).toEqual(FORBIDDEN)
    await operator(`ip-allow ${email} add ${OFFICE}`)
    await until200(from(OFFICE))
    await stop()
    await start()
    expect(await heard(from(OFFICE).user())).toEqual(FINE)
    expect(await heard(from(HOME).user())).toEqual(FORBIDDEN)
  })

  it("of the tenant that newcomers join keeps newcomers out, too", async () => {
    await operator("ip-allow default add 203.0.113.0/24")
    const email = () => ({ email: `user-${randomUUID()}@example.com`, password: PASSWORD })
    const refused = await until("signups to be refused", async () => {
      const answer = await new From(HOME).post("/auth/signup", email())
      return answer.status === 403 && answer
    })
    expect(refused.envelope.errno).toBe(-102_006)
    expect(await heard(new From(OFFICE).post("/auth/signup", email()))).toEqual(FINE)
    await operator("ip-allow default remove 203.0.113.0/24")
    await until("signups again", async () => (await new From(HOME).post("/auth/signup", email())).status === 200)
  })
})

describe("rights", () => {
  it("that are taken away are gone within the session, over HTTP and on the socket", async () => {
    const owner = await signUp()
    const { tradingAccountId } = (await owner.from(HOME).connectMock()).record
    const { email, session, from } = await signUp()
    const calls = from(HOME)
    await operator(`grant ${email} admin`)
    const asAdmin = () => calls.portfolio(tradingAccountId)
    await until("to be admin", async () => (await asAdmin()).status === 200)
    const client = await connectFrom(HOME, session.accessToken)
    const account = await listen(client, `tradingAccount:${tradingAccountId}`)
    const orders = readMap(client, `tradingAccount:${tradingAccountId}:orders`)
    const bookMap = readMap(client, `market:orderbook:${BTC}`)
    for (const { subscription } of [orders, bookMap]) await subscription.ready(60_000)
    const trades = await listen(client, `market:trade:${BTC}`)

    await acts(`revoke ${email} admin`, "the account's events to end", () => account.ended()?.code === 2103)
    await until("the map of its orders to end", () => orders.told.includes("unsubscribed 2103"))
    expect(await heard(asAdmin())).toEqual([403, -102_001])
    const goesOn = () => [client.state, trades.ended(), bookMap.subscription.state]
    expect(goesOn()).toEqual(["connected", undefined, "subscribed"])
    await expect(client.rpc("tradingAccount.portfolio.list", { tradingAccountId })).rejects.toMatchObject({
      code: 1003,
    })

    const writesNoMore = async () => (await calls.connectMock()).envelope.errno === -102_002
    await acts(`revoke ${email} write`, "to write no more", writesNoMore)
    await expect(client.rpc("tradeOrder.cancelAll", { tradingAccountId })).rejects.toMatchObject({ code: 1003 })
    expect(goesOn()).toEqual(["connected", undefined, "subscribed"])

    await acts(`revoke ${email} read`, "the trades to end", () => trades.ended()?.code === 2103)
    await until("the map of the book to end", () => bookMap.told.includes("unsubscribed 2103"))
    expect(await heard(calls.accounts())).toEqual([403, -102_002])
    expect(await heard(calls.user())).toEqual(FINE)
    await operator(`grant ${email} write`)
    await until("to read again", async () => (await calls.accounts()).status === 200)
    trades.subscription.subscribe()
    await trades.subscription.ready(60_000)
  })

  it("cannot be assigned: fields of a record that a request does not have are refused", async () => {
    const forged = {
      userId: randomUUID(),
      id: randomUUID(),
      tenantId: "fortress",
      role: "admin",
      permissions: ["admin"],
      status: "FILLED",
      appMetadata: { tenantId: "fortress", environments: [], permissions: ["admin"] },
      app_metadata: { tenantId: "fortress" },
      emailConfirmedAt: "2020-01-01T00:00:00.000Z",
      createdAt: 1,
    }
    const email = `user-${randomUUID()}@example.com`
    /** Refused with each of them, and taken without. */
    const tried = async <A>(api: From, path: string, body: Readonly<Record<string, unknown>>): Promise<Answer<A>> => {
      for (const [name, value] of Object.entries(forged))
        expect([path, name, await heard(api.post(path, { ...body, [name]: value }))]).toEqual([
          path,
          name,
          UNKNOWN_FIELD,
        ])
      return api.post<A>(path, body)
    }
    const signup = await tried<SessionRecord>(new From(HOME), "/auth/signup", { email, password: PASSWORD })
    const { user, accessToken } = signup.record
    const appMetadata = { tenantId: "default", environments: ["PROD", "UAT"] }
    expect(user).toMatchObject({ role: "authenticated", appMetadata, userMetadata: {} })
    const calls = new From(HOME, accessToken)
    const updated = await tried<UserRecord>(calls, "/auth/user/update", { metadata: { role: "admin" } })
    expect(updated.record).toMatchObject({
      id: user.id,
      role: "authenticated",
      appMetadata,
      userMetadata: { role: "admin" },
      createdAt: user.createdAt,
    })
    const connect = { venue: "MOCK", externalTradingAccountId: "main" }
    const account = (await tried<TradingAccountRecord>(calls, "/tradingAccount/connect", connect)).record
    expect(account).toMatchObject({ userId: user.id, status: "ACTIVE" })
    expect(account.createdAt).toBeGreaterThan(1)
    const dealers = { walletType: "DEALER", allowNegative: true }
    expect(await heard(calls.post("/wallet/create", dealers))).toEqual(UNKNOWN_FIELD)
    const wallet = await tried(calls, "/wallet/create", {})
    expect(wallet.record).toMatchObject({ userId: user.id, walletType: "CLIENT", status: "ACTIVE" })
    const terms = {
      tradingAccountId: account.tradingAccountId,
      instrumentId: BTC,
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.001",
      limitPrice: "20000",
      awaitAccepted: true,
    }
    for (const more of [{ orderStatus: "FILLED" }, { executedQuantity: "0.001" }])
      expect(await heard(calls.submit({ ...terms, ...more }))).toEqual(UNKNOWN_FIELD)
    await tried(calls, "/tradeOrder/submit", { ...terms, clientOrderId: "tried" })
    const order = await calls.submitted(terms)
    expect(order).toMatchObject({ status: "OPEN", orderStatus: "ACCEPTED", executedQuantity: "0" })
    const renamed = { tradingAccountId: account.tradingAccountId, nickname: "Mine" }
    expect((await tried(calls, "/tradingAccount/update", renamed)).record).toMatchObject({
      nickname: "Mine",
      userId: user.id,
      status: "ACTIVE",
    })
    expect(await heard(calls.get("/dealer/list"))).toEqual([403, -102_003])
    const record = await operator(`user ${email}`)
    expect(record).toMatchObject([{ permissions: ["read", "write"], appMetadata }])
  })
})

describe("a tenant", () => {
  it("is made once, and named by its users' records", async () => {
    expect(await operator("tenant create harbour")).toEqual(
      expect.arrayContaining([expect.objectContaining({ tenantId: "harbour", users: 0 })]),
    )
    await expect(operator("tenant create harbour")).rejects.toThrow(/Invalid parameter/)
    await expect(operator("user list nowhere")).rejects.toThrow(/Invalid parameter/)
    const { email, session, from } = await signUp()
    await expect(operator(`user move ${email} nowhere`)).rejects.toThrow(/Invalid parameter/)
    expect(await operator(`user move ${email} harbour`)).toMatchObject([
      { email, appMetadata: { tenantId: "harbour" } },
    ])
    await until("the old session to end", async () => (await from(HOME).user()).envelope.errno === -100_005)
    expect(await heard(new From(HOME).refresh(session.refreshToken))).toEqual([401, -100_006])
    const again = (await new From(HOME).login(email)).record
    expect(again.user.appMetadata.tenantId).toBe("harbour")
    const calls = new From(HOME, again.accessToken)
    expect(await heard(calls.accounts({ tenantId: "default" }))).toEqual([403, -102_004])
    expect((await calls.accounts({ tenantId: "default" })).envelope.details).toMatchObject({ tenant_id: "default" })
    expect(await heard(calls.accounts({ tenantId: "harbour" }))).toEqual(FINE)
    expect(await operator("user list harbour")).toMatchObject([{ email }])
    expect((await operator("user list")).length).toBeGreaterThan(1)
  })

  it("keeps those who hold anything in it", async () => {
    const { email, from } = await signUp()
    const calls = from(HOME)
    const { tradingAccountId } = (await calls.connectMock()).record
    const { walletId } = (await calls.post<{ walletId: string }>("/wallet/create", {})).record
    const order = { instrumentId: BTC, orderSide: "BUY", orderType: "LIMIT", quantity: "0.001", limitPrice: "20000" }
    const { tradeOrderId } = (await calls.submit({ tradingAccountId, ...order })).record
    await expect(operator(`user move ${email} harbour`)).rejects.toMatchObject({
      message: expect.stringContaining("Invalid parameter"),
    })
    expect(await heard(calls.user())).toEqual(FINE)
    await calls.disconnect(tradingAccountId)
    await calls.post("/wallet/close", { walletId })
    expect(await operator(`user move ${email} harbour`)).toMatchObject([{ appMetadata: { tenantId: "harbour" } }])
    // What was left behind is the old tenant's.
    const again = new From(HOME, (await new From(HOME).login(email)).record.accessToken)
    expect((await again.accounts({ accountStatus: "DISCONNECTED" })).record).toEqual([])
    expect((await again.orders({})).record).toEqual([])
    expect(await heard(again.order(tradingAccountId, tradeOrderId))).toEqual([404, -120_002])
    expect(await heard(again.get("/tradeOrder/get", { tradeOrderId }))).toEqual([404, -110_001])
    expect(await heard(again.portfolio(tradingAccountId))).toEqual([404, -120_002])
  })

  it("has admins of its own, who see nobody else's", async () => {
    const [chief, member, outsider] = [await signUp(), await signUp(), await signUp()]
    for (const { email } of [chief, member]) await operator(`user move ${email} harbour`)
    await operator(`grant ${chief.email} admin`)
    const of = async ({ email }: Newcomer) => new From(HOME, (await new From(HOME).login(email)).record.accessToken)
    const [admin, own] = [await of(chief), await of(member)]
    await own.connectMock()
    await outsider.from(HOME).connectMock()
    expect((await admin.accounts({ userId: member.session.user.id })).record).toHaveLength(1)
    expect((await admin.accounts({ userId: outsider.session.user.id })).record).toEqual([])
    expect(await heard(admin.post("/admin/user/ban", { email: outsider.email }))).toEqual([404, -101_004])
    expect(await heard(admin.post("/admin/user/ban", { email: member.email }))).toEqual(FINE)
    expect(await heard(own.user())).toEqual([401, -100_005])
  })
})
