/** Deposits and withdrawals at the venue of a linked account that were told of: neither a loss, nor what hides one. */
import { expect, it } from "vitest"
import { CUTS, losses, SECOND, sound, withMirroredRigs } from "../../kit/worlds/books-rig.ts"

const open = withMirroredRigs()

const state = async (it: Awaited<ReturnType<typeof open>>) => [
  await it.mirror(),
  await it.book("LOSS"),
  await it.accounting("SUSPENSE"),
]
const codes = async (it: Awaited<ReturnType<typeof open>>) =>
  (
    await it.rows(
      "SELECT code FROM ledger_transfer WHERE code IN ('FUNDING', 'SHORTFALL', 'ADJUSTMENT') ORDER BY number",
    )
  ).map(({ code }) => code)

it("a withdrawal that was told of is no loss, and what leaves beyond it is one", async () => {
  const it = await open()
  await it.fund("WITHDRAWAL", "3")
  it.venue.show({ BTC: "8", USDT: "1000" })
  await it.looks("mirror", 3)
  expect([await state(it), it.alerts]).toEqual([[{ BTC: "8", USDT: "1000" }, {}, {}], []])
  // The rest of it, and a theft.
  it.venue.show({ BTC: "5", USDT: "1000" })
  await it.looks("mirror", 3)
  expect(await state(it)).toEqual([{ BTC: "5", USDT: "1000" }, { BTC: "2" }, {}])
  expect(it.alerts).toMatchObject([{ code: "BALANCE_SHORTFALL" }])
  expect(await codes(it)).toEqual(["FUNDING", "FUNDING", "SHORTFALL"])
  expect(await it.rows("SELECT settled::text, open FROM exchange_funding")).toEqual([{ settled: "3", open: false }])
  expect(it.reading("exchange_differences_total").sort()).toEqual(["funding 2", "shortfall 1"])
  await sound(it)
})

it("a deposit that was told of hides no loss, neither before it nor beside it", async () => {
  const it = await open()
  it.venue.show({ BTC: "7", USDT: "1000" })
  await it.looks("mirror", 3)
  await it.fund("DEPOSIT", "5")
  // Two of it are stolen as they come.
  it.venue.show({ BTC: "10", USDT: "1000" })
  await it.looks("mirror", 4)
  expect(await state(it)).toEqual([{ BTC: "10", USDT: "1000" }, { BTC: "3" }, {}])
  it.time.now += 86_400_000
  await it.looks("mirror")
  await it.looks("mirror", 2)
  const told = it.alerts.filter(({ code }) => code === "FUNDING_EXPIRED")
  expect(told).toHaveLength(1)
  expect(told[0]).toMatchObject({ severity: "WARNING", to: it.dealer.dealerAccountId })
  expect(told[0]!.message).toContain("2 of the announced DEPOSIT of 5 BTC")
  expect(told[0]!.message).toContain("did not appear within a day")
  await sound(it)
})

it("what was told of explains nothing of the other direction, of another asset, or after its day", async () => {
  const it = await open()
  await it.fund("DEPOSIT", "3")
  await it.fund("WITHDRAWAL", "3", "USDT")
  it.venue.show({ BTC: "7", USDT: "1003" })
  await it.looks("mirror", 3)
  expect(await state(it)).toEqual([{ BTC: "7", USDT: "1003" }, { BTC: "3" }, { USDT: "-3" }])
  it.time.now += 86_400_000
  await it.looks("mirror")
  it.venue.show({ BTC: "10", USDT: "1000" })
  await it.looks("mirror", 3)
  expect(await codes(it)).not.toContain("FUNDING")
  await sound(it)
})

it("a deposit that was told of is known although it was spent before it was seen", async () => {
  const it = await open()
  await it.fund("DEPOSIT", "1000", "USDT")
  await it.fill({ quantity: "20", price: "100" })
  it.venue.show({ BTC: "30" })
  await it.looks("mirror", 4)
  expect(await state(it)).toEqual([{ BTC: "30" }, {}, {}])
  await sound(it)
})

