/**
 * `Idempotency-Key` on operations other than orders (contract C2), over HTTP on a whole gateway: done once, answered as often as it is
 * asked, and honest about a first call whose end nobody saw.
 */
import { randomUUID } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { DealerRecord } from "../../../../src/domain/dealer/dealer.ts"
import { type Answer, endGateways, type Gateway, startGateway } from "../../../kit/servers/gateway.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"
import { type Newcomer, signUp, signUpAdmin } from "../users/people.ts"

const makeDatabase = withDatabaseServer()
let database: OwnDatabase
let gateway: Gateway
let ada: Newcomer

beforeAll(async () => {
  database = await makeDatabase()
  gateway = await startGateway({ env: { DATABASE_URL: database.url } })
  ada = await signUpAdmin(gateway)
})
afterAll(endGateways)

interface Connected {
  readonly tradingAccountId: string
}

const CONNECT = "/tradingAccount/connect"
const withKey = (key: string) => ({ "Idempotency-Key": key })
const connect = (who: Newcomer, key: string, label: string, venue = "MOCK"): Promise<Answer<Connected>> =>
  who.calls.call<Connected>("POST", CONNECT, { venue, externalTradingAccountId: label }, withKey(key))
const isReplay = (answer: Answer<unknown>): boolean => answer.headers.get("idempotency-replayed") === "true"

it("answers a repeat as it answered the first call, letter for letter", async () => {
  const key = randomUUID()
  const first = await connect(ada, key, "one")
  // Something that would answer otherwise now: the account has another name.
  await ada.calls.post("/tradingAccount/update", {
    tradingAccountId: first.record.tradingAccountId,
    nickname: "renamed",
  })
  const second = await connect(ada, key, "one")
  expect([first.status, isReplay(first), second.status, isReplay(second)]).toEqual([200, false, 200, true])
  expect(second.record).toEqual(first.record)
})

it("does it once for twenty calls at the same time", async () => {
  const key = randomUUID()
  const answers = await Promise.all(Array.from({ length: 20 }, () => connect(ada, key, "twenty")))
  expect(new Set(answers.map(({ text }) => JSON.stringify(JSON.parse(text).data))).size).toBe(1)
  expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1)
})

it("refuses the key for another request, and leaves another user's alone", async () => {
  const key = randomUUID()
  await connect(ada, key, "mine")
  const other = await connect(ada, key, "another")
  expect([other.status, other.envelope.errno]).toEqual([409, -104011])
  const bob = await signUp(gateway)
  const his = await connect(bob, key, "another")
  expect([his.status, isReplay(his)]).toEqual([200, false])
})

it("keeps nothing of a refused call: the corrected request may have the key", async () => {
  const key = randomUUID()
  const wrong = await connect(ada, key, "later", "NOWHERE")
  expect(wrong.status).toBe(400)
  const right = await connect(ada, key, "later")
  expect([right.status, isReplay(right)]).toEqual([200, false])
})

/** As a process leaves it that ends before it could keep the answer. */
const forgetAnswer = async (key: string): Promise<void> => {
  const client = new pg.Client(database.url)
  await client.connect()
  const cut = await client.query("UPDATE idempotent_answer SET answer = NULL WHERE key = $1", [key])
  await client.end()
  expect(cut.rowCount).toBe(1)
}

it("says that nobody knows, where the first call was cut off by the end of its process", async () => {
  const key = randomUUID()
  const subscribe = () =>
    ada.calls.call("POST", "/market/subscription/orderbook/subscribe", { instrumentId: "MOCK:BTC/USDT" }, withKey(key))
  expect((await subscribe()).status).toBe(200)
  await forgetAnswer(key)
  const again = await subscribe()
  expect([again.status, again.envelope.errno]).toEqual([409, -104012])
})

it("knows an account, and a dealer, that the call before it has made", async () => {
  const [key, dealerKey] = [randomUUID(), randomUUID()]
  const create = () =>
    ada.calls.call<DealerRecord>(
      "POST",
      "/dealer/create",
      { name: "Cut", baseCurrencies: ["NULL"] },
      withKey(dealerKey),
    )
  const [account, dealer] = [await connect(ada, key, "cut"), await create()]
  await forgetAnswer(key)
  await forgetAnswer(dealerKey)
  const again = [await connect(ada, key, "cut"), await create()]
  expect(again.map((it) => [it.status, isReplay(it)])).toEqual([
    [200, true],
    [200, true],
  ])
  expect(again.map((it) => it.record)).toMatchObject([
    { tradingAccountId: account.record.tradingAccountId },
    { dealerAccountId: dealer.record.dealerAccountId, baseCurrencies: ["NULL"] },
  ])
})

it("takes a key of the documented form only, and no notice of it on reads", async () => {
  const bad = await connect(ada, "two words", "bad")
  expect([bad.status, bad.envelope.errno]).toEqual([400, -104003])
  const read = await ada.calls.call("GET", "/market/venue/list", undefined, withKey("two words"))
  expect(read.status).toBe(200)
})
