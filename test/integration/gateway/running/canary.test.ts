/**
 * Canary secrets (scoreboard S6): keys of a venue, passwords and tokens go through every flow, the failed ones too, and then nothing that
 * the gateway wrote or said holds one of them: logs, answers, socket frames, metrics, the whole database.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { WebSocket } from "ws"
import { newSecret } from "../../../../src/auth/api-key/secret.ts"
import type { CredentialRecord } from "../../../../src/domain/account/credential.ts"
import type { CreatedApiKey } from "../../../../src/domain/user/api-key.ts"
import type { SessionRecord } from "../../../../src/domain/user/user.ts"
import { findEmbedded } from "../../../../src/store/embedded/running.ts"
import { type OkxExchange, startOkxExchange } from "../../../exchanges/okx/exchange.ts"
import { Canaries } from "../../../kit/records/canaries.ts"
import { endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { tokenTo } from "../../../kit/servers/mailbox.ts"
import { query } from "../../store/account-store-rig.ts"

const canaries = new Canaries()
/** Every answer's head and body, and every frame, as they came. */
const answers: Array<string> = []
const frames: Array<string> = []
let exchange: OkxExchange
let gateway: Gateway

beforeAll(async () => {
  exchange = await startOkxExchange({ market: "still" })
  gateway = await startGateway({
    env: { SIGNUP: "confirm", METRICS_PORT: "0", VENUE_ROUTES: JSON.stringify(exchange.routes) },
  })
})
afterAll(async () => {
  await endGateways()
  await exchange?.stop()
})

interface Said<A> {
  readonly status: number
  readonly data: A
}

