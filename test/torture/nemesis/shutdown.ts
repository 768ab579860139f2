/**
 * SIGTERM under order load (scoreboard F14): not ready at once, every socket told 3001, what was accepted is answered, exit 0 within 10 s,
 * nothing acknowledged is lost.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { WebSocket } from "ws"
import { until } from "../../kit/servers/gateway.ts"
import { openStage, type Stage, type Trader } from "../failpoints/stage.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import { lastReady, seenBySecond, watchHealth } from "./seen.ts"
import { mixedTraffic, reckon, type Traffic } from "./traffic.ts"

export interface ShutdownOptions {
  readonly rounds: number
  /** Open when the signal comes. */
  readonly connections: number
  readonly progress: (line: string) => void
}

const RATE = 100
const AT_ONCE = 50
/** A busy machine reads a request that late. */
const GRACE_MILLIS = 100
const EXIT_MILLIS = 10_000
const SHUTDOWN_CODE = 3001

const opened = (url: string, { calls }: Trader): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.once("error", reject)
    socket.once("open", () => socket.send(JSON.stringify({ id: 1, connect: { token: calls.token } })))
    socket.once("message", () => resolve(socket))
  })

/** Each tells with which code it was closed. */
const sockets = async (url: string, trader: Trader, count: number): Promise<ReadonlyArray<Promise<number>>> => {
  const closes: Array<Promise<number>> = []
  while (closes.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - closes.length) }, () => opened(url, trader))
    for (const socket of await Promise.all(some)) closes.push(new Promise((resolve) => socket.once("close", resolve)))
  }
  return closes
}

interface Round {
  readonly code: number | null
  readonly exitMillis: number
  /** After the signal health was still told to be well. */
  readonly unreadyMillis: number
  /** Until no request was taken any more. */
  readonly awayMillis: number
  readonly seen: string
  readonly closes: ReadonlyArray<number>
  readonly cut: ReadonlyArray<string>
}

const once = async (stage: Stage, trader: Trader, traffic: Traffic, connections: number): Promise<Round> => {
  const gateway = stage.gateway()
  const closing = await sockets(gateway.ws, trader, connections)
  const readiness = watchHealth(gateway.http)
  const from = traffic.sent.length
  await until("orders under way", () => traffic.sent.slice(from).some(({ status }) => status === 200))
  const askedAt = performance.now()
  const exit = gateway.stop()
  const away = awaySince(gateway.http)
  const { code } = await exit
  const exitMillis = performance.now() - askedAt
  await sleep(100)
  // Had it been accepted before the signal it would have been answered: only what came after it may find nobody.
  const cut = traffic.sent
    .slice(from)
    .filter(({ leftAt, answeredAt, status }) => leftAt < askedAt - GRACE_MILLIS && answeredAt > 0 && status === 0)
    .map(({ key }) => key)
  await readiness.end()
  return {
    code,
    exitMillis,
    unreadyMillis: lastReady(readiness, askedAt),
    awayMillis: (await away) - askedAt,
    seen: seenBySecond(traffic.sent.slice(from), askedAt),
    closes: await Promise.all(closing),
    cut,
  }
}

/** When the first request left that was not served any more. */
const awaySince = (base: string): Promise<number> =>
  until(
    "it to be away",
    async () => {
      const leftAt = performance.now()
      const isServed = await fetch(`${base}/api/v3/market/venue/list`).then(
        (response) => response.status !== 503,
        () => false,
      )
      return isServed ? undefined : leftAt
    },
    EXIT_MILLIS,
  )

export const shutdown = async ({ rounds, connections, progress }: ShutdownOptions): Promise<ReadonlyArray<Verdict>> => {
  const stage = await openStage()
  try {
    await stage.start()
    const trader = await stage.enter("mock")
    const traffic = mixedTraffic(trader, RATE)
    traffic.begin()
    const found: Array<Round> = []
    for (let round = 1; round <= rounds; round += 1) {
      found.push(await once(stage, trader, traffic, connections))
      await stage.start()
      progress(`shutdown ${round}/${rounds}: exit after ${Math.round(found.at(-1)?.exitMillis ?? 0)} ms`)
    }
    await traffic.end()
    const before = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
    await traffic.repeat()
    const codes = found.filter(({ code }) => code !== 0).map(({ code }) => `exit ${code}`)
    const slowest = Math.round(Math.max(...found.map(({ exitMillis }) => exitMillis)))
    const unready = Math.round(Math.max(...found.map(({ unreadyMillis }) => unreadyMillis)))
    const away = Math.round(Math.max(...found.map(({ awayMillis }) => awayMillis)))
    const closes = found.flatMap((round) => round.closes)
    const others = closes.filter((code) => code !== SHUTDOWN_CODE).map(String)
    return [
      ...(await reckon(traffic, before)),
      {
        name: "exits",
        passed: codes.length === 0 && slowest <= EXIT_MILLIS,
        says: `${rounds} of code 0 but ${codes.length}, ${slowest} ms at most`,
      },
      {
        name: "not ready",
        passed: unready <= 1_000,
        says: `the last to hear that it is ready asked ${unready} ms after the signal`,
      },
      { name: "no request taken", passed: away <= 3_000, says: `${away} ms after the signal at most` },
      { name: "what clients saw", passed: true, says: found[0]?.seen ?? "" },
      none(`sockets closed otherwise than ${SHUTDOWN_CODE}`, others, String(closes.length)),
      none(
        "requests from before the signal without an answer",
        found.flatMap(({ cut }) => cut),
        String(traffic.sent.length),
      ),
    ]
  } finally {
    await stage.close()
  }
}
