/** Two worlds whose store is PostgreSQL, `.ci/run` goes on: it must do with each batch what the memory store does, and be read as it was written. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { testDatabase } from "../kit/servers/database.ts"
import { openSqlWorlds } from "./postgres/postgres.ts"
import { type Outcome, simulate } from "./simulation.ts"

const SEEDS = 2

describe("accounts whose store is PostgreSQL", () => {
  let close = async (): Promise<void> => undefined
  let run: (seed: number) => Outcome

  beforeAll(async () => {
    const database = await testDatabase()
    const worlds = await openSqlWorlds(database.url, database.adminUrl)
    run = (seed) => {
      worlds.reset()
      return simulate(seed, { backing: worlds.backing })
    }
    close = async () => {
      worlds.close()
      await database.drop()
    }
  })
  afterAll(() => close())

  it(`break no rule, in ${SEEDS} worlds`, { timeout: 300_000 }, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violations, trace } = run(seed)
      expect({ seed, violations }).toEqual({ seed, violations: [] })
      // One seed is one world, whatever its store is and whatever the database held before.
      expect({ seed, trace }).toEqual({ seed, trace: simulate(seed).trace })
    }
  })
})
