/** What a returning client of an account's channel is given from the journal: letter for letter what it would have seen, or nothing. */
import { describe, expect, it } from "vitest"
import { accountChannel } from "../../../src/domain/channel.ts"
import { cancel, quiet, submit, withAccounts } from "./account-process.ts"

const { account, start } = withAccounts()

describe("the replay of an account's channel", () => {
  it("is letter for letter what was published, in the same process and in the next", async () => {
    const id = await account({ nickname: '"\u0001\u007f\u2028 é🙂 \\u0041 \ud83d' })
    const channel = accountChannel(id)
    const first = await start()
    first.rig.rejectNext("ODD", 'the venue said: "no" \u0000\u0001\t\n 🙂 \ud83d \\')
    await submit(first, id, { clientOrderId: "rejected" })
    const resting = await submit(first, id, { clientOrderId: "rests", quantity: "0.50" as never })
    if (!("order" in resting)) throw new Error("refused")
    await expect
      .poll(() => first.published.some(({ tags }) => tags?.["orderStatus"] === "ACCEPTED"), { timeout: 45_000 })
      .toBe(true)
    first.rig.fill(resting.order.tradeOrderId, "0.1", "1000")
    first.rig.fill(resting.order.tradeOrderId, "0.00001", "999.99")
    await submit(first, id, { orderType: "MARKET", limitPrice: null, quantity: "3" as never, orderSide: "SELL" })
    await first.ask(id, (reply) => ({ _tag: "UpdateAccount", nickname: 'É"\\ \u0001', attach: [], reply }))
    await cancel(first, id, resting.order.tradeOrderId)
    await quiet(first, id)
    const live = first.published.map(({ offset, json, tags }) => ({ offset, json, tags }))
    expect(live.map(({ offset }) => offset)).toEqual(live.map((_, index) => index + 1))
    expect(new Set(live.map(({ tags }) => tags?.["kind"])).size).toBeGreaterThanOrEqual(10)
    expect(first.position(channel)).toBe(live.length)
    expect(await first.replay(channel, 0, live.length)).toEqual(live)
    expect(await first.replay(channel, 4, 9)).toEqual(live.slice(4, 9))
    await first.end(true)

    const second = await start()
    expect(second.position(channel)).toBeGreaterThanOrEqual(live.length)
    expect(await second.replay(channel, 0, live.length)).toEqual(live)
    await second.end(true)
  })

  it("brings more than a page, and nothing beyond a thousand", async () => {
    const id = await account()
    const process = await start()
    const channel = accountChannel(id)
    while (process.position(channel) < 1_050)
      await Promise.all(
        Array.from({ length: 20 }, () => submit(process, id, { orderType: "MARKET", limitPrice: null })),
      )
    await quiet(process, id)
    const top = process.position(channel)
    const live = process.published.filter((it) => it.channel === channel)
    expect(live.at(-1)!.offset).toBe(top)
    expect((await process.replay(channel, top - 1_000, top))?.map(({ json }) => json)).toEqual(
      live.slice(-1_000).map(({ json }) => json),
    )
    expect(await process.replay(channel, top - 1_001, top)).toBe(null)
    await process.end(true)
  })
})
