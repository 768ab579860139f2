/** An end of the floor of `cable`: NATS's own client and its `request()`, with bytes as many as a forwarded order and its answer have. */
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { answer } from "../kit/child.ts"
import { type Percentiles, percentiles } from "../kit/report.ts"

export interface FloorAsk {
  readonly atOnce: number
  readonly millis: number
}

export interface FloorOutcome extends Percentiles {
  readonly requests: number
  readonly millis: number
}

const SUBJECT = "floor"
const REQUEST = new Uint8Array(1_100)
const ANSWER = new Uint8Array(1_000)

let connection: NatsConnection | undefined

const ask = async ({ atOnce, millis }: FloorAsk): Promise<FloorOutcome> => {
  const latencies: Array<number> = []
  const startedAt = performance.now()
  const one = async (): Promise<void> => {
    while (performance.now() < startedAt + millis) {
      const at = performance.now()
      await connection!.request(SUBJECT, REQUEST, { timeout: 5_000 })
      latencies.push((performance.now() - at) * 1_000)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return { requests: latencies.length, millis: performance.now() - startedAt, ...percentiles(latencies) }
}

answer(
  {
    connect: async (port: number): Promise<void> => {
      connection = await connect({ servers: `127.0.0.1:${port}` })
    },
    serve: (): void => {
      connection?.subscribe(SUBJECT, { callback: (_error, message) => void message.respond(ANSWER) })
    },
    ask,
  },
  () => connection?.close(),
)
