/**
 * What the exchanges of the registry can do, as the installed ccxt describes them (`has`, `features`) and as pinned here where it does not say:
 * the text of src/venues/adapters/capabilities.json, which `npm run docs` writes and `npm run check` compares with it. The one thing to know: the
 * gateway itself never queries ccxt for this; only workers load ccxt, and the file is read before they start.
 */
import type { TimeInForce, VenueCapabilities } from "../src/domain/instrument/venue-capabilities.ts"
import { adapterOf } from "../src/venues/adapters/adapters.ts"
import type { CapabilityPage } from "../src/venues/adapters/capabilities.ts"
import type { VenueProfile } from "../src/venues/adapters/profile.ts"
import { loadExchange } from "../src/venues/worker/exchange/load.ts"
import { continuityOf } from "../src/venues/worker/feed/sequence-guard.ts"

type Described = Readonly<Record<string, unknown>>

/** ccxt's description of an instance. */
interface Description {
  readonly has: Described
  readonly features: Described | undefined
  readonly urls: Described
}

interface Pins {
  /** Those that our connector really asks for, where `features` names others (test/unit/venues/adapters/times-in-force.test.ts). */
  readonly nativeTimesInForce?: ReadonlyArray<TimeInForce>
  /** Proved against a loopback exchange; of all others the connector sends plain orders, and the gateway does the rest. */
  readonly proved?: Partial<Pick<VenueCapabilities, "marketBuyByCost" | "marketBuyNeedsCost" | "amend" | "oco">> & {
    readonly triggers?: Partial<VenueCapabilities["triggers"]>
  }
  readonly clientOrderIds: VenueCapabilities["clientOrderIds"]
  readonly bookContinuity?: VenueCapabilities["bookContinuity"]
  readonly streams?: Partial<VenueCapabilities["streams"]>
  /** Although ccxt has hosts for one. */
  readonly sandbox?: false
}

/** Trailing stops follow the gateway's own high-water mark, which the record shows. */
const STOPS = { stop: "NATIVE", takeProfit: "NATIVE" } as const

const binance: Pins = { clientOrderIds: { form: "TEXT", lengthMax: 36, unique: "OPEN" } }

/** By ccxt exchange; from the venues' own pages on placing an order, and from the connectors. */
const PINS: Readonly<Record<string, Pins>> = {
  // Of a working order it can only lower the quantity (ccxt cancels it and places another): that is no change in place.
  binance: { ...binance, proved: { triggers: STOPS, oco: "NATIVE", marketBuyByCost: true } },
  // Its test hosts are those of Binance; of the futures ccxt refuses them.
  binanceus: { ...binance, sandbox: false },
  binanceusdm: { ...binance, sandbox: false, proved: { amend: true } },
  // 45 bits. "Should be unique in the day (UTC) (not enforced)".
  bitfinex: {
    proved: { amend: true },
    clientOrderIds: { form: "INTEGER", lengthMax: 14, unique: "NO" },
    bookContinuity: "CHECKSUM",
  },
  // ccxt has IOC, FOK and post-only under names that the venue does not know. "It should be unique, but there are no checks."
  bitstamp: {
    nativeTimesInForce: ["GTC", "IOC", "FOK", "GTX"],
    clientOrderIds: { form: "TEXT", lengthMax: 180, unique: "NO" },
  },
  // Its triggers are conditional orders of another filter. ccxt says of market buys what holds for classic accounts.
  bybit: {
    proved: { marketBuyByCost: true, marketBuyNeedsCost: false, amend: true },
    clientOrderIds: { form: "TEXT", lengthMax: 36, unique: "ALWAYS" },
  },
  // A market buy is an amount of the quote asset, and nothing else.
  coinbase: {
    proved: { marketBuyByCost: true, amend: true },
    clientOrderIds: { form: "UUID", lengthMax: 36, unique: "ALWAYS" },
  },
  deribit: { proved: { amend: true }, clientOrderIds: { form: "TEXT", lengthMax: 64, unique: "NO" } },
  // `t-` and 28 more. A market buy is an amount of the quote asset, and nothing else.
  gate: {
    proved: { marketBuyByCost: true, amend: true },
    clientOrderIds: { form: "TEXT", lengthMax: 30, unique: "NO" },
  },
  // `[:\-_\.#a-zA-Z0-9]{1,36}` on one of the venue's pages, at most 100 characters on another.
  gemini: { clientOrderIds: { form: "TEXT", lengthMax: 36, unique: null } },
  // Books and klines: worker/kraken-public.ts in ccxt's place.
  kraken: {
    nativeTimesInForce: ["GTC", "IOC", "GTD", "GTX"],
    proved: { triggers: STOPS, marketBuyByCost: true, amend: true },
    clientOrderIds: { form: "UUID", lengthMax: 36, unique: "OPEN" },
    bookContinuity: "CHECKSUM",
    streams: { klines: "DERIVED" },
  },
  krakenfutures: {
    proved: { amend: true },
    nativeTimesInForce: ["GTC", "IOC", "GTX"],
    clientOrderIds: { form: "TEXT", lengthMax: 100, unique: "ALWAYS" },
  },
  // Changes an order by another one of the same id: that is no change in place.
  kucoin: {
    proved: { marketBuyByCost: true, marketBuyNeedsCost: false },
    clientOrderIds: { form: "TEXT", lengthMax: 40, unique: "OPEN" },
  },
  // Its triggers are orders of another kind (`algoId`), whose ids the orders they release do not have.
  okx: {
    proved: { marketBuyByCost: true, amend: true },
    clientOrderIds: { form: "ALPHANUMERIC", lengthMax: 32, unique: "OPEN" },
  },
}

