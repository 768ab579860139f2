/**
 * Venues that use ccxt's connectors unchanged: how an order gets our client id, how it is found by it, and what is streamed of the account. A
 * private instance is adapted accordingly, so that a session handles every venue alike.
 */

import type { CcxtExchange, CcxtOrder, Raw } from "../worker/exchange/ccxt.ts"
import { isSameId, readBack, type Spelling, spelled } from "../worker/session/client-ids.ts"
import { openOrdersOf } from "../worker/session/pages.ts"
import { type ExchangeAdapter, none } from "./adapter.ts"
import type { VenueProfile } from "./profile.ts"

export interface ClientIdScheme {
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
  /** Its private stream begins with a login that we ask for; elsewhere ccxt's watches log in, or each subscription is signed. */
  readonly logsIn: boolean
  /** It streams orders of the whole account; false: only of one market, so nothing is subscribed and the account asks. */
  readonly streams: boolean
  /** Lists to search, with their parameters; open orders always. */
  readonly lists?: ReadonlyArray<readonly ["fetchClosedOrders" | "fetchCanceledOrders" | "fetchOrders", Raw]>
}

/** What most of these venues have in common. */
export const commonScheme: ClientIdScheme = {
  spelling: "hex",
  idParam: "clientOrderId",
  askParam: null,
  cancelParam: null,
  logsIn: false,
  streams: true,
}

/** An answer of ours to a question that ccxt cannot ask: classified by its name, like ccxt's own. */
export class OrderNotFound extends Error {
  override readonly name = "OrderNotFound"
}

const SEARCHED = 100

/** A stream that the venue does not have: nothing ever comes, and nothing fails. */
const silence = (): Promise<never> => new Promise(() => undefined)

/** Wraps the methods of a private instance, which speak of our id as `clientOrderId`. */
const prepare = (
  exchange: CcxtExchange,
  profile: VenueProfile,
  scheme: ClientIdScheme,
  idOf: ExchangeAdapter["orderClientId"],
): void => {
  const create = exchange.createOrder.bind(exchange)
  const ask = exchange.fetchOrder.bind(exchange)
  const cancel = exchange.cancelOrder.bind(exchange)
  const lookup = scheme.lookup ?? {}
  if (!scheme.logsIn) {
    // Ours alone is spared: with arguments it is ccxt's own watches that log in (BYBIT, GEMINI).
    // COINBASE and KUCOIN have none.
    const { authenticate } = exchange
    exchange.authenticate = (...given) =>
      given.length === 0 ? Promise.resolve(undefined) : authenticate.apply(exchange, [...given])
  }
  if (!scheme.streams) exchange.watchOrders = silence
  if (!scheme.streams || exchange.has["watchMyTrades"] !== true) exchange.watchMyTrades = silence
  if (exchange.has["watchBalance"] !== true) exchange.watchBalance = silence

  const search = async (hex: string, symbol: string): Promise<CcxtOrder> => {
    const found = (orders: ReadonlyArray<CcxtOrder>) => orders.find((order) => isSameId(hex, idOf(order)))
    const open = found(await openOrdersOf({ profile, exchange, now: Date.now() }, symbol))
    if (open !== undefined) return open
    for (const [list, params] of scheme.lists ?? []) {
      const listed = found(await exchange[list](symbol, undefined, SEARCHED, { ...params }))
      if (listed !== undefined) return listed
    }
    throw new OrderNotFound("no order of the account has this client order id")
  }

  exchange.createOrder = (symbol, type, side, amount, price, params) => {
    const { clientOrderId, ...terms } = params
    const id = spelled(String(clientOrderId), scheme.spelling)
    return create(symbol, type, side, amount, price, {
      ...terms,
      [scheme.idParam]: scheme.spelling === "number" ? Number(id) : id,
    })
  }
  exchange.fetchOrder = (id, symbol, { clientOrderId, ...params }) => {
    if (typeof clientOrderId !== "string") return ask(id, symbol, { ...lookup, ...params })
    if (scheme.askParam === null) return search(clientOrderId, symbol)
    return ask(undefined, symbol, { ...lookup, ...params, [scheme.askParam]: spelled(clientOrderId, scheme.spelling) })
  }
  exchange.cancelOrder = async (id, symbol, { clientOrderId, ...params }) => {
    if (typeof clientOrderId !== "string") return cancel(id, symbol, params)
    if (scheme.cancelParam !== null)
      return cancel(undefined, symbol, { ...params, [scheme.cancelParam]: spelled(clientOrderId, scheme.spelling) })
    const order = await exchange.fetchOrder(undefined, symbol, { clientOrderId })
    return cancel(order.id, symbol, params)
  }
}

/** The adapter of a venue that has this scheme and nothing else of its own. */
export const adapterByScheme = (scheme: ClientIdScheme, others: Partial<ExchangeAdapter> = {}): ExchangeAdapter => {
  const raw = ({ info, clientOrderId }: CcxtOrder): string | null => {
    const own = scheme.idField === undefined ? undefined : info?.[scheme.idField]
    return own === undefined || own === null ? (clientOrderId ?? null) : String(own)
  }
  const orderClientId = (order: CcxtOrder): string | null => readBack(raw(order)) ?? raw(order)
  return {
    ...none,
    orderClientId,
    eventsAreHints: true,
    ...others,
    prepare: (exchange: CcxtExchange, profile: VenueProfile) => {
      others.prepare?.(exchange, profile)
      prepare(exchange, profile, scheme, orderClientId)
    },
  }
}
