/** A mirror that is frozen: whatever happens meanwhile is booked once it is frozen no longer, to whom it belongs, and told of at once. */
import { expect, it } from "vitest"
import { CUTS, losses, SECOND, sound, withBooksRigs, withMirroredRigs } from "../../kit/worlds/books-rig.ts"

const opened = withBooksRigs()
const open = withMirroredRigs()

it("a fill whose transfers a freeze within the look refused is booked once the mirror is frozen no longer", async () => {
  const it = await open()
  const troubles = it.expectsTrouble()
  for (const [left, money] of [
    [9, 1100],
    [7, 1300],
  ]) {
    await it.fill({ side: "SELL", quantity: "1", price: "100" })
    if (left === 7) await it.fill({ side: "SELL", quantity: "1", price: "100" })
    it.venue.show({ BTC: `${left}`, USDT: `${money}` })
    // The second time a fill has been booked already in this look.
    it.freezeAfter(left === 7 ? 1 : 0)
    await it.looks("mirror")
    await it.looks("mirror", 3)
    await it.freeze("ACTIVE")
    await it.looks("mirror", 4)
    expect([await it.mirror(), await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([
      { BTC: `${left}`, USDT: `${money}` },
      {},
      {},
    ])
  }
  expect(troubles).toHaveLength(2)
  expect(it.alerts.filter(({ code }) => code !== "MIRROR_FROZEN")).toEqual([])
  await sound(it)
})

it("what an account began with is posted as that, although a freeze within the look refused it at first", async () => {
  const it = await opened()
  it.expectsTrouble()
  it.venue.show({ BTC: "10" })
  it.freezeAfter(0)
  await it.looks("mirror")
  await it.freeze("ACTIVE")
  await it.looks("mirror", 4)
  expect([await it.mirror(), await it.accounting("WORLD"), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "10" },
    { BTC: "-10" },
    {},
  ])
  await sound(it)
})

it("a late fill that explains a booked loss is no alarm while the mirror is frozen, however often it is looked at", async () => {
  const it = await open()
  // Executed, and told of late.
  const at = it.time.now
  it.venue.show({ BTC: "7", USDT: "1300" })
  await it.looks("mirror", 3)
  expect([await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([{ BTC: "3" }, { USDT: "-300" }])
  await it.freeze("FROZEN")
  await it.fill({ side: "SELL", quantity: "3", price: "100", at })
  const shortfalls = () => it.alerts.filter(({ code }) => code === "BALANCE_SHORTFALL").map(({ message }) => message)
  const before = shortfalls()
  await it.looks("mirror", 6)
  expect([shortfalls(), it.reading("exchange_shortfalls_open")]).toEqual([before, ["0"]])
  // Another process sees it from the beginning.
  await it.restart()
  await it.looks("mirror", 6)
  expect([shortfalls(), it.reading("exchange_shortfalls_open")]).toEqual([before, ["0"]])
  await it.freeze("ACTIVE")
  await it.looks("mirror", 4)
  expect([await it.mirror(), await it.book("LOSS"), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "7", USDT: "1300" },
    {},
    {},
  ])
  expect(shortfalls()).toEqual(before)
  await sound(it)
})

it("a frozen mirror that is left passes to the next dealer, and each pays for what was lost in its time", async () => {
  const it = await open()
  await it.freeze("FROZEN")
  await it.fill({ side: "SELL", quantity: "1", price: "100" })
  it.venue.show({ BTC: "6", USDT: "1100" })
  it.link(SECOND)
  await it.looks("mirror", 4)
  await it.restart()
  await it.fill({ side: "SELL", quantity: "1", price: "100" })
  it.venue.show({ BTC: "4", USDT: "1200" })
  await it.looks("mirror", 4)
  const told = it.alerts
    .filter(({ code }) => code === "BALANCE_SHORTFALL")
    .map(({ to, message }) => `${to === SECOND ? "second" : "first"} ${/shortfall of (.*?), /.exec(message)?.[1]}`)
  // The first one's is told of again by the next process.
  expect(told).toEqual(["first 3 BTC", "first 3 BTC", "second 1 BTC"])
  expect([await it.mirror(), await losses(it)]).toEqual([
    { BTC: "10", USDT: "1000" },
    { first: {}, second: {} },
  ])
  await it.freeze("ACTIVE")
  await it.looks("mirror", 4)
  expect([await it.mirror(), await losses(it), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "4", USDT: "1200" },
    { first: { BTC: "3" }, second: { BTC: "1" } },
    {},
  ])
  await sound(it)
})

it("an account that is linked while its mirror is frozen begins with what it has then: what is missing later is lost", async () => {
  for (const [requests, isUnanswered] of CUTS.filter(([, hasNoAnswer]) => hasNoAnswer)) {
    const it = await open()
    await it.freeze("FROZEN")
    it.venue.show({ BTC: "7", USDT: "1000" })
    it.link()
    await it.looks("mirror", 4)
    // Whatever it does while it is linked to nobody.
    await it.fill({ side: "SELL", quantity: "6", price: "100" })
    it.venue.show({ BTC: "2", USDT: "5000" })
    await it.looks("mirror", 4)
    it.link(SECOND)
    await it.looks("mirror", 3)
    it.venue.show({ BTC: "1", USDT: "5000" })
    await it.restart()
    await it.looks("mirror", 3)
    expect(it.alerts.at(-1)).toMatchObject({ code: "BALANCE_SHORTFALL", to: SECOND })
    await it.freeze("ACTIVE")
    await it.kill("mirror", requests, isUnanswered)
    await it.looks("mirror", 4)
    expect([await it.mirror(), await losses(it), await it.accounting("SUSPENSE")]).toEqual([
      { BTC: "1", USDT: "5000" },
      { first: { BTC: "3" }, second: { BTC: "1" } },
      // When it was linked again it had more than what it had before and sold since: 7 BTC and 1,000 USDT, 6 BTC for 600 USDT.
      { BTC: "-1", USDT: "-3400" },
    ])
    await sound(it)
  }
})

it("a late fill gives back what a dealer had lost although nobody links the account, and its mirror is frozen for days", async () => {
  for (const isLinkedAgain of [false, true]) {
    const it = await open()
    const at = it.time.now
    it.venue.show({ BTC: "7", USDT: "1300" })
    it.link()
    await it.looks("mirror", 4)
    expect(await losses(it)).toEqual({ first: { BTC: "3" }, second: {} })
    await it.freeze("FROZEN")
    await it.fill({ side: "SELL", quantity: "3", price: "100", at })
    await it.looks("mirror", 2)
    if (isLinkedAgain) it.link(SECOND)
    it.time.now += 2 * 86_400_000
    await it.restart()
    await it.looks("mirror", 4)
    await it.freeze("ACTIVE")
    await it.looks("mirror", 4)
    expect([await it.mirror(), await losses(it), await it.accounting("SUSPENSE")]).toEqual([
      { BTC: "7", USDT: "1300" },
      { first: {}, second: {} },
      {},
    ])
    await sound(it)
  }
})

it("what fills take back, or lacked, is booked as that although their mirror passed to another dealer frozen", async () => {
  const it = await open()
  const at = it.time.now
  it.venue.show({ BTC: "7", USDT: "1300" })
  await it.looks("mirror", 3)
  await it.freeze("FROZEN")
  await it.fill({ side: "SELL", quantity: "3", price: "100", at })
  // Bought with money that came unseen.
  await it.fill({ quantity: "20", price: "100" })
  it.venue.show({ BTC: "27" })
  it.link(SECOND)
  await it.looks("mirror", 4)
  await it.freeze("ACTIVE")
  await it.looks("mirror", 4)
  expect([await it.mirror(), await losses(it), await it.accounting("SUSPENSE")]).toEqual([
    { BTC: "27" },
    { first: {}, second: {} },
    { USDT: "-700" },
  ])
  await sound(it)
})
