/**
 * More clients than the process may have files (scoreboard F16). Those who are there are served, those who come are not, the process does
 * not end and does not burn, and it takes new ones when there is room again.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { startGateway, until } from "../../kit/servers/gateway.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

const ROOM = 40
const CLIENTS = 200
const WATCH_MILLIS = 5_000

const filesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** CPU time of the process so far, in ms (a tick is 10 ms). */
const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const live = (base: string, agent: Agent): Promise<number> =>
  new Promise((resolve) => {
    const call = request(`${base}/api/v3/health/live`, { agent, timeout: 5_000 }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode ?? 0))
    })
    call.once("timeout", () => call.destroy())
    call.once("error", () => resolve(0))
    call.end()
  })

export const fdLimit = async (options: {
  readonly built: boolean
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const gateway = await startGateway({ built: options.built, env: { ACCESS_LOG: "false" } })
  const sockets: Array<Socket> = []
  const kept = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const { pid, http } = gateway
    const { hostname, port } = new URL(http)
    await live(http, kept)
    const before = filesOf(pid)
    execFileSync("prlimit", ["--pid", String(pid), `--nofile=${before + ROOM}:${before + ROOM}`])
    for (let index = 0; index < CLIENTS; index += 1) {
      const socket = connect(Number(port), hostname)
      socket.on("error", () => undefined)
      sockets.push(socket)
    }
    await until("the limit", () => filesOf(pid) >= before + ROOM - 1)
    options.progress(`fd-limit: ${filesOf(pid)} files of ${before + ROOM}`)
    const cpu = cpuOf(pid)
    const answers: Array<number> = []
    const untilAt = performance.now() + WATCH_MILLIS
    while (performance.now() < untilAt) {
      answers.push(await live(http, kept))
      await sleep(100)
    }
    const burnt = Math.round(((cpuOf(pid) - cpu) / WATCH_MILLIS) * 100)
    for (const socket of sockets) socket.destroy()
    const fresh = new Agent({ keepAlive: false })
    const again = await until("a new client to be served", async () => (await live(http, fresh)) === 200, 30_000)
    let isDead = false
    void gateway.exited.then(() => (isDead = true))
    await sleep(100)
    return [
      {
        name: "who is there is served",
        passed: answers.every((status) => status === 200),
        says: `${answers.filter((status) => status === 200).length} of ${answers.length} answers`,
      },
      {
        name: "the process goes on",
        passed: !isDead,
        says: isDead ? "it ended" : `it did, ${burnt} % of a core meanwhile`,
      },
      { name: "takes new clients when there is room", passed: again, says: "it does" },
    ]
  } finally {
    for (const socket of sockets) socket.destroy()
    kept.destroy()
    gateway.kill("SIGKILL")
    await gateway.exited
  }
}
