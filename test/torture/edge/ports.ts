/**
 * `npm run torture -- ports`: which ports of this machine the gateway opens (scoreboard S13), by nmap over all of them before and after its
 * start, and what methods nobody declared are told.
 */
import { connect } from "node:net"
import { endGateways, startGateway } from "../../kit/servers/gateway.ts"
import { certificateFiles } from "../../kit/servers/http-certificate.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import { need, run } from "./tool.ts"

const openPorts = async (address: string): Promise<ReadonlySet<string>> => {
  const { text } = await run("nmap", ["-n", "-Pn", "-p-", "-T5", "--open", address])
  return new Set([...text.matchAll(/^(\d+)\/tcp\s+open/gm)].map(([, port]) => `${address}:${port}`))
}

const METHODS = ["TRACE", "TRACK", "CONNECT", "DEBUG", "PROPFIND", "PUT", "DELETE", "PATCH", "FOO"]

/** `fetch` refuses to send some of these. */
const statusOf = (port: number, method: string, path: string): Promise<string> =>
  new Promise((resolve) => {
    let said = ""
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nX-Canary: fig\r\nConnection: close\r\n\r\n`),
    )
    socket.setTimeout(15_000, () => socket.destroy())
    socket.on("data", (bytes) => {
      said += bytes.toString("latin1")
      if (said.includes("\r\n\r\n")) socket.destroy()
    })
    socket.on("error", () => resolve("closed"))
    socket.on("close", () => resolve(said.includes("fig") ? "echoed" : (said.split(" ")[1] ?? "closed")))
  })

export const ports = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  need("nmap")
  progress("nmap: all ports before the start")
  const before = await openPorts("127.0.0.1")
  const files = certificateFiles()
  const gateway = await startGateway({ env: { METRICS_PORT: "0" } })
  try {
    progress("nmap: all ports after it")
    const after = await openPorts("127.0.0.1")
    // What others open on this machine meanwhile does not count: only what the gateway's processes hold.
    const opened = [...after].filter((port) => !before.has(port))
    const port = Number(new URL(gateway.http).port)
    const held = [...new Set(await listening(gateway.pid))]
    const metrics = held.filter((it) => it !== port)
    const wrong: Array<string> = []
    for (const path of ["/api/v3/health", "/api/v3/auth/login", "/docs", "/connection/websocket"])
      for (const method of METHODS) {
        const status = await statusOf(port, method, path)
        if (!["404", "405", "400", "501", "closed"].includes(status)) wrong.push(`${method} ${path}: ${status}`)
      }
    progress("the same with TLS and a port for plain HTTP")
    const secure = await startGateway({
      env: { PLAIN_HTTP_PORT: "0", TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: files.keyFile },
    })
    const both = new Set(await listening(secure.pid))
    both.delete(Number(new URL(secure.http).port))
    const served: Array<string> = []
    for (const path of ["/api/v3/health", "/api/v3/auth/login", "/docs", "/connection/websocket"])
      for (const method of ["GET", "POST", ...METHODS]) {
        const status = await statusOf([...both][0] ?? 0, method, path)
        if (!["403", "505", "closed"].includes(status)) served.push(`${method} ${path}: ${status}`)
      }
    return [
      {
        name: "ports",
        passed: held.includes(port) && held.length === 2 && held.every((it) => opened.includes(`127.0.0.1:${it}`)),
        says: `HTTP ${port} and metrics ${metrics.join(", ")} are what its processes listen on; nmap saw ${opened.length} new of 65535`,
      },
      none("methods that nobody declared and that got through", wrong, `${4 * METHODS.length}`),
      {
        name: "ports with TLS",
        passed: both.size === 1,
        says: `beside HTTPS its processes listen on ${[...both].join(", ")}, which is PLAIN_HTTP_PORT`,
      },
      none("requests that PLAIN_HTTP_PORT did anything for but refuse", served, `${4 * (METHODS.length + 2)}`),
    ]
  } finally {
    await endGateways()
    files.remove()
  }
}

/** TCP ports that the process and its children listen on, from the kernel's own tables. */
const listening = async (pid: number): Promise<ReadonlyArray<number>> => {
  const { readdirSync, readFileSync, readlinkSync } = await import("node:fs")
  const kin = (parent: number): ReadonlyArray<number> => {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ").filter(Boolean)
    return [parent, ...children.flatMap((child) => kin(Number(child)))]
  }
  const inodes = new Set(
    kin(pid).flatMap((it) =>
      readdirSync(`/proc/${it}/fd`).flatMap((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${it}/fd/${fd}`))?.[1] ?? []
        } catch {
          return [] // closed meanwhile
        }
      }),
    ),
  )
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === "0A" && inodes.has(columns[9] ?? ""))
      .map((columns) => Number.parseInt(columns[1]?.split(":")[1] ?? "", 16)),
  )
}
