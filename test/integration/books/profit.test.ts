/** What a dealer earns and loses, in its books: quotes, hedges, fees, late fills and admins' words, each once, whatever dies in between. */
import { expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { type BooksRig, CUTS, SECOND, withBooksRigs } from "../../kit/worlds/books-rig.ts"
import { image } from "../store/account-store-rig.ts"

const open = withBooksRigs()
const sound = async (it: BooksRig) => expect(await it.violations()).toEqual([])
const books = async (it: BooksRig) => ({
  profit: await it.book("PROFIT"),
  position: await it.book("POSITION"),
})

it("is what the client paid less what the hedge cost, with its fees, once the hedge has executed", async () => {
  const it = await open()
  const { quoteId } = await it.quote("BUY", "2", "101")
  await it.looks("books")
  expect(await books(it)).toEqual({ profit: {}, position: { BTC: "-2", USDT: "202" } })
  await it.fill({ quantity: "0.5", price: "100", fees: { BNB: "0.01" } })
  await it.fill({ quantity: "1.5", price: "100.2", fees: { USDT: "0.1" } })
  await it.looks("books", 3)
  expect(await books(it)).toEqual({ profit: { BNB: "-0.01", USDT: "1.6" }, position: {} })
  const rows = await it.rows(
    "SELECT code, asset, reference FROM ledger_transfer WHERE reference = $1 ORDER BY number",
    [quoteId],
  )
  expect(rows.map(({ code, asset }) => [code, asset])).toEqual([
    ["POSITION", "BTC"],
    ["POSITION", "USDT"],
  ])
  await sound(it)
})

it("is a loss where the hedge cost more, and what the venue took in base is open until it is bought", async () => {
  const it = await open()
  await it.quote("BUY", "1", "101")
  await it.fill({ quantity: "1", price: "103", fees: { BTC: "0.1" } })
  await it.looks("books")
  expect(await books(it)).toEqual({ profit: { USDT: "-12.1" }, position: { BTC: "-0.1", USDT: "10.1" } })
  await it.fill({ quantity: "0.1", price: "103" })
  await it.looks("books")
  expect(await books(it)).toEqual({ profit: { USDT: "-12.3" }, position: {} })
  await sound(it)
})

it("is booked for every other dealer where one has what the ledger cannot write down", async () => {
  const it = await open()
  const told = it.expectsTrouble()
  await it.quote("BUY", "1", "1000000000000000000000000000000")
  await it.quote("BUY", "2", "101", SECOND)
  await it.looks("books")
  expect(told).toEqual([expect.stringContaining("a transfer moves at most")])
  expect([await books(it), await it.book("POSITION", SECOND)]).toEqual([
    { profit: {}, position: {} },
    { BTC: "-2", USDT: "202" },
  ])
  await sound(it)
})

it("is earned without a hedge where quotes cover each other", async () => {
  const it = await open()
  await it.quote("BUY", "3", "101")
  await it.quote("SELL", "2", "99")
  await it.looks("books")
  expect(await books(it)).toEqual({ profit: { USDT: "4" }, position: { BTC: "-1", USDT: "101" } })
  await sound(it)
})

it("hears of a late fill of an old hedge, and of what an admin says of one in doubt, until its venue says more", async () => {
  const it = await open()
  await it.quote("BUY", "1", "101")
  const order = await it.fill({ quantity: "0.4", price: "100", status: "UNKNOWN" })
  await it.looks("books")
  expect(await books(it)).toMatchObject({ position: { BTC: "-0.6" } })
  await it.rows("INSERT INTO hedge_verdict VALUES ($1, 1, 100, 1)", [order.tradeOrderId])
  await it.looks("books", 2)
  expect(await books(it)).toEqual({ profit: { USDT: "1" }, position: {} })
  // The venue after all: all of it, dearer than the admin said.
  await it.fill({ quantity: "0.6", price: "102", order })
  await it.looks("books", 2)
  expect(await books(it)).toEqual({ profit: { USDT: "-0.2" }, position: {} })
  await sound(it)
})

it("takes back a word that the end of its hedge does not bear out", async () => {
  const it = await open()
  await it.quote("BUY", "1", "101")
  const order = await it.fill({ quantity: "0.4", price: "100", status: "UNKNOWN" })
  await it.rows("INSERT INTO hedge_verdict VALUES ($1, 1, 100, 1)", [order.tradeOrderId])
  await it.looks("books")
  await it.order(image(order, { orderStatus: "CANCELLED" }))
  await it.looks("books", 2)
  const { position, profit } = await books(it)
  const cash = Decimal.of(position["USDT"]!).add(Decimal.of(profit["USDT"]!))
  expect([position["BTC"], cash.toString()]).toEqual(["-0.6", "61"])
  await sound(it)
})

it("is booked once by a process that dies anywhere and the one after it", async () => {
  for (const [requests, isUnanswered] of CUTS) {
    const it = await open()
    await it.quote("BUY", "1", "101")
    const order = await it.fill({ quantity: "0.5", price: "100", fees: { BNB: "0.001" }, status: "UNKNOWN" })
    await it.rows("INSERT INTO hedge_verdict VALUES ($1, 1, 100, 1)", [order.tradeOrderId])
    await it.kill("books", requests, isUnanswered)
    await it.looks("books", 2)
    expect(await books(it)).toEqual({ profit: { BNB: "-0.001", USDT: "1" }, position: {} })
    await sound(it)
  }
})

it("stops where somebody else has changed the books, and goes on from what they are then", async () => {
  const it = await open()
  await it.quote("BUY", "1", "101")
  await it.looks("books")
  await it.rows("UPDATE dealer_books SET version = version + 1")
  await it.quote("SELL", "1", "100")
  await expect(it.looks("books")).rejects.toThrow("the books were changed meanwhile")
  expect(await books(it)).toEqual({ profit: {}, position: { BTC: "-1", USDT: "101" } })
  await it.looks("books", 2)
  expect(await books(it)).toEqual({ profit: { USDT: "1" }, position: {} })
  await sound(it)
})

it("costs of an account that others trade on what its hedges cost, however much was traded, and nothing of it twice", async () => {
  const it = await open()
  const counted = async () => (await it.rows("SELECT count(*)::int AS n FROM ledger_request"))[0]!["n"]
  await it.quote("BUY", "1", "101")
  await it.looks("books")
  const [requests, pages] = [await counted(), it.pages()]
  await it.trades(400)
  await it.fill({ quantity: "1", price: "100" })
  await it.trades(400)
  await it.looks("books")
  expect(await books(it)).toEqual({ profit: { USDT: "1" }, position: {} })
  // One page has the hedge and what else was traded, the next is empty.
  expect([await counted(), it.pages()]).toEqual([Number(requests) + 1, pages + 2])
  await it.restart()
  await it.looks("books")
  expect([await counted(), it.pages()]).toEqual([Number(requests) + 1, pages + 3])
  await it.trades(5_000)
  await it.looks("books")
  // So much is worth a row: a restart looks at none of it again.
  expect([await counted(), it.pages()]).toEqual([Number(requests) + 2, pages + 5])
  await sound(it)
})
