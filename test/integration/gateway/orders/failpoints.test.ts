/**
 * The gateway kills itself on an order's way back and on a hedge's. Every place (scoreboard F1), also those in the middle of work of many
 * steps, in its start and on what it does by itself, is `npm run torture -- failpoints`, once each in `.ci/run`; an order's way out is in
 * kill.test.ts.
 */
import { afterAll, describe, it, vi } from "vitest"
import { endGateways, until } from "../../../kit/servers/gateway.ts"
import { failpoints, PATIENCE_MILLIS, scenesOf } from "../../../torture/failpoints/failpoints.ts"
import { openStage, submit } from "../../../torture/failpoints/stage.ts"
import { examineUntilTrue } from "../../../torture/failpoints/truth.ts"

// A real process starts for each place, in seconds when the machine is busy.
vi.setConfig({ testTimeout: 600_000 })
afterAll(endGateways)

const PLACES = ["binance fill.written", "desk hedge.submitted"]

/** No fill is told in the time of a test. */
const NEVER_MILLIS = 3_600_000

// Side by side: both wait for most of their time.
describe.concurrent("a gateway that dies at a named place", () => {
  it("loses nothing, sends nothing twice, and knows what the venue knows", async ({ expect }) => {
    const verdicts = await failpoints({
      runs: 1,
      seed: 21,
      only: PLACES,
      truthMillis: PATIENCE_MILLIS,
      progress: () => undefined,
    })
    expect(verdicts.filter(({ passed }) => !passed)).toEqual([])
    expect(verdicts).toHaveLength(PLACES.length)
    expect(scenesOf({ only: PLACES })).toHaveLength(PLACES.length)
  })

  it("is judged by a last look that finds what the gateway never heard of, and waits for what it is yet to hear", async ({
    expect,
  }) => {
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
})
