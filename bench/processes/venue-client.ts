/** The user of `venue`: submits orders to the gateway over HTTP at planned times. */
import { Agent, request } from "node:http"
import { answer } from "../kit/child.ts"
import { nowMicros, openLoop } from "../kit/clock.ts"
import { type OrderTimes, type Pace, STAGES } from "./venue-wire.ts"

export interface ClientOf {
  readonly port: number
  readonly token: string
  readonly tradingAccountId: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 })
let of: ClientOf | undefined

interface Submitted {
  readonly tradeOrderId: string
  readonly stages: ReadonlyArray<number>
}

const stagesOf = (header: string): ReadonlyArray<number> =>
  STAGES.map((stage) => Number(new RegExp(`${stage};dur=([\\d.]+)`).exec(header)?.[1]))

const submit = (body: string): Promise<Submitted> =>
  new Promise((resolve, reject) => {
    const { port, token } = of!
    const call = request(
      {
        agent,
        port,
        host: "127.0.0.1",
        method: "POST",
        path: "/api/v3/tradeOrder/submit",
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(body),
        },
      },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
        })
        response.on("end", () => {
          const stages = stagesOf(String(response.headers["server-timing"]))
          if (response.statusCode === 200) resolve({ tradeOrderId: JSON.parse(text).data.tradeOrderId, stages })
          else reject(new Error(`HTTP ${response.statusCode}: ${text}`))
        })
      },
    )
    call.on("error", reject)
    call.end(body)
  })

answer({
  start: (given: ClientOf): void => {
    of = given
  },
  run: async ({ perSecond, millis, name }: Pace): Promise<ReadonlyArray<OrderTimes>> => {
    const orders: Array<Promise<OrderTimes>> = []
    await openLoop(perSecond, millis, (n, plannedAt) => {
      const body = JSON.stringify({
        tradingAccountId: of?.tradingAccountId,
        instrumentId: "BINANCE:BTC/USDT",
        idempotencyKey: `${name}-${n}`,
        orderSide: "BUY",
        orderType: "LIMIT",
        timeInForce: "GTC",
        quantity: "0.0001",
        limitPrice: `${50_000 + (n % 100)}`,
      })
      orders.push(
        submit(body).then(({ tradeOrderId, stages }) => ({
          // The venue's client order id is ours, without its dashes.
          clientOrderId: tradeOrderId.replaceAll("-", ""),
          plannedAt,
          answeredAt: nowMicros(),
          stages,
        })),
      )
    })
    return Promise.all(orders)
  },
})
