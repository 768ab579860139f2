/** The parent's side of `soak-gateway.ts`: starts the process with a pulse in every thread of it, and asks it. */
import { fork } from "node:child_process"
import type { SoakAsks } from "./soak-gateway.ts"

export interface SoakChild {
  /** Rejects when the process ends before it answers. */
  readonly ask: <K extends keyof SoakAsks>(ask: K, question: SoakAsks[K][0]) => Promise<SoakAsks[K][1]>
  /** What it wrote for its operator: lines, the newest last. */
  readonly notices: () => ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

const NOTICES_MAX = 1000

export const startSoakChild = (): SoakChild => {
  const child = fork(new URL("./soak-gateway.ts", import.meta.url), [], {
    execArgv: ["--expose-gc", "--import", "tsx"],
    // Threads have arguments of their own, but the environment of the process.
    env: { ...process.env, NODE_OPTIONS: `--import ${new URL("./soak-pulse.mjs", import.meta.url).href}` },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  const waiting = new Map<number, { readonly resolve: (answer: never) => void; readonly reject: (e: Error) => void }>()
  const notices: Array<string> = []
  let asked = 0
  let ended: string | undefined
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    notices.push(...text.split("\n").filter((line) => line !== ""))
    notices.splice(0, notices.length - NOTICES_MAX)
  })
  const dead = (): Error =>
    new Error(`the soaked process ended (${ended ?? "told to"}): ${notices.slice(-20).join("\n")}`)
  const exited = new Promise<void>((done) => {
    child.once("exit", (code, signal) => {
      ended = `${signal ?? code}`
      for (const { reject } of waiting.values()) reject(dead())
      waiting.clear()
      done()
    })
  })
  child.on("message", (message) => {
    const { id, answer, failure } = message as { id: number; answer?: never; failure?: string }
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (failure === undefined) waiter?.resolve(answer as never)
    else waiter?.reject(new Error(failure))
  })
  return {
    ask: (ask, question) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined || !child.connected) return reject(dead())
        const id = ++asked
        waiting.set(id, { resolve, reject })
        child.send({ id, ask, question })
      }),
    notices: () => notices,
    stop: async () => {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000)
      await exited
      clearTimeout(timer)
    },
  }
}
