/** Whose a loss is when an account goes from one dealer to another, or to none: of the one that it was linked to when it was lost. */
import { expect, it } from "vitest"
import { losses, SECOND, sound, withBooksRigs, withMirroredRigs } from "../../kit/worlds/books-rig.ts"

const opened = withBooksRigs()
const open = withMirroredRigs()

it("what was lost before an account went to another dealer is the first one's, also where nobody had seen it", async () => {
  const it = await open()
  it.venue.show({ BTC: "7", USDT: "1000" })
  it.link(SECOND)
  await it.looks("mirror")
  // The next is lost by the second, while it is not yet certain what the first one lost.
  it.venue.show({ BTC: "6", USDT: "1000" })
  await it.looks("mirror", 2)
  expect(await losses(it)).toEqual({ first: { BTC: "3" }, second: {} })
  await it.restart()
  await it.looks("mirror", 3)
  expect(await losses(it)).toEqual({ first: { BTC: "3" }, second: { BTC: "1" } })
  expect(new Set(it.alerts.map(({ to }) => to))).toEqual(new Set([it.dealer.dealerAccountId, SECOND]))
  await sound(it)
})

it("a dealer that is archived keeps its links, and no mirror", async () => {
  const it = await open()
  it.link(it.dealer.dealerAccountId, SECOND)
  it.archive(it.dealer.dealerAccountId)
  await it.looks("mirror", 4)
  it.venue.show({ BTC: "7", USDT: "1000" })
  await it.looks("mirror", 4)
  expect(await losses(it)).toEqual({ first: {}, second: { BTC: "3" } })
  expect(new Set(it.alerts.map(({ to }) => to))).toEqual(new Set([SECOND]))
  await sound(it)
})

it("the dealer that an account is linked to by now hears of a mirror that is frozen, too", async () => {
  const it = await open()
  await it.freeze("FROZEN")
  it.link(SECOND)
  await it.looks("mirror")
  expect(it.alerts.map(({ code, to }) => [code, to])).toEqual([
    ["MIRROR_FROZEN", it.dealer.dealerAccountId],
    ["MIRROR_FROZEN", SECOND],
  ])
})

it("what comes to light later gives back to the one that had lost it, and nobody pays for another", async () => {
  const it = await open()
  const at = it.time.now
  it.venue.show({ BTC: "7", USDT: "1000" })
  await it.looks("mirror", 3)
  it.link(SECOND)
  await it.looks("mirror", 3)
  it.venue.show({ BTC: "5", USDT: "1000" })
  await it.looks("mirror", 3)
  expect(await losses(it)).toEqual({ first: { BTC: "3" }, second: { BTC: "2" } })
  // Executed before the account was linked to the second: its proceeds were part of what that one lost nothing of.
  await it.fill({ side: "SELL", quantity: "3", price: "100", at })
  it.venue.show({ BTC: "5", USDT: "1300" })
  await it.looks("mirror", 3)
  expect(await losses(it)).toEqual({ first: {}, second: { BTC: "2" } })
  // What comes in the time of the second makes good what the second lost, the rest is for an operator.
  it.venue.show({ BTC: "8", USDT: "1300" })
  await it.looks("mirror", 3)
  expect([await losses(it), await it.accounting("SUSPENSE")]).toEqual([{ first: {}, second: {} }, { BTC: "-1" }])
  await sound(it)
})

it("what an account has lost while it was linked to nobody is no dealer's loss, and is told of when it is linked again", async () => {
  const it = await open()
  it.venue.show({ BTC: "9.99", USDT: "1000" })
  it.link()
  await it.looks("mirror", 3)
  expect(await losses(it)).toEqual({ first: { BTC: "0.01" }, second: {} })
  it.venue.show({ BTC: "2", USDT: "5000" })
  await it.fill({ quantity: "1", price: "100" })
  await it.looks("mirror", 4)
  await it.restart()
  await it.looks("mirror", 4)
  it.link(SECOND)
  await it.looks("mirror", 5)
  // It had 9.99 BTC and 1,000 USDT, and bought 1 BTC for 100 USDT.
  expect([await it.mirror(), await losses(it), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "2", USDT: "5000" },
    { first: { BTC: "0.01" }, second: {} },
    { BTC: "8.99", USDT: "-4100" },
  ])
  expect(it.alerts).toMatchObject([{ code: "BALANCE_SHORTFALL", to: SECOND }])
  expect(it.alerts[0]!.message).toContain("has an unexplained shortfall of 8.99 BTC")
  expect(it.alerts[0]!.message).toContain("SUSPENSE")
  // Another process tells of it again, for it is in the books.
  await it.restart()
  await it.looks("mirror")
  expect(it.alerts).toHaveLength(2)
  it.venue.show({ BTC: "1", USDT: "5000" })
  await it.looks("mirror", 3)
  expect(await losses(it)).toEqual({ first: { BTC: "0.01" }, second: { BTC: "1" } })
  await sound(it)
})

it("what an account executes while it is linked to nobody is in its mirror once it is linked again, however late it is told of", async () => {
  const it = await open()
  it.link()
  await it.looks("mirror", 4)
  it.time.now += 3 * 86_400_000
  await it.fill({ quantity: "1", price: "100" })
  const at = it.time.now
  it.venue.show({ BTC: "8", USDT: "1200" })
  it.link(SECOND)
  await it.looks("mirror", 2)
  // It is told of as a loss once three looks have seen it, and not before.
  expect([await it.accounting("SUSPENSE"), it.alerts]).toEqual([{}, []])
  await it.looks("mirror")
  expect(await it.accounting("SUSPENSE")).toEqual({ BTC: "3", USDT: "-300" })
  await it.fill({ side: "SELL", quantity: "3", price: "100", at })
  await it.looks("mirror", 4)
  expect([await it.mirror(), await losses(it), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "8", USDT: "1200" },
    { first: {}, second: {} },
    {},
  ])
  expect([it.alerts.length, it.reading("exchange_shortfalls_open")]).toEqual([1, ["0"]])
  await sound(it)
})

it("a fill that comes to light while an account is linked to nobody takes back what was booked instead of it", async () => {
  const it = await open()
  it.venue.show({ BTC: "7", USDT: "1300" })
  const at = it.time.now
  it.link()
  await it.looks("mirror", 3)
  expect([await losses(it), await it.accounting("SUSPENSE")]).toEqual([
    { first: { BTC: "3" }, second: {} },
    { USDT: "-300" },
  ])
  await it.looks("mirror", 2)
  await it.fill({ side: "SELL", quantity: "3", price: "100", at })
  await it.looks("mirror")
  expect([await it.mirror(), await losses(it), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "7", USDT: "1300" },
    { first: {}, second: {} },
    {},
  ])
  await sound(it)
})

it("of two dealers that link an account the first to link it has its losses", async () => {
  const it = await opened()
  it.link(SECOND)
  it.venue.show({ BTC: "10" })
  await it.looks("mirror")
  it.link(it.dealer.dealerAccountId, SECOND)
  it.venue.show({ BTC: "9" })
  await it.looks("mirror", 4)
  expect(await losses(it)).toEqual({ first: {}, second: { BTC: "1" } })
  await sound(it)
})
