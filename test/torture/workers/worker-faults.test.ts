/**
 * Three faults of `npm run torture -- worker-faults`, which `.ci/run` has whole, and without a clock: who comes back, who notices nothing, and
 * who lives. Each fault by itself is in test/integration/venues/connector-worker.test.ts.
 */
import { beforeAll, describe, expect, it } from "vitest"
import { isBuilt } from "../../kit/servers/gateway.ts"
import { causeFaults, type WorkerFaults } from "./worker-faults.ts"
import { type StreamFacts, VENUES } from "./worker-faults-host.ts"

/** By the death of a thread; a starved machine may cost a stream its place besides. */
const deaths = ({ reasons }: StreamFacts): ReadonlyArray<string> =>
  reasons.filter((reason) => reason.startsWith("the connector was lost"))

const FAULTS = { apart: ["oom", "reject"], together: ["exit"] } as const

describe("a thread that fails while three venues stream", () => {
  let faults: WorkerFaults
  beforeAll(async () => {
    faults = await causeFaults({
      rounds: 1,
      faults: FAULTS,
      stepMillis: 100,
      calmMillis: 200,
      missesMax: 20,
      built: isBuilt,
      progress: () => undefined,
    })
  }, 300_000)

  const roundsOf = (threads: keyof typeof FAULTS) => faults.rounds.filter((round) => round.threads === threads)

  it("comes back with fresh books, whatever happened to it", () => {
    for (const threads of ["apart", "together"] as const)
      expect(roundsOf(threads).map(({ how }) => how)).toEqual(FAULTS[threads])
    for (const { how, victim, during } of faults.rounds) {
      const lost = deaths(during.venues[victim]).length
      // Two books each.
      expect([how, lost]).toEqual([how, how === "reject" ? 0 : 2])
      expect([how, during.venues[victim].snapshots >= lost]).toEqual([how, true])
    }
  })

  it("disturbs nobody who has a thread of his own", () => {
    for (const { how, victim, during } of roundsOf("apart"))
      for (const other of VENUES.filter((name) => name !== victim))
        expect({ how, other, deaths: deaths(during.venues[other]) }).toEqual({ how, other, deaths: [] })
  })

  it("takes down who shares it, and they come back, too", () => {
    for (const { how, during } of roundsOf("together"))
      for (const name of VENUES)
        expect([how, deaths(during.venues[name]).length]).toEqual([how, how === "reject" ? 0 : 2])
  })

  it("leaves no book with a hole, and the process alive to its proper end", () => {
    expect(
      faults.rounds.flatMap(({ during }) => VENUES.map((name) => during.venues[name].holes)).filter(Boolean),
    ).toEqual([])
    expect(faults.endings).toEqual(["0", "0"])
  })
})
