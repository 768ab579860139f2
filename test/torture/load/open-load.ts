/**
 * HTTP requests on raw keep-alive sockets, either as fast as answers come or at a rate that waits for nothing. The one thing to know: in
 * an open load latency counts from the planned moment, and a request that found no free connection was never offered: it is counted apart.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { HttpConnection } from "../../../bench/kit/http-connection.ts"
import { quantile } from "../nemesis/traffic.ts"

export interface Answered {
  /** performance.now() */
  readonly plannedAt: number
  readonly sentAt: number
  readonly answeredAt: number
  readonly status: number
  /** Of a refusal: `details.code`. */
  readonly code: string
}

export interface Outcome {
  readonly answers: ReadonlyArray<Answered>
  /** Planned, and no connection was free. */
  readonly unsent: number
  readonly millis: number
}

const ANSWER_MILLIS_MAX = 30_000

export class OpenLoad {
  private constructor(
    private readonly connections: ReadonlyArray<HttpConnection>,
    private readonly request: (n: number) => Buffer,
  ) {}

  static async open(port: number, count: number, request: (n: number) => Buffer): Promise<OpenLoad> {
    const connections: Array<HttpConnection> = []
    for (let n = 0; n < count; n++) connections.push(await HttpConnection.open(port))
    return new OpenLoad(connections, request)
  }

  close(): void {
    for (const connection of this.connections) connection.end()
  }

  /** Each connection asks again when it has its answer. */
  async closed(millis: number): Promise<Outcome> {
    const from = performance.now()
    const answers: Array<Answered> = []
    let n = 0
    await Promise.all(
      this.connections.map(async (connection) => {
        while (performance.now() - from < millis) {
          const at = performance.now()
          answers.push(await this.ask(connection, n++, at))
        }
      }),
    )
    return { answers, unsent: 0, millis: performance.now() - from }
  }

  /** So many in all, each connection asks again when it has its answer. */
  async count(count: number): Promise<ReadonlyArray<Answered>> {
    const answers: Array<Answered> = []
    let n = 0
    const work = async (connection: HttpConnection) => {
      while (n < count) answers.push(await this.ask(connection, n++, performance.now()))
    }
    await Promise.all(this.connections.map(work))
    return answers
  }

  async offer(perSecond: number, millis: number): Promise<Outcome> {
    const from = performance.now()
    const answers: Array<Answered> = []
    const free = [...this.connections]
    const running = new Set<Promise<void>>()
    let unsent = 0
    const count = Math.floor((perSecond * millis) / 1_000)
    for (let n = 0; n < count; ) {
      const due = Math.min(count, Math.ceil(((performance.now() - from) * perSecond) / 1_000))
      for (; n < due; n++) {
        const plannedAt = from + (n * 1_000) / perSecond
        // In turn: the gateway closes one that is idle for 10 s.
        const connection = free.shift()
        if (connection === undefined) {
          unsent++
          continue
        }
        const done = this.ask(connection, n, plannedAt).then((answer) => {
          answers.push(answer)
          free.push(connection)
          running.delete(done)
        })
        running.add(done)
      }
      await sleep(1)
    }
    const offeredFor = performance.now() - from
    await Promise.all(running)
    return { answers, unsent, millis: offeredFor }
  }

  private ask(connection: HttpConnection, n: number, plannedAt: number): Promise<Answered> {
    const sentAt = performance.now()
    return new Promise((resolve, reject) => {
      const overdue = setTimeout(() => reject(new Error("an answer is overdue")), ANSWER_MILLIS_MAX)
      connection.onBroken = (error) => {
        clearTimeout(overdue)
        reject(error)
      }
      connection.send(this.request(n), (isOk, text) => {
        clearTimeout(overdue)
        const status = isOk ? 200 : Number(text().slice(9, 12))
        const code = isOk ? "" : (/"code":"(\w+)"/.exec(text())?.[1] ?? "")
        resolve({ plannedAt, sentAt, answeredAt: performance.now(), status, code })
      })
    })
  }
}

export const postOf = (path: string, body: object, token: string | null, more = ""): Buffer => {
  const text = JSON.stringify(body)
  const authorization = token === null ? "" : `Authorization: Bearer ${token}\r\n`
  return Buffer.from(
    `POST /api/v3${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}${more}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}

export const statusesOf = (answers: ReadonlyArray<Answered>): string => {
  const counts = new Map<string, number>()
  for (const { status, code } of answers) {
    const name = code === "" ? `${status}` : `${status} ${code}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => `${count} x ${name}`).join(", ")
}

/** From the moment it left: what the gateway took. */
export const servedIn = (answers: ReadonlyArray<Answered>, share: number): number =>
  quantile(
    answers.map(({ answeredAt, sentAt }) => answeredAt - sentAt),
    share,
  )

/** From the moment it was due: what a client waited. */
export const waitedFor = (answers: ReadonlyArray<Answered>, share: number): number =>
  quantile(
    answers.map(({ answeredAt, plannedAt }) => answeredAt - plannedAt),
    share,
  )
