/** What counts as an attempt of a hedge, and who is told when an account comes back: what worlds of the simulation have shown. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HedgeDeskInForce } from "../../../src/actors/hedge-desk.ts"
import type { TradingAccount } from "../../../src/domain/trading-account.ts"
import { HedgeWorld } from "../../kit/hedge-world.ts"
import { intentOf, LINKED } from "../../kit/hedges.ts"
import { CREDENTIAL, readyWorld } from "../../kit/ready-world.ts"
import { ACCOUNT, credentialId } from "../../sim/accounts.ts"

const NO_FUNDS = "INSUFFICIENT_BALANCE: Account has insufficient balance"

describe("an attempt of a hedge", () => {
  it("counts although its answer was lost and it was refused before it was asked for again", () => {
    const world = new HedgeWorld({ attemptsMax: 1, retryMs: 10_000 })
    world.failures = ["LOST"]
    world.executed(intentOf(1))
    world.keeper.hear(world.order())
    world.refuses(NO_FUNDS)
    world.pass(9_000)
    expect(world.sent()).toEqual(["BUY 1 @ 100.25"])
    world.pass(2_000)
    expect(world.sent()).toHaveLength(2)
    expect(world.alerts).toEqual([`-1 BTC is open: ${NO_FUNDS}`])
  })

  it("counts as filled although its answer was lost", () => {
    const world = new HedgeWorld()
    world.failures = ["LOST"]
    world.executed(intentOf(1))
    world.keeper.hear(world.order())
    world.becomes("FILLED", "1")
    world.pass(60_000)
    expect([world.sent().length, world.keeper.report()[0]?.state]).toEqual([1, "FLAT"])
  })

  it("that cannot leave without a book hides no refusal of those that can", () => {
    const world = new HedgeWorld({ attemptsMax: 1, repriceMs: 100, retryMs: 1_000, allowMarket: true })
    world.executed(intentOf(1))
    world.book = []
    world.refuses(NO_FUNDS)
    for (let minute = 0; minute < 30 * 60; minute++) {
      if (world.order().orderStatus === "CREATED") world.refuses(NO_FUNDS)
      world.pass(1_000)
    }
    // 1, 2, 4 … s apart, five minutes at last; every second it were 1,500.
    expect(world.sent().length).toBeLessThan(20)
    // It goes on at market all the same.
    expect(world.sent().at(-1)).toBe("BUY 1 @ market")
  })
})

describe("a book that a hedge needed", () => {
  it("is let go with the incarnation that kept it open: the next one knows nothing of it", () => {
    const world = new HedgeWorld()
    world.executed(intentOf(1))
    expect([...world.held]).toEqual(["MOCK:BTC/USDT"])
    world.keeper.close()
    expect([...world.held]).toEqual([])
  })
})

describe("an account that can be asked again", () => {
  it("has people told of the hedge in doubt there as one that is asked for", () => {
    const world = new HedgeWorld()
    world.executed(intentOf(1))
    world.becomes("UNKNOWN", "0")
    world.lose(LINKED, "INACTIVE")
    // The process ends and another one begins: nobody has been told of this doubt but as of one that is carried.
    world.kill()
    world.alerts.length = 0
    world.statuses.set(LINKED, "ACTIVE")
    world.keeper.found(LINKED)
    expect(world.keeper.report()[0]?.state).toBe("IN_DOUBT")
    expect(world.alerts).toEqual(["the outcome of a hedge of BTC/USDT is not known"])
  })

  it("tells the dealers, as one that is gone does", () => {
    const told: Array<string> = []
    Effect.runSync(HedgeDeskInForce).serve({
      tell: () => undefined,
      lost: (id) => void told.push(`lost ${id}`),
      found: (id) => void told.push(`found ${id}`),
    })
    const world = readyWorld({ account: { credentials: [CREDENTIAL] }, venue: { needsCredentials: true } }, "100")
    told.length = 0
    expect([world.status(), told]).toEqual(["ACTIVE", []])
    world.venue.tell({ _tag: "SessionRefused", reason: "revoked at the venue" })
    world.advance(1_000)
    expect([world.status(), told]).toEqual(["INACTIVE", [`lost ${ACCOUNT}`]])
    const attach = [{ ...CREDENTIAL, credentialId: credentialId(2) }]
    world.ask<TradingAccount>((reply) => ({ _tag: "UpdateAccount", nickname: null, attach, reply }))
    world.advance(60_000)
    expect([world.status(), told]).toEqual(["ACTIVE", [`lost ${ACCOUNT}`, `found ${ACCOUNT}`]])
    world.leave()
  })
})
