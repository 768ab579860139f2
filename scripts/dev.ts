/**
 * `npm run dev`: runs src/main.ts through tsx and starts it again when something below src/, proto/ or console/ changes.
 *
 * The one thing to know: the gateway is always asked to stop (SIGTERM) and given time, because it owns a PostgreSQL
 * server; killing it outright would leave that server behind.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, watch } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { V8_FLAGS } from "./v8-flags.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const quietMillis = 150
/** The gateway promises to be gone 10 s after SIGTERM. */
const stopMillisMax = 15_000

/** Runs in the gateway before its own code: when this process dies, however it dies, the channel closes. */
const watchParent = `process.on("disconnect", () => process.kill(process.pid, "SIGTERM")); process.channel.unref()`
const endWithParent = `data:text/javascript,${encodeURIComponent(watchParent)}`

let gateway: ChildProcess | undefined
let change: NodeJS.Timeout | undefined
let restartWanted = false
let stopping = false

const say = (text: string): void => {
  process.stderr.write(`dev: ${text}\n`)
}

/** What the gateway imports of proto/, and the console; false when it cannot be made, which the script has then said. */
const generate = (): boolean =>
  ["scripts/proto.mjs", ...(existsSync(join(root, "console/src")) ? ["scripts/console.mjs"] : [])].every(
    (script) => spawnSync(process.execPath, [script], { cwd: root, stdio: "inherit" }).status === 0,
  )

const start = (): void => {
  restartWanted = false
  if (!generate()) {
    say("the gateway does not start; it is tried again at the next change")
    return
  }
  const child = spawn(process.execPath, [...V8_FLAGS, "--import", endWithParent, "--import", "tsx", "src/main.ts"], {
    cwd: root,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  })
  gateway = child
  child.once("exit", (code, signal) => {
    gateway = undefined
    if (stopping) process.exit(code ?? 1)
    if (restartWanted) start()
    else say(`the gateway ended (${signal ?? code}); it starts again at the next change`)
  })
}

const stopGateway = (): void => {
  const child = gateway
  if (!child) return
  child.kill("SIGTERM")
  setTimeout(() => child.kill("SIGKILL"), stopMillisMax).unref()
}

const restart = (path: string): void => {
  if (stopping) return
  say(`${path} changed`)
  if (!gateway) start()
  else if (!restartWanted) {
    restartWanted = true
    stopGateway()
  }
}

const stop = (): void => {
  if (stopping) return
  stopping = true
  if (gateway) stopGateway()
  else process.exit(0)
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop)
// tsx, our parent, forwards signals, but a killed parent says nothing: we only see that we have another one.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) stop()
}, 500).unref()

// Before the watching, which would see the first start make its folder.
start()
for (const folder of ["src", "proto", "console/src"]) {
  if (!existsSync(join(root, folder))) continue
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    // Written by our own start.
    if (file?.startsWith(join("ws", "generated"))) return
    clearTimeout(change)
    change = setTimeout(restart, quietMillis, join(folder, file ?? ""))
  })
}
