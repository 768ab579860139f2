/**
 * The markets of a venue: loaded once by the public instance and shared with every private one (26 MB and 0.4 s for each load of
 * 3,500 symbols, venues 1). A first load that fails is cached by ccxt for ever, so every load here is a forced one. A later one that
 * fails changes nothing, neither here nor in ccxt, and one that brings a list that cannot be whole takes nothing away.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { WholeLists } from "../../../domain/instrument/whole-lists.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import { doingFor } from "../work.ts"
import type { CcxtExchange } from "./ccxt.ts"
import { Listing } from "./listing.ts"

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
    if (this.#areYoungerThan(REFRESH_MILLIS)) return Promise.resolve()
    const loading = this.#begin()
    if (this.#loadedAt === 0) return loading
    // A refresh happens beside the work, on the markets of before; `#load` says so itself when it fails.
    loading.catch(() => undefined)
    return Promise.resolve()
  }

  /** Resolves with what the venue lists now; rejects when it could not be asked, whatever is known from before. */
  fresh(): Promise<void> {
    return this.#areYoungerThan(FRESH_MILLIS) ? Promise.resolve() : this.#begin()
  }

  #areYoungerThan(millis: number): boolean {
    return this.#loadedAt > 0 && Date.now() - this.#loadedAt < millis
  }

  /** One load at a time, for all who wait, whoever was the first: its urgency and its deadline are not theirs. */
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

  /**
   * The venue's clock now, in ms: late by the way of one answer at most, and ours until the markets are loaded. Instants of the
   * venue are compared with each other, so none may be read from our clock.
   */
  venueNow(): number {
    const ours = Date.now()
    const ahead = this.#exchange.options["timeDifference"]
    return typeof ahead === "number" ? ours - ahead : ours
  }

  /** Measures the venue's clock again (60 s of skew refuses every signed request). */
  async syncClock(): Promise<void> {
    await this.#readClock()
    for (const exchange of this.#sharers) this.#give(exchange)
  }

  async #load(): Promise<void> {
    if (this.#failures > 0) {
      const wait = Math.min(RETRY_FIRST_MILLIS * 2 ** (this.#failures - 1), RETRY_MAX_MILLIS)
      await sleep(wait * (0.8 + Math.random() * 0.4))
    }
    const before = { ...this.#exchange, options: { ...this.#exchange.options } }
    try {
      const loading = this.#exchange.loadMarkets(true)
      // Streams go on with those of before: ccxt would have them wait for this load, and fail with it until the next.
      if (this.areLoaded) this.#exchange.marketsLoading = Promise.resolve(before.markets)
      await loading
      this.#take(before)
      await this.#readClock()
    } catch (failure) {
      // ccxt has replaced them before anything is known of the new ones.
      if (this.areLoaded) this.#exchange.setMarketsFromExchange(before)
      this.#failures += 1
      this.#reachable(failure)
      throw failure
    }
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

  /** Some venues do not tell the time; their nonces need none. */
  async #readClock(): Promise<void> {
    if (this.#exchange.has["fetchTime"] === true) await this.#exchange.loadTimeDifference()
  }

  #give(exchange: CcxtExchange): void {
    exchange.setMarketsFromExchange(this.#exchange)
    exchange.options["timeDifference"] = this.#exchange.options["timeDifference"]
  }
}
