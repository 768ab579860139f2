/**
 * Which of ccxt's markets a venue lists, and under which name: a spot venue its pairs, a derivative venue its perpetuals, one per
 * BASE/QUOTE, linear before inverse (contract C14a). Names are `BASE/QUOTE`; ccxt calls a perpetual `BASE/QUOTE:SETTLE`.
 */
import type { InstrumentId } from "../../../domain/ids.ts"
import { instrumentIdOf, parseInstrumentId } from "../../../domain/instrument/instrument.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { CcxtMarket } from "./ccxt.ts"

export type Markets = Readonly<Record<string, CcxtMarket>>

export interface Listed {
  /** `BASE/QUOTE` */
  readonly name: string
  readonly market: CcxtMarket
}

/** Smaller is better; a market that is closed to trading only counts where there is no other. */
const rank = ({ active, linear }: CcxtMarket): number => (active === false ? 2 : 0) + (linear === true ? 0 : 1)

export class Listing {
  readonly #profile: Pick<VenueProfile, "venue" | "lists">
  #seen: Markets | undefined
  #byName = new Map<string, CcxtMarket>()
  #names = new Map<string, string>()
  #shown = new Map<string, ReadonlyArray<string>>()
  #sources = new Map<string, string>()

  constructor(profile: Pick<VenueProfile, "venue" | "lists">) {
    this.#profile = profile
  }

  /** Cheap while the markets are those of the last time. */
  update(markets: Markets | undefined): void {
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
  tradedOf(markets: Markets): ReadonlySet<string> {
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
  #chosenOf(markets: Markets): Map<string, CcxtMarket> {
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
