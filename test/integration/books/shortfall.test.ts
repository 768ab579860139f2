/** What an account at a venue shows beyond what is known of it: booked where an accountant looks, counted, and told where it is much. */
import { expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { CUTS, sound, withBooksRigs, withMirroredRigs } from "../../kit/worlds/books-rig.ts"

const opened = withBooksRigs()
const open = withMirroredRigs()

it("an account begins with what it was brought; nothing of that is unexplained", async () => {
  const it = await open()
  expect([await it.mirror(), await it.accounting("WORLD")]).toEqual([
    { BTC: "10", USDT: "1000" },
    { BTC: "-10", USDT: "-1000" },
  ])
  expect([await it.accounting("SUSPENSE"), it.reading("exchange_differences_total"), it.alerts]).toEqual([{}, [], []])
  await sound(it)
})

it("a balance that falls by 30 % without an execution is the dealer's LOSS, a metric, and an alert until it is back", async () => {
  const it = await open()
  it.venue.show({ BTC: "7", USDT: "1000" })
  await it.looks("mirror", 2)
  // An execution may still explain it.
  expect([await it.mirror(), it.alerts]).toEqual([{ BTC: "10", USDT: "1000" }, []])
  await it.looks("mirror")
  expect([await it.mirror(), await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "7", USDT: "1000" },
    { BTC: "3" },
    {},
  ])
  const [transfer] = await it.rows("SELECT code, reference FROM ledger_transfer WHERE code = 'SHORTFALL'")
  expect(transfer).toEqual({ code: "SHORTFALL", reference: it.account.tradingAccountId })
  expect([it.reading("exchange_differences_total"), it.reading("exchange_shortfalls_open")]).toEqual([
    ["shortfall 1"],
    ["1"],
  ])
  expect(it.alerts).toMatchObject([{ code: "BALANCE_SHORTFALL", severity: "CRITICAL" }])
  expect(it.alerts[0]!.message).toContain("an unexplained shortfall of 3 BTC, 30 % of 10")
  for (const told of [2, 2, 3]) {
    it.time.now += 60_000
    await it.looks("mirror")
    expect(it.alerts).toHaveLength(told)
  }
  await it.restart()
  await it.looks("mirror")
  expect(it.alerts).toHaveLength(4)
  it.venue.show({ BTC: "10.5", USDT: "1000" })
  await it.looks("mirror", 3)
  expect([await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([{}, { BTC: "-0.5" }])
  it.time.now += 7_200_000
  await it.looks("mirror")
  expect([it.alerts.length, it.reading("exchange_shortfalls_open")]).toEqual([4, ["0"]])
  await sound(it)
})

it("what a fill explains is no loss, whichever of the two comes first", async () => {
  const it = await open()
  await it.fill({ side: "SELL", quantity: "3", price: "100", fees: { USDT: "1" } })
  it.venue.show({ BTC: "7", USDT: "1299" })
  await it.looks("mirror", 4)
  it.venue.show({ BTC: "5", USDT: "1498" })
  await it.looks("mirror", 2)
  await it.fill({ side: "SELL", quantity: "2", price: "100", fees: { USDT: "1" } })
  await it.looks("mirror", 4)
  expect([await it.mirror(), await it.book("LOSS"), await it.accounting("SUSPENSE"), it.alerts]).toEqual([
    { BTC: "5", USDT: "1498" },
    {},
    {},
    [],
  ])
  await sound(it)
})

it("a fill that comes to light after all takes back what was booked instead of it", async () => {
  const it = await open()
  it.venue.show({ BTC: "7", USDT: "1300" })
  const at = it.time.now
  await it.looks("mirror", 3)
  expect([await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([{ BTC: "3" }, { USDT: "-300" }])
  await it.fill({ side: "SELL", quantity: "3", price: "100", at })
  await it.looks("mirror", 4)
  expect([await it.mirror(), await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "7", USDT: "1300" },
    {},
    {},
  ])
  expect(it.reading("exchange_shortfalls_open")).toEqual(["0"])
  await sound(it)
})

it("a fill that comes to light after all takes back all of it, also where its fee is in the asset that it paid with", async () => {
  const it = await open()
  it.venue.show({ BTC: "11", USDT: "899.9" })
  const at = it.time.now
  await it.looks("mirror", 3)
  expect([await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([{ USDT: "100.1" }, { BTC: "-1" }])
  await it.fill({ side: "BUY", quantity: "1", price: "100", fees: { USDT: "0.1" }, at })
  await it.looks("mirror", 4)
  expect([await it.mirror(), await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "11", USDT: "899.9" },
    {},
    {},
  ])
  expect(it.reading("exchange_shortfalls_open")).toEqual(["0"])
  await sound(it)
})

it("what came back covers nothing that is lost after it, however long ago the first loss was", async () => {
  const it = await open()
  it.venue.show({ BTC: "4", USDT: "1000" })
  await it.looks("mirror", 3)
  it.time.now += 23 * 3_600_000
  it.venue.show({ BTC: "10", USDT: "1000" })
  await it.looks("mirror", 3)
  expect([await it.book("LOSS"), it.reading("exchange_shortfalls_open")]).toEqual([{}, ["0"]])
  // The first loss is more than a day old now, what made it good is not.
  it.time.now += 2 * 3_600_000
  const before = it.alerts.length
  it.venue.show({ BTC: "5", USDT: "1000" })
  await it.looks("mirror", 3)
  expect([it.alerts.length, it.reading("exchange_shortfalls_open")]).toEqual([before + 1, ["1"]])
  it.venue.show({ BTC: "10", USDT: "1000" })
  await it.looks("mirror", 3)
  expect([await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([{}, {}])
  await sound(it)
})

it("an account that reconciles or is gone is not compared, and begins anew once it has agreed with its venue", async () => {
  const it = await open()
  it.venue.show({ BTC: "7", USDT: "1000" })
  await it.looks("mirror", 2)
  it.setStatus("UNAVAILABLE")
  await it.looks("mirror", 4)
  it.venue.show({})
  it.setStatus("DISCONNECTED")
  await it.looks("mirror", 4)
  it.venue.show({ BTC: "7", USDT: "1000" })
  it.setStatus("ACTIVE")
  await it.looks("mirror", 2)
  expect([await it.mirror(), it.alerts]).toEqual([{ BTC: "10", USDT: "1000" }, []])
  await it.looks("mirror")
  expect(await it.book("LOSS")).toEqual({ BTC: "3" })
})

it("a mirror that is frozen is told of, hides no loss, and has everything once it is frozen no longer", async () => {
  const it = await open()
  await it.freeze("FROZEN")
  await it.looks("mirror")
  expect([it.reading("exchange_mirrors_frozen"), it.alerts.length]).toEqual([["1"], 1])
  expect(it.alerts[0]).toMatchObject({ code: "MIRROR_FROZEN", severity: "WARNING" })
  expect(it.alerts[0]!.message).toContain(it.account.tradingAccountId)
  // What executions explain is no loss here either.
  await it.fill({ side: "SELL", quantity: "1", price: "100" })
  it.venue.show({ BTC: "6", USDT: "1100" })
  await it.looks("mirror", 6)
  await it.fill({ side: "SELL", quantity: "1", price: "100" })
  it.venue.show({ BTC: "5", USDT: "1200" })
  await it.looks("mirror", 6)
  const shortfalls = it.alerts.filter(({ code }) => code === "BALANCE_SHORTFALL")
  expect(shortfalls.map(({ message }) => /shortfall of (.*?), /.exec(message)?.[1])).toEqual(["3 BTC"])
  expect(shortfalls[0]!.message).toContain("once its mirror is unfrozen")
  expect(it.reading("exchange_shortfalls_open")).toEqual(["1"])
  expect([await it.mirror(), await it.book("LOSS")]).toEqual([{ BTC: "10", USDT: "1000" }, {}])
  await it.freeze("ACTIVE")
  await it.looks("mirror", 3)
  expect([await it.mirror(), await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "5", USDT: "1200" },
    { BTC: "3" },
    {},
  ])
  expect([it.reading("exchange_mirrors_frozen"), it.reading("exchange_shortfalls_open")]).toEqual([["0"], ["1"]])
  await sound(it)
})

it("what is little, or dust, is booked and counted and told to nobody", async () => {
  const it = await open()
  it.venue.show({ BTC: "9.95", USDT: "1000", DUST: "0.5" })
  await it.looks("mirror", 3)
  it.venue.show({ BTC: "9.95", USDT: "1000" })
  await it.looks("mirror", 3)
  expect([await it.book("LOSS"), it.alerts]).toEqual([{ BTC: "0.05", DUST: "0.5" }, []])
  expect(it.reading("exchange_differences_total").sort()).toEqual(["adjustment 1", "shortfall 2"])
  await sound(it)
})

it("what is less than the venue takes in an order is dust, although it was all there was, but for what the settings say", async () => {
  const it = await opened()
  const [no, five] = [Decimal.ZERO, Decimal.of("5")]
  it.list("LINK/USDT", { minQuantity: Decimal.of("0.01"), lotSize: Decimal.of("0.01"), minNotional: null })
  // Of what has a price here, 500,000 are worth an order; of what has none, one is all that its markets say.
  it.list("SHIB/USDT", { minQuantity: Decimal.ONE, lotSize: Decimal.ONE, minNotional: five }, "0.00001")
  it.list("SHIB/EUR", { minQuantity: Decimal.ONE, lotSize: Decimal.ONE, minNotional: five })
  it.list("PEPE/USDT", { minQuantity: Decimal.ONE, lotSize: Decimal.ONE, minNotional: five })
  it.list("DUST/USDT", { minQuantity: Decimal.of("100"), lotSize: no, minNotional: null })
  const dust = { LINK: "0.009", SHIB: "499999", PEPE: "0.5", USDT: "4.9", DUST: "0.9" }
  const more = { LINK: "0.01", SHIB: "500000", PEPE: "1", USDT: "5", DUST: "1" }
  it.venue.show({ ...dust, BTC: "1" })
  await it.looks("mirror")
  it.venue.show({ BTC: "1" })
  await it.looks("mirror", 4)
  expect([await it.book("LOSS"), it.alerts]).toEqual([dust, []])
  it.venue.show({ ...more, BTC: "1" })
  await it.looks("mirror", 4)
  it.time.now += 2 * 86_400_000
  it.venue.show({ BTC: "1" })
  await it.looks("mirror", 4)
  const told = it.alerts.map(({ message }) => /shortfall of (\S+) (\S+), /.exec(message)?.slice(1))
  expect(told.sort()).toEqual(
    Object.entries(more)
      .map(([asset, amount]) => [amount, asset])
      .sort(),
  )
  await sound(it)
})

it("a process that dies between two requests books neither fill nor difference twice", async () => {
  for (const [requests, isUnanswered] of CUTS) {
    const it = await open()
    // Bought with money that came unseen.
    await it.fill({ quantity: "20", price: "100", fees: { BTC: "0.02" } })
    await it.fill({ quantity: "1", price: "100" })
    it.venue.show({ BTC: "30.98", USDT: "0" })
    await it.kill("mirror", requests, isUnanswered)
    await it.looks("mirror", 4)
    expect([await it.mirror(), await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([
      { BTC: "30.98" },
      {},
      { USDT: "-1100" },
    ])
    await sound(it)
  }
})
