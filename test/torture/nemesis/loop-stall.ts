/**
 * The event loop stands still for 2 s (scoreboard F13) under orders and sockets: whoever runs the gateway is told, no venue is blamed for
 * answers that we were late to read, and no socket is closed.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { WebSocket } from "ws"
import { type startGateway, until } from "../../kit/servers/gateway.ts"
import { openStage } from "../failpoints/stage.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import { seenBySecond } from "./seen.ts"
import { mixedTraffic, quantile, reckon } from "./traffic.ts"

const RATE = 10
const SOCKETS = 50
const BEFORE = 30
/** Of a start that is slow itself there may be shorter ones. */
const STILL = /"msg":"the event loop was blocked","millis":(1[5-9]|[2-9]\d)\d\d/

export const loopStall = async (options: {
  readonly built: boolean
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const { built, progress } = options
  const stage = await openStage({ FAILPOINT: `submit.answered:${BEFORE}:stall` }, built)
  try {
    const gateway: Awaited<ReturnType<typeof startGateway>> = await stage.start()
    const trader = await stage.enter("binance")
    const closes: Array<number> = []
    const pings: Array<number> = []
    for (let index = 0; index < SOCKETS; index += 1) {
      const socket = new WebSocket(gateway.ws)
      socket.on("close", (code) => closes.push(code))
      await new Promise<void>((resolve, reject) => {
        socket.once("error", reject)
        socket.once("open", () => socket.send(JSON.stringify({ id: 1, connect: { token: trader.calls.token } })))
        socket.once("message", () => resolve())
      })
      socket.on("message", (message) => {
        // The protocol's ping is an empty object, and its answer is the same.
        if (String(message) !== "{}") return
        pings.push(performance.now())
        socket.send("{}")
      })
    }
    const traffic = mixedTraffic(trader, RATE)
    const beganAt = performance.now()
    traffic.begin()
    const still = await until("the stall to be noticed", () => STILL.exec(gateway.stderr())?.[0])
    const stillAt = performance.now()
    progress(`loop-stall: ${still.slice(0, 80)}`)
    // Every socket is pinged once more.
    await until("pings after it", () => pings.filter((at) => at > stillAt).length >= SOCKETS, 90_000)
    await sleep(1_000)
    await traffic.end()
    const latencies = traffic.sent.map(({ first, plannedAt }) => (first?.answeredAt ?? plannedAt) - plannedAt)
    const seen = seenBySecond(traffic.sent, beganAt)
    await traffic.repeat()
    const orders = (await trader.calls.orders({ tradingAccountId: trader.tradingAccountId, limit: 1000 })).record
    const doubted = orders.filter(({ inDoubt, orderStatus }) => inDoubt || orderStatus === "UNKNOWN")
    const acknowledged = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
    const unwell = /"msg":"[^"]*(no answer|lost|silent|heartbeat|replaced)[^"]*"/.exec(gateway.stderr())?.[0]
    return [
      ...(await reckon(traffic, acknowledged, stage)),
      { name: "told", passed: true, says: still },
      none(
        "orders in doubt because of it",
        doubted.map(({ tradeOrderId }) => tradeOrderId),
        `${orders.length}`,
      ),
      none("sockets closed", closes.map(String), `${SOCKETS}`),
      { name: "venues and threads blamed", passed: unwell === undefined, says: unwell ?? "none" },
      {
        name: "answers",
        passed: true,
        says: `p50 ${quantile(latencies, 0.5)} ms, slowest ${quantile(latencies, 1)} ms; ${seen}`,
      },
    ]
  } finally {
    await stage.close()
  }
}
