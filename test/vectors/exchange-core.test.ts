/** exchange-core's basic.feature, run step by step as it is written: over HTTP at MOCK, and by the matcher. Every line of it is a row. */
import { afterAll, beforeAll, describe, expect, vi } from "vitest"
import { type MatchEvent, Matcher, type MatchOrder } from "../../src/venues/matcher.ts"
import { endGateways, type Gateway } from "../kit/gateway.ts"
import { BALANCES, type Desk, type QuietMarket, quietGateway, quietMarket } from "./quiet-market.ts"
import { documentOf, VectorTable } from "./vector-table.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const text = documentOf("exchange-core/basic.feature")

interface Step {
  readonly row: string
  readonly words: string
  /** The cells of the table below it. */
  readonly cells: ReadonlyArray<ReadonlyArray<string>>
}
interface Scenario {
  readonly name: string
  readonly steps: ReadonlyArray<Step>
}
type Book = { readonly asks: ReadonlyArray<readonly number[]>; readonly bids: ReadonlyArray<readonly number[]> }

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())

/** Each scenario with the background's steps in front, once per symbol of its examples. */
const scenariosOf = (feature: string): ReadonlyArray<Scenario> =>
  feature
    .split(/\n\s*(?=Scenario)/)
    .slice(1)
    .flatMap((block) => {
      const name = /^Scenario(?: Outline)?: (.*)/.exec(block)?.[1] ?? ""
      const [told = "", examples = ""] = block.split("Examples:")
      const symbols = examples
        .split("\n")
        .flatMap((line) => cellsOf(line.trim()))
        .slice(1)
      return (symbols.length === 0 ? [null] : symbols).map((symbol) => {
        const steps: Array<Step & { cells: Array<ReadonlyArray<string>> }> = []
        for (const line of told.split("\n").map((it) => it.trim())) {
          const words = /^(?:Given|When|Then|And) (.*)/.exec(line)?.[1]?.replace("<symbol>", symbol ?? "")
          if (words !== undefined)
            steps.push({ row: `${symbol ?? name} ${steps.length + 1}: ${words}`, words, cells: [] })
          else if (line.startsWith("|")) steps.at(-1)?.cells.push(cellsOf(line))
        }
        return { name: symbol === null ? name : `${name}, ${symbol}`, steps }
      })
    })

const levelsOf = (cells: Step["cells"]): Book => {
  const rows = cells.filter(([, price]) => price !== "price").map((row) => row.map(Number))
  return {
    bids: rows.flatMap(([bid = 0, price = 0]) => (bid > 0 ? [[price, bid]] : [])),
    asks: rows.flatMap(([, price = 0, ask = 0]) => (ask > 0 ? [[price, ask]] : [])).reverse(),
  }
}

/** What the steps are done to. Prices and sizes are the feature's whole numbers. */
interface Stage {
  readonly open: (client: string, balances: Readonly<Record<string, number>>) => Promise<void>
  readonly place: (order: {
    readonly client: string
    readonly id: string
    readonly side: "BUY" | "SELL"
    readonly price: number
    readonly size: number
    readonly type: "GTC" | "IOC"
    readonly symbol: string
  }) => Promise<void>
  readonly move: (id: string, price: number) => Promise<void>
  readonly cancel: (id: string) => Promise<void>
  readonly book: (symbol: string) => Promise<Book>
  readonly filled: (id: string) => Promise<{ readonly size: number; readonly price: number; readonly last: number }>
  readonly order: (id: string) => Promise<{ readonly price: number; readonly size: number; readonly filled: number }>
  readonly trades: () => Promise<number>
  readonly active: (client: string) => Promise<number>
  /** Null: it keeps no money. */
  readonly balances: (client: string) => Promise<Readonly<Record<string, number>> | null>
  /** Leaves nothing in the books for the next scenario. */
  readonly close: () => Promise<void>
}

const PLACES =
  /^A client (\w+) places an (ASK|BID) order (\d+) at (\d+)@(\d+) \(type: (GTC|IOC), symbol: (\w+)(?:, reservePrice: \d+)?\)$/

