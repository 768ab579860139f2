/** A short run of the bank test: money moves over HTTP while the gateway and its database are killed. */
import { afterAll, describe, expect, it } from "vitest"
import { endGateways } from "../../kit/gateway.ts"
import { bank } from "../../torture/bank.ts"

afterAll(endGateways)

describe("the bank", () => {
  // `npm run torture -- bank` is a minute of it, with two kills of each.
  it("loses nothing and makes nothing up while gateway and PostgreSQL are killed", async () => {
    const verdicts = await bank({
      seconds: 3,
      connections: 18,
      kills: 1,
      seed: 1,
      built: undefined,
      progress: () => {},
    })
    for (const { name, passed, says } of verdicts) expect([name, passed, says]).toEqual([name, true, says])
  })
})
