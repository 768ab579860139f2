/** Which bars a raw message calls closed: venues say so in their streams, and ccxt leaves it out. By ccxt exchange id. */

type Fields = Readonly<Record<string, unknown>>
type Reader = (message: Fields) => ReadonlyArray<number>

const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const rows = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const READERS: Readonly<Record<string, Reader>> = {
  // developers.binance.com, WebSocket streams: `k.x`, "Is this kline closed?"
  binance: (message) => {
    const { e: event, k: kline } = message["data"] === undefined ? message : fields(message["data"])
    if (event !== "kline") return []
    const { t: openAt, x: isClosed } = fields(kline)
    return isClosed === true ? [Number(openAt)] : []
  },
  // bybit-exchange.github.io, v5 public kline: `confirm`.
  bybit: ({ topic, data }) =>
    typeof topic === "string" && topic.startsWith("kline.")
      ? rows(data).flatMap((row) => (fields(row)["confirm"] === true ? [Number(fields(row)["start"])] : []))
      : [],
  // okx.com, candlesticks channel: the ninth field, `confirm`.
  okx: ({ arg, data }) =>
    String(fields(arg)["channel"]).startsWith("candle")
      ? rows(data).flatMap((row) => (rows(row)[8] === "1" ? [Number(rows(row)[0])] : []))
      : [],
}

/** Open times; none where the venue does not say. */
export const closedBars = (exchange: string, message: unknown): ReadonlyArray<number> =>
  READERS[exchange]?.(fields(message)) ?? []
