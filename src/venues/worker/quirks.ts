/** Raw words of a venue that ccxt's unified fields lose. One entry per kind of venue; `none` trusts ccxt. */
import type { VenueOrderState } from "../../ports/venue-port.ts"
import type { VenueProfile } from "../profile.ts"
import type { CcxtOrder, CcxtTrade, Raw } from "./ccxt.ts"

/** Only what the event names; `at` is the venue's time of it. */
export interface ChangedBalances {
  readonly at: number | null
  readonly rows: ReadonlyArray<{ readonly assetId: string; readonly available: string; readonly locked: string }>
}

export interface Quirks {
  /** How an order that ccxt calls expired really ended. */
  readonly ended: (order: CcxtOrder) => {
    readonly status: VenueOrderState["status"]
    readonly ending: VenueOrderState["ending"]
  }
  /** The client id that an order was placed with. */
  readonly orderClientId: (order: CcxtOrder) => string | null
  /** Our client id on a fill, where the venue says it. */
  readonly fillClientId: (trade: CcxtTrade) => string | null
  /** The private stream ended although its socket stays open, and ccxt would wait for ever (venues.md 4.6). */
  readonly endsPrivateStream: (event: Raw) => boolean
  /** Balances in an event of the private stream, null where it has none. Without this reader `watchBalance` has to do. */
  readonly changedBalances: ((event: Raw) => ChangedBalances | null) | null
  /** Private events that ccxt would make wrong balances of. */
  readonly misleads: (event: Raw) => boolean
  /** Puts the venue's own digits where ccxt reads rounded ones, in place. Public messages. */
  readonly restate?: (message: unknown) => void
}

const word = (raw: Raw | undefined, ...names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    const value = raw?.[name]
    if (typeof value === "string" && value !== "") return value
  }
  return null
}

const none: Quirks = {
  ended: () => ({ status: "EXPIRED", ending: null }),
  orderClientId: (order) => order.clientOrderId ?? null,
  fillClientId: () => null,
  endsPrivateStream: () => false,
  changedBalances: null,
  misleads: () => false,
}

const binance: Quirks = {
  /**
   * Binance says EXPIRED for the rest of an IOC, FOK or market order and for what it cancels itself; it has no order that ends by
   * time, and EXPIRED is kept for time (contract C1.3). EXPIRED_IN_MATCH is its self trade prevention.
   */
  ended: (order) => {
    const status = word(order.info, "X", "status")
    if (status === "EXPIRED_IN_MATCH") return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
    const timeInForce = word(order.info, "f", "timeInForce")
    const type = word(order.info, "o", "type")
    const remainder = timeInForce === "IOC" || timeInForce === "FOK" || type === "MARKET"
    return { status: "CANCELLED", ending: remainder ? "REMAINDER" : null }
  },
  // The answer to a cancel has the cancel's id in its place.
  orderClientId: (order) => word(order.info, "origClientOrderId") ?? order.clientOrderId ?? null,
  fillClientId: (trade) => word(trade.info, "c"),
  endsPrivateStream: (event) => event["e"] === "eventStreamTerminated",
  // ccxt merges the events of a burst into one answer with all the assets it ever saw, which may be stale after a new connection.
  changedBalances: (event) => {
    const { e, E, B } = event
    if (e !== "outboundAccountPosition" || !Array.isArray(B)) return null
    const rows = B.flatMap((row: Raw) => {
      const [assetId, available, locked] = [word(row, "a"), word(row, "f"), word(row, "l")]
      return assetId === null || available === null || locked === null ? [] : [{ assetId, available, locked }]
    })
    return { at: typeof E === "number" ? E : null, rows }
  },
  // A difference, not a balance: ccxt adds it to what it does not know. The account position that follows has the amounts.
  misleads: (event) => event["e"] === "balanceUpdate" || event["e"] === "externalLockUpdate",
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const bitstamp: Quirks = {
  ...none,
  // A trade has its price as a JSON number, which ccxt reads, and as the venue spells it.
  restate: (message) => {
    const trade = member(message, "data")
    if (typeof trade !== "object" || trade === null) return
    const { price_str, amount_str } = trade as Record<string, unknown>
    if (typeof price_str === "string" && typeof amount_str === "string")
      Object.assign(trade, { price: price_str, amount: amount_str })
  },
}

const bitfinex: Quirks = none

const QUIRKS: { readonly [K in VenueProfile["quirks"]]: Quirks } = { none, binance, bitfinex, bitstamp }

export const quirksOf = (profile: VenueProfile): Quirks => QUIRKS[profile.quirks]
