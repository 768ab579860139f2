/** HAProxy itself, by deploy/cluster/haproxy.cfg as it stands, but for TLS, ports and the nodes' addresses. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../servers/free-port.ts"
import { until } from "../servers/gateway.ts"

const FILE = fileURLToPath(new URL("../../../deploy/cluster/haproxy.cfg", import.meta.url))

/** Why tests of it cannot run here; null: they can. */
export const haproxyMissing: string | null =
  spawnSync("haproxy", ["-v"]).status === 0 ? null : "no haproxy: apt-get install haproxy"

export interface Haproxy {
  readonly port: number
  readonly url: string
  /** New connections go to this node alone; those that are open stay. */
  readonly only: (node: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/** `from`: the shipped text of the file. Answers what was there, so that a file that was changed is found out. */
const swap = (text: string, from: string | RegExp, to: string): string => {
  const swapped = text.replace(from, to)
  if (swapped === text) throw new Error(`the proxy's file has no ${from} any more`)
  return swapped
}

/**
 * `ports`: of the nodes, all on loopback. `checked`: it looks at their health as it is shipped to; without, all of them are taken for well. Serves when it resolves.
 */
export const startHaproxy = async (ports: ReadonlyArray<number>, checked = true): Promise<Haproxy> => {
  const folder = mkdtempSync(join(tmpdir(), "haproxy-"))
  const port = await freePort()
  const control = join(folder, "control")
  let text = readFileSync(FILE, "utf8")
  text = swap(text, /^ {2}bind :443 .*$/m, `  bind 127.0.0.1:${port}`)
  text = swap(text, /^ {2}maxconn 8000$/m, `  maxconn 4000\n  stats socket ${control} level admin`)
  text = swap(text, /(^ {2}server .*\n?)+/m, ports.map((to, n) => `  server n${n} 127.0.0.1:${to}\n`).join(""))
  if (!checked) text = swap(text, "default-server check inter 1s fall 1 rise 1", "default-server inter 1s")
  writeFileSync(join(folder, "haproxy.cfg"), text)
  const child: ChildProcess = spawn("haproxy", ["-db", "-f", join(folder, "haproxy.cfg")], {
    stdio: ["ignore", "ignore", "pipe"],
  })
  let words = ""
  child.stderr?.setEncoding("utf8").on("data", (more: string) => {
    words = (words + more).slice(-4_000)
  })
  const orphaned = (): void => void child.kill("SIGKILL")
  process.once("exit", orphaned)
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL")
    await ended
    process.off("exit", orphaned)
    rmSync(folder, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  const command = async (line: string): Promise<void> => {
    const socket = connect(control)
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject)
      socket.once("close", () => resolve())
      socket.resume()
      socket.end(`${line}\n`)
    })
  }
  try {
    await until(
      () => `HAProxy to listen: ${words}`,
      () => {
        if (child.exitCode !== null) throw new Error(`HAProxy ended: ${words}`)
        // It binds that one after its ports.
        if (!existsSync(control)) return false
        return new Promise<boolean>((resolve) => {
          const socket = connect(port, "127.0.0.1")
          socket.once("error", () => resolve(false))
          socket.once("connect", () => {
            socket.destroy()
            resolve(true)
          })
        })
      },
    )
  } catch (error) {
    await stop()
    throw error
  }
  const only = (node: number): Promise<void> =>
    command(ports.map((_, n) => `set server nodes/n${n} state ${n === node ? "ready" : "drain"}`).join("; "))
  return { port, url, stop, only }
}
