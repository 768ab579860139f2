/**
 * What a dealer delivers from belongs to the dealer: whoever is on its side at the moment acts for it, and nobody for having made it. Rights
 * are taken away before an act, and while it is on its way.
 */
import { randomUUID } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DealerRecord } from "../../../../src/domain/dealer/dealer.ts"
import type { WalletRecord } from "../../../../src/domain/wallet/wallet.ts"
import { founder } from "../../../kit/servers/founder.ts"
import {
  type Answer,
  type Api,
  api,
  endGateways,
  type Gateway,
  startGateway,
  until,
} from "../../../kit/servers/gateway.ts"
import { operatorOf } from "../../../kit/servers/operator.ts"
import { closeClients, connectClient, listen } from "../markets/socket.ts"
import { withDatabaseServer } from "../running/database.ts"
import { actsOn } from "../users/audit-rows.ts"

const newDatabase = withDatabaseServer()
let gateway: Gateway
let root: Api
let operator: ReturnType<typeof operatorOf>
let sql: pg.Client
const instrumentId = "INTERNAL:BTC/USDT"

beforeAll(async () => {
  const database = await newDatabase()
  gateway = await startGateway({ env: { DATABASE_URL: database.url } })
  root = await founder(gateway)
  operator = operatorOf(database.url)
  sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
  const terms = { baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.01", lotSize: "0.001" }
  expect((await root.post("/market/instrument/create", terms)).status).toBe(200)
})
afterAll(async () => {
  closeClients()
  await sql?.end()
  await endGateways()
})

interface Desk {
  readonly email: string
  readonly id: string
  readonly calls: Api
  readonly dealer: DealerRecord
  readonly walletId: string
  readonly tradingAccountId: string
  /** The desk owner's own, at MOCK. */
  readonly mockId: string
}

/** A dealer with 1,000 USDT, and the admin who made it. */
const desk = async (): Promise<Desk> => {
  const email = `${randomUUID()}@example.com`
  const session = (await api(gateway).signup(email)).record
  const calls = api(gateway).as(session.accessToken)
  await operator(`grant ${email} admin`)
  const dealer = await until("the right to arrive", async () => {
    const made = await calls.post<DealerRecord>("/dealer/create", { name: "Desk", baseCurrencies: ["USDT"] })
    return made.status === 200 && made.record
  })
  const walletId = dealer.walletId!
  const deposit = { walletId, asset: "USDT", amount: "1000" }
  expect((await root.post("/wallet/deposit", deposit)).status).toBe(200)
  const mockId = (await calls.connectMock()).record.tradingAccountId
  const link = { dealerAccountId: dealer.dealerAccountId, tradingAccountId: mockId }
  expect((await calls.post("/dealer/account/link", link)).status).toBe(200)
  return { email, id: session.user.id, calls, dealer, walletId, tradingAccountId: dealer.tradingAccountId!, mockId }
}

const buy = (tradingAccountId: string) => ({
  tradingAccountId,
  instrumentId,
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.01",
  limitPrice: "100",
  awaitAccepted: true,
})

const demote = async ({ email, calls }: Desk): Promise<void> => {
  await operator(`revoke ${email} admin`)
  await until("the right to be gone", async () => (await calls.get("/dealer/list")).status === 403)
}

const errno = ({ status, envelope }: Answer<unknown>) => [status, envelope.errno]
const walletOf = async (walletId: string) => (await root.get<WalletRecord>("/wallet/get", { walletId })).record
const held = async (walletId: string) =>
  (await walletOf(walletId)).balances.map((it) => [it.asset, it.balance, it.held])

describe("what a dealer delivers from", () => {
  it("belongs to no user: neither its wallet nor its account", async () => {
    const { calls, walletId, tradingAccountId, dealer, id } = await desk()
    expect(await walletOf(walletId)).toMatchObject({ walletType: "DEALER", userId: null })
    const [account] = (await calls.accounts({ tradingAccountId })).record
    expect(account).toMatchObject({ tradingAccountId, userId: null, dealerAccountId: dealer.dealerAccountId })
    expect(dealer.ownerUserId).toBe(id)
    const listed = await root.get<ReadonlyArray<WalletRecord>>("/wallet/list", { walletType: "DEALER" })
    expect(listed.record.map((it) => it.walletId)).toContain(walletId)
  })

  it("is not moved by its maker once the right is gone: no transfer, no order, no link, no word to the dealer", async () => {
    const made = await desk()
    const { calls, walletId, tradingAccountId, mockId } = made
    const { dealerAccountId } = made.dealer
    const order = (await calls.submit(buy(tradingAccountId))).record
    const home = (await calls.post<WalletRecord>("/wallet/create", {})).record.walletId
    const client = await connectClient(gateway, calls.token!)
    const feed = await listen(client, `tradingAccount:${tradingAccountId}`)
    await demote(made)
    const transfer = { sourceWalletId: walletId, destWalletId: home, asset: "USDT", amount: "1" }
    expect(errno(await calls.post("/wallet/transfer", transfer))).toEqual([404, -150001])
    expect(errno(await calls.post("/wallet/close", { walletId }))).toEqual([404, -150001])
    expect(errno(await calls.get("/wallet/get", { walletId }))).toEqual([404, -150001])
    const named = { tradingAccountId, tradeOrderId: order.tradeOrderId }
    expect(errno(await calls.submit(buy(tradingAccountId)))).toEqual([403, -102001])
    expect(errno(await calls.post("/tradeOrder/replace", { ...named, limitPrice: "200" }))).toEqual([403, -102001])
    expect(errno(await calls.post("/tradeOrder/cancel", named))).toEqual([403, -102001])
    expect(errno(await calls.get("/tradeOrder/get", named))).toEqual([403, -102001])
    for (const act of ["pause", "resume", "archive"])
      expect(errno(await calls.post(`/dealer/${act}`, { dealerAccountId }))).toEqual([403, -102003])
    const other = (await calls.connectMock("other")).record.tradingAccountId
    const link = { dealerAccountId, tradingAccountId: other }
    expect(errno(await calls.post("/dealer/account/link", link))).toEqual([403, -102002])
    const quote = {
      dealerAccountId,
      traderAccountId: tradingAccountId,
      instrumentId,
      orderSide: "BUY",
      quantity: "0.1",
    }
    expect(errno(await calls.post("/quote/request", quote))).toEqual([403, -102001])
    expect((await calls.accounts()).record.map((it) => it.tradingAccountId).sort()).toEqual([mockId, other].sort())
    await until("its events to end", () => feed.ended()?.code === 2103)
    expect(await held(walletId)).toEqual([["USDT", "1000", "1"]])
  })

  it("is not moved by an act that is on its way while the right is taken away", async () => {
    const { calls, id, walletId, tradingAccountId, dealer, mockId } = await desk()
    const { dealerAccountId } = dealer
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    const during = async <A>(act: () => Promise<A>): Promise<A> => {
      await sql.query("BEGIN")
      await sql.query("UPDATE app_user SET permissions = '{read,write}' WHERE user_id = $1", [id])
      let isAnswered = false
      const answer = act().finally(() => {
        isAnswered = true
      })
      while (!isAnswered && (await sql.query(waiting)).rows.length === 0)
        await sql.query("SELECT pg_stat_clear_snapshot()")
      await sql.query("COMMIT")
      const said = await answer
      await sql.query("UPDATE app_user SET permissions = '{read,write,admin}' WHERE user_id = $1", [id])
      return said
    }
    const submitted = await during(() => calls.submit(buy(tradingAccountId)))
    const refused = await until("the order to be refused", async () => {
      const { tradeOrderId } = submitted.record
      const order = (await root.order(tradingAccountId, tradeOrderId)).record
      return order.orderStatus !== "CREATED" && order.orderStatus !== "SUBMITTED" && order
    })
    expect(refused).toMatchObject({
      orderStatus: "REJECTED",
      rejectReason: expect.stringContaining("ACCOUNT_FORBIDDEN"),
    })
    expect(await held(walletId)).toEqual([["USDT", "1000", "0"]])
    expect(errno(await during(() => calls.post("/dealer/pause", { dealerAccountId })))).toEqual([403, -102003])
    const link = { dealerAccountId, tradingAccountId: (await calls.connectMock("late")).record.tradingAccountId }
    expect(errno(await during(() => calls.post("/dealer/account/link", link)))).toEqual([403, -102001])
    expect(errno(await during(() => calls.post("/wallet/close", { walletId })))).toEqual([403, -102001])
    const create = { name: "Late", baseCurrencies: ["USDT"] }
    expect(errno(await during(() => calls.post("/dealer/create", create)))).toEqual([403, -102003])
    // Memory is as it was, and goes on.
    const now = async () => (await root.get<DealerRecord>("/dealer/get", { dealerAccountId })).record
    expect(await now()).toMatchObject({ status: "ACTIVE", linkedAccountIds: [mockId] })
    expect((await root.post("/dealer/pause", { dealerAccountId })).status).toBe(200)
    expect(await now()).toMatchObject({ status: "PAUSED" })
    expect((await walletOf(walletId)).status).toBe("ACTIVE")
  })

  it("is moved by another admin, who unlinks the account of the one who is gone", async () => {
    const made = await desk()
    const { calls, walletId, tradingAccountId, mockId } = made
    const { dealerAccountId } = made.dealer
    const order = (await calls.submit(buy(tradingAccountId))).record
    await demote(made)
    const cancelled = await root.cancelled(tradingAccountId, order.tradeOrderId)
    expect(cancelled.orderStatus).toBe("CANCELLED")
    const own = await root.submitted(buy(tradingAccountId))
    expect(own.orderStatus).toBe("ACCEPTED")
    await root.cancelled(tradingAccountId, own.tradeOrderId)
    const link = { dealerAccountId, tradingAccountId: mockId }
    expect(errno(await root.post("/dealer/account/link", link))).toEqual([403, -102001])
    expect((await root.post("/dealer/account/unlink", link)).record).toBe("ok")
    const gone = { walletId, asset: "USDT", amount: "1000" }
    expect((await root.post<WalletRecord>("/wallet/withdraw", gone)).record.balances).toEqual([])
    expect((await root.post("/dealer/archive", { dealerAccountId })).status).toBe(200)
    expect((await root.post<WalletRecord>("/wallet/close", { walletId })).record.status).toBe("CLOSED")
  })

  it("is out of its maker's pocket: a transfer to the maker's own wallet is refused to the dealer's side as well", async () => {
    const { calls, walletId } = await desk()
    const home = (await calls.post<WalletRecord>("/wallet/create", {})).record.walletId
    const move = (sourceWalletId: string, destWalletId: string) =>
      calls.post("/wallet/transfer", { sourceWalletId, destWalletId, asset: "USDT", amount: "1" })
    expect(errno(await move(walletId, home))).toEqual([403, -150005])
    expect(errno(await move(home, walletId))).toEqual([403, -150005])
  })

  it("is acted for by operators of the dealer, without being admins", async () => {
    const email = `${randomUUID()}@example.com`
    const session = (await api(gateway).signup(email)).record
    const calls = api(gateway).as(session.accessToken)
    const config = { operators: [session.user.id] }
    const asked = { name: "Operated", baseCurrencies: ["USDT"], config }
    const dealer = (await root.post<DealerRecord>("/dealer/create", asked)).record
    const tradingAccountId = dealer.tradingAccountId!
    const deposit = { walletId: dealer.walletId, asset: "USDT", amount: "10" }
    expect((await root.post("/wallet/deposit", deposit)).status).toBe(200)
    const order = await calls.submitted(buy(tradingAccountId))
    expect(order.orderStatus).toBe("ACCEPTED")
    expect((await calls.cancelled(tradingAccountId, order.tradeOrderId)).orderStatus).toBe("CANCELLED")
    expect((await calls.get<WalletRecord>("/wallet/get", { walletId: dealer.walletId! })).status).toBe(200)
  })
})

describe("an act on a dealer", () => {
  it("leaves one row of the audit, done or refused", async () => {
    const { calls, dealer, mockId } = await desk()
    const { dealerAccountId } = dealer
    for (const act of ["pause", "pause", "resume"])
      expect((await calls.post(`/dealer/${act}`, { dealerAccountId })).status).toBe(200)
    const link = { dealerAccountId, tradingAccountId: mockId }
    expect(errno(await calls.post("/dealer/account/link", link))).toEqual([409, -141005])
    expect((await calls.post("/dealer/account/unlink", link)).status).toBe(200)
    expect((await calls.post("/dealer/archive", { dealerAccountId })).status).toBe(200)
    // A pause of what is paused is no act.
    expect(await actsOn(sql, dealerAccountId)).toEqual([
      "dealer.archive ok",
      "dealer.create ok",
      "dealer.link AccountAlreadyLinked",
      "dealer.link ok",
      "dealer.pause ok",
      "dealer.resume ok",
      "dealer.unlink ok",
    ])
  })
})
