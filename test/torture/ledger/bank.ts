/**
 * The bank test (security B.3) over HTTP: tellers move money while the gateway and PostgreSQL are killed with SIGKILL, wallets are frozen
 * and thawed, and readers sum up snapshots. Whoever runs the gateway starts it again when it ends: that is done here.
 */
import { rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import type { Api } from "../../kit/servers/gateway.ts"
import { type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { Auditor, judgeBank } from "./bank-judge.ts"
import { type Customer, openBank, Tellers } from "./bank-tellers.ts"

export interface BankOptions {
  readonly seconds: number
  readonly connections: number
  /** Of each of the two. */
  readonly kills: number
  readonly seed: number
  /** Runs dist/; the sources take seconds to load after each kill. */
  readonly built: boolean | undefined
  readonly progress: (line: string) => void
}

const CUSTOMERS = 3
const FREEZE_MILLIS = 400

/** Starts the gateway whenever it has ended. */
class Supervisor {
  #isOpen = true
  readonly #life: Promise<void>
  starts = 1

  constructor(
    public gateway: Gateway,
    options: NonNullable<Parameters<typeof startGateway>[0]>,
  ) {
    this.#life = this.#supervise(options)
  }

  async end(): Promise<void> {
    this.#isOpen = false
    this.gateway.kill("SIGKILL")
    await this.#life
  }

  async #supervise(options: NonNullable<Parameters<typeof startGateway>[0]>): Promise<void> {
    for (;;) {
      await this.gateway.exited
      while (this.#isOpen) {
        try {
          this.gateway = await startGateway(options)
          this.starts += 1
          break
        } catch {
          await sleep(100) // the database is away
        }
      }
      if (!this.#isOpen) {
        this.gateway.kill("SIGKILL")
        return
      }
    }
  }
}

/** Freezes one wallet after the other for a moment; what fails while the gateway is away is of no interest. */
const freezing = async (admin: Api, customers: ReadonlyArray<Customer>, isOpen: () => boolean): Promise<void> => {
  const wallets = customers.flatMap((it) => it.wallets)
  for (let i = 0; isOpen(); i++) {
    const walletId = wallets[i % wallets.length]!
    await admin.post("/wallet/freeze", { walletId }).catch(() => undefined)
    await sleep(20)
    while (isOpen() && (await admin.post("/wallet/unfreeze", { walletId }).catch(() => undefined))?.status !== 200)
      await sleep(50)
    await sleep(FREEZE_MILLIS)
  }
  for (const walletId of wallets) await admin.post("/wallet/unfreeze", { walletId }).then((it) => it.record)
}

export const bank = async (options: BankOptions): Promise<ReadonlyArray<Verdict>> => {
  const { seconds, kills, progress, built } = options
  const directory = scratchDirectory("bank")
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: directory })
  const env = { PORT: String(await freePort()), DATABASE_URL: server.url(), MOCK_TICK_MS: "0", RATE_LIMITS: "off" }
  const first = await startGateway({ env, built })
  const supervisor = new Supervisor(first, { env, built, dataDir: first.dataDir })
  try {
    const { admin, customers, total } = await openBank(first, CUSTOMERS)
    const tellers = new Tellers(customers, seededRandom(options.seed))
    const auditor = new Auditor(
      server.url(),
      customers.flatMap((it) => it.wallets),
      total,
    )
    tellers.begin(options.connections)
    let isFreezing = true
    const frost = freezing(admin, customers, () => isFreezing)
    const pause = (seconds * 1000) / (2 * kills + 1)
    for (let kill = 0; kill < 2 * kills; kill++) {
      // Every kill meets a gateway that works, however long the last one took to come back.
      const before = tellers.count("done")
      await until("moves under way", () => tellers.count("done") > before)
      await sleep(pause)
      if (kill % 2 === 0) supervisor.gateway.kill("SIGKILL")
      else {
        process.kill(server.pid, "SIGKILL")
        await server.exited
        server = await startEmbeddedPostgres({ dataDir: directory })
      }
      progress(
        `bank: ${kill % 2 === 0 ? "gateway" : "PostgreSQL"} killed, ${tellers.count("done")} done, ${tellers.count("refused")} refused`,
      )
    }
    const before = tellers.count("done")
    await until("moves after the last kill", () => tellers.count("done") > before)
    await sleep(pause)
    progress("bank: waiting for the last definite answers")
    await tellers.end()
    isFreezing = false
    await frost
    await auditor.end()
    progress(`bank: ${tellers.moves.length} moves, the gateway was started ${supervisor.starts} times; judging`)
    return await judgeBank(tellers, auditor, server.url())
  } finally {
    await supervisor.end()
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
