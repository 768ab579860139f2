/** A simulated world whose account is ready and has told it, and orders placed there. */
import { expect } from "vitest"
import type { Credential } from "../../src/domain/credential.ts"
import type { CredentialId, TenantId, UserId } from "../../src/domain/ids.ts"
import type { TradeOrder } from "../../src/domain/trade-order.ts"
import { SIM } from "../sim/venue.ts"
import { okOf, START, World, type WorldOptions } from "../sim/world.ts"

export type Patch = Parameters<World["submit"]>[0]

/** What comes from now on is told in `published` alone. */
export const readyWorld = (options: WorldOptions = {}, lastPrice?: string): World => {
  const world = new World(options)
  if (lastPrice !== undefined) world.lastPrice = lastPrice
  world.start()
  world.advance(1_000)
  expect(world.status()).toBe("ACTIVE")
  world.published.length = 0
  return world
}

/** As it was when it was answered. */
export const placed = (world: World, patch: Patch = {}): TradeOrder => {
  const asked = world.submit(patch)
  world.advance(100)
  return okOf(asked).order
}

export const CREDENTIAL: Credential = {
  credentialId: "0eeeeeee-0000-4000-8000-000000000001" as CredentialId,
  tenantId: "default" as TenantId,
  userId: "0bbbbbbb-0000-4000-8000-000000000001" as UserId,
  venue: SIM,
  name: "key",
  type: "EXCHANGE",
  maskedApiKey: "****1234",
  status: "ACTIVE",
  createdAt: START,
  updatedAt: START,
  revokedAt: null,
}