/** Does one step; false when nothing here knows it. */
const does = async (stage: Stage, { words, cells }: Step, memory: { trades: number }): Promise<boolean> => {
  const rows = (): Readonly<Record<string, number>> =>
    Object.fromEntries(cells.map(([name, value]) => [name, Number(value)]))
  const is = (pattern: RegExp): ReadonlyArray<string> | undefined => pattern.exec(words)?.slice(1)
  const placed = is(PLACES)
  if (placed !== undefined) {
    const [client = "", side, id = "", price, size, type, symbol = ""] = placed
    memory.trades = await stage.trades()
    await stage.place({
      ...{ client, id, symbol, price: Number(price), size: Number(size) },
      side: side === "BID" ? "BUY" : "SELL",
      type: type === "IOC" ? "IOC" : "GTC",
    })
    return true
  }
  const moved = is(/^A client \w+ moves a price to (\d+) of the order (\d+)$/)
  if (moved !== undefined) {
    await stage.move(moved[1] ?? "", Number(moved[0]))
    return true
  }
  const cancelled = is(/^A client \w+ cancels the remaining size (\d+) of the order (\d+)$/)
  if (cancelled !== undefined) {
    const { size, filled } = await stage.order(cancelled[1] ?? "")
    expect(size - filled).toBe(Number(cancelled[0]))
    await stage.cancel(cancelled[1] ?? "")
    return true
  }
  const client = is(/^New client (\w+) has a balance:$/)?.[0]
  if (client !== undefined) {
    await stage.open(client, rows())
    return true
  }
  const symbol = is(/^An (\w+) order book is:$/)?.[0]
  if (symbol !== undefined) {
    await expect.poll(() => stage.book(symbol), { timeout: 45_000 }).toEqual(levelsOf(cells))
    return true
  }
  const matched = is(/^The order (\d+) is (partially|fully) matched\. LastPx: (\d+), LastQty: (\d+)$/)
  if (matched !== undefined) {
    const [id = "", how, price, quantity] = matched
    const seen = async () => (await stage.filled(id)).last
    await expect.poll(seen, { timeout: 45_000 }).toBe(Number(quantity))
    const order = await stage.order(id)
    expect((await stage.filled(id)).price).toBe(Number(price))
    expect(order.filled === order.size).toBe(how === "fully")
    return true
  }
  const owner = is(/^A client \w+ orders:$/)
  if (owner !== undefined) {
    for (const [id = "", price, size, filled] of cells.slice(1))
      expect(await stage.order(id)).toEqual({ price: Number(price), size: Number(size), filled: Number(filled) })
    return true
  }
  if (words === "No trade events") {
    expect(await stage.trades()).toBe(memory.trades)
    return true
  }
  const idle = is(/^A client (\w+) does not have active orders$/)?.[0]
  if (idle !== undefined) {
    await expect.poll(() => stage.active(idle), { timeout: 45_000 }).toBe(0)
    return true
  }
  const rich = is(/^A balance of a client (\w+):$/)?.[0]
  if (rich !== undefined) {
    if ((await stage.balances(rich)) !== null)
      await expect.poll(() => stage.balances(rich), { timeout: 45_000 }).toMatchObject(rows())
    return true
  }
  return false
}

/** How the feature's units are ours. A price unit of ETH_XBT is 10 satoshi for a lot, so with lots of 0.01 ETH it is one tick of MOCK's. */
interface Scale {
  readonly instrumentId: string
  readonly price: number
  readonly lot: number
}
const SCALES: Readonly<Record<string, Scale>> = {
  EUR_USD: { instrumentId: "MOCK:ETH/USDT", price: 1, lot: 1 },
  ETH_XBT: { instrumentId: "MOCK:ETH/BTC", price: 0.00001, lot: 0.01 },
}
const ASSETS: Readonly<Record<string, { readonly asset: "USDT" | "BTC" | "ETH"; readonly unit: number }>> = {
  USD: { asset: "USDT", unit: 1 },
  XBT: { asset: "BTC", unit: 1e-8 },
  ETH: { asset: "ETH", unit: 1e-7 },
}
const whole = (value: number | string | null, unit: number): number => Math.round(Number(value) / unit)
const written = (count: number, unit: number): string => (count * unit).toFixed(8).replace(/\.?0+$/, "")

