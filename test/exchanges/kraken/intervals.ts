/** Kraken's candle lengths in minutes, and the names under which the tape (binance/tape.ts) keeps candles of that length. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, "1m"],
  [5, "5m"],
  [15, "15m"],
  [30, "30m"],
  [60, "1h"],
  [240, "4h"],
  [1440, "1d"],
  [10_080, "1w"],
])

/** Undefined for a length that is not served; the venue also has 21600, half a month. */
export const intervalName = (minutes: unknown): string | undefined => NAMES.get(Number(minutes))
