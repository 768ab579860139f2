/** Submits of type QUOTED under the same key: each begins once for every decision that it waited for. */
import { describe, expect, it } from "vitest"
import { Quoting } from "../../../../../src/actors/account/orders/waiting-submits.ts"
import { readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { ACCOUNT } from "../../../../sim/world.ts"

describe("submits that wait for their dealer", () => {
  it("begin once each when both keys of the first are the same text", () => {
    const quoting = new Quoting()
    const keys = { idempotencyKey: "same", clientOrderId: "same" }
    let begun = 0
    const decided = quoting.begin(keys)
    for (let count = 0; count < 12; count += 1)
      expect(
        quoting.holdUp(keys, () => {
          begun += 1
        }),
      ).toBe("waits")
    decided()
    expect(begun).toBe(12)
    expect(quoting.holdUp(keys, () => undefined)).toBe("free")
  })

  it("are refused when too many wait already", () => {
    const quoting = new Quoting()
    quoting.begin({ idempotencyKey: "a", clientOrderId: "b" })
    const answers = Array.from({ length: 40 }, () => quoting.holdUp({ clientOrderId: "b" }, () => undefined))
    expect(answers.filter((it) => it === "waits")).toHaveLength(32)
    expect(answers.at(-1)).toBe("full")
  })

  it("wait for nobody under keys of their own", () => {
    const quoting = new Quoting()
    quoting.begin({ idempotencyKey: "a" })
    expect(quoting.holdUp({ idempotencyKey: "c", clientOrderId: "d" }, () => undefined)).toBe("free")
  })
})

describe("news of a quote", () => {
  it("are told under the id and with the text that the dealer gave them", () => {
    const world = readyWorld()
    const news = { eventId: "0eeeeeee-0000-4000-8000-000000000009", tradingAccountId: ACCOUNT, at: 1, payload: "{}" }
    world.accounts.post(ACCOUNT, { _tag: "TellQuote", news })
    world.advance(100)
    const [event] = (world.database.events.get(ACCOUNT) ?? []).filter(({ kind }) => kind === "QUOTE.UPDATED")
    expect([event?.eventId, event?.at, event?.payload]).toEqual([news.eventId, news.at, news.payload])
    expect(world.published.at(-1)?.json).toContain(`"data":{}`)
  })
})