const UNPROVED_TRIGGERS: VenueCapabilities["triggers"] = {
  stop: "EMULATED",
  takeProfit: "EMULATED",
  trailing: "EMULATED",
}

const member = (value: unknown, name: string): Described =>
  typeof value === "object" && value !== null ? (((value as Described)[name] ?? {}) as Described) : {}

/** ccxt's words for the times in force, in our order. GTD only where it is pinned: elsewhere nobody has proved that it gets there. */
const TIMES_IN_FORCE: ReadonlyArray<readonly [ccxt: string, ours: TimeInForce]> = [
  ["GTC", "GTC"],
  ["IOC", "IOC"],
  ["FOK", "FOK"],
  ["PO", "GTX"],
]

const BOOKS = { sequence: "SEQUENCE", "checked by ccxt": "SEQUENCE", none: "NONE" } as const

/** What ccxt says of createOrder for the kind of market that is listed. */
const orderFeatures = (features: unknown, lists: VenueProfile["lists"]): Described => {
  if (lists === "spot") return member(member(features, "spot"), "createOrder")
  const swap = member(features, "swap")
  const linear = member(member(swap, "linear"), "createOrder")
  return Object.keys(linear).length > 0 ? linear : member(member(swap, "inverse"), "createOrder")
}

export const capabilitiesFrom = (
  { has, features }: Pick<Description, "has" | "features">,
  {
    exchange,
    lists,
    fillsWithOrders,
    adapter,
  }: Pick<VenueProfile, "exchange" | "lists" | "fillsWithOrders" | "adapter">,
): VenueCapabilities => {
  const pins = PINS[exchange]
  const order = orderFeatures(features, lists)
  const inForce = member(order, "timeInForce")
  const { balancesMoved, fillsOf } = adapterOf({ adapter })
  const delivery = (method: string, otherwise: "POLLED" | "DERIVED") => (has[method] === true ? "STREAM" : otherwise)
  return {
    marketOrders: has["createMarketOrder"] === true,
    nativeTimesInForce:
      pins?.nativeTimesInForce ?? TIMES_IN_FORCE.filter(([ccxt]) => inForce[ccxt] === true).map(([, ours]) => ours),
    triggers: { ...UNPROVED_TRIGGERS, ...pins?.proved?.triggers },
    attachedExits: typeof order["attachedStopLossTakeProfit"] === "object",
    oco: pins?.proved?.oco ?? "EMULATED",
    marketBuyByCost: pins?.proved?.marketBuyByCost ?? false,
    marketBuyNeedsCost: pins?.proved?.marketBuyNeedsCost ?? order["marketBuyRequiresPrice"] === true,
    amend: pins?.proved?.amend ?? false,
    // The gateway cancels one after the other, and its own switch: an order that a venue swept away would have nobody's reason.
    cancelAll: "EMULATED",
    cancelAllAfter: "EMULATED",
    clientOrderIds: pins?.clientOrderIds ?? null,
    streams: {
      orderBook: delivery("watchOrderBook", "POLLED"),
      trades: delivery("watchTrades", "POLLED"),
      ticker: delivery("watchTicker", "POLLED"),
      klines: delivery("watchOHLCV", "DERIVED"),
      orders: delivery("watchOrders", "POLLED"),
      // Where the stream says only that there are some, or that they moved, they are asked for.
      executions:
        fillsOf === undefined ? delivery(fillsWithOrders ? "watchOrders" : "watchMyTrades", "POLLED") : "POLLED",
      balances: balancesMoved === undefined ? delivery("watchBalance", "POLLED") : "POLLED",
      ...pins?.streams,
    },
    bookContinuity: pins?.bookContinuity ?? BOOKS[continuityOf(exchange)],
  }
}

const describe = async (exchange: string): Promise<Description> => {
  const Exchange = await loadExchange(exchange)
  return new Exchange({}) as unknown as Description
}

/** The page for these profiles, exchanges by name. */
export const describedPage = async (profiles: ReadonlyArray<VenueProfile>): Promise<CapabilityPage> => {
  const exchanges = [...new Set(profiles.map(({ exchange }) => exchange))].sort()
  const page: Record<string, CapabilityPage[string]> = {}
  for (const exchange of exchanges) {
    const description = await describe(exchange)
    const of = (lists: VenueProfile["lists"]) => {
      const profile = profiles.find((it) => it.exchange === exchange && it.lists === lists)
      return profile === undefined ? {} : { [lists]: capabilitiesFrom(description, profile) }
    }
    page[exchange] = {
      sandbox: description.urls["test"] !== undefined && PINS[exchange]?.sandbox !== false,
      ...of("spot"),
      ...of("perpetual"),
    }
  }
  return page
}

export const capabilitiesText = async (): Promise<string> => {
  const { PROFILES } = await import("../src/venues/adapters/registry.ts")
  return `${JSON.stringify(await describedPage(PROFILES), null, 2)}\n`
}
