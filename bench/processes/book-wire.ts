/** What the parts of `book` agree on: the level that carries the frame's number. */
export const MARKED_PRICE = "59000.00"
/** Its digits as the gateway writes them. */
export const MARKED_AS_SENT = `["${MARKED_PRICE}","`
export const BOOK_CHANNEL = "market:orderbook:BINANCE:BTC/USDT"

/** Frame number → quantity text, and back. */
export const quantityOf = (n: number): string => (n / 100_000).toFixed(5)
export const frameOf = (quantity: string | number): number => Math.round(Number(quantity) * 100_000)

/** Frames that one consumer saw, each with the instant (µs) of the first sight. */
export interface Sightings {
  readonly frames: Float64Array
  readonly at: Float64Array
  readonly cpuMicros: number
}

export const sightingsOf = (seen: ReadonlyMap<number, number>, cpuMicros: number): Sightings => ({
  frames: Float64Array.from(seen.keys()),
  at: Float64Array.from(seen.values()),
  cpuMicros,
})
