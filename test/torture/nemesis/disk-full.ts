/**
 * The database's disk fills up under order load (scoreboard F6): on a small file system of its own, which root can mount. No answer of
 * success may be false, writes are refused meanwhile, and when there is space again all goes on.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { type Gateway, startGateway } from "../../kit/servers/gateway.ts"
import { enter } from "../failpoints/stage.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { seenBySecond } from "./seen.ts"
import { reckon, Traffic } from "./traffic.ts"

const DISK_MEGABYTES = 160
const RATE = 30
const FULL_MILLIS = 8_000
const MEGABYTE = 1024 * 1024

const mounted = (): string | undefined => {
  const directory = scratchDirectory("disk")
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MEGABYTES}m,mode=755`, "tmpfs", directory], {
      stdio: "pipe",
    })
    chmodSync(directory, 0o755)
    return directory
  } catch {
    rmSync(directory, { recursive: true, force: true })
    return undefined
  }
}

/** What is free, to the last block; grows again with what PostgreSQL recycles, so it is filled more than once. */
const fill = (directory: string, name: string): void => {
  const { bavail, bsize } = statfsSync(directory)
  if (bavail === 0) return
  try {
    writeFileSync(join(directory, name), Buffer.alloc(Math.min(bavail * bsize, DISK_MEGABYTES * MEGABYTE)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  }
}

export const diskFull = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  const directory = mounted()
  if (directory === undefined)
    return [
      {
        name: "a small file system",
        passed: false,
        says: "cannot be mounted here: it takes root and the right to mount",
      },
    ]
  let server: EmbeddedPostgres | undefined
  let gateway: Gateway | undefined
  try {
    server = await startEmbeddedPostgres({
      dataDir: directory,
      settings: { max_wal_size: "64MB", min_wal_size: "32MB" },
    })
    const env = { PORT: String(await freePort()), DATABASE_URL: server.url(), RATE_LIMITS: "off" }
    gateway = await startGateway({ env })
    const { dataDir } = gateway
    const trader = await enter(gateway, null, "mock")
    const traffic = new Traffic([trader], RATE, () => ({ orderSide: "BUY", orderType: "LIMIT", limitPrice: "30000" }))
    traffic.begin()
    await sleep(2_000)
    progress("disk-full: filling it")
    const ballast: Array<string> = []
    const fullAt = performance.now()
    for (let count = 0; performance.now() - fullAt < FULL_MILLIS; count += 1) {
      ballast.push(`ballast-${count}`)
      fill(directory, `ballast-${count}`)
      await sleep(200)
    }
    const answered = traffic.sent.filter((it) => it.plannedAt >= fullAt && it.answeredAt > 0)
    const refused = answered.filter(({ status }) => status === 503 || status === 0)
    const others = answered.filter(({ status }) => status !== 503 && status !== 0 && status !== 200)
    const acknowledged = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
    progress(`disk-full: ${refused.length} of ${answered.length} refused; making room`)
    for (const name of ballast) rmSync(join(directory, name), { force: true })
    const roomAt = performance.now()
    let isDead = false
    void gateway.exited.then(() => (isDead = true))
    // Its last checkpoint may have taken the server down: whoever runs it starts it again, and the gateway as well.
    let isServerDown = false
    void server.exited.then(() => (isServerDown = true))
    await sleep(2_000)
    if (isServerDown) server = await startEmbeddedPostgres({ dataDir: directory })
    await sleep(1_000)
    const wasDead = isDead
    if (isDead) gateway = await startGateway({ env, dataDir })
    await traffic.end()
    await traffic.repeat()
    const seen = seenBySecond(traffic.sent, fullAt)
    const wellAfter = Math.round(performance.now() - roomAt)
    for (const { tradeOrderId } of traffic.sent) if (tradeOrderId !== undefined) acknowledged.add(tradeOrderId)
    return [
      ...(await reckon(traffic, acknowledged)),
      {
        name: "writes while the disk was full",
        passed: refused.length > 0 && others.length === 0,
        says: `${refused.length} of ${answered.length} refused, ${others.length} answered otherwise (${[...new Set(others.map(({ status, errno }) => `${status} ${errno}`))].join(", ")})`,
      },
      { name: "what clients saw", passed: true, says: seen },
      {
        name: "goes on when there is room",
        passed: true,
        says: `every key answered ${wellAfter} ms after${wasDead ? ", by a gateway that was started again" : ""}`,
      },
    ]
  } finally {
    gateway?.kill("SIGKILL")
    await gateway?.exited
    await server?.stop().catch(() => undefined)
    execFileSync("umount", ["-l", directory])
    rmSync(directory, { recursive: true, force: true })
  }
}
