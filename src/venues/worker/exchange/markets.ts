/**
 * The markets of a venue: loaded once by the public instance and shared with every private one (26 MB and 0.4 s for each load of 3,500 symbols,
 * venues 1); which of them the venue lists, under which name, and each as a row of instruments. ccxt caches a failed first load for ever, so
 * every load here is forced. A later load that fails changes nothing, neither here nor in ccxt, and one with an implausibly short list removes
 * nothing.
 */

import { setTimeout as sleep } from "node:timers/promises"
import type { InstrumentId } from "../../../domain/ids.ts"
import { type Contract, instrumentIdOf, parseInstrumentId } from "../../../domain/instrument/instrument.ts"
import { WholeLists } from "../../../domain/instrument/whole-lists.ts"
import { Afresh } from "../../../foundation/afresh.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { InstrumentRow } from "../../connector/wire.ts"
import { doingFor } from "../work.ts"
import type { CcxtExchange, CcxtMarket } from "./ccxt.ts"
import { venueNow } from "./venue-clock.ts"

// Which of ccxt's markets a venue lists, and under which name: a spot venue its pairs, a derivative venue its perpetuals, one per
// BASE/QUOTE, linear before inverse (contract C14a). Names are `BASE/QUOTE`; ccxt calls a perpetual `BASE/QUOTE:SETTLE`.

type CcxtMarkets = Readonly<Record<string, CcxtMarket>>

interface Listed {
  /** `BASE/QUOTE` */
  readonly name: string
  readonly market: CcxtMarket
}

/** Smaller is better; a market that is closed to trading only counts where there is no other. */
const rank = ({ active, linear }: CcxtMarket): number => (active === false ? 2 : 0) + (linear === true ? 0 : 1)

export class Listing {
  readonly #profile: Pick<VenueProfile, "venue" | "lists">
  #seen: CcxtMarkets | undefined
  #byName = new Map<string, CcxtMarket>()
  #names = new Map<string, string>()
  #shown = new Map<string, ReadonlyArray<string>>()
  #sources = new Map<string, string>()

  constructor(profile: Pick<VenueProfile, "venue" | "lists">) {
    this.#profile = profile
  }

