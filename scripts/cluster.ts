/**
 * `npm run cluster [-- --nodes N]`: N gateways (3) of one cluster on this machine, with PostgreSQL and NATS, to try it. Builds the gateway, prints each URL and who
 * owns the database, and goes on until Ctrl-C, which stops and removes all of it. A node that ends is started again, as a supervisor would.
 */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { scratchDirectory } from "../test/kit/postgres.ts"
import { type ClusterProcess, sharedKeys, startClusterNode } from "../test/kit/servers/cluster.ts"
import { endGateways } from "../test/kit/servers/gateway.ts"
import { natsMissing, startNats } from "../test/kit/servers/nats.ts"

const NODES_MAX = 9
const PORT = 8080
const PAUSE_MILLIS = 1_000

const { values } = parseArgs({ options: { nodes: { type: "string", default: "3" } } })
const count = Number(values.nodes)
const refuse = (why: string): never => {
  console.error(why)
  process.exit(1)
}
if (!Number.isInteger(count) || count < 1 || count > NODES_MAX)
  refuse(`--nodes takes a number from 1 to ${NODES_MAX}, not "${values.nodes}"`)
if (natsMissing !== null) refuse(`a cluster needs a broker, and there is ${natsMissing}`)

execFileSync(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))], { stdio: "inherit" })
const directory = scratchDirectory("cluster")
const database = await startEmbeddedPostgres({ dataDir: directory })
const nats = await startNats({ user: { name: "gateway", password: "of this machine" } })
const env = { ...sharedKeys(), DATABASE_URL: database.url(), NATS_URL: nats.url }

let isEnding = false
const end = async (): Promise<void> => {
  if (isEnding) return
  isEnding = true
  console.log("stopping all")
  await Promise.allSettled(nodes.map((node) => node.stop()))
  await endGateways()
  await nats.kill()
  await database.stop()
  rmSync(directory, { recursive: true, force: true })
  process.exit(0)
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end())

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS))
const nodes: Array<ClusterProcess> = []

/** Until Ctrl-C. */
const keep = async (index: number): Promise<void> => {
  const nodeId = `node-${index + 1}`
  while (!isEnding) {
    const node = await startClusterNode(nodeId, { ...env, PORT: `${PORT + index}` }, true)
    nodes[index] = node
    console.log(`${nodeId}  ${node.http}  console ${node.http}/console  process ${node.pid}`)
    const told = setInterval(() => {
      const core = node.core()
      if (core === undefined) return
      clearInterval(told)
      const token = core.setupToken === undefined ? "" : `; setupToken of the first admin: ${core.setupToken}`
      console.log(`${nodeId}  owns the database since now, term ${core.term}${token}`)
    }, 100)
    const { code, signal } = await node.exited
    clearInterval(told)
    if (isEnding) return
    console.log(`${nodeId}  ended (${signal ?? code}): it is started again`)
    await pause()
  }
}

console.log(`NATS on port ${nats.port}; kill a process to see another take over; Ctrl-C stops all`)
await Promise.all(
  Array.from({ length: count }, (_, index) =>
    keep(index).catch((error: unknown) => {
      if (isEnding) return
      console.error(error instanceof Error ? error.message : error)
      return end()
    }),
  ),
)
