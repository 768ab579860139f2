/** The faults of `npm run torture -- worker-faults`, once each and without a clock: who comes back, who notices nothing, and who lives. */
import { beforeAll, describe, expect, it } from "vitest"
import { causeFaults, FAULTS, type WorkerFaults } from "./worker-faults.ts"
import { VENUES } from "./worker-faults-host.ts"

describe("a thread that fails while three venues stream", () => {
  let faults: WorkerFaults
  beforeAll(async () => {
    faults = await causeFaults({ rounds: 1, stepMillis: 100, calmMillis: 200, built: false, progress: () => undefined })
  }, 240_000)

  const roundsOf = (threads: string) => faults.rounds.filter((round) => round.threads === threads)

  it("comes back with fresh books, whatever happened to it", () => {
    for (const threads of ["apart", "together"]) expect(roundsOf(threads).map(({ how }) => how)).toEqual(FAULTS)
    for (const { how, victim, during } of faults.rounds) {
      const { downs, snapshots } = during.venues[victim]
      // Two books each.
      if (how === "reject") expect([how, downs, snapshots]).toEqual([how, 0, 0])
      else expect([how, downs >= 2, snapshots >= 2]).toEqual([how, true, true])
    }
  })

  it("disturbs nobody who has a thread of his own", () => {
    for (const { how, victim, during } of roundsOf("apart"))
      for (const other of VENUES.filter((name) => name !== victim))
        expect({ how, other, downs: during.venues[other].downs }).toEqual({ how, other, downs: 0 })
  })

  it("takes down who shares it, and they come back, too", () => {
    for (const { how, during } of roundsOf("together"))
      for (const name of VENUES) expect(during.venues[name].downs > 0).toBe(how !== "reject")
  })

  it("leaves no book with a hole, and the process alive to its proper end", () => {
    expect(
      faults.rounds.flatMap(({ during }) => VENUES.map((name) => during.venues[name].holes)).filter(Boolean),
    ).toEqual([])
    expect(faults.endings).toEqual(["0", "0"])
  })
})
