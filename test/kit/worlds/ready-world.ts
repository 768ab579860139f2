/** A simulated world whose account is ready and has told it, and orders placed there, by the gateway or beside it. */
import { expect } from "vitest"
import type { Credential } from "../../../src/domain/account/credential.ts"
import type { CredentialId, TenantId, TradeOrderId, UserId } from "../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { SimOrder } from "../../sim/venue/exchange.ts"
import { BTC_USDT, SIM } from "../../sim/venue/listing.ts"
import { okOf, START, World, type WorldOptions } from "../../sim/world.ts"

type Request = NonNullable<Parameters<World["submit"]>[0]>
/** Of a submit; texts need no brand here. */
export type Patch = { readonly [Field in keyof Request]?: Request[Field] | string | undefined }

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
  const asked = world.submit(patch as Request)
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

/** As another program of the account's owner places it at the venue; under `name`, as a submit of ours that nothing here remembers. */
export const placedElsewhere = (
  world: World,
  patch: Partial<SimOrder["order"]> = {},
  name: TradeOrderId | null = null,
): SimOrder =>
  world.venue.place(
    {
      instrumentId: BTC_USDT,
      orderSide: "BUY",
      orderType: "LIMIT",
      timeInForce: "GTC",
      quantity: "1",
      limitPrice: "100",
      ...patch,
    },
    name,
  )
