/**
 * The HTTP load generator, a process of its own: raw keep-alive sockets, request bytes made beforehand, answers cut by Content-Length.
 * Closed loop for throughput and CPU; open loop for latency, counted from the planned send time, so that queueing counts.
 */
import { answer } from "../kit/child.ts"
import { HttpConnection } from "../kit/http-connection.ts"
import { percentiles } from "../kit/report.ts"
import { ownCpuMicros } from "../kit/usage.ts"

export interface Plan {
  readonly millis: number
  /** Null: closed loop, each connection sends when it has its answer. Else requests a second over all connections. */
  readonly perSecond: number | null
}

export interface Outcome {
  readonly requests: number
  /** Open loop: planned, but not sent until LATE_MILLIS after the end. */
  readonly unsent: number
  /** Answers that are not 200. */
  readonly refused: number
  /** The first of them, to show what is wrong. */
  readonly firstRefusal: string
  readonly millis: number
  /** µs. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly generatorCpuMicros: number
}

export interface Target {
  readonly port: number
  readonly connections: number
  /** Whole requests; connection c sends the ones with index c, c + connections, … in turn. `{{n}}` becomes a number of 12 digits that never repeats. */
  readonly requests: ReadonlyArray<string>
}

const MARK = "{{n}}"
/** A server that cannot keep up gets this much time for the backlog. */
const LATE_MILLIS = 500
/** An answer that takes longer is no answer. */
const ANSWER_MILLIS_MAX = 10_000

/** Request bytes whose number is overwritten in place: its digits are as many as they will ever be. */
interface Template {
  readonly bytes: Buffer
  readonly at: ReadonlyArray<number>
}

const DIGITS = 12
const template = (request: string): Template => {
  const bytes = Buffer.from(request.replaceAll(MARK, "0".repeat(DIGITS)))
  const at: Array<number> = []
  let shift = 0
  for (let i = request.indexOf(MARK); i >= 0; i = request.indexOf(MARK, i + 1)) {
    at.push(i + shift)
    shift += DIGITS - MARK.length
  }
  return { bytes, at }
}

let connections: Array<HttpConnection> = []
let templates: Array<Template> = []
let sent = 0

const next = (connection: number): Buffer => {
  const turn = Math.floor(sent / connections.length)
  const { bytes, at } = templates[(connection + turn * connections.length) % templates.length]!
  sent++
  if (at.length === 0) return bytes
  // The socket may still hold the bytes of the request before: each one has its own.
  const copy = Buffer.from(bytes)
  const digits = String(sent).padStart(DIGITS, "0")
  for (const place of at) copy.write(digits, place, "latin1")
  return copy
}

const run = (plan: Plan): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const latencies: Array<number> = []
    let refused = 0
    let firstRefusal = ""
    let inFlight = 0
    const cpuBefore = ownCpuMicros()
    const startedAt = performance.now()
    const endAt = startedAt + plan.millis
    const idle: Array<number> = connections.map((_, i) => i)
    let planned = 0
    let timer: NodeJS.Timeout | undefined

    const overdue = setTimeout(() => {
      reject(new Error(`${inFlight} requests have no answer after ${ANSWER_MILLIS_MAX} ms`))
    }, plan.millis + ANSWER_MILLIS_MAX)

    const finish = (): void => {
      clearTimeout(overdue)
      if (timer !== undefined) clearInterval(timer)
      const millis = performance.now() - startedAt
      resolve({
        requests: latencies.length,
        unsent: plan.perSecond === null ? 0 : Math.floor((plan.millis * plan.perSecond) / 1000) - latencies.length,
        refused,
        firstRefusal,
        millis,
        ...percentiles(latencies),
        generatorCpuMicros: ownCpuMicros() - cpuBefore,
      })
    }

    const send = (connection: number, since: number): void => {
      inFlight++
      connections[connection]!.send(next(connection), (isOk, text) => {
        inFlight--
        const now = performance.now()
        latencies.push((now - since) * 1000)
        if (!isOk) {
          refused++
          if (firstRefusal === "") firstRefusal = text()
        }
        if (plan.perSecond === null) {
          if (now < endAt) send(connection, now)
          else if (inFlight === 0) finish()
          return
        }
        idle.push(connection)
        drain()
      })
    }

    /** Open loop: whatever is due and finds a free connection leaves. */
    const drain = (): void => {
      const perMilli = (plan.perSecond ?? 0) / 1000
      const now = performance.now()
      const total = Math.floor(plan.millis * perMilli)
      if (now > endAt + LATE_MILLIS) planned = total
      while (idle.length > 0 && planned < total) {
        const due = startedAt + planned / perMilli
        if (due > now) break
        planned++
        send(idle.shift()!, due)
      }
      if (planned >= total && inFlight === 0) finish()
    }

    for (const connection of connections) connection.onBroken = reject
    if (plan.perSecond === null) for (const i of connections.keys()) send(i, performance.now())
    else timer = setInterval(drain, 1)
  })

answer({
  open: async ({ port, connections: wanted, requests }: Target): Promise<void> => {
    for (const connection of connections) connection.end()
    connections = await Promise.all(Array.from({ length: wanted }, () => HttpConnection.open(port)))
    templates = requests.map(template)
  },
  run,
})
