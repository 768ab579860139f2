/**
 * Scoreboard B1: eight thousand requests for all declared endpoints, right, nearly right and wrong, with all kinds of tokens. Many more: `npm run torture -- B1`.
 */
import { afterAll, expect, it } from "vitest"
import { judgeAftermath } from "../../kit/http-fuzz/fuzz-aftermath.ts"
import { startFuzzedGateway } from "../../kit/http-fuzz/fuzz-gateway.ts"
import { httpFuzz, neverDone } from "../../kit/http-fuzz/http-fuzz.ts"
import { endGateways } from "../../kit/servers/gateway.ts"
import { withDatabaseServer } from "../gateway/running/database.ts"

const newDatabase = withDatabaseServer()
afterAll(endGateways)

const REQUESTS = 8_000
const AWAY = /(Venue|OrderBook|Ticker|Portfolio)Unavailable$|AccountReconciling$/

it("every endpoint answers whatever it is sent, in the envelope, with what it declares, and leaves everything in order", {
  timeout: 600_000,
}, async () => {
  const { url } = await newDatabase()
  const gateway = await startFuzzedGateway(url)
  const facts = await httpFuzz(gateway, { requests: REQUESTS, seed: 7 })
  expect({ ended: facts.ended, faults: facts.faults }).toEqual({ ended: null, faults: [] })
  // Of one venue that cannot be reached, and of feeds and accounts that are not there yet; each endpoint declares it.
  for (const away of Object.keys(facts.away)) expect(away).toMatch(AWAY)
  // A machine that does ten things at once may store too late for a few of them; a gateway that refuses its work would for many.
  expect(facts.starved).toBeLessThan(REQUESTS / 20)
  expect(neverDone(facts)).toEqual([])
  const verdicts = await judgeAftermath(gateway, facts, url)
  expect(verdicts.filter(({ passed }) => !passed)).toEqual([])
})
