/** What PostgreSQL keeps of a cancel that is under way when the process ends: why it was asked for, and that it was carried out. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { testDatabase } from "../../kit/servers/database.ts"
import { placed } from "../../kit/worlds/ready-world.ts"
import { openSqlWorlds, type SqlWorlds } from "../../sim/postgres/postgres.ts"
import { simAccount, World } from "../../sim/world.ts"

/** A little more than an order that the venue had, and forgot, is waited for. */
const GONE_MILLIS = 360_000

let worlds: SqlWorlds
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await testDatabase()
  worlds = await openSqlWorlds(database.url, database.adminUrl)
  drop = () => database.drop()
})
afterAll(async () => {
  worlds.close()
  await drop()
})
beforeEach(() => worlds.reset())

const started = (): World => {
  const world = new World({ backing: worlds.backing })
  world.database.accounts.clear()
  world.insert(simAccount())
  world.start()
  world.advance(1_000)
  expect(world.status()).toBe("ACTIVE")
  return world
}

const restarted = (world: World): void => {
  world.crash()
  world.venue.fates.cancel = () => "accept"
  world.start()
}

describe("a cancel that the next process hears the end of", () => {
  it("ends the order for the reason that it was asked for", () => {
    const world = started()
    const { tradeOrderId } = placed(world)
    world.venue.fates.cancel = () => "silentBefore"
    world.ask((reply) => ({ _tag: "CancelAllAfter", timeoutMillis: 2_000, reply }))
    world.advance(3_000)
    expect(world.read(tradeOrderId).orderStatus).toBe("PENDING_CANCEL")
    restarted(world)
    world.advance(30_000)
    expect(world.read(tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "DEAD_MAN_SWITCH" })
    expect(worlds.backing.differences(world.database)).toEqual([])
  })

  it("says that the order was there, though nothing else ever did", () => {
    const world = started()
    world.venue.fates.submit = () => "silentAfter"
    world.venue.fates.stream = (report) => (report._tag === "OrderSeen" ? "drop" : "deliver")
    world.venue.isKnown = ({ status }) => status !== "CANCELLED"
    const { tradeOrderId } = placed(world)
    world.cancel(tradeOrderId)
    world.advance(100)
    restarted(world)
    world.advance(GONE_MILLIS)
    const order = world.read(tradeOrderId)
    expect(order).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST", externalOrderId: null })
    expect(worlds.backing.differences(world.database)).toEqual([])
  })
})
