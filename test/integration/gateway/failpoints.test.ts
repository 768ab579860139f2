/** The short form of `npm run torture -- failpoints`: the gateway kills itself once at every named place (scoreboard F1). */
import { afterAll, expect, it, vi } from "vitest"
import { endGateways, until } from "../../kit/gateway.ts"
import { failpoints, PATIENCE_MILLIS } from "../../torture/failpoints/failpoints.ts"
import { SCENES } from "../../torture/failpoints/scenes.ts"
import { openStage, submit } from "../../torture/failpoints/stage.ts"
import { examineUntilTrue } from "../../torture/failpoints/truth.ts"

// Two real processes start for each place, each in seconds when the machine is busy.
vi.setConfig({ testTimeout: 1_500_000 })
afterAll(endGateways)

/** No fill is told in the time of a test. */
const NEVER_MILLIS = 3_600_000

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

it("is judged by a last look that finds what the gateway never heard of, and waits for what it is yet to hear", async () => {
  const stage = await openStage({}, undefined, { fillsLateMillis: NEVER_MILLIS })
  try {
    await stage.start()
    const trader = await stage.enter("binance")
    for (const match of ["GET /api/v3/order", "GET /api/v3/myTrades", "GET /api/v3/openOrders"])
      stage.exchange.fault({ fault: "answer", match, times: "always", action: { kind: "status", status: 503 } })
    await until("a fill at the exchange", async () => {
      await submit(trader, { orderSide: "BUY", orderType: "MARKET", awaitAccepted: true })
      return stage.exchange.fills(trader.apiKey).length > 0
    })
    const [before] = await examineUntilTrue(stage, [trader], 1_000)
    expect(before?.different).toContainEqual(expect.stringMatching(/ 0( in doubt)?, there FILLED/))
    stage.exchange.fault({ fault: "clear" })
    const [after] = await examineUntilTrue(stage, [trader], PATIENCE_MILLIS)
    expect(after).toMatchObject({ stuck: [], different: [], twice: [], lost: [] })
  } finally {
    await stage.close()
  }
})
