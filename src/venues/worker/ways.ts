/**
 * The ways of venues whose connectors are ccxt's as they are: how an order is given our id, how it is found by it, and what of the
 * account is streamed. A private instance is taught them, so that a session speaks to every venue alike.
 */
import type { VenueProfile } from "../profile.ts"
import type { CcxtExchange, CcxtOrder, Raw } from "./ccxt.ts"
import { isSameId, readBack, type Spelling, spelled } from "./client-ids.ts"
import { openOrdersOf } from "./open-orders.ts"
import { none, type Quirks } from "./quirk.ts"

export interface Ways {
  readonly spelling: Spelling
  /** Parameter of createOrder that carries our id. */
  readonly idParam: string
  /** Where an order carries it in the venue's own words, if ccxt does not read it. */
  readonly idField?: string
  /** Parameter of fetchOrder that asks by it; null: the account's lists are searched. */
  readonly askParam: string | null
  /** Of cancelOrder; null: the order is found first. */
  readonly cancelParam: string | null
  /** Parameters of every fetchOrder. */
  readonly lookup?: Raw
  /** Its private stream begins with a login of its own; elsewhere each subscription is signed. */
  readonly logsIn: boolean
  /** It streams orders of the whole account; false: only of one market, so nothing is subscribed and the account asks. */
  readonly streams: boolean
  /** Lists to search, with their parameters; open orders always. */
  readonly lists?: ReadonlyArray<readonly ["fetchClosedOrders" | "fetchCanceledOrders" | "fetchOrders", Raw]>
}

/** An answer of ours to a question that ccxt cannot ask: classified by its name, like ccxt's own. */
class OrderNotFound extends Error {
  override readonly name = "OrderNotFound"
}

const SEARCHED = 100

/** A stream that the venue does not have: nothing ever comes, and nothing fails. */
const silence = (): Promise<never> => new Promise(() => undefined)

/** Wraps the methods of a private instance, which speak of our id as `clientOrderId`. */
const prepare = (exchange: CcxtExchange, profile: VenueProfile, ways: Ways, idOf: Quirks["orderClientId"]): void => {
  const create = exchange.createOrder.bind(exchange)
  const ask = exchange.fetchOrder.bind(exchange)
  const cancel = exchange.cancelOrder.bind(exchange)
  const lookup = ways.lookup ?? {}
  if (!ways.logsIn) exchange.authenticate = () => Promise.resolve(undefined)
  if (!ways.streams) exchange.watchOrders = silence
  if (!ways.streams || exchange.has["watchMyTrades"] !== true) exchange.watchMyTrades = silence
  if (exchange.has["watchBalance"] !== true) exchange.watchBalance = silence

  const search = async (hex: string, symbol: string): Promise<CcxtOrder> => {
    const found = (orders: ReadonlyArray<CcxtOrder>) => orders.find((order) => isSameId(hex, idOf(order)))
    const open = found(await openOrdersOf({ profile, exchange, now: Date.now() }, symbol))
    if (open !== undefined) return open
    for (const [list, params] of ways.lists ?? []) {
      const listed = found(await exchange[list](symbol, undefined, SEARCHED, { ...params }))
      if (listed !== undefined) return listed
    }
    throw new OrderNotFound("no order of the account has our id")
  }

  exchange.createOrder = (symbol, type, side, amount, price, params) => {
    const { clientOrderId, ...terms } = params
    const id = spelled(String(clientOrderId), ways.spelling)
    return create(symbol, type, side, amount, price, {
      ...terms,
      [ways.idParam]: ways.spelling === "number" ? Number(id) : id,
    })
  }
  exchange.fetchOrder = (id, symbol, { clientOrderId, ...params }) => {
    if (typeof clientOrderId !== "string") return ask(id, symbol, { ...lookup, ...params })
    if (ways.askParam === null) return search(clientOrderId, symbol)
    return ask(undefined, symbol, { ...lookup, ...params, [ways.askParam]: spelled(clientOrderId, ways.spelling) })
  }
  exchange.cancelOrder = async (id, symbol, { clientOrderId, ...params }) => {
    if (typeof clientOrderId !== "string") return cancel(id, symbol, params)
    if (ways.cancelParam !== null)
      return cancel(undefined, symbol, { ...params, [ways.cancelParam]: spelled(clientOrderId, ways.spelling) })
    const order = await exchange.fetchOrder(undefined, symbol, { clientOrderId })
    return cancel(order.id, symbol, params)
  }
}

/** The quirks of a venue that has these ways and nothing else of its own. */
export const waysQuirks = (ways: Ways, others: Partial<Quirks> = {}): Quirks => {
  const raw = ({ info, clientOrderId }: CcxtOrder): string | null => {
    const own = ways.idField === undefined ? undefined : info?.[ways.idField]
    return own === undefined || own === null ? (clientOrderId ?? null) : String(own)
  }
  const orderClientId = (order: CcxtOrder): string | null => readBack(raw(order)) ?? raw(order)
  return {
    ...none,
    orderClientId,
    eventsAreHints: true,
    prepare: (exchange: CcxtExchange, profile: VenueProfile) => prepare(exchange, profile, ways, orderClientId),
    ...others,
  }
}
