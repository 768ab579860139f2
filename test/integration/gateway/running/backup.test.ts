/** A backup taken under load, restored into a new place: every order and every balance that was answered before it is there. */

import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { backUp } from "../../../../src/store/embedded/backup.ts"
import { scratchDirectory } from "../../../kit/postgres.ts"
import { founder } from "../../../kit/servers/founder.ts"
import { api, endGateways, startGateway } from "../../../kit/servers/gateway.ts"
import { ordersOf } from "../../../torture/kill/kill-judge.ts"

afterAll(endGateways)

describe("a backup of the embedded database", () => {
  it("taken while orders are placed has all that was answered before, and what it has is whole", async () => {
    const gateway = await startGateway()
    const calls = await founder(gateway, "ada@example.com")
    const { tradingAccountId } = (await calls.connectMock()).record
    const wallet = (await calls.post<{ walletId: string }>("/wallet/create", { nickname: "Savings" })).record
    const funded = await calls.post("/wallet/deposit", { walletId: wallet.walletId, asset: "USDT", amount: "1000.5" })
    expect(funded.status).toBe(200)
    const submit = (key: string) =>
      calls.submit({
        tradingAccountId,
        instrumentId: "MOCK:BTC/USDT",
        orderSide: "BUY",
        orderType: "LIMIT",
        quantity: "0.01",
        limitPrice: "1000",
        idempotencyKey: key,
      })
    const before = await Promise.all(Array.from({ length: 20 }, (_, n) => submit(`before-${n}`)))
    let isOver = false
    let placed = 0
    const load = (async () => {
      while (!isOver) {
        await submit(`during-${placed}`)
        placed += 1
      }
    })()
    const folder = scratchDirectory("backup")
    const copy = await backUp(gateway.dataDir, folder)
    isOver = true
    await load
    expect(placed).toBeGreaterThan(0)
    expect(copy.bytes).toBeGreaterThan(1_000_000)
    await gateway.stop()

    const dataDir = scratchDirectory("restored")
    // As the guide says; -a keeps the owner.
    execFileSync("cp", ["-a", join(folder, "postgres"), join(dataDir, "postgres")])
    // Kept apart, and needed: with other keys tokens and stored credentials mean nothing.
    expect(existsSync(join(folder, "keys"))).toBe(false)
    mkdirSync(join(dataDir, "keys"), { mode: 0o700 })
    cpSync(join(gateway.dataDir, "keys"), join(dataDir, "keys"), { recursive: true })

    const restored = await startGateway({ dataDir })
    const again = api(restored).as(calls.token)
    for (const { record } of before) {
      const found = (await again.order(tradingAccountId, record.tradeOrderId)).record
      expect([found.tradeOrderId, found.quantity, found.limitPrice]).toEqual([
        record.tradeOrderId,
        record.quantity,
        record.limitPrice,
      ])
    }
    const keys = (await ordersOf({ calls: again, tradingAccountId })).map(({ idempotencyKey }) => idempotencyKey)
    // No hole in what came meanwhile: it ends somewhere, and everything before that is there.
    const during = keys.filter((key) => key?.startsWith("during-")).map((key) => Number(key?.slice("during-".length)))
    expect(during.sort((a, b) => a - b)).toEqual(during.map((_, n) => n))
    const balances = await again.get<{ balances: ReadonlyArray<{ asset: string; balance: string }> }>("/wallet/get", {
      walletId: wallet.walletId,
    })
    expect(JSON.stringify(balances.record)).toContain("1000.5")
    expect((await again.serving()).checks["ledger"]?.status).toBe("healthy")
  })

  it("is refused into a folder that has one, and without a database", async () => {
    const folder = scratchDirectory("backup")
    await expect(backUp(join(folder, "nowhere"), join(folder, "copy"))).rejects.toThrow("there is no database in")
  })
})
