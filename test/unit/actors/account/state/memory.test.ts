/** What an account costs that is connected and has nothing to do: bytes of heap that are free again when its process ends. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { accountId, simAccount, userId } from "../../../../sim/accounts.ts"
import { World } from "../../../../sim/world.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const ACCOUNTS = 300
/** With the simulated venue's own session, and with the names that the tests' compiler may give to functions. */
const LIMIT_BYTES = 26_000
/** Between two audits. */
const REST_MILLIS = 187_500

const heap = (): number => {
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

const idleBytes = (): number => {
  const others = Array.from({ length: ACCOUNTS - 1 }, (_, index) => {
    const number = index + 2
    const externalTradingAccountId = `account ${number}`
    return simAccount({ tradingAccountId: accountId(number), userId: userId(number), externalTradingAccountId })
  })
  const world = new World({ others })
  world.start()
  world.isHeard = false
  world.advance(REST_MILLIS)
  expect(world.accounts.stats().live).toBe(ACCOUNTS)
  expect(world.inSession.size).toBe(ACCOUNTS)
  world.published.length = 0
  const awake = heap()
  world.leave()
  world.sources.clear()
  Object.assign(world, { accounts: undefined })
  const left = heap()
  expect(world.database.accounts.size).toBe(ACCOUNTS)
  return Math.round((awake - left) / ACCOUNTS)
}

describe("a connected account with nothing to do", () => {
  it("costs few bytes of heap", () => {
    const [, median] = [idleBytes(), idleBytes(), idleBytes()].sort((a, b) => a - b)
    expect(median).toBeLessThan(LIMIT_BYTES)
    expect(median).toBeGreaterThan(1_000)
  })
})
