/**
 * Venues whose orders are not proven, in an installation that has opted in to one of them. Of those that are offered none is left, so two are marked
 * so before the gateway starts, in the test's own process.
 */
import { rmSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readSettings } from "../../../../src/config.ts"
import type { VenueCapabilityRecord } from "../../../../src/domain/instrument/venue.ts"
import { UNANSWERED_ORDERS } from "../../../../src/venues/adapters/plain.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import { scratchDirectory } from "../../../kit/postgres.ts"
import { readyOf, startInside } from "../../../kit/servers/gateway-inside.ts"
import { type Newcomer, signUp } from "../users/people.ts"
import { withDatabaseServer } from "./database.ts"

const [WITHOUT, WITH] = ["DERIBIT", "GEMINI"] as const

const newDatabase = withDatabaseServer()
const dataDir = scratchDirectory("unproven")
let scope: Scope.CloseableScope
let ada: Newcomer

beforeAll(async () => {
  for (const profile of PROFILES)
    if (profile.venue === WITHOUT || profile.venue === WITH) Object.assign(profile, { orders: UNANSWERED_ORDERS })
  const settings = readSettings({
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: (await newDatabase()).url,
    EXPERIMENTAL_ORDERS: WITH,
    // No venue is reached.
    VENUE_ROUTES: "{}",
    RATE_LIMITS: "off",
    FRESH_SECONDS: "86400",
  })
  scope = await Effect.runPromise(Scope.make())
  ada = await signUp(readyOf(await Effect.runPromise(startInside(settings).pipe(Scope.extend(scope)))))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(dataDir, { recursive: true, force: true })
})

const connect = async (venue: string) => {
  const { status, envelope } = await ada.calls.connect({
    venue,
    credentialIds: ["0aaaaaaa-0000-4000-8000-000000000001"],
  })
  return { status, errno: envelope.errno, details: envelope.details }
}

describe("a venue whose orders are not proven", () => {
  it("connects nobody before the installation has opted in, and says what is missing and how", async () => {
    expect(await connect(WITHOUT)).toMatchObject({
      status: 400,
      errno: -130007,
      details: {
        code: "EXPERIMENTAL_VENUE",
        metadata: {
          venue: WITHOUT,
          missing: UNANSWERED_ORDERS.missing,
          optIn: expect.stringContaining(`must add ${WITHOUT} to EXPERIMENTAL_ORDERS`),
        },
      },
    })
  })

  it("is as any other where it has: what is asked for next is the key", async () => {
    for (const venue of ["BINANCE", WITH])
      expect(await connect(venue)).toMatchObject({
        status: 404,
        errno: -121001,
        details: { code: "CREDENTIAL_NOT_FOUND" },
      })
  })

  it("says so in the lists, with what is missing, and whether orders are taken", async () => {
    const venues = new Map((await ada.calls.venues()).record.map(({ venue, orders }) => [venue, orders]))
    const list = await ada.calls.get<ReadonlyArray<VenueCapabilityRecord>>("/market/venue/capability/list")
    const told = [WITHOUT, WITH, "BINANCE"].map((name) => {
      const { orders, ordersMissing, takesOrders } = list.record.find(({ venue }) => venue === name)!
      return [venues.get(name), orders, ordersMissing, takesOrders]
    })
    const { missing } = UNANSWERED_ORDERS
    expect(told).toEqual([
      ["EXPERIMENTAL", "EXPERIMENTAL", missing, false],
      ["EXPERIMENTAL", "EXPERIMENTAL", missing, true],
      ["PROVEN", "PROVEN", null, true],
    ])
  })
})
