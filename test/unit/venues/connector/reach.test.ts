/** What is known of a venue's reach: what fails with one account's key alone turns nobody else away. */
import { describe, expect, it } from "vitest"
import { Reach } from "../../../../src/venues/connector/reach.ts"

const CUT = "VENUE_NETWORK: the socket was closed"

describe("an outage of a venue", () => {
  it("is what fails with its market data, and not with an account, however often that fails", () => {
    const reach = new Reach()
    reach.failed(CUT, "ACCOUNT")
    expect([reach.health(false).status, reach.outage(false)]).toEqual(["down", undefined])
    reach.failed(CUT, "MARKET")
    reach.failed("VENUE_TIMEOUT: a key of a stranger's", "ACCOUNT")
    expect(reach.outage(false)).toMatchObject({ reason: CUT })
    reach.seen()
    reach.failed(CUT, "ACCOUNT")
    expect([reach.health(false).status, reach.outage(false)]).toEqual(["down", undefined])
  })

  it("is over when the venue says anything, and is none where nothing is asked or only an order is refused", () => {
    const reach = new Reach()
    reach.failed("ORDER_REJECTED: no", "MARKET")
    expect([reach.health(false).status, reach.outage(false)]).toEqual(["idle", undefined])
    reach.lost("the connector was lost")
    expect([reach.outage(false)?.reason, reach.outage(true)]).toEqual(["the connector was lost", undefined])
    reach.seen()
    expect([reach.health(false).status, reach.outage(false)]).toEqual(["up", undefined])
  })
})