it("a deposit explains no trade from before it was told of", async () => {
  const it = await open()
  await it.fund("DEPOSIT", "1000", "USDT")
  // What this one was paid with came unseen before.
  await it.fill({ quantity: "20", price: "100", at: it.time.now - 60_000 })
  it.venue.show({ BTC: "30" })
  await it.looks("mirror", 4)
  expect(await state(it)).toEqual([{ BTC: "30" }, {}, { USDT: "-1000" }])
  it.venue.show({ BTC: "30", USDT: "1000" })
  await it.looks("mirror", 3)
  expect(await state(it)).toEqual([{ BTC: "30", USDT: "1000" }, {}, { USDT: "-1000" }])
  expect(await codes(it)).toEqual(["ADJUSTMENT", "FUNDING"])
  await sound(it)
})

it("what came while nobody could look is what was told of, and no longer once it could be looked at", async () => {
  const isAway = {
    "the process was away": async (it: Awaited<ReturnType<typeof open>>) => it.restart(),
    "the venue was": async (it: Awaited<ReturnType<typeof open>>) => {
      it.setStatus("UNAVAILABLE")
      await it.looks("mirror")
      it.time.now += 2 * 86_400_000
      await it.looks("mirror")
      it.setStatus("ACTIVE")
    },
    "the mirror was frozen": async (it: Awaited<ReturnType<typeof open>>) => {
      await it.freeze("FROZEN")
      await it.looks("mirror")
      it.time.now += 2 * 86_400_000
      await it.looks("mirror")
      await it.freeze("ACTIVE")
    },
  }
  for (const [why, wait] of Object.entries(isAway)) {
    const it = await open()
    await it.fund("DEPOSIT", "3")
    await it.fund("DEPOSIT", "2", "USDT")
    await wait(it)
    it.time.now += 2 * 86_400_000
    it.venue.show({ BTC: "13", USDT: "1000" })
    await it.looks("mirror", 3)
    expect([why, await state(it)]).toEqual([why, [{ BTC: "13", USDT: "1000" }, {}, {}]])
    expect(it.alerts.filter(({ code }) => code !== "MIRROR_FROZEN")).toMatchObject([{ code: "FUNDING_EXPIRED" }])
    expect(await it.rows("SELECT asset, settled::text, open FROM exchange_funding ORDER BY asset")).toEqual([
      { asset: "BTC", settled: "3", open: false },
      { asset: "USDT", settled: "0", open: false },
    ])
    it.venue.show({ BTC: "13", USDT: "1002" })
    await it.looks("mirror", 3)
    expect(await codes(it)).toEqual(["FUNDING", "ADJUSTMENT"])
    await sound(it)
  }
})

it("what was told of waits while the mirror is frozen, and is used up where that is left", async () => {
  for (const isLeft of [false, true]) {
    const it = await open()
    await it.freeze("FROZEN")
    await it.fund("WITHDRAWAL", "3")
    it.venue.show({ BTC: "7", USDT: "1000" })
    if (isLeft) it.link(SECOND)
    await it.looks("mirror", 4)
    if (!isLeft) it.time.now += 2 * 86_400_000
    await it.looks("mirror", 2)
    await it.freeze("ACTIVE")
    await it.looks("mirror", 4)
    expect([await it.mirror(), await losses(it), await it.accounting("SUSPENSE")]).toEqual([
      { BTC: "7", USDT: "1000" },
      { first: {}, second: {} },
      {},
    ])
    expect(it.alerts.filter(({ code }) => code !== "MIRROR_FROZEN")).toEqual([])
    expect(await it.rows("SELECT open FROM exchange_funding")).toEqual([{ open: false }])
    await sound(it)
  }
})

