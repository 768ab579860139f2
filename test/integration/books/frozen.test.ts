/** A mirror that is frozen: whatever happens meanwhile is booked once it is frozen no longer, to whom it belongs, and told of at once. */
import { expect, it } from "vitest"
import { type BooksRig, withBooksRigs } from "../../kit/worlds/books-rig.ts"

const opened = withBooksRigs()
const open = async (): Promise<BooksRig> => {
  const rig = await opened()
  rig.venue.show({ BTC: "10", USDT: "1000" })
  await rig.looks("mirror")
  return rig
}
const sound = async (it: BooksRig) => expect(await it.violations()).toEqual([])

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
