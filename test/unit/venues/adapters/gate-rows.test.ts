/** Gate's own rows of market buys and a cancel, as programs of ccxt's contributors printed them (its pull requests 16793 and 19098), in a session's words. */
import { afterEach, describe, expect, it } from "vitest"
import { type Scripted, scripted } from "../../../kit/worlds/scripted-session.ts"

const BUY = {
  ...{ account: "spot", currency_pair: "LTC_USDT", fee_currency: "LTC", gt_discount: false, gt_fee: "0" },
  ...{ gt_maker_fee: "0", gt_taker_fee: "0", iceberg: "0", point_fee: "0", price: "0", rebated_fee: "0" },
  ...{ rebated_fee_currency: "USDT", side: "buy", text: "apiv4", time_in_force: "ioc", type: "market", amount: "5" },
}
const OF_2023_02 = {
  ...{ ...BUY, id: "276762839244", status: "cancelled", left: "0.000000000141", avg_deal_price: "91.99" },
  ...{ filled_total: "4.999999999859", fill_price: "4.999999999859", fee: "0.0001087074682" },
  ...{ create_time_ms: "1676028607311", update_time_ms: "1676028607311" },
}
const OF_2023_09 = {
  ...{ ...BUY, id: "394120049349", status: "closed", finish_as: "filled", left: "0.00566", avg_deal_price: "64.03" },
  ...{ filled_total: "4.99434", fill_price: "4.99434", fee: "0.000156", amend_text: "-", biz_info: "ch:ccxt" },
  ...{ create_time_ms: "1693826050324", update_time_ms: "1693826050324" },
}
const CANCELLED = {
  ...{ ...BUY, id: "394120203701", type: "limit", time_in_force: "gtc", amount: "0.1", left: "0.1", price: "50" },
  ...{ status: "cancelled", finish_as: "cancelled", fill_price: "0", filled_total: "0", fee: "0" },
  ...{ create_time_ms: "1693826078214", update_time_ms: "1693826100792" },
}

let world: Scripted | undefined
afterEach(async () => {
  await world?.session.stop()
  world = undefined
})

describe("a row of GATE", () => {
  it.each([
    [
      "of a market buy that was called cancelled for a crumb",
      OF_2023_02,
      { status: "FILLED", executedQuantity: "0.0543537341" },
    ],
    [
      "of a market buy that was called filled with something left",
      OF_2023_09,
      { status: "FILLED", executedQuantity: "0.078" },
    ],
    [
      "of a cancelled order",
      CANCELLED,
      { status: "CANCELLED", ending: null, quantity: "0.1", executedQuantity: "0", updatedAt: 1_693_826_100_792 },
    ],
  ])("%s is what it was", async (_, row, state) => {
    world = await scripted("GATE", "LTC_USDT", () => row)
    expect(await world.session.questions.order(world.ref)).toMatchObject({
      externalOrderId: row.id,
      clientId: "apiv4",
      ...state,
    })
  })

  it("of an order of ours is changed by a request that says until when it is good", async () => {
    world = await scripted("GATE", "LTC_USDT", () => ({ ...CANCELLED, status: "open", finish_as: "open" }))
    const { session, asked, ref } = world
    await session.amend(ref, {
      quantity: "0.2",
      limitPrice: "51",
      stopPrice: null,
      askedAt: 1,
      notAfter: Date.now() + 1000,
    })
    const [change] = asked
    expect(change).toMatchObject({ method: "PATCH" })
    expect(Number(change?.headers["x-gate-exptime"]) - Date.now()).toBeGreaterThan(0)
    expect(Number(change?.headers["x-gate-exptime"]) - Date.now()).toBeLessThanOrEqual(5000)
  })
})