const send = async <A>(
  path: string,
  options: { readonly token?: string; readonly raw?: string; readonly body?: unknown; readonly key?: string } = {},
): Promise<Said<A>> => {
  const { token, body, key } = options
  const response = await fetch(`${gateway.http}/api/v3${path}`, {
    method: body === undefined && options.raw === undefined ? "GET" : "POST",
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    ...(body === undefined && options.raw === undefined ? {} : { body: options.raw ?? JSON.stringify(body) }),
  })
  const text = await response.text()
  answers.push([...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n"), text)
  return { status: response.status, data: (JSON.parse(text) as { readonly data: A }).data }
}

/** A socket that says these commands, or sees to something else, one after the other; all of its frames are kept. */
const socket = async (commands: ReadonlyArray<object | (() => Promise<unknown>)>): Promise<void> => {
  const ws = new WebSocket(gateway.ws)
  const before = frames.length
  ws.on("message", (frame) => frames.push(String(frame)))
  await new Promise<void>((resolve, reject) => {
    ws.on("open", resolve)
    ws.on("error", reject)
  })
  let ended = false
  ws.on("close", (code, reason) => {
    ended = true
    frames.push(`${code} ${reason}`)
  })
  for (const [index, command] of commands.entries()) {
    if (ended) break
    if (typeof command === "function") await command()
    else {
      const id = `"id":${index + 1},`
      ws.send(JSON.stringify({ id: index + 1, ...command }))
      await until("its reply", () => ended || frames.some((frame, at) => at >= before && frame.includes(id)))
    }
  }
  ws.close()
  await until("its end", () => ended)
}

const keepSession = (what: string, { data }: Said<SessionRecord>): SessionRecord => {
  canaries.plant(`access token of ${what}`, data.accessToken)
  canaries.plant(`refresh token of ${what}`, data.refreshToken)
  return data
}

it("no secret is in anything that the gateway writes or says, whatever goes well or wrong", async () => {
  // A user's whole life.
  const email = "canary.bird@example.com"
  const password = canaries.make("password")
  const mailed = async (what: string, subject: string) =>
    canaries.plant(`mailed token of ${what}`, await tokenTo(gateway.dataDir, email, subject))
  const verify = async (type: string, subject: string) =>
    keepSession(type, await send("/auth/verify", { body: { type, token: await mailed(type, subject) } }))
  await send("/auth/signup", { body: { email, password } })
  await send("/auth/signup", { body: { email, password: canaries.make("second signup's password") } })
  const first = await verify("signup", "Confirm your e-mail address")
  await send("/auth/login", { body: { email, password: canaries.make("wrong password") } })
  await send("/auth/login", { body: { email: canaries.make("password in the wrong field"), password: "x" } })
  await send("/auth/login", { body: { email, password: [canaries.make("password in a list")] } })
  await send("/auth/login", { raw: `{"email":"${email}","password":"${canaries.make("password in broken JSON")}` })
  await send("/auth/token/refresh", { body: { refreshToken: canaries.make("nobody's refresh token") } })
  await send("/auth/recover", { body: { email } })
  const recovered = await verify("recovery", "Recover your password")
  const renewed = keepSession(
    "refresh",
    await send("/auth/token/refresh", { body: { refreshToken: recovered.refreshToken } }),
  )
  const token = renewed.accessToken
  await send("/auth/user/update", { token, body: { password: canaries.make("next password"), metadata: { a: 1 } } })
  await send("/auth/user/update", { token, body: { password: "short", currentPassword: canaries.make("current") } })
  // After the new password the first session is over: its tokens are secrets all the same.
  await send("/auth/user", { token: first.accessToken })
  await send("/auth/user", { token: canaries.make("nobody's access token") })
  await send(`/auth/user?access_token=${canaries.make("token in a query")}`)
  await send(`/${canaries.make("secret in a path")}`)

  // Keys of a venue, good and bad.
  const keys = {
    apiKey: canaries.make("apiKey"),
    apiSecret: canaries.make("apiSecret"),
    apiPassphrase: canaries.make("apiPassphrase"),
  }
  exchange.addUser({ ...keys, balances: { USDT: "100000", BTC: "5" } })
  const create = (change: Readonly<Record<string, unknown>>, key?: string) =>
    send<CredentialRecord>("/credential/create", {
      token,
      body: { venue: "OKX", ...keys, ...change },
      ...(key === undefined ? {} : { key }),
    })
  const made = await create({}, "first")
  expect(made.status).toBe(200)
  expect(made.data.apiKey).toBe(`****${keys.apiKey.slice(-4)}`)
  const kept = answers.length
  const refused = [
    await create({}, "first"),
    await create({ apiKey: canaries.make("another apiKey under the first's key") }, "first"),
    await create({ apiKey: canaries.make("unknown apiKey") }),
    await create({ apiSecret: canaries.make("wrong apiSecret") }),
    await create({ apiPassphrase: canaries.make("wrong apiPassphrase") }),
    await create({ apiPassphrase: undefined }),
    await create({ venue: "NOWHERE", apiKey: canaries.make("apiKey for no venue") }),
    await create({ venue: canaries.make("apiKey in the field of the venue") }),
    await create({ apiSecret: { value: canaries.make("apiSecret in an object") } }),
    await create({ secret: canaries.make("apiSecret in a field that is none") }),
    await create({ apiSecret: `${canaries.make("overlong apiSecret")}${"x".repeat(9_000)}` }),
  ]
  expect(answers.length - kept, "each was answered").toBe(2 * refused.length)
  expect(refused.map(({ status }) => status)).toEqual([200, 409, 400, 400, 400, 400, 400, 400, 400, 400, 400])

  // A venue that repeats what it was told, in its own words.
  const echo = JSON.stringify({
    code: "50111",
    msg: `bad ${keys.apiKey} ${keys.apiSecret} ${keys.apiPassphrase}`,
    data: [],
  })
  const repeat = (match: string, status: number, times: number) =>
    exchange.fault({ fault: "answer", match, times, action: { kind: "status", status, body: echo } })
  for (const status of [200, 401, 500]) {
    repeat("GET /api/v5/account/balance", status, 1)
    repeat("GET /api/v5/account/config", status, 1)
    await create({ name: `while the venue says ${status}` })
  }
  exchange.fault({ fault: "clear" })
  const { tradingAccountId } = (
    await send<{ readonly tradingAccountId: string }>("/tradingAccount/connect", {
      token,
      body: { venue: "OKX", credentialIds: [made.data.credentialId] },
    })
  ).data
  await until("the account is ACTIVE", async () => {
    const { data } = await send<ReadonlyArray<{ readonly status: string }>>("/tradingAccount/list", { token })
    return data.some(({ status }) => status === "ACTIVE")
  })
  const order = { tradingAccountId, instrumentId: "OKX:BTC/USDT", orderSide: "BUY", orderType: "LIMIT" }
  const submit = (quantity: string) =>
    send<{ readonly tradeOrderId: string }>("/tradeOrder/submit", {
      token,
      body: { ...order, quantity, limitPrice: "1000", awaitAccepted: true },
    })
  const troubledOrders = async () => {
    await submit("0.01")
    for (const status of [503, 200, 401]) {
      repeat("POST /api/v5/trade/order", status, 1)
      await submit("0.02")
    }
  }
  // The socket: refused tokens, calls with secrets, and what it tells of the account meanwhile.
  await socket([{ connect: { token: canaries.make("nobody's token on a socket") } }])
  await socket([{ connect: { token: first.accessToken } }])
  await socket([
    { connect: { token } },
    { subscribe: { channel: `tradingAccount:${tradingAccountId}` } },
    {
      rpc: {
        method: "tradeOrder.submit",
        data: { ...order, quantity: "0.03", limitPrice: "1000", awaitAccepted: true, apiSecret: keys.apiSecret },
      },
    },
    troubledOrders,
    { subscribe: { channel: `tradingAccount:${canaries.make("secret in a channel's name")}` } },
    {
      rpc: { method: "credential.create", data: { venue: "OKX", ...keys, apiSecret: canaries.make("RPC apiSecret") } },
    },
    { rpc: { method: canaries.make("secret in a method's name"), data: {} } },
    { rpc: { method: "auth.login", data: { email, password: canaries.make("RPC password") } } },
    { refresh: { token: canaries.make("nobody's refreshed token") } },
  ])

  await send(`/tradeOrder/list?tradingAccountId=${tradingAccountId}&limit=100`, { token })

  // Keys of ours: shown in one answer, and then used, misused and ended.
  const issued = async (terms: object) => {
    const at = answers.length
    const { data } = await send<CreatedApiKey>("/apiKey/create", {
      token,
      body: { name: "bot", scopes: ["trade"], ...terms },
    })
    expect(answers.splice(at).join("").includes(data.apiKey), "the one answer that shows it").toBe(true)
    canaries.plant(`API key of ${data.name}`, data.apiKey)
    return data
  }
  const bot = await issued({ name: "bot" })
  const away = await issued({ name: "elsewhere", ipAllow: ["203.0.113.7"] })
  const ended = await issued({ name: "revoked" })
  await send("/apiKey/revoke", { token, body: { apiKeyId: ended.apiKeyId } })
  await send("/apiKey/list", { token })
  const misspelt = canaries.plant(
    "API key, misspelt",
    `${bot.apiKey.slice(0, -1)}${bot.apiKey.endsWith("a") ? "b" : "a"}`,
  )
  for (const key of [
    bot.apiKey,
    away.apiKey,
    ended.apiKey,
    misspelt,
    canaries.plant("API key of nobody", newSecret()),
  ]) {
    await send("/tradingAccount/list", { token: key })
    await send(`/auth/user?apiKey=${key}`, { token: key })
    await send("/apiKey/create", { token: key, body: { name: key, scopes: ["trade"] } })
    await send("/tradeOrder/submit", {
      token: key,
      body: { ...order, quantity: "0.01", limitPrice: "1000", apiKey: key },
    })
    await socket([{ connect: { token: key } }, { rpc: { method: "tradeOrder.list", data: { key } } }])
  }

  const metricsUrl = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(gateway.stderr())?.[0] ?? ""
  const metrics = await (await fetch(metricsUrl)).text()
  const found = await findEmbedded(gateway.dataDir)
  if (found._tag !== "Running") throw new Error(`the gateway's database is ${found._tag}`)
  const dump = async () => {
    const tables = await query(
      found.url,
      "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
    )
    const rows = await Promise.all(
      tables.map(({ tablename }) => query(found.url, `SELECT t::text AS row FROM "${String(tablename)}" AS t`)),
    )
    return {
      tables: tables.length,
      text: rows
        .flat()
        .map(({ row }) => String(row))
        .join("\n"),
    }
  }
  const database = await dump()
  await send("/auth/token/refresh", { body: { refreshToken: recovered.refreshToken } })
  await send("/credential/revoke", { token, body: { credentialId: made.data.credentialId, force: true } })
  await send("/auth/logout", { token, body: {} })
  const afterwards = await dump()
  await gateway.stop()

  const logs = readdirSync(join(gateway.dataDir, "logs"))
    .map((name) => readFileSync(join(gateway.dataDir, "logs", name), "utf8"))
    .join("\n")
  const places: Readonly<Record<string, string>> = {
    logs,
    stderr: gateway.stderr(),
    stdout: gateway.stdout.join("\n"),
    metrics,
    database: database.text,
    "the database afterwards": afterwards.text,
    frames: frames.join("\n"),
  }
  expect(canaries.count).toBeGreaterThan(35)
  expect(logs).toContain('"route":"/api/v3/credential/create"')
  expect(metrics).toContain("venue_up")
  expect(database.tables).toBeGreaterThan(20)
  expect(database.text).toContain(`****${keys.apiKey.slice(-4)}`)
  expect(frames.join()).toContain("TRADE_ORDER")
  for (const [place, text] of Object.entries(places)) {
    expect({ place, found: canaries.in(text) }).toEqual({ place, found: [] })
    expect({ place, tails: canaries.tailsIn(text) }).toEqual({ place, tails: [] })
  }
  // Sessions are given to whoever proved to be their user, and to nobody else.
  const isGiven = (what: string) => /^(access|refresh) token of/.test(what)
  expect(canaries.in(answers.join("\n"), isGiven)).toEqual([])
  // The search itself finds what is there.
  expect(canaries.in(`x${encodeURIComponent(password)}y`)).not.toEqual([])
  expect(canaries.in(Buffer.from(`ab${keys.apiSecret}`).toString("base64"))).not.toEqual([])
})
