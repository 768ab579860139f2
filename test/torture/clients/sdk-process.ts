/** One SDK bot as a process, by the lines that the head of `sdk-bot.ts` lists. The one thing to know: it is never restarted; what dies is the gateway. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { SubmitOrder, TradeOrder } from "../../../clients/typescript/src/index.ts"
import { CLIENT_MODULES, PACKAGES, pythonWith } from "../../../scripts/python.ts"

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** How a bot on each client is started. */
const PROGRAMS = {
  typescript: () => [process.execPath, "--import", "tsx", here("sdk-bot.ts")],
  python: () => {
    const python = pythonWith(...CLIENT_MODULES)
    if (python === null) throw new Error(`no Python with ${CLIENT_MODULES.join(" and ")} here: ${PACKAGES}`)
    return [python, here("sdk_bot.py")]
  },
} satisfies Readonly<Record<string, () => ReadonlyArray<string>>>

export type SdkClient = keyof typeof PROGRAMS
export const SDK_CLIENTS = Object.keys(PROGRAMS) as ReadonlyArray<SdkClient>

export interface Submitted {
  readonly outcome: "Stored" | "Replayed" | "Refused" | "Unanswered"
  readonly key: string
  readonly tradeOrderId: string | null
  readonly code: string | null
}

export interface Report {
  readonly orders: ReadonlyArray<TradeOrder>
  readonly open: ReadonlyArray<string>
  readonly proof: { readonly from: number; readonly to: number; readonly gaps: number } | null
  readonly bid: string | null
  readonly ask: string | null
}

interface Answers {
  readonly submit: Submitted
  readonly cancel: { readonly outcome: "Done" | "Refused" | "NoAnswer" }
  readonly report: Report
  readonly verify: { readonly isSame: boolean; readonly sequence: number }
  readonly end: object
}

export interface SdkBotOptions {
  readonly client: SdkClient
  readonly url: string
  readonly apiKey: string
  readonly tradingAccountId: string
  readonly instrumentId: string
  readonly patienceMillis: number
}

export class SdkBot {
  /** Keys that were kept before their submit left. */
  readonly persisted = new Set<string>()
  resyncs = 0
  readonly #child: ChildProcess
  readonly #waiting = new Map<
    number,
    { readonly done: (answer: never) => void; readonly fail: (error: Error) => void }
  >()
  readonly #ready: Promise<void>
  #count = 0

  constructor(readonly options: SdkBotOptions) {
    const [program, ...words] = PROGRAMS[options.client]() as [string, ...ReadonlyArray<string>]
    const { PATH = "", HOME = "", PYTHONPATH = "" } = process.env
    this.#child = spawn(program, words, {
      env: {
        PATH,
        HOME,
        ...(PYTHONPATH === "" ? {} : { PYTHONPATH }),
        GATEWAY_URL: options.url,
        GATEWAY_KEY: options.apiKey,
        TRADING_ACCOUNT_ID: options.tradingAccountId,
        INSTRUMENT_ID: options.instrumentId,
        PATIENCE_MS: String(options.patienceMillis),
      },
      stdio: ["pipe", "pipe", "inherit"],
    })
    const kill = (): void => void this.#child.kill("SIGKILL")
    process.once("exit", kill)
    this.#ready = new Promise((resolve, reject) => {
      createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#hear(JSON.parse(line), resolve))
      this.#child.once("close", (code) => {
        process.off("exit", kill)
        const ended = new Error(`a bot ended with ${code}`)
        reject(ended)
        for (const { fail } of this.#waiting.values()) fail(ended)
        this.#waiting.clear()
      })
    })
    this.#ready.catch(() => undefined)
  }

  ready(): Promise<void> {
    return this.#ready
  }

  submit(order: SubmitOrder, key?: string): Promise<Submitted> {
    return this.#ask("submit", key === undefined ? { order } : { order, key })
  }

  cancel(tradeOrderId: string): Promise<Answers["cancel"]> {
    return this.#ask("cancel", { tradeOrderId })
  }

  report(): Promise<Report> {
    return this.#ask("report")
  }

  verify(): Promise<Answers["verify"]> {
    return this.#ask("verify")
  }

  /** Ends it, whatever it does. */
  async end(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once("close", resolve))
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const patience = setTimeout(() => this.#child.kill("SIGKILL"), 5_000)
    await this.#ask("end").catch(() => undefined)
    await closed
    clearTimeout(patience)
  }

  #ask<D extends keyof Answers>(what: D, fields: object = {}): Promise<Answers[D]> {
    const n = ++this.#count
    return new Promise<Answers[D]>((done, fail) => {
      this.#waiting.set(n, { done: done as (answer: never) => void, fail })
      this.#child.stdin!.write(`${JSON.stringify({ n, do: what, ...fields })}\n`)
    })
  }

  #hear(line: Readonly<Record<string, unknown>>, isReady: () => void): void {
    if (line["event"] === "ready") return isReady()
    if (line["event"] === "persisted") return void this.persisted.add(String(line["key"]))
    if (line["event"] === "resynced") {
      this.resyncs += 1
      return
    }
    const n = Number(line["n"])
    const waiting = this.#waiting.get(n)
    this.#waiting.delete(n)
    if (line["failed"] !== undefined) waiting?.fail(new Error(String(line["failed"])))
    else waiting?.done(line as never)
  }
}
