/** The two ends of a line to a process of the run: questions by name, one answer each; the process ends when its parent does. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"

/** Name → what is asked and what is answered; everything must survive a message. */
export type Asks = Readonly<Record<string, readonly [question: unknown, answer: unknown]>>

export interface Line<A extends Asks> {
  readonly pid: number
  /** Rejects with the process's own words, and when it ends before it answers. */
  readonly ask: <K extends keyof A & string>(name: K, question: A[K][0]) => Promise<A[K][1]>
  /** How it ended; null while it runs. */
  readonly ended: () => string | null
  /** The newest of what it wrote there. */
  readonly stderr: () => string
  /** Resolves with how it ended: "0" when it left in good order. */
  readonly stop: () => Promise<string>
}

export interface LineOptions {
  /** For node, beside the loader of TypeScript. */
  readonly flags?: ReadonlyArray<string>
  /** Beside the parent's. */
  readonly env?: Readonly<Record<string, string>>
}

const STOP_MILLIS_MAX = 20_000
const STDERR_CHARS_MAX = 100_000

/** `program` calls `answer`. */
export const startLine = <A extends Asks>(program: URL, { flags = [], env = {} }: LineOptions = {}): Line<A> => {
  const path = fileURLToPath(program)
  const child = fork(path, [], {
    execArgv: ["--import", "tsx", ...flags],
    env: { ...process.env, ...env },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  const waiting = new Map<number, { readonly resolve: (answer: never) => void; readonly reject: (e: Error) => void }>()
  let asked = 0
  let ended: string | null = null
  let stderr = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS_MAX)
  })
  const lost = (): Error => new Error(`${path} ended (${ended ?? "told to"}):\n${stderr.slice(-10_000)}`)
  const exited = new Promise<string>((resolve) => {
    child.on("exit", (code, signal) => {
      ended = `${signal ?? code}`
      for (const { reject } of waiting.values()) reject(lost())
      waiting.clear()
      resolve(ended)
    })
  })
  child.on("message", (message) => {
    const { id, answer, failure } = message as { id: number; answer?: never; failure?: string }
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (failure === undefined) waiter?.resolve(answer as never)
    else waiter?.reject(new Error(`${path}: ${failure}`))
  })
  return {
    pid: child.pid ?? -1,
    ask: (name, question) =>
      new Promise((resolve, reject) => {
        if (ended !== null || !child.connected) return reject(lost())
        const id = ++asked
        waiting.set(id, { resolve, reject })
        child.send({ id, name, question })
      }),
    ended: () => ended,
    stderr: () => stderr,
    stop: async () => {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MILLIS_MAX)
      const how = await exited
      clearTimeout(timer)
      return how
    },
  }
}

export type Answers<A extends Asks> = {
  readonly [K in keyof A]: (question: A[K][0]) => A[K][1] | Promise<A[K][1]>
}

/** The process's end; `ending` runs when the parent has gone. */
export const answer = <A extends Asks>(answers: Answers<A>, ending: () => Promise<void>): void => {
  const reply = async (id: number, name: string, question: unknown): Promise<void> => {
    try {
      const answering = Object.hasOwn(answers, name) ? answers[name] : undefined
      if (answering === undefined) throw new Error(`nobody answers ${name}`)
      process.send?.({ id, answer: await answering(question as never) })
    } catch (error) {
      process.send?.({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
  process.on("message", (message) => {
    const { id, name, question } = message as { id: number; name: string; question: unknown }
    void reply(id, name, question)
  })
  process.on("disconnect", () => {
    ending().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
}
