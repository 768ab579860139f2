/** The faults of the store in memory, which simulations rely on: what a held, slow, dying or refusing database does to units. */
import { randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { UserId } from "../../../src/domain/ids.ts"
import type { CommitOutcome } from "../../../src/ports/account-store.ts"
import { makeMemoryAccountStore, makeMemoryDatabase } from "../../kit/worlds/memory-account-store.ts"
import { commit, event, newAccount, newOrder, orderRow } from "./account-store-rig.ts"

/** A store whose time stands still: `advance` runs what is due, in order. */
const world = () => {
  const account = newAccount(randomUUID() as UserId)
  const database = makeMemoryDatabase([account])
  let now = 0
  let due: Array<{ readonly at: number; readonly run: () => void }> = []
  const start = () =>
    makeMemoryAccountStore(database, (run, delayMillis) => {
      due.push({ at: now + delayMillis, run })
    })
  const advance = (millis: number): void => {
    now += millis
    for (;;) {
      const next = due.filter((one) => one.at <= now).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) return
      due = due.filter((one) => one !== next)
      next.run()
    }
  }
  const outcomes: Array<string> = []
  const put = (memory: ReturnType<typeof start>): void =>
    memory.store.commit({
      accountId: account.tradingAccountId,
      rows: [orderRow(newOrder(account))],
      events: [event()],
      settled: (outcome) => outcomes.push(outcome._tag === "Committed" ? `${outcome.firstSequence}` : outcome._tag),
    })
  return { account, database, start, advance, outcomes, put }
}

describe("the account store in memory", () => {
  it("settles after its delay, when its schedule says so", () => {
    const { start, advance, outcomes, put } = world()
    const memory = start()
    memory.faults.delay(100)
    put(memory)
    advance(99)
    expect(outcomes).toEqual([])
    advance(1)
    expect(outcomes).toEqual(["1"])
  })

  it("keeps everything waiting while it is held", () => {
    const { start, advance, outcomes, put } = world()
    const memory = start()
    put(memory)
    memory.faults.hold()
    put(memory)
    advance(10_000)
    expect(outcomes).toEqual([])
    expect(memory.waiting()).toBe(2)
    memory.faults.release()
    advance(0)
    expect(outcomes).toEqual(["1", "2"])
    expect(memory.waiting()).toBe(0)
  })

  it.each([
    ["beforeCommit", 1],
    ["afterCommit", 3],
  ] as const)(
    "dies %s: settles nothing more, and a new process finds the batch stored whole or not at all",
    (when, stored) => {
      const { database, start, advance, outcomes, put } = world()
      const memory = start()
      put(memory)
      advance(0)
      memory.faults.dieNext(when)
      put(memory)
      put(memory)
      advance(0)
      put(memory)
      advance(1_000)
      expect(memory.hasDied()).toBe(true)
      expect(outcomes).toEqual(["1"])
      expect(database.orders.size).toBe(stored)
      const next = start()
      put(next)
      advance(0)
      expect(outcomes).toEqual(["1", `${stored + 1}`])
    },
  )

  it("refuses the units that it is told to", async () => {
    const account = newAccount(randomUUID() as UserId)
    const memory = makeMemoryAccountStore(makeMemoryDatabase([account]))
    const unit = (events: number) => ({
      accountId: account.tradingAccountId,
      rows: [],
      events: Array.from({ length: events }, () => event()),
    })
    memory.faults.refuse(({ events }) => (events.length === 2 ? "no pairs" : undefined))
    const outcomes: Array<CommitOutcome> = []
    for (const events of [1, 2, 3]) outcomes.push(await commit(memory.store, unit(events)))
    expect(outcomes).toEqual([
      { _tag: "Committed", firstSequence: 1 },
      { _tag: "Refused", reason: "no pairs" },
      { _tag: "Committed", firstSequence: 2 },
    ])
    memory.faults.refuse(null)
    expect(await commit(memory.store, unit(2))).toEqual({ _tag: "Committed", firstSequence: 5 })
  })
})