it("a process that dies beside the request that books it uses it up once", async () => {
  for (const [requests, isUnanswered] of CUTS.filter(([requests]) => requests === 0)) {
    const it = await open()
    await it.fund("WITHDRAWAL", "3")
    it.venue.show({ BTC: "7", USDT: "1000" })
    await it.looks("mirror", 2)
    await it.kill("mirror", requests, isUnanswered)
    it.venue.show({ BTC: "6", USDT: "1000" })
    await it.looks("mirror", 4)
    expect(await state(it)).toEqual([{ BTC: "6", USDT: "1000" }, { BTC: "1" }, {}])
    await sound(it)
  }
})

it("the day of what was told of ends although the look at another account fails", async () => {
  const it = await open()
  await it.rows(
    `INSERT INTO exchange_funding (funding_id, trading_account_id, dealer_account_id, asset, direction, amount, created_at, expire_at)
     VALUES (gen_random_uuid(), gen_random_uuid(), $1, 'BTC', 'DEPOSIT', 1, $2, $2::bigint + 86400000)`,
    [it.dealer.dealerAccountId, it.time.now],
  )
  await it.rows(
    `CREATE FUNCTION not_now() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now' USING ERRCODE = '53000'; END $$`,
  )
  await it.rows(
    "CREATE TRIGGER not_now BEFORE UPDATE OF dealer_account_id ON exchange_mirror FOR EACH ROW EXECUTE FUNCTION not_now()",
  )
  it.link()
  const troubles = it.expectsTrouble()
  await it.looks("mirror", 2)
  it.time.now += 86_400_000
  await it.looks("mirror")
  expect(troubles).toHaveLength(1)
  expect(it.alerts).toMatchObject([{ code: "FUNDING_EXPIRED" }])
  expect(await it.rows("SELECT open FROM exchange_funding")).toEqual([{ open: false }])
})

it("nothing is told of before the mirror has begun, for it would explain what was lost while nobody linked the account", async () => {
  const it = await open()
  const refused = {
    _tag: "InvalidParameter",
    parameter: "tradingAccountId",
    reason: expect.stringContaining("in 20 s"),
  }
  it.link()
  await it.looks("mirror", 3)
  it.venue.show({ BTC: "7", USDT: "1000" })
  await expect(it.fund("WITHDRAWAL", "3")).rejects.toMatchObject(refused)
  it.link(it.dealer.dealerAccountId)
  await expect(it.fund("WITHDRAWAL", "3")).rejects.toMatchObject(refused)
  await it.looks("mirror", 2)
  await expect(it.fund("WITHDRAWAL", "3")).rejects.toMatchObject(refused)
  await it.looks("mirror", 2)
  expect(await state(it)).toEqual([{ BTC: "7", USDT: "1000" }, {}, { BTC: "3" }])
  await it.fund("WITHDRAWAL", "3")
  it.venue.show({ BTC: "4", USDT: "1000" })
  await it.looks("mirror", 3)
  expect(await state(it)).toEqual([{ BTC: "4", USDT: "1000" }, {}, { BTC: "3" }])
  await sound(it)
})

it("no account has more than fifty that are not seen", async () => {
  const it = await open()
  for (let n = 0; n < 50; n++) await it.fund("DEPOSIT", "1")
  await expect(it.fund("DEPOSIT", "1")).rejects.toMatchObject({ reason: expect.stringContaining("at most 50") })
  it.venue.show({ BTC: "11", USDT: "1000" })
  await it.looks("mirror", 3)
  await it.fund("DEPOSIT", "1")
})

it("no withdrawal is told of that the account cannot make", async () => {
  const it = await open()
  const reason = "10.5 BTC is more than the account has, which is 10 BTC"
  await expect(it.fund("WITHDRAWAL", "10.5")).rejects.toMatchObject({ parameter: "amount", reason })
  await expect(it.fund("WITHDRAWAL", "1", "ETH")).rejects.toMatchObject({
    reason: "1 ETH is more than the account has, which is 0 ETH",
  })
  await it.fund("WITHDRAWAL", "10")
})
