/** A real broker: NATS's own server, found by NATS_SERVER_BIN or on the PATH. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { freePort } from "./free-port.ts"

const binary = process.env["NATS_SERVER_BIN"] ?? "nats-server"

/** Why tests of it cannot run here; null: they can. `.ci/run` installs it. */
export const natsMissing: string | null =
  spawnSync(binary, ["--version"]).status === 0 ? null : "no nats-server: install it, or set NATS_SERVER_BIN"

const running = new Set<ChildProcess>()
process.on("exit", () => {
  // Those that are stopped, too.
  for (const child of running) child.kill("SIGKILL")
})

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("error", () => resolve(false))
    // It greets by itself.
    socket.once("data", () => {
      socket.destroy()
      resolve(true)
    })
  })

/** A signal takes effect a moment later, and of each thread by itself. */
const isStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) =>
    /^State:\tT/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8")),
  )

export interface NatsServer {
  /** Of the process that runs now. */
  readonly pid: () => number
  readonly port: number
  readonly url: string
  /** Until it stands still; what is sent to it then waits. */
  readonly freeze: () => Promise<void>
  readonly thaw: () => void
  readonly kill: () => Promise<void>
  /** On the same port. */
  readonly start: () => Promise<void>
}

export interface NatsOptions {
  /** Without: whoever connects may speak. */
  readonly user?: { readonly name: string; readonly password: string }
  readonly args?: ReadonlyArray<string>
}

export const startNats = async ({ user, args = [] }: NatsOptions = {}): Promise<NatsServer> => {
  const port = await freePort()
  const credentials = user === undefined ? [] : ["--user", user.name, "--pass", user.password]
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    child = spawn(binary, ["-a", "127.0.0.1", "-p", `${port}`, ...credentials, ...args], { stdio: "ignore" })
    running.add(child)
    for (const end = performance.now() + 30_000; !(await canConnect(port)); ) {
      if (child.exitCode !== null || performance.now() > end) throw new Error("nats-server does not start")
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await start()
  const sign = user === undefined ? "" : `${user.name}:${user.password}@`
  return {
    pid: () => child?.pid ?? -1,
    port,
    url: `nats://${sign}127.0.0.1:${port}`,
    freeze: async () => {
      const pid = child?.pid
      process.kill(pid!, "SIGSTOP")
      while (!isStopped(pid!)) await new Promise((resolve) => setTimeout(resolve, 1))
    },
    thaw: () => void child?.kill("SIGCONT"),
    kill: async () => {
      const ending = child
      child = undefined
      if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
      const gone = new Promise((resolve) => ending.once("exit", resolve))
      ending.kill("SIGKILL")
      await gone
      running.delete(ending)
    },
    start,
  }
}
