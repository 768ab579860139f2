/** The short form of `npm run torture -- failpoints`: the gateway kills itself once at every named place (scoreboard F1). */
import { afterAll, expect, it, vi } from "vitest"
import { endGateways } from "../../kit/gateway.ts"
import { failpoints, PATIENCE_MILLIS } from "../../torture/failpoints/failpoints.ts"
import { SCENES } from "../../torture/failpoints/scenes.ts"

// Two real processes start for each place, each in seconds when the machine is busy.
vi.setConfig({ testTimeout: 1_500_000 })
afterAll(endGateways)

const quiet = (): void => undefined

it.each([
  "binance",
  "mock trigger.committed",
  "mock amend.dispatched",
  "desk quote.settled",
  "desk hedge.submitted",
  "desk hedge.unanswered",
])("dies at %s, and nothing is lost, sent twice, stuck or otherwise than at the venue", async (only) => {
  const verdicts = await failpoints({
    runs: 1,
    seed: 21,
    only,
    truthMillis: PATIENCE_MILLIS,
    lanes: 2,
    progress: quiet,
  })
  expect(verdicts.filter(({ passed }) => !passed)).toEqual([])
  expect(verdicts).toHaveLength(SCENES.filter(({ venue, place }) => `${venue} ${place}`.includes(only)).length)
})