const gatewayStage = (markets: ReadonlyMap<string, QuietMarket>, house: Desk): Stage => {
  const desks = new Map<string, Desk>()
  const orders = new Map<string, { readonly desk: Desk; readonly scale: Scale; tradeOrderId: string }>()
  const scaleOf = (symbol: string): Scale => {
    const scale = SCALES[symbol]
    if (scale === undefined) throw new Error(`no scale for ${symbol}`)
    return scale
  }
  const known = <A>(found: A | undefined): A => {
    if (found === undefined) throw new Error("the feature names it before it is there")
    return found
  }
  const read = async (id: string) => {
    const { desk, scale, tradeOrderId } = known(orders.get(id))
    return { scale, record: await desk.order(tradeOrderId) }
  }
  const holdings = async ({ calls, tradingAccountId }: Desk) => {
    const positions = (await calls.portfolio(tradingAccountId)).record
    return new Map(positions.map((it) => [it.currency, Number(it.available)]))
  }
  return {
    open: async (client, balances) => {
      const desk = await known(markets.get("ETH_XBT")).desk()
      desks.set(client, desk)
      // One asset only: its balances are asked for exactly, so all that is too much is sold.
      if (Object.keys(balances).length > 1) return
      const keep = { BTC: (balances.XBT ?? 0) * 1e-8, ETH: (balances.ETH ?? 0) * 1e-7 }
      for (const [asset, instrumentId, price] of [
        ["BTC", "MOCK:BTC/USDT", "50000"],
        ["ETH", "MOCK:ETH/USDT", "2000"],
      ] as const) {
        const quantity = (Number(BALANCES[asset]) - keep[asset]).toFixed(4)
        await house.limit("BUY", quantity, price, { instrumentId })
        const { tradeOrderId } = await desk.limit("SELL", quantity, price, { instrumentId })
        await desk.rests(tradeOrderId, "FILLED")
      }
    },
    place: async ({ client, id, side, price, size, type, symbol }) => {
      const desk = known(desks.get(client))
      const scale = scaleOf(symbol)
      const { instrumentId } = scale
      // The price collar wants a market that is not far away.
      if (orders.size === 0) await known(markets.get(symbol)).moveTo(Number(written(price, scale.price)))
      const fields = { instrumentId, timeInForce: type, clientOrderId: id }
      const record = await desk.limit(side, written(size, scale.lot), written(price, scale.price), fields)
      orders.set(id, { desk, scale, tradeOrderId: record.tradeOrderId })
    },
    move: async (id, price) => {
      const order = known(orders.get(id))
      const { calls, tradingAccountId } = order.desk
      const limitPrice = written(price, order.scale.price)
      const body = { tradingAccountId, tradeOrderId: order.tradeOrderId, limitPrice }
      const answer = await calls.post<{ readonly tradeOrderId: string }>("/tradeOrder/replace", body)
      order.tradeOrderId = answer.record.tradeOrderId
    },
    cancel: async (id) => {
      const { desk, tradeOrderId } = known(orders.get(id))
      await desk.cancel(tradeOrderId)
    },
    book: async (symbol) => {
      const { price, lot } = scaleOf(symbol)
      const { bids, asks } = await known(markets.get(symbol)).book()
      const levels = (side: ReadonlyArray<readonly [number, number]>) =>
        side.map(([at, size]) => [whole(at, price), whole(size, lot)])
      return { bids: levels(bids), asks: levels(asks) }
    },
    filled: async (id) => {
      const { scale, record } = await read(id)
      const last = record.executions.at(-1)
      return {
        size: whole(record.executedQuantity, scale.lot),
        price: whole(last?.executedPrice ?? 0, scale.price),
        last: whole(last?.executedQuantity ?? 0, scale.lot),
      }
    },
    order: async (id) => {
      const { scale, record } = await read(id)
      const [price, size] = [whole(record.limitPrice, scale.price), whole(record.quantity, scale.lot)]
      return { price, size, filled: whole(record.executedQuantity, scale.lot) }
    },
    trades: async () => {
      let sum = 0
      for (const id of orders.keys()) sum += (await read(id)).record.executions.length
      return sum
    },
    active: async (client) => {
      const { calls, tradingAccountId } = known(desks.get(client))
      const { record } = await calls.orders({ tradingAccountId })
      return record.filter(({ status }) => ["PENDING", "OPEN", "PARTIALLY_FILLED"].includes(status)).length
    },
    balances: async (client) => {
      const held = await holdings(known(desks.get(client)))
      return Object.fromEntries(
        Object.entries(ASSETS).map(([name, { asset, unit }]) => [name, whole(held.get(asset) ?? 0, unit)]),
      )
    },
    close: async () => {
      for (const desk of desks.values()) await desk.cancelAll()
    },
  }
}