  /** Cheap while the markets are those of the last time. */
  update(markets: CcxtMarkets | undefined): void {
    if (markets === this.#seen || markets === undefined) return
    this.#seen = markets
    const chosen = this.#chosenOf(markets)
    this.#byName = chosen
    this.#names = new Map([...chosen].map(([name, { symbol }]) => [symbol, name]))
    this.#shown = new Map()
    this.#sources = new Map()
    const byId = new Map([...chosen.values()].map((market) => [market.id, market.symbol]))
    for (const [name, { symbol, alias }] of chosen) {
      const source = (alias === undefined ? undefined : byId.get(alias)) ?? symbol
      this.#shown.set(source, [...(this.#shown.get(source) ?? []), name])
      this.#sources.set(name, source)
    }
  }

  /** The names that these markets would be listed under and that are open to trading. */
  tradedOf(markets: CcxtMarkets): ReadonlySet<string> {
    return new Set([...this.#chosenOf(markets)].flatMap(([name, { active }]) => (active === false ? [] : [name])))
  }

  all(): ReadonlyArray<Listed> {
    return [...this.#byName].map(([name, market]) => ({ name, market }))
  }

  /** ccxt's symbol of an instrument; the instrument's own where it is not listed, which ccxt then refuses by name. */
  symbolOf(instrumentId: InstrumentId): string {
    const name = parseInstrumentId(instrumentId)?.symbol ?? instrumentId
    return this.#byName.get(name)?.symbol ?? name
  }

  /** The name of what ccxt calls `symbol`; undefined for what is not listed. A pair keeps its name when it is delisted. */
  nameOf(symbol: string): string | undefined {
    return this.#names.get(symbol) ?? (this.#profile.lists === "perpetual" || symbol.includes(":") ? undefined : symbol)
  }

  /** Under which names the public data of `symbol` are shown: its own, and those of pairs that share its market. */
  namesOf(symbol: string): ReadonlyArray<string> {
    const own = this.#shown.get(symbol)
    if (own !== undefined) return own
    const name = this.nameOf(symbol)
    return name === undefined ? [] : [name]
  }

  /** The names that share their public data with this one, itself among them. */
  namesBeside(name: string): ReadonlyArray<string> {
    const source = this.#sources.get(name)
    return (source === undefined ? undefined : this.#shown.get(source)) ?? [name]
  }

  /** The same thing of ccxt under the instrument's name; without a symbol where its market is not listed. */
  named<A extends { readonly symbol: string | undefined }>(it: A): A {
    const name = it.symbol === undefined ? undefined : this.nameOf(it.symbol)
    return name === it.symbol ? it : { ...it, symbol: name }
  }

  /** By name. */
  #chosenOf(markets: CcxtMarkets): Map<string, CcxtMarket> {
    const chosen = new Map<string, CcxtMarket>()
    for (const market of Object.values(markets)) {
      const name = this.#nameFor(market)
      if (name === undefined) continue
      const other = chosen.get(name)
      if (other === undefined || rank(market) < rank(other)) chosen.set(name, market)
    }
    return chosen
  }

  /** Undefined for another kind of market, or one whose name the API cannot carry. */
  #nameFor({ spot, swap, base, quote }: CcxtMarket): string | undefined {
    if (this.#profile.lists === "perpetual" ? swap !== true : spot !== true) return undefined
    const name = `${base}/${quote}`
    return parseInstrumentId(instrumentIdOf(this.#profile.venue, name)) === undefined ? undefined : name
  }
}

// A market of ccxt as a row of instruments: its steps and limits as decimal text. ccxt hands over floats of what the venue wrote: the
// shortest text of a float is what was written, as long as that had at most 15 digits that count. What had more is looked up in the
// venue's own row, which ccxt passes on (OKX's 9999999999999999 is a float of 10000000000000000).

/** ccxt's `precisionMode`: what `precision` counts. */
const DECIMAL_PLACES = 2
const SIGNIFICANT_DIGITS = 3
const TICK_SIZE = 4

/** 10^-places as text; fewer than none are tens, hundreds, … */
const stepOf = (places: number): string => (places > 0 ? `0.${"1".padStart(places, "0")}` : `1${"0".repeat(-places)}`)

/** At its end. */
const withoutZeros = (text: string): string => {
  let end = text.length
  while (text.charCodeAt(end - 1) === 48) end -= 1
  return text.slice(0, end)
}

/** Has more digits that count than a float is sure to hold. */
const isLong = (text: string): boolean => {
  if (text.length <= 15 || !/^\d+(\.\d+)?$/.test(text)) return false
  const digits = text.includes(".") ? withoutZeros(text).replace(".", "") : text
  return digits.replace(/^0+/, "").length > 15
}

/** Numbers of a row that floats do not hold, by the floats that they became. */
const longNumbers = (row: unknown, found: Map<number, string>): Map<number, string> => {
  if (typeof row === "string") {
    if (isLong(row) && !found.has(Number(row))) found.set(Number(row), row)
  } else if (typeof row === "object" && row !== null) {
    for (const value of Object.values(row)) longNumbers(value, found)
  }
  return found
}

type Exchange = Pick<CcxtExchange, "precisionMode" | "numberToString">

const isNumber = (value: number | undefined): value is number => typeof value === "number" && Number.isFinite(value)

/** A market that is neither settled in its quote asset nor in its base is settled in a third. */
const contractTypeOf = ({ linear, inverse }: CcxtMarket): Contract["type"] =>
  linear === true ? "LINEAR" : inverse === true ? "INVERSE" : "QUANTO"

/** A quantity is counted as the venue counts it in its books: in base, or in contracts, and then the row says of what kind and size. */
export const instrumentRow = ({ name, market }: Listed, { precisionMode, numberToString }: Exchange): InstrumentRow => {
  const { precision, limits } = market
  const long = longNumbers(market.info, new Map())
  const textOf = (value: number): string => long.get(value) ?? numberToString(value)
  /** "0": the venue gives no step. */
  const stepText = (value: number | undefined, mode: number): string => {
    if (!isNumber(value)) return "0"
    if (mode === TICK_SIZE) return value > 0 ? textOf(value) : "0"
    return Number.isInteger(value) ? stepOf(value) : "0"
  }
  const limitText = (value: number | undefined): string | null => (isNumber(value) && value > 0 ? textOf(value) : null)
  const inDigits = precisionMode === SIGNIFICANT_DIGITS
  return {
    symbol: name,
    baseAsset: market.base,
    quoteAsset: market.quote,
    // A price of so many significant digits has no step of its own; quantities are counted in decimal places there, too.
    tickSize: inDigits ? "0" : stepText(precision.price, precisionMode),
    lotSize: stepText(precision.amount, inDigits ? DECIMAL_PLACES : precisionMode),
    ...(inDigits && isNumber(precision.price) ? { priceSignificantDigits: precision.price } : {}),
    ...(market.contract === true || market.swap === true
      ? { contract: { type: contractTypeOf(market), size: limitText(market.contractSize) } }
      : {}),
    minQuantity: limitText(limits.amount?.min) ?? "0",
    maxQuantity: limitText(limits.amount?.max),
    minNotional: limitText(limits.cost?.min),
    active: market.active !== false,
  }
}

const REFRESH_MILLIS = 3_600_000
/** Markets that were loaded this moment, for the venue's first use, are what it lists now. */
const FRESH_MILLIS = 5_000
const RETRY_FIRST_MILLIS = 250
const RETRY_MAX_MILLIS = 10_000

/** An empty answer is no venue without markets. Named, because its name is what a failure is classified by. */
class NoMarkets extends Error {
  override readonly name = "BadResponse"
  override readonly message = "the venue listed no markets"
}

/** Waits longer before each attempt that follows a failed one. */
const spacing = async (failures: number): Promise<void> => {
  if (failures === 0) return
  const wait = Math.min(RETRY_FIRST_MILLIS * 2 ** (failures - 1), RETRY_MAX_MILLIS)
  await sleep(wait * (0.8 + Math.random() * 0.4))
}

export class Markets {
  /** What of them is listed; empty until they are loaded. */
  readonly listing: Listing
  readonly #exchange: CcxtExchange
  readonly #reachable: (failure: unknown) => void
  readonly #sharers = new Set<CcxtExchange>()
  readonly #wholeLists = new WholeLists(() => performance.now())
  #loading: Promise<void> | undefined
  #loadedAt = 0
  #failures = 0
  readonly #clock = new Afresh(() => this.#readClock())
  #clockFailures = 0
  #knowsTime = false

  /** `reachable` hears of every load: undefined when it worked, else the failure. */
  constructor(profile: VenueProfile, exchange: CcxtExchange, reachable: (failure: unknown) => void) {
    this.listing = new Listing(profile)
    this.#exchange = exchange
    this.#reachable = reachable
  }

  get areLoaded(): boolean {
    return this.#loadedAt > 0
  }

  /** Resolves when there are markets; rejects when this attempt failed. Callers come back; attempts are spaced here. */
  loaded(): Promise<void> {
    if (this.#loadedAt > 0 && !this.#knowsTime) this.#clock.share().catch(() => undefined)
    if (this.#areYoungerThan(REFRESH_MILLIS)) return Promise.resolve()
    const loading = this.#begin()
    if (this.#loadedAt === 0) return loading
    // A refresh happens beside the work, on the markets of before; `#load` says so itself when it fails.
    loading.catch(() => undefined)
    return Promise.resolve()
  }

  /** Resolves when there are markets, and the venue's clock was read once, for what is signed by it; rejects as `loaded` does. */
  async timed(): Promise<void> {
    await this.loaded()
    if (!this.#knowsTime) await this.#clock.share()
  }

  /** Resolves with what the venue lists now; rejects when it could not be asked, whatever is known from before. */
  fresh(): Promise<void> {
    return this.#areYoungerThan(FRESH_MILLIS) ? Promise.resolve() : this.#begin()
  }

  #areYoungerThan(millis: number): boolean {
    return this.#loadedAt > 0 && Date.now() - this.#loadedAt < millis
  }

  /** One load at a time for all waiting callers: the first caller's urgency and deadline do not apply to the others. */
  #begin(): Promise<void> {
    this.#loading ??= doingFor("market", null, () => this.#load()).finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Gives an instance of the same exchange these markets, now and after each refresh. */
  share(exchange: CcxtExchange): void {
    this.#sharers.add(exchange)
    this.#give(exchange)
  }

  unshare(exchange: CcxtExchange): void {
    this.#sharers.delete(exchange)
  }

  /** Ms. Instants of the venue are compared with each other, so none may be read from our clock. */
  venueNow(): number {
    return venueNow(this.#exchange)
  }

  /**
   * Measures the venue's clock again (60 s of skew refuses every signed request): once for all that were refused together, with a question that is put
   * after they were, and spaced as loads are.
   */
  syncClock(): Promise<void> {
    return this.#clock.ask()
  }

  async #load(): Promise<void> {
    await spacing(this.#failures)
    const before = { ...this.#exchange, options: { ...this.#exchange.options } }
    try {
      const loading = this.#exchange.loadMarkets(true)
      // Streams go on with those of before: ccxt would have them wait for this load, and fail with it until the next.
      if (this.areLoaded) this.#exchange.marketsLoading = Promise.resolve(before.markets)
      await loading
      this.#take(before)
    } catch (failure) {
      // ccxt has replaced them before anything is known of the new ones.
      if (this.areLoaded) this.#exchange.setMarketsFromExchange(before)
      this.#failures += 1
      this.#reachable(failure)
      throw failure
    }
    // Books and trades need no clock, so that markets do without one that is not told; who signs waits for it.
    await this.#clock.share().catch(() => undefined)
    this.listing.update(this.#exchange.markets)
    this.#failures = 0
    this.#loadedAt = Date.now()
    this.#reachable(undefined)
    for (const exchange of this.#sharers) this.#give(exchange)
  }

  /** Of a list that cannot be all that the venue has, what is new: the streams and accounts of what is missing go on. */
  #take(before: Pick<CcxtExchange, "markets" | "currencies">): void {
    const now = this.#exchange.markets ?? {}
    if (Object.keys(now).length === 0) throw new NoMarkets()
    const was = before.markets ?? {}
    if (this.#wholeLists.shortness(this.listing.tradedOf(was), this.listing.tradedOf(now)) === undefined) return
    this.#exchange.setMarkets(Object.values({ ...was, ...now }), { ...before.currencies, ...this.#exchange.currencies })
  }

  async #readClock(): Promise<void> {
    await spacing(this.#clockFailures)
    try {
      // Some venues do not tell the time; their nonces need none.
      if (this.#exchange.has["fetchTime"] === true) await this.#exchange.loadTimeDifference()
    } catch (failure) {
      this.#clockFailures += 1
      throw failure
    }
    this.#clockFailures = 0
    this.#knowsTime = true
    for (const exchange of this.#sharers) this.#tellTime(exchange)
  }

  #give(exchange: CcxtExchange): void {
    exchange.setMarketsFromExchange(this.#exchange)
    this.#tellTime(exchange)
  }

  #tellTime(exchange: CcxtExchange): void {
    exchange.options["timeDifference"] = this.#exchange.options["timeDifference"]
  }
}
