/** Each loop of the source lives in a gateway that is really started: a defect is logged and counted, ends none of them, and is seen. */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { Effect, Exit, HashMap, Logger, Scope } from "effect"
import { afterAll, afterEach, expect, it, vi } from "vitest"
import { openProcessLog } from "../../../../src/composition/options.ts"
import { readSettings } from "../../../../src/config.ts"
import { startGateway } from "../../../../src/gateway.ts"
import { KeptLoop } from "../../../../src/kernel/loop.ts"
import { scratchDirectory } from "../../../kit/postgres.ts"
import { loopNames } from "../../../kit/rules/loop-names.ts"
import { api, until } from "../../../kit/servers/gateway.ts"
import { readyOf } from "../../../kit/servers/gateway-inside.ts"
import { withDatabaseServer } from "./database.ts"

const AUDIT = "ledger audit"

const newDatabase = withDatabaseServer()
const dataDir = scratchDirectory("loops")
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
afterEach(() => vi.restoreAllMocks())

/** The first round of each loop dies, and each one of the audit while `isAuditDead`. */
const plantDefects = () => {
  const met = new WeakSet<KeptLoop>()
  const plan = { isAuditDead: false }
  const { begins } = KeptLoop.prototype
  vi.spyOn(KeptLoop.prototype, "begins").mockImplementation(function (this: KeptLoop) {
    begins.call(this)
    const isFirst = !met.has(this)
    met.add(this)
    if (isFirst || (plan.isAuditDead && this.name === AUDIT)) throw new Error(`planted: ${this.name}`)
  })
  return plan
}

it("outlives a defect, each one of them, and says so", async () => {
  const plan = plantDefects()
  const logged = new Set<string>()
  const log = Logger.make<unknown, void>(({ message, annotations }) => {
    if ([message].flat()[0] === "a loop failed") logged.add(String(HashMap.unsafeGet(annotations, "loop")))
  })
  let metrics = ""
  const settings = readSettings({
    PORT: "0",
    METRICS_PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: (await newDatabase()).url,
    RATE_LIMITS: "off",
    ORDERS_KEPT_DAYS: "30",
    LEDGER_AUDIT_MS: "100",
    LEDGER_AUDIT_AGE_MAX_MS: "2000",
  })
  const scope = await Effect.runPromise(Scope.make())
  const gateway = await Effect.runPromise(
    startGateway({
      settings,
      log: openProcessLog("error", () => undefined),
      told: () => undefined,
      notice: (what, fields) => {
        if (what === "metrics") metrics = String(fields?.["url"])
      },
      fatal: (reason) => {
        throw new Error(reason)
      },
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, log)), Scope.extend(scope)),
  )
  try {
    const nobody = api(readyOf(gateway))
    const calls = nobody.as((await nobody.signup(`${randomUUID()}@example.com`)).record.accessToken)
    // A market lives from its first reader on, and MOCK moves while it is watched.
    await calls.get("/market/orderbook/get", { instrumentId: "MOCK:BTC/USDT" })
    // What waits for work gets some: a key that expires, a submit that is refused.
    await calls.post("/apiKey/create", { name: "short", scopes: ["read"], expiresAt: Date.now() + 3_600_000 })
    const { tradingAccountId } = (await calls.connectMock()).record
    const tooMuch = { tradingAccountId, instrumentId: "MOCK:BTC/USDT", orderSide: "BUY", orderType: "LIMIT" }
    expect((await calls.submit({ ...tooMuch, quantity: "9000", limitPrice: "50000" })).status).toBe(400)

    const rounds = async (): Promise<ReadonlyMap<string, { readonly good: number; readonly failed: number }>> => {
      const text = await (await fetch(metrics)).text()
      const of = (name: string) =>
        new Map(
          [...text.matchAll(new RegExp(`^${name}\\{loop="([^"]+)"\\} (\\d+)$`, "gm"))].map(([, a, b]) => [
            a!,
            Number(b),
          ]),
        )
      const failed = of("loop_failures_total")
      return new Map(
        [...of("loop_rounds_total")].map(([loop, good]) => [loop, { good, failed: failed.get(loop) ?? 0 }]),
      )
    }
    const checks = async () => {
      const { upkeep, ledger } = (await nobody.health()).checks
      return { upkeep: upkeep!, ledger: ledger! }
    }
    const patterns = loopNames()
    let lacking: ReadonlyArray<string> = []
    const all = await until(
      () => `a good round of ${lacking}`,
      async () => {
        const seen = await rounds()
        const absent = patterns.filter((pattern) => ![...seen.keys()].some((name) => pattern.test(name)))
        lacking = [...absent.map(String), ...[...seen].flatMap(([name, { good }]) => (good > 0 ? [] : [name]))]
        return lacking.length === 0 && seen
      },
    )
    for (const [name, { failed }] of all) {
      expect([name, failed > 0, logged.has(name)]).toEqual([name, true, true])
      expect([name, patterns.some((pattern) => pattern.test(name))]).toEqual([name, true])
    }
    const areWell = async (): Promise<boolean> =>
      Object.values(await checks()).every(({ status }) => status === "healthy")
    await until("the record to be well", areWell)

    plan.isAuditDead = true
    const dead = await until("the audit to be missed", async () => {
      const { upkeep, ledger } = await checks()
      return upkeep.status === "degraded" && ledger.status === "degraded" && { upkeep, ledger }
    })
    expect(dead.upkeep.reason).toMatch(/^ledger audit: fails since \d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(dead.ledger.reason).toMatch(/^audited [\d.]+ s ago$/)
    plan.isAuditDead = false
    await until("the record to be well again", areWell)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
})
