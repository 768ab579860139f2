/**
 * Scoreboard B9 behind HAProxy: requests on whose length two servers may disagree, through a proxy that keeps its connections to us. Nobody
 * reaches the canary that each of them hides, and whoever comes after is answered his own. Needs Debian's `haproxy`.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type CanaryServer, serveCanary } from "../../kit/http-fuzz/canary-server.ts"
import { AMBIGUOUS, namesOf, OTHER_SPELLINGS, saidTo, statusesOf } from "../../kit/http-fuzz/smuggling.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { until } from "../../kit/servers/gateway.ts"
import { raw } from "../../kit/servers/http-server.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"

/** The guard is what an attacker wants to be led past: the canary is refused here, by its path. */
const config = (port: number, to: number): string => `
global
  maxconn 200
defaults
  mode http
  timeout connect 2s
  timeout http-request 3s
  timeout client 5s
  timeout server 5s
  retries 0
frontend in
  bind 127.0.0.1:${port}
  http-request deny deny_status 403 if { path /canary }
  default_backend gateway
backend gateway
  http-reuse always
  server one 127.0.0.1:${to} pool-max-conn 4
`

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.on("error", () => resolve(false))
  })

const AFTER = 5

const judge = async (server: CanaryServer, port: number, progress: (line: string) => void): Promise<Array<Verdict>> => {
  const desynced: Array<string> = []
  let asked = 0
  const own = async (name: string): Promise<void> => {
    for (let n = 0; n < AFTER; n++) {
      asked += 1
      const id = `own.${asked}`
      const bytes = `GET /facts HTTP/1.1\r\nHost: x\r\nX-Request-ID: ${id}\r\n\r\n`
      const [answer] = await raw(port, bytes)
      if (answer?.status !== 200 || !answer.body.includes(`"${id}"`))
        desynced.push(`${name}: ${answer?.status} ${answer?.body}`)
    }
  }
  for (const { name, bytes } of AMBIGUOUS) {
    progress(`smuggling: ${name.slice(0, 60)}`)
    await saidTo(port, bytes)
    await own(name)
  }
  const led = namesOf(server.canaries())
  const [guard] = statusesOf(await saidTo(port, "GET /canary HTTP/1.1\r\nHost: x\r\n\r\n"))
  for (const path of OTHER_SPELLINGS) await saidTo(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  const past = server.canaries().slice(led.length)
  return [
    { name: "the guard", passed: guard === 403, says: `answers ${guard} itself` },
    none("canaries served behind HAProxy", led, `${AMBIGUOUS.length} ambiguous requests`),
    none("answers of somebody else", desynced, `${asked} requests after them`),
    none("spellings that lead past the guard", past, `${OTHER_SPELLINGS.length}`),
  ]
}

export const smuggling = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  if (spawnSync("haproxy", ["-v"]).status !== 0)
    return [{ name: "haproxy", passed: false, says: "is not installed: apt-get install haproxy" }]
  const scratch = mkdtempSync(join(tmpdir(), "venue-gateway-haproxy-"))
  const server = await serveCanary()
  let proxy: ChildProcess | undefined
  try {
    const port = await freePort()
    const file = join(scratch, "haproxy.cfg")
    writeFileSync(file, config(port, server.port))
    proxy = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" })
    await until("haproxy to listen", () => isOpen(port))
    return await judge(server, port, progress)
  } finally {
    proxy?.kill("SIGKILL")
    server.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}
