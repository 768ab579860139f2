/** The writers of orders and of the ledger when they themselves are wrong: nothing settles any more, and the process is told to end. */
import { EventEmitter } from "node:events"
import type pg from "pg"
import { describe, expect, it } from "vitest"
import type { TradingAccountId } from "../../../src/domain/ids.ts"
import { startLedgerWriter } from "../../../src/ledger/ledger-writer.ts"
import { startOrderWriter } from "../../../src/store/orders/order-writer.ts"

/** A server whose answers no writer expects: stands for whatever the writer's own code may stumble over. */
const nonsense = async (): Promise<pg.Client> =>
  Object.assign(new EventEmitter(), {
    query: async () => ({ rows: [{ answer: "nonsense", trading_account_id: null }] }),
    end: async () => undefined,
  }) as unknown as pg.Client

const told = () => {
  const settled: Array<unknown> = []
  const defects: Array<unknown> = []
  let lost: (reason: string) => void = () => undefined
  const ended = new Promise<string>((resolve) => {
    lost = resolve
  })
  const options = {
    connect: nonsense,
    nodeId: "gateway",
    epoch: 1,
    lost: (reason: string) => lost(reason),
    defect: (error: unknown) => void defects.push(error),
    warn: () => undefined,
    now: () => 0,
  }
  return { options, settled, defects, ended }
}

describe("a writer with a defect of its own", () => {
  it("of orders says that the process must end, and settles nothing", async () => {
    const { options, settled, defects, ended } = told()
    const writer = startOrderWriter(options)
    const accountId = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f" as TradingAccountId
    // An account that the writer does not know and that is no account: numbering it fails.
    const broken = { accountId, rows: [{ _tag: "Account" }], events: [], settled: (it: unknown) => settled.push(it) }
    writer.commit(broken as never)
    expect(await ended).toBe("the order writer failed with a defect")
    expect([settled.length, defects.length, writer.pressure()]).toEqual([0, 1, "full"])
    await expect(writer.drain()).rejects.toThrow("defect")
  })

  it("of the ledger, too", async () => {
    const { options, settled, defects, ended } = told()
    const writer = startLedgerWriter(options)
    writer.post({
      requestId: "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f",
      transfers: [],
      facts: [],
      settled: (it) => settled.push(it),
    })
    expect(await ended).toBe("the ledger writer failed with a defect")
    expect([settled.length, defects.length, writer.pressure()]).toEqual([0, 1, "full"])
    await expect(writer.drain()).rejects.toThrow("defect")
  })
})
