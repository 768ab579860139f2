/**
 * The client's book at the checkpoints of a recorded day: a real gateway beside an exchange that plays the day, and two books through a line that is
 * cut, one in JSON frames and one in Protobuf. The one thing to know: the market is held at each checkpoint, so that the book must come to be the
 * venue's own there, string for string, and each cut must have been told before it may be trusted again.
 */
import { Centrifuge as ProtobufCentrifuge } from "centrifuge/build/protobuf"
import { WebSocket } from "ws"
import { Book, Gateway as Client, type Distrust, type Level } from "../../../clients/typescript/src/index.ts"
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { cutProxy } from "../../kit/proxies/cut-proxy.ts"
import { api, endGateways, startGateway, until } from "../../kit/servers/gateway.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { beginningOf, change, type Levels, type RecordedDay } from "../oracle/recorded-day.ts"

export interface SdkBookOptions {
  readonly recorded: RecordedDay
  /** Of the line between the gateway and the books, spread over the checkpoints. */
  readonly cuts: number
  /** So many checkpoints, spread over the day; absent: all that the venue named. */
  readonly checkpoints?: number
  readonly built: boolean | undefined
  readonly progress: (line: string) => void
}

export interface SdkBookFacts {
  readonly checkpoints: number
  readonly cuts: number
  /** Compared with the venue's book: two books at each checkpoint. */
  readonly compared: number
  readonly differences: ReadonlyArray<string>
  /** Cuts that a book was not told of. */
  readonly untold: ReadonlyArray<string>
  /** How often each reason was told, of both books. */
  readonly told: Readonly<Partial<Record<Distrust | "whole", number>>>
  readonly gaps: number
  readonly publications: number
}

const INSTRUMENT = "BINANCE:BTC/USDT"
const SPEED = 20
const DEPTH = 200
const SIDES = ["bids", "asks"] as const
const FORMS = ["JSON", "Protobuf"] as const

/** The best rows of the venue's own book. */
const bestOf = (levels: Levels, side: "bids" | "asks"): ReadonlyArray<readonly [string, string]> => {
  const sign = side === "bids" ? -1 : 1
  return [...levels[side]].sort(([a], [b]) => sign * (Number(a) - Number(b))).slice(0, DEPTH)
}

const differenceOf = (own: ReadonlyArray<Level>, venue: ReadonlyArray<readonly [string, string]>): string | null => {
  for (const [n, [price, quantity]] of venue.entries())
    if (own[n]?.[0] !== price || own[n]?.[1] !== quantity)
      return `row ${n}: ${own[n]?.slice(0, 2).join(" ") ?? "nothing"}, the venue ${price} ${quantity}`
  return null
}

/** Every so many-th of a list, its last among them. */
const spread = <A>(all: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  count >= all.length
    ? all
    : Array.from({ length: count }, (_, n) => all[Math.floor(((n + 1) * all.length) / count) - 1]!)

export const runSdkBook = async (options: SdkBookOptions): Promise<SdkBookFacts> => {
  const { recorded, progress } = options
  const frames = recorded.frames.filter(({ finalUpdateId }) => finalUpdateId > recorded.lastUpdateId)
  const named = frames.filter(({ finalUpdateId }) => recorded.tops.has(finalUpdateId)).map((it) => it.finalUpdateId)
  const holds = spread(named, options.checkpoints ?? named.length)
  const cutAt = new Set(spread(holds.slice(0, -1), options.cuts))
  const exchange = await startBinanceExchange({ replay: { file: recorded.file, speed: SPEED, start: "by hand" } })
  const clients: Array<Client> = []
  let proxy: Awaited<ReturnType<typeof cutProxy>> | undefined
  try {
    const gateway = await startGateway({ env: { VENUE_ROUTES: JSON.stringify(exchange.routes) }, built: options.built })
    proxy = await cutProxy({ host: "127.0.0.1", port: Number(new URL(gateway.http).port) }, { resets: true })
    const { accessToken } = (await api(gateway).signup("recorder@example.com")).record
    const told: Partial<Record<Distrust | "whole", number>> = {}
    const untold: Array<string> = []
    let publications = 0
    const books = FORMS.map((form) => {
      const client = new Client({
        url: `http://127.0.0.1:${proxy!.port}`,
        as: { accessToken },
        webSocket: WebSocket,
        centrifuge: { minReconnectDelay: 20, maxReconnectDelay: 100 },
        ...(form === "JSON" ? {} : { client: ProtobufCentrifuge as never }),
      })
      clients.push(client)
      const tell = (why: Distrust | null): void => {
        told[why ?? "whole"] = (told[why ?? "whole"] ?? 0) + 1
      }
      const onChange = (): void => {
        publications += 1
      }
      // The market is held for as long as a comparison takes.
      return {
        form,
        book: new Book(client, INSTRUMENT, { silenceMs: Number.POSITIVE_INFINITY, onTrust: tell, onChange }),
      }
    })
    await Promise.all(books.map(({ book }) => book.ready()))
    const { replay } = exchange
    if (replay === undefined) throw new Error("an exchange without a replay")
    const venue = beginningOf(recorded)
    const differences: Array<string> = []
    let [applied, compared] = [0, 0]
    for (const [n, hold] of holds.entries()) {
      const held = replay.pauseAfter((frame) => frame.kind === "depth" && frame.finalUpdateId === hold)
      replay.start()
      replay.resume()
      if (cutAt.has(hold)) {
        proxy.cut()
        for (const { form, book } of books)
          await until(`the cut before ${hold} to be told in ${form}`, () => !book.isTrusted).catch((error: Error) =>
            untold.push(error.message),
          )
      }
      await Promise.race([held, replay.done])
      proxy.mend()
      for (; applied < frames.length && frames[applied]!.finalUpdateId <= hold; applied += 1)
        change(venue, frames[applied]!)
      for (const { form, book } of books) {
        const apart = (): string | null =>
          SIDES.map((side) => differenceOf(book[side], bestOf(venue, side))).find((it) => it !== null) ?? null
        let last: string | null = "not whole"
        await until(`${form} at ${hold}`, () => {
          last = book.isTrusted ? apart() : (book.distrust ?? "not whole")
          return last === null
        }).catch(() => differences.push(`${form} at ${hold}: ${last}`))
        compared += 1
      }
      if (n % 50 === 49) progress(`${n + 1} of ${holds.length} checkpoints, ${differences.length} differences`)
    }
    const gaps = books.reduce((sum, { book }) => sum + book.gaps, 0)
    return {
      checkpoints: holds.length,
      cuts: cutAt.size,
      compared,
      differences,
      untold,
      told: { ...told },
      gaps,
      publications,
    }
  } finally {
    for (const client of clients) client.close()
    await proxy?.close()
    await endGateways()
    await exchange.stop()
  }
}

export const verdictOf = (facts: SdkBookFacts): Verdict => {
  const wrong = [...facts.differences, ...facts.untold]
  const told = Object.entries(facts.told).map(([why, count]) => `${why} ${count}`)
  return {
    name: "the client's book at the recorded checkpoints, in JSON and Protobuf",
    passed: wrong.length === 0 && facts.compared === 2 * facts.checkpoints,
    says:
      `${facts.checkpoints} checkpoints, ${facts.cuts} cuts, ${facts.compared} compared, differences ${facts.differences.length}, ` +
      `cuts not told ${facts.untold.length}, told: ${told.join(", ")}, gaps met ${facts.gaps}, publications ${facts.publications}` +
      wrong
        .slice(0, 3)
        .map((it) => ` (${it})`)
        .join(""),
  }
}
