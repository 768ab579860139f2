/** Why was it rejected? Three orders that came to nothing in three ways, each told by one command, and by the admins' endpoint. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { OrderStory } from "../../../../src/domain/order/story.ts"
import { readerUrl } from "../../../../src/store/embedded/running.ts"
import { runAdmin } from "../../../kit/servers/admin-program.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { type Newcomer, signUp, signUpAdmin, type Trader, withMock } from "../users/people.ts"

const INSTRUMENT = "MOCK:BTC/USDT"
let first: Gateway
let admin: Newcomer
let trader: Trader

beforeAll(async () => {
  // Of the orders that reach their dispatch the second is where the process dies: the first is the one that the venue refuses.
  first = await startGateway({ env: { FAILPOINT: "submit.dispatched:2" } })
  admin = await signUpAdmin(first)
  trader = await withMock(await signUp(first))
})
afterAll(endGateways)

const order = (fields: Readonly<Record<string, unknown>>) => ({
  tradingAccountId: trader.tradingAccountId,
  instrumentId: INSTRUMENT,
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.01",
  limitPrice: "1000",
  ...fields,
})

const told = async (...words: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await runAdmin({ DATA_DIR: first.dataDir }, ["order", ...words])
  if (code !== 0) throw new Error(`order ${words.join(" ")}: exit ${code}\n${stderr}`)
  return stdout
}

const accessLines = () =>
  readFileSync(join(first.dataDir, "logs/access.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

it("tells a submit that was refused at once, with the funds that it needed, by the client's own id", async () => {
  const refused = await trader.calls.submit(order({ quantity: "9000", clientOrderId: "too-much" }))
  expect(refused.envelope).toMatchObject({ success: false, details: { metadata: { asset: "USDT" } } })
  const page = await until("the refusal", () => told("too-much", trader.tradingAccountId).catch(() => undefined))
  expect(page).toMatch(
    /^A submit that created no order: REFUSED, InsufficientBalance: .*asset USDT, required 9\d+.*, available 1000000\)/,
  )
  const { id } = trader.session.user
  expect(page).toContain(`request id ${refused.headers.get("x-request-id")}, user ${id}, session `)
  expect(page).toContain(", from 127.0.0.1; asked for {")
})

it("tells an order that the venue refused, in the venue's words, and names it on its access lines", async () => {
  // Deep in the book: its best price may move before the order comes there.
  const { asks } = (await trader.calls.orderBook(INSTRUMENT, 20)).record
  const crossing = order({ orderType: "LIMIT_MAKER", limitPrice: asks.at(-1)?.[0], awaitAccepted: true })
  const { record, headers } = await trader.calls.submit(crossing)
  const { tradeOrderId } = record
  expect(record).toMatchObject({ orderStatus: "REJECTED" })
  const story = JSON.parse(await told(tradeOrderId, "--json")) as OrderStory
  expect(story).toMatchObject({
    outcome: "REJECTED",
    reason: record.rejectReason,
    tradeOrder: { tradeOrderId, rejectReason: record.rejectReason },
  })
  const requestId = headers.get("x-request-id")
  const stages = story.steps.map(({ stage, what }) => `${stage} ${what}`)
  expect(stages).toEqual([
    expect.stringMatching(
      new RegExp(`^REQUEST BUY 0.01 ${INSTRUMENT} LIMIT_MAKER .*request id ${requestId}, user .* from 127`),
    ),
    expect.stringMatching(/^CHECKS passed/),
    expect.stringMatching(/^COMMIT /),
    expect.stringMatching(/^VENUE may be at the venue from here on/),
    expect.stringMatching(/^EVENT TRADE_ORDER.CREATED/),
    expect.stringMatching(/^EVENT TRADE_ORDER.SUBMITTED/),
    expect.stringMatching(/^EVENT TRADE_ORDER.REJECTED/),
    expect.stringMatching(/^END REJECTED: reject reason /),
  ])

  await trader.calls.order(trader.tradingAccountId, tradeOrderId)
  await trader.calls.post("/tradeOrder/cancel", { tradingAccountId: trader.tradingAccountId, tradeOrderId })
  const lines = await until("its access lines", () => {
    const found = accessLines().filter((line) => line["tradeOrderId"] === tradeOrderId)
    return found.length >= 3 && found
  })
  const routes = ["submit", "get", "cancel"].map((act) => `/api/v3/tradeOrder/${act}`)
  expect(lines.map(({ route }) => route)).toEqual(routes)

  const admins = await admin.calls.get<OrderStory>("/admin/order/get", { id: tradeOrderId })
  expect(admins.record).toEqual(story)
  expect((await trader.calls.get("/admin/order/get", { id: tradeOrderId })).status).toBe(403)
})

it("says what to install where there is no psql, and shows no password", async () => {
  const { code, stderr, stdout } = await runAdmin({ DATA_DIR: first.dataDir, PATH: "/nowhere" }, ["psql"])
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr).toMatch(
    /psql was not found: install PostgreSQL's client .* host \/\S+, user gateway_reader, database gateway/,
  )
  expect(stderr).not.toMatch(/[0-9a-f]{48}/)
})

it("opens the database to a role that no statement makes a writer", async () => {
  const client = new pg.Client({ connectionString: await readerUrl(first.dataDir) })
  await client.connect()
  const refused = async (statement: string) =>
    (await client.query(statement).then(
      () => "done",
      ({ code }: { readonly code?: string }) => code,
    )) ?? "?"
  try {
    expect((await client.query("SELECT count(*)::int AS n FROM trade_order")).rows[0]).toMatchObject({ n: 1 })
    expect(await refused("DELETE FROM trade_order")).toBe("25006")
    await client.query("SET default_transaction_read_only = off; SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE")
    for (const statement of [
      "DELETE FROM trade_order",
      "UPDATE trading_mode SET reason = ''",
      "CREATE TABLE mine (a int)",
      "CREATE TEMPORARY TABLE mine (a int)",
      "SELECT lo_create(0)",
      "SELECT audit_write('gateway', '[]')",
      "SET ROLE gateway",
      "SET SESSION AUTHORIZATION gateway",
      "ALTER ROLE gateway_reader SUPERUSER",
      "COPY trade_order TO PROGRAM 'true'",
    ])
      expect([statement, await refused(statement)]).toEqual([statement, "42501"])
  } finally {
    await client.end()
  }
})

it("tells an order that was in doubt, and by what evidence it is known that it never was at the venue", async () => {
  // An account's first order is stored before it leaves, at this venue too.
  const { tradingAccountId, calls } = await withMock(await signUp(first))
  const doubted = order({ tradingAccountId, clientOrderId: "doubted", idempotencyKey: "doubted" })
  await calls.submit(doubted).catch(() => undefined)
  await first.exited
  // At rest: the database is started for the moment.
  const before = JSON.parse(await told("doubted", tradingAccountId, "--json")) as OrderStory
  expect(before.outcome).toBe("CREATED")
  const second = await startGateway({ dataDir: first.dataDir })
  const again = api(second).as(calls.token)
  const { tradeOrderId } = before.tradeOrder!
  await until(
    "its end",
    async () => (await again.order(tradingAccountId, tradeOrderId)).record.orderStatus === "REJECTED",
  )
  const page = await told(tradeOrderId)
  expect(page).toMatch(new RegExp(`^Order ${tradeOrderId}: REJECTED, GATEWAY_RESTART\n`))
  expect(page).toMatch(/ EVIDENCE {4}.*not found/)
  expect(page).toMatch(/ EVENT {7}TRADE_ORDER.UNKNOWN/)
  expect(page).toMatch(/ END {9}REJECTED: reject reason GATEWAY_RESTART/)
  expect(await second.stop()).toEqual({ code: 0, signal: null })
})
