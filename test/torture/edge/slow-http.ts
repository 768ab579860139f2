/**
 * `npm run torture -- slow-http`: slowhttptest with slow headers, slow bodies and slow readers against the direct TLS port and the plain
 * one (scoreboard B4). Judged by the gateway's own descriptors (all of the attack's are closed 15 s after the last was opened) and by
 * what somebody else notices meanwhile.
 */
import { readdirSync, readFileSync } from "node:fs"
import { request as plain } from "node:http"
import { request as secure } from "node:https"
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { endGateways, type Gateway, startGateway } from "../../kit/servers/gateway.ts"
import { CERTIFICATE, certificateFiles } from "../../kit/servers/http-certificate.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { need, run } from "./tool.ts"

const CONNECTIONS = 500
const CLOSED_MILLIS = 15_000
/** Below this twice as long is the noise of a machine that has other work. */
const P99_FLOOR_MILLIS = 25
const ATTACK_SECONDS = 30

const common = ["-c", `${CONNECTIONS}`, "-r", "250", "-l", `${ATTACK_SECONDS}`, "-p", "3"]
const ATTACKS = [
  { name: "headers", path: "/api/v3/auth/login", args: ["-H", "-i", "4"] },
  {
    name: "bodies",
    path: "/api/v3/auth/login",
    args: ["-B", "-i", "4", "-s", "8192", "-x", "10", "-f", "application/json"],
  },
  {
    name: "readers",
    path: "/api/v3/openapi.json",
    args: ["-X", "-w", "8", "-y", "16", "-n", "5", "-z", "4", "-k", "1"],
  },
] as const

const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

/** A new connection and an answer, in ms; undefined when there was none. */
const served = (gateway: Gateway): Promise<number | undefined> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const url = new URL("/api/v3/health/live", gateway.http)
    const ask = url.protocol === "https:" ? secure : plain
    ask(url, { ca: CERTIFICATE, servername: "localhost", agent: false, timeout: 10_000 }, (answer) => {
      answer.resume()
      answer.on("end", () => resolve(answer.statusCode === 200 ? performance.now() - startedAt : undefined))
    })
      .on("timeout", () => resolve(undefined))
      .on("error", () => resolve(undefined))
      .end()
  })

class Probe {
  readonly #times: Array<number> = []
  missed = 0
  #isOver = false
  readonly #running: Promise<void>
  constructor(gateway: Gateway) {
    this.#running = this.#run(gateway)
  }
  async #run(gateway: Gateway): Promise<void> {
    while (!this.#isOver) {
      const millis = await served(gateway)
      if (millis === undefined) this.missed += 1
      else this.#times.push(millis)
      await sleep(20)
    }
  }
  async p99Millis(): Promise<number> {
    this.#isOver = true
    await this.#running
    return this.#times.sort((a, b) => a - b)[Math.floor(this.#times.length * 0.99)] ?? 0
  }
}

const attack = async (gateway: Gateway, port: string, { name, path, args }: (typeof ATTACKS)[number]) => {
  const quiet = new Probe(gateway)
  await sleep(4000)
  const before = await quiet.p99Millis()
  const base = descriptors(gateway.pid)
  const memory = megabytes(gateway.pid)
  const probe = new Probe(gateway)
  const running = run("slowhttptest", [...args, ...common, "-u", `${gateway.http}${path}`], 60_000)
  let peak = 0
  let peakMegabytes = memory
  let openedAt = performance.now()
  let closedAt: number | undefined
  const deadline = performance.now() + 60_000
  while (closedAt === undefined && performance.now() < deadline) {
    await sleep(100)
    const open = descriptors(gateway.pid) - base
    peakMegabytes = Math.max(peakMegabytes, megabytes(gateway.pid))
    if (open > peak) [peak, openedAt] = [open, performance.now()]
    else if (peak > CONNECTIONS / 2 && open <= 3) closedAt = performance.now()
  }
  await running
  const during = await probe.p99Millis()
  const millis = closedAt === undefined ? Number.POSITIVE_INFINITY : closedAt - openedAt
  return [
    {
      name: `slow ${name}, ${port}: closed`,
      passed: peak > CONNECTIONS / 2 && millis <= CLOSED_MILLIS,
      says: `${peak} at once, all closed ${(millis / 1000).toFixed(1)} s after the last was opened; ${memory.toFixed(0)} MB before, ${peakMegabytes.toFixed(0)} at most`,
    },
    {
      name: `slow ${name}, ${port}: service`,
      passed: probe.missed === 0 && during <= Math.max(2 * before, P99_FLOOR_MILLIS),
      says: `p99 ${before.toFixed(1)} ms before, ${during.toFixed(1)} ms during, ${probe.missed} without an answer (load ${loadavg()[0]?.toFixed(1)})`,
    },
  ]
}

export const slowHttp = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  need("slowhttptest")
  const files = certificateFiles()
  const verdicts: Array<Verdict> = []
  try {
    const byTls = await startGateway({ env: { TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: files.keyFile } })
    const byPlain = await startGateway()
    for (const [port, gateway] of [
      ["TLS", byTls],
      ["plain", byPlain],
    ] as const)
      for (const way of ATTACKS) {
        progress(`${CONNECTIONS} slow ${way.name} at the ${port} port`)
        verdicts.push(...(await attack(gateway, port, way)))
      }
    return verdicts
  } finally {
    await endGateways()
    files.remove()
  }
}