const matcherStage = (): Stage => {
  const matchers = new Map<string, Matcher>()
  const orders = new Map<string, { readonly matcher: Matcher; readonly client: string; readonly size: number }>()
  const prices = new Map<string, number>()
  const done: Array<MatchEvent> = []
  const tradesOf = (id: string) =>
    done.flatMap((event) => (event._tag === "Traded" && [event.maker.id, event.taker.id].includes(id) ? [event] : []))
  const filledOf = (id: string) => tradesOf(id).reduce((sum, { quantity }) => sum + Number(quantity), 0)
  const matcherOf = (symbol: string): Matcher => {
    const matcher = matchers.get(symbol) ?? new Matcher("CANCEL_NEWEST")
    matchers.set(symbol, matcher)
    return matcher
  }
  return {
    open: async () => undefined,
    place: async ({ client, id, side, price, size, type, symbol }) => {
      const matcher = matcherOf(symbol)
      orders.set(id, { matcher, client, size })
      prices.set(id, price)
      const order: MatchOrder = {
        ...{ id, owner: client, side, price: BigInt(price), quantity: BigInt(size), timeInForce: type },
        postOnly: false,
      }
      done.push(...matcher.submit(order))
    },
    move: async (id, price) => {
      const matcher = orders.get(id)?.matcher
      const events = matcher?.amend(id, BigInt(price), matcher.remaining(id) ?? 0n)
      if (!Array.isArray(events)) throw new Error(`cannot move ${id}: ${events}`)
      prices.set(id, price)
      done.push(...events)
    },
    cancel: async (id) => void done.push(...(orders.get(id)?.matcher.cancel(id) ?? [])),
    book: async (symbol) => {
      const levels = (side: "BUY" | "SELL") =>
        [...matcherOf(symbol).levels(side)].map(({ price, quantity }) => [Number(price), Number(quantity)])
      return { bids: levels("BUY"), asks: levels("SELL") }
    },
    filled: async (id) => {
      const last = tradesOf(id).at(-1)
      return { size: filledOf(id), price: Number(last?.price), last: Number(last?.quantity) }
    },
    order: async (id) => ({ price: prices.get(id) ?? 0, size: orders.get(id)?.size ?? 0, filled: filledOf(id) }),
    trades: async () => done.filter((event) => event._tag === "Traded").length,
    active: async (client) =>
      [...orders].filter(([id, order]) => order.client === client && order.matcher.remaining(id) !== undefined).length,
    balances: async () => null,
    close: async () => undefined,
  }
}

describe.skipIf(text === null)("basic.feature", () => {
  const scenarios = scenariosOf(text ?? "")
  const background = scenariosOf(`\nScenario: Background\n${text?.split("Background:")[1]?.split("@")[0] ?? ""}`)
  const rows = [...background, ...scenarios].flatMap(({ steps }) => steps.map(({ row }) => row))
  let gateway: Gateway
  let house: Desk
  const markets = new Map<string, QuietMarket>()

  beforeAll(async () => {
    gateway = await quietGateway()
    for (const [symbol, { instrumentId }] of Object.entries(SCALES))
      markets.set(symbol, await quietMarket(gateway, instrumentId))
    // Bids at 50000 and 2000 must be the best there: the other ladder of BTC is sold away too.
    const dollars = await quietMarket(gateway, "MOCK:BTC/USDT")
    house = await dollars.desk()
  })
  afterAll(endGateways)

  const bind = (name: string, stageOf: () => Stage, moneyIsKept: boolean): void => {
    const table = new VectorTable(`basic.feature, ${name}`, rows)
    const isMoney = ({ words }: Step): boolean => / balance/.test(words)
    const opened = background.flatMap(({ steps }) => steps)
    let hasBackground = false
    for (const scenario of scenarios) {
      const all = [...(hasBackground ? [] : opened), ...scenario.steps]
      hasBackground = true
      table.proved(
        all.filter((step) => moneyIsKept || !isMoney(step)).map(({ row }) => row),
        scenario.name,
        async () => {
          const stage = stageOf()
          const memory = { trades: 0 }
          for (const step of [...opened, ...scenario.steps])
            expect([step.row, await does(stage, step, memory)]).toEqual([step.row, true])
          await stage.close()
        },
      )
    }
    if (!moneyIsKept)
      table.notApplicable(
        [...opened, ...scenarios.flatMap(({ steps }) => steps)].filter(isMoney).map(({ row }) => row),
        "the matcher keeps no money; proved over HTTP",
      )
    table.close()
  }

  describe("over HTTP", () => bind("HTTP", () => gatewayStage(markets, house), true))
  describe("by the matcher", () => bind("matcher", matcherStage, false))
})
