/** The stages of exchange-core's feature over HTTP: clients are accounts, the feature's whole numbers are ticks and lots of the venue. */
import type { Stage } from "./feature.ts"
import { BALANCES, type Desk, type QuietMarket } from "./quiet-market.ts"

/** How the feature's units are ours. A price unit of ETH_XBT is 10 satoshi for a lot, so with lots of 0.01 ETH it is one tick of MOCK's. */
export interface Scale {
  readonly instrumentId: string
  readonly price: number
  readonly lot: number
}
export const SCALES: Readonly<Record<string, Scale>> = {
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

/** What a venue is to the stage. */
export interface StageVenue {
  readonly scales: Readonly<Record<string, Scale>>
  readonly assets: Readonly<Record<string, { readonly asset: string; readonly unit: number }>>
  /** A client with these balances; of one asset only they are asked for exactly. */
  readonly open: (balances: Readonly<Record<string, number>>) => Promise<Desk>
  readonly book: (symbol: string) => ReturnType<QuietMarket["book"]>
  /** Before the first order of a scenario, which has this price. */
  readonly prepare: (symbol: string, price: number) => Promise<void>
}

/** MOCK: a client has what every account has, less what is sold to the house. */
export const gatewayStage = (markets: ReadonlyMap<string, QuietMarket>, house: Desk): Stage =>
  deskStage({
    scales: SCALES,
    assets: ASSETS,
    open: async (balances) => {
      const desk = await known(markets.get("ETH_XBT")).desk()
      if (Object.keys(balances).length > 1) return desk
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
      return desk
    },
    book: (symbol) => known(markets.get(symbol)).book(),
    // The price collar wants a market that is not far away.
    prepare: (symbol, price) => known(markets.get(symbol)).moveTo(price),
  })

const known = <A>(found: A | undefined): A => {
  if (found === undefined) throw new Error("the feature names it before it is there")
  return found
}

export const deskStage = ({ scales, assets, open, book, prepare }: StageVenue): Stage => {
  const desks = new Map<string, Desk>()
  const orders = new Map<string, { readonly desk: Desk; readonly scale: Scale; tradeOrderId: string }>()
  const scaleOf = (symbol: string): Scale => {
    const scale = scales[symbol]
    if (scale === undefined) throw new Error(`no scale for ${symbol}`)
    return scale
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
      desks.set(client, await open(balances))
    },
    place: async ({ client, id, side, price, size, type, symbol }) => {
      const desk = known(desks.get(client))
      const scale = scaleOf(symbol)
      const { instrumentId } = scale
      if (orders.size === 0) await prepare(symbol, Number(written(price, scale.price)))
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
      const { bids, asks } = await book(symbol)
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
        Object.entries(assets).map(([name, { asset, unit }]) => [name, whole(held.get(asset) ?? 0, unit)]),
      )
    },
    close: async () => {
      for (const desk of desks.values()) await desk.cancelAll()
    },
  }
}
