/** The parent's side of `socket-process.ts`: starts it, asks it, and knows when it ended. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { SocketAsks } from "./socket-process.ts"
import type { TestSocketOptions } from "./socket-server.ts"

export interface SocketChild {
  readonly url: string
  readonly pid: number
  /** Rejects when the process ends before it answers. */
  readonly ask: <K extends keyof SocketAsks>(ask: K, question?: SocketAsks[K][0]) => Promise<SocketAsks[K][1]>
  /** How it ended; null while it runs. */
  readonly ended: () => string | null
  readonly stderr: () => string
  readonly stop: () => Promise<void>
}

/** The options must survive a message: no functions. */
export const startSocketChild = async (
  options: Omit<TestSocketOptions, "rpc" | "sources"> = {},
): Promise<SocketChild> => {
  const path = fileURLToPath(new URL("./socket-process.ts", import.meta.url))
  const child = fork(path, [], {
    execArgv: ["--import", "tsx", "--expose-gc", "--max-semi-space-size=32"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  const waiting = new Map<number, { readonly resolve: (answer: never) => void; readonly reject: (e: Error) => void }>()
  let asked = 0
  let ended: string | null = null
  let stderr = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const exited = new Promise<void>((done) => {
    child.on("exit", (code, signal) => {
      ended = `${signal ?? code}`
      for (const { reject } of waiting.values()) reject(new Error(`the socket process ended (${ended}):\n${stderr}`))
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
  const ask: SocketChild["ask"] = (name, question) =>
    new Promise((resolve, reject) => {
      if (ended !== null) return reject(new Error(`the socket process ended (${ended}):\n${stderr}`))
      const id = ++asked
      waiting.set(id, { resolve, reject })
      child.send({ id, ask: name, question })
    })
  const url = await ask("start", options)
  return {
    url,
    pid: child.pid ?? -1,
    ask,
    ended: () => ended,
    stderr: () => stderr,
    stop: async () => {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
      await exited
      clearTimeout(timer)
    },
  }
}
