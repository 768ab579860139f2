/** The gateway kills itself around a commit of the ledger; whoever asks again with the same key hears how it ended, and moves nothing twice. */

import { rmSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WalletRecord } from "../../../src/domain/wallet/wallet.ts"
import type { StatementRow } from "../../../src/http/wallet/endpoints.ts"
import type { FailpointName } from "../../../src/ports/failpoint.ts"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { signUpFounder } from "../../kit/servers/founder.ts"
import { type Api, api, endGateways, type Gateway, startGateway } from "../../kit/servers/gateway.ts"

const directory = scratchDirectory("ledger-kill")
/** A process starts for each: one place by default, all with LEDGER_PLACES=all. `npm run torture -- bank` kills anywhere. */
const PLACES: ReadonlyArray<FailpointName> =
  process.env["LEDGER_PLACES"] === "all"
    ? ["ledger.handedToWriter", "ledger.written", "ledger.committed"]
    : ["ledger.committed"]
let server: EmbeddedPostgres

beforeAll(async () => {
  server = await startEmbeddedPostgres({ dataDir: directory })
})
afterAll(async () => {
  await endGateways()
  await server?.stop()
  rmSync(directory, { recursive: true, force: true })
})

describe("a transfer with a key", () => {
  it("is done once, wherever the gateway was killed", async () => {
    const start = (place: FailpointName | null, dataDir?: string): Promise<Gateway> =>
      startGateway({
        env: { DATABASE_URL: server.url(), MOCK_TICK_MS: "0", ...(place === null ? {} : { FAILPOINT: `${place}:2` }) },
        ...(dataDir === undefined ? {} : { dataDir }),
      })
    let gateway = await start(PLACES[0]!)
    const token = (await signUpFounder(gateway)).accessToken
    const calls = (): Api => api(gateway).as(token)
    const create = async (): Promise<string> => (await calls().post<WalletRecord>("/wallet/create", {})).record.walletId
    const [from, to] = [await create(), await create()]
    const transfer = (key: string) =>
      calls().call<string>(
        "POST",
        "/wallet/transfer",
        { sourceWalletId: from, destWalletId: to, asset: "USDT", amount: "1" },
        { "idempotency-key": key },
      )
    await calls().post("/wallet/deposit", { walletId: from, asset: "USDT", amount: "10" })
    const replays = new Map<FailpointName, string | null>()
    for (const [index, place] of PLACES.entries()) {
      await expect(transfer(place)).rejects.toThrow()
      expect((await gateway.exited).signal).toBe("SIGKILL")
      gateway = await start(PLACES[index + 1] ?? null, gateway.dataDir)
      const again = await transfer(place)
      expect([place, again.envelope.data]).toEqual([place, "ok"])
      replays.set(place, again.headers.get("idempotency-replayed"))
    }
    // What never left was not done; what was committed was. In between either may be.
    expect(replays.get("ledger.handedToWriter") ?? null).toBe(null)
    expect(replays.get("ledger.committed")).toBe("true")
    const rows = (await calls().get<ReadonlyArray<StatementRow>>("/wallet/transfer/list", { walletId: to })).record
    expect(rows.map(({ direction, amount }) => [direction, amount])).toEqual(PLACES.map(() => ["CREDIT", "1"]))
  })
})
