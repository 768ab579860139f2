/**
 * `npm run torture -- venue-storm [--venue okx]`: two tenants at one venue, of which one sends more orders and cancels than the venue takes. How long a
 * cancel of the other is on its way, until the exchange has carried it out, is compared with what it took while the other was alone.
 */
import { availableParallelism, cpus } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { openStage, type Stage, submit, type Trader } from "../failpoints/stage.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { quantile } from "../nemesis/traffic.ts"

export const STORM_VENUES = ["binance", "okx", "kucoin"] as const
export type StormVenue = (typeof STORM_VENUES)[number]

export interface VenueStormOptions {
  readonly venue: StormVenue
  /** Of either measurement. */
  readonly seconds: number
  /** A submit and a cancel each: BINANCE takes 50 of them from an address, OKX 30 orders of an instrument, KUCOIN 26 of them from an account. */
  readonly pairsPerSecond: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

/** No more are open to be answered. */
const STORM_IN_FLIGHT = 600
/** By then the storm has filled every venue's window. */
const FILLED_MILLIS = 60_000
const WARM_ORDERS = 100
/** From one order of the quiet tenant to the next. */
const PAUSE_MILLIS = 60
const CANCELLED_MILLIS_MAX = 60_000
const POLL_MILLIS = 2
const TIMES_MAX = 2
/** Twice less than a few milliseconds is the machine's own noise. */
const LEAST_MILLIS = 5

/** Rests: far below the market. */
const RESTING = { orderSide: "BUY", orderType: "LIMIT", limitPrice: "9000" }

interface Cancelled {
  /** From the request to the exchange's own word, ms. */
  readonly millis: ReadonlyArray<number>
  /** Orders of the quiet tenant that came to nothing. */
  readonly lost: number
}

const openAt = (stage: Stage, { venue, apiKey }: Trader, clientOrderId: string): boolean => {
  // The newest alone: this looks every few milliseconds, and in the process of the exchange.
  const orders = stage.others[venue]?.orders(apiKey, 1) ?? stage.exchange.orders(apiKey, 1)
  return orders.some((it) => it.clientOrderId === clientOrderId && it.status === "NEW")
}

const clientIdOf = (tradeOrderId: string): string => tradeOrderId.replaceAll("-", "")

/** One order after the other, until the time is over. */
const cancels = async (stage: Stage, trader: Trader, until: () => boolean): Promise<Cancelled> => {
  const millis: Array<number> = []
  let lost = 0
  while (!until()) {
    const order = await submit(trader, RESTING)
    const id = order === undefined ? "" : clientIdOf(order.tradeOrderId)
    const by = performance.now() + 2_000
    while (order !== undefined && !openAt(stage, trader, id) && performance.now() < by) await sleep(POLL_MILLIS)
    if (order === undefined || !openAt(stage, trader, id)) {
      lost++
      continue
    }
    const from = performance.now()
    const asked = trader.calls.cancel(trader.tradingAccountId, order.tradeOrderId)
    while (openAt(stage, trader, id) && performance.now() - from < CANCELLED_MILLIS_MAX) await sleep(POLL_MILLIS)
    millis.push(performance.now() - from)
    await asked
    await sleep(PAUSE_MILLIS)
  }
  return { millis, lost }
}

/** From here on, of all cores: where it is 1, the machine itself is what the cancels wait for. */
const busyShare = (): (() => number) => {
  const times = () => {
    const each = cpus().map(({ times: { user, nice, sys, idle, irq } }) => [user + nice + sys + irq, idle] as const)
    return [0, 1].map((at) => each.reduce((sum, it) => sum + it[at]!, 0)) as [number, number]
  }
  const [busyFrom, idleFrom] = times()
  return () => {
    const [busy, idle] = times()
    return (busy - busyFrom) / (busy - busyFrom + idle - idleFrom)
  }
}

interface Storm {
  readonly stop: () => Promise<{ readonly asked: number; readonly taken: number; readonly unsent: number }>
}

const startStorm = (trader: Trader, pairsPerSecond: number): Storm => {
  const from = performance.now()
  let [asked, taken, unsent, isOver] = [0, 0, 0, false]
  const running = new Set<Promise<void>>()
  const pair = async (): Promise<void> => {
    const order = await submit(trader, RESTING)
    if (order === undefined) return
    taken++
    await trader.calls.cancel(trader.tradingAccountId, order.tradeOrderId)
  }
  const blow = async (): Promise<void> => {
    while (!isOver) {
      const due = Math.floor(((performance.now() - from) * pairsPerSecond) / 1_000)
      for (; asked < due; asked++) {
        if (running.size >= STORM_IN_FLIGHT) {
          unsent++
          continue
        }
        const one = pair()
          .catch(() => undefined)
          .finally(() => running.delete(one))
        running.add(one)
      }
      await sleep(5)
    }
    await Promise.all(running)
  }
  const blowing = blow()
  return {
    stop: async () => {
      isOver = true
      await blowing
      return { asked, taken, unsent }
    },
  }
}

export const venueStorm = async ({
  venue,
  seconds,
  pairsPerSecond,
  built,
  progress,
}: VenueStormOptions): Promise<ReadonlyArray<Verdict>> => {
  const stage = await openStage({ LOG_LEVEL: "error" }, built, {}, [venue])
  try {
    await stage.start()
    const quiet = await stage.enter(venue)
    const storming = await stage.enter(venue)
    let warmed = 0
    await cancels(stage, quiet, () => warmed++ >= WARM_ORDERS)
    const within = (millis: number): (() => boolean) => {
      const end = performance.now() + millis
      return () => performance.now() > end
    }
    const aloneBusy = busyShare()
    const alone = await cancels(stage, quiet, within(seconds * 1_000))
    const busyBefore = aloneBusy()
    const p = ({ millis }: Cancelled, share: number): number =>
      quantile(
        [...millis].sort((a, b) => a - b),
        share,
      )
    progress(`venue-storm: ${venue} alone: ${alone.millis.length} cancels, p99 ${p(alone, 0.99).toFixed(1)} ms`)
    const storm = startStorm(storming, pairsPerSecond)
    await sleep(FILLED_MILLIS)
    const besideBusy = busyShare()
    const beside = await cancels(stage, quiet, within(seconds * 1_000))
    const busyDuring = besideBusy()
    const { asked, taken, unsent } = await storm.stop()
    const [before, during] = [p(alone, 0.99), p(beside, 0.99)]
    const percent = (share: number): string => `${Math.round(share * 100)} %`
    const load = `${availableParallelism()} cores busy for ${percent(busyDuring)}, alone ${percent(busyBefore)}`
    return [
      {
        name: `${venue}: the other's cancels`,
        passed: beside.millis.length > 0 && during <= TIMES_MAX * Math.max(before, LEAST_MILLIS),
        says: `p99 ${during.toFixed(1)} ms of ${beside.millis.length}, alone ${before.toFixed(1)} ms of ${alone.millis.length} (${(during / before).toFixed(1)} times); p50 ${p(beside, 0.5).toFixed(1)}, alone ${p(alone, 0.5).toFixed(1)} ms; ${load}`,
      },
      {
        name: `${venue}: the other's orders`,
        passed: beside.lost <= alone.lost,
        says: `${beside.lost} of ${beside.lost + beside.millis.length} did not come to the exchange within 2 s, alone ${alone.lost}`,
      },
      {
        name: `${venue}: the storm`,
        passed: taken > 0,
        says: `${asked} orders and cancels offered, ${taken} taken by the gateway, ${unsent} found no room`,
      },
    ]
  } finally {
    await stage.close()
  }
}
