/** The logs of a real gateway: every line of every stream is of the one schema, every security event is told, the level follows a signal. */
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { Ajv } from "ajv"
import { afterAll, beforeAll, expect, it } from "vitest"
import { LOG_SCHEMA } from "../../../../src/foundation/log-schema.ts"
import { rawSocket } from "../../../kit/readers/raw-socket.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { signUp, signUpAdmin, type Trader, withMock } from "../users/people.ts"

let gateway: Gateway
let admin: Trader
beforeAll(async () => {
  const limits = { orderSubmit: { perSecond: 0.001, burst: 2 }, signup: { perHour: 3_600, burst: 100 } }
  gateway = await startGateway({ env: { RATE_LIMITS: JSON.stringify(limits) } })
  admin = await withMock(await signUpAdmin(gateway))
})
afterAll(endGateways)

interface Line {
  readonly level: string
  readonly msg: string
  readonly event?: string
  readonly requestId?: string
  readonly userId?: string
  readonly ip?: string
  readonly code?: string
  readonly what?: string
}

const linesOf = (name: string): ReadonlyArray<Line> =>
  readFileSync(join(gateway.dataDir, "logs", name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)

/** The security line of a request, by its id. */
const told = (event: string, requestId: string | null): Promise<Line> =>
  until(
    () =>
      `${event} of ${requestId} in ${JSON.stringify(linesOf("security.log").map((one) => [one.event, one.requestId]))}`,
    () => linesOf("security.log").find((line) => line.event === event && line.requestId === requestId),
  )

const idOf = ({ headers }: { readonly headers: Headers }) => headers.get("x-request-id")

const order = (tradingAccountId: string) => ({
  tradingAccountId,
  instrumentId: "MOCK:BTC/USDT",
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.01",
  limitPrice: "1000",
})

it("tells a login that failed, and one that did not", async () => {
  const failed = await api(gateway).login(admin.email, "not the password at all")
  expect(await told("login_failed", idOf(failed))).toMatchObject({
    level: "warn",
    what: "InvalidLoginCredentials",
    ip: "127.0.0.1",
  })
  const done = await api(gateway).login(admin.email)
  expect(await told("login_succeeded", idOf(done))).toMatchObject({ level: "info", userId: admin.session.user.id })
})

it("tells a refresh token that came a second time", async () => {
  const { session } = await signUp(gateway)
  let newest = session.refreshToken
  for (let n = 0; n < 2; n++) newest = (await api(gateway).refresh(newest)).record.refreshToken
  const stolen = await api(gateway).refresh(session.refreshToken)
  expect(stolen.status).toBe(401)
  expect(await told("refresh_reused", idOf(stolen))).toMatchObject({ level: "error", userId: session.user.id })
})

it("tells a token that is none, and one of a session that is over", async () => {
  const forged = await api(gateway)
    .as(`${admin.session.accessToken.slice(0, -6)}AAAAAA`)
    .user()
  expect(await told("token_refused", idOf(forged))).toMatchObject({ code: "INVALID_TOKEN" })
  const { calls } = await signUp(gateway)
  await calls.post("/auth/logout")
  expect(await told("token_refused", idOf(await calls.user()))).toMatchObject({ code: "SESSION_REVOKED" })
})

it("tells who asks for what only admins may do", async () => {
  const { calls, session } = await signUp(gateway)
  const refused = await calls.post("/admin/user/ban", { email: admin.email })
  expect(refused.status).toBe(403)
  expect(await told("permission_refused", idOf(refused))).toMatchObject({ userId: session.user.id })
})

it("tells who reaches for somebody else's account, over HTTP and on the socket", async () => {
  const { calls, session } = await signUp(gateway)
  const refused = await calls.submit(order(admin.tradingAccountId))
  expect(refused.status).toBe(403)
  expect(await told("not_owner", idOf(refused))).toMatchObject({ code: "ACCOUNT_FORBIDDEN", userId: session.user.id })
  const socket = await rawSocket(gateway.ws)
  socket.send({ id: 1, connect: { token: session.accessToken } })
  await socket.next()
  socket.send({ id: 2, subscribe: { channel: `tradingAccount:${admin.tradingAccountId}` } })
  expect(await socket.next()).toMatchObject({ error: { code: 103 } })
  socket.close()
  await until("the channel's refusal", () =>
    linesOf("security.log").some(({ event, userId }) => event === "channel_refused" && userId === session.user.id),
  )
})

it("tells a socket with a forged token, and a page of another origin", async () => {
  const socket = await rawSocket(gateway.ws)
  socket.send({ id: 1, connect: { token: "forged" } })
  expect((await socket.closed).code).toBe(3500)
  await until("the token's refusal", () =>
    linesOf("security.log").some(({ event }) => event === "socket_token_refused"),
  )
  await expect(rawSocket(gateway.ws, { origin: "https://evil.example" })).rejects.toThrow()
  await until("the origin's refusal", () =>
    linesOf("security.log").some(({ event, code }) => event === "permission_refused" && code === "FORBIDDEN"),
  )
})

it("tells limits that were met", async () => {
  let last = await admin.calls.submit(order(admin.tradingAccountId))
  for (let n = 0; n < 3; n++) last = await admin.calls.submit(order(admin.tradingAccountId))
  expect(last.status).toBe(429)
  expect(await told("rate_limited", idOf(last))).toMatchObject({ code: "ORDER_RATE_LIMITED" })
})

it("tells bans and their ends", async () => {
  const { session } = await signUp(gateway)
  const ban = await admin.calls.post("/admin/user/ban", { userId: session.user.id, reason: "test" })
  expect(await told("user_banned", idOf(ban))).toMatchObject({
    userId: admin.session.user.id,
    targetUserId: session.user.id,
  })
  const unban = await admin.calls.post("/admin/user/unban", { userId: session.user.id })
  expect(await told("user_unbanned", idOf(unban))).toMatchObject({ targetUserId: session.user.id })
})

it("tells a request of two lengths", async () => {
  const port = Number(new URL(gateway.http).port)
  const socket = connect(port, "127.0.0.1")
  // It may be reset as well as closed.
  socket.on("error", () => undefined)
  const over = new Promise((resolve) => socket.once("close", resolve))
  const id = `smuggle-${randomUUID()}`
  socket.write(
    `POST /api/v3/auth/login HTTP/1.1\r\nHost: a\r\nX-Request-ID: ${id}\r\nContent-Type: application/json\r\n` +
      "Content-Length: 7\r\nContent-Length: 50\r\n\r\n{}",
  )
  await over
  await told("request_contradicted", id)
})

it("turns to debug and back by SIGUSR2, while it runs", async () => {
  const changes = () =>
    [...gateway.stderr().matchAll(/"msg":"the log level was changed","to":"([a-z]+)"/g)].map(([, to]) => to)
  gateway.kill("SIGUSR2")
  await until("debug", () => changes().length === 1)
  await api(gateway).get("/tradeOrder/list")
  await until("why a request was refused", () => gateway.stderr().includes('"failure":"AccessTokenMissing"'))
  gateway.kill("SIGUSR2")
  await until("info", () => changes().length === 2)
  expect(changes()).toEqual(["debug", "info"])
})

it("keeps every line of every stream to the one schema, whatever was sent", async () => {
  const hostile = { "user-agent": 'x"}{"msg":"audit"}\u009b31m\u00e9', "x-request-id": 'a"b{c}' }
  const answer = await api(gateway).call(
    "POST",
    "/auth/login",
    { email: "a\u001b[2J@example.com\r\n", password: "\u0000" },
    hostile,
  )
  expect(idOf(answer)).not.toContain('"')
  await gateway.stop()
  const isOfSchema = new Ajv({ strict: false }).compile(LOG_SCHEMA)
  const logs = join(gateway.dataDir, "logs")
  const files = readdirSync(logs)
  expect(files.toSorted()).toEqual(["access.log", "audit.log", "security.log"])
  const texts = [...files.map((name) => readFileSync(join(logs, name), "utf8")), gateway.stderr()]
  for (const text of texts) {
    const lines = text.split("\n").filter((line) => line !== "")
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) {
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect([line, isOfSchema(JSON.parse(line))]).toEqual([line, true])
    }
  }
})
