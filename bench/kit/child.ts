/**
 * Servers and load generators run in processes of their own, so that each one's CPU is its own. A child answers questions over the IPC
 * channel and ends when its parent does, so nothing is left behind.
 */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { V8_FLAGS } from "../../scripts/v8-flags.ts"
import { profilerOptions } from "./profile.ts"

export type Answers = Readonly<Record<string, (question: never) => unknown>>

interface Envelope {
  readonly id: number
  readonly name: string
  readonly body: unknown
}

export interface Child {
  readonly pid: number
  /** Rejects with the child's words when it fails, and when it ends before it answers. */
  readonly ask: <A>(name: string, question?: unknown) => Promise<A>
  readonly stop: () => Promise<void>
}

const children = new Set<Child>()

/** `file` is a module of bench/processes, for example `http-server`. */
export const startChild = async (file: string, options: ReadonlyArray<string> = []): Promise<Child> => {
  const path = fileURLToPath(new URL(`../processes/${file}.js`, import.meta.url))
  const process_ = fork(path, [], {
    execArgv: ["--enable-source-maps", ...V8_FLAGS, ...profilerOptions(file), ...options],
    serialization: "advanced",
  })
  const open = new Map<number, { readonly resolve: (value: unknown) => void; readonly reject: (e: Error) => void }>()
  let lastId = 0
  const ended = new Promise<void>((done) => {
    process_.on("exit", (code, signal) => {
      for (const { reject } of open.values()) reject(new Error(`${file} ended (${code ?? signal}) before it answered`))
      open.clear()
      done()
    })
  })
  process_.on("message", (message) => {
    const { id, body, failure } = message as { id: number; body: unknown; failure?: string }
    const waiting = open.get(id)
    open.delete(id)
    if (failure === undefined) waiting?.resolve(body)
    else waiting?.reject(new Error(`${file}: ${failure}`))
  })
  const ask = <A>(name: string, question?: unknown): Promise<A> =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      open.set(id, { resolve: resolve as (value: unknown) => void, reject })
      process_.send({ id, name, body: question })
    })
  const child: Child = {
    pid: process_.pid ?? 0,
    ask,
    stop: async () => {
      children.delete(child)
      if (process_.connected) process_.disconnect()
      const timer = setTimeout(() => process_.kill("SIGKILL"), 10_000)
      await ended
      clearTimeout(timer)
    },
  }
  children.add(child)
  await ask("ready")
  return child
}

/** For the end of a bench, however it ends. */
export const stopChildren = async (): Promise<void> => {
  await Promise.all([...children].map((child) => child.stop()))
}

/** The child's side: answers until the parent goes away, then `ending` runs and the process ends. */
export const answer = (answers: Answers, ending: () => void | Promise<void> = () => {}): void => {
  const reply = async ({ id, name, body }: Envelope): Promise<void> => {
    try {
      const handler = name === "ready" ? () => true : answers[name]
      if (handler === undefined) throw new Error(`no answer to ${name}`)
      process.send?.({ id, body: await (handler as (question: unknown) => unknown)(body) })
    } catch (error) {
      process.send?.({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
  process.on("message", (message) => void reply(message as Envelope))
  process.on("disconnect", () => void Promise.resolve(ending()).finally(() => process.exit(0)))
}
