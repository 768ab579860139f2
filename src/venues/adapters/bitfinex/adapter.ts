/**
 * Bitfinex, of which the exchange wallet trades, and its deviations from ccxt 4.5.84, which asks for what has ended where only working orders are, does not know
 * how orders end, and takes errors of the order for those of the key. Source: docs.bitfinex.com.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtBalance, CcxtExchange, CcxtOrder, Raw } from "../../worker/exchange/ccxt.ts"
import { classify } from "../../worker/exchange/errors.ts"
import { readBack } from "../../worker/session/client-ids.ts"
import { type BalanceRow, type ChangedBalances, type ExchangeAdapter, record, word } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount, type RestAnswer, type Stop, turnedAway } from "../stops.ts"
import { leaving, sumAsVenue } from "./books.ts"
import { watchClock } from "./clock.ts"
import { type BitfinexExchange, prepareBitfinex } from "./private.ts"
import { type Row, rowsOf } from "./rows.ts"

/** "Blocked for 10-60 seconds": a page in place of JSON is of the whole address. */
const TURNED_AWAY_MILLIS = 60_000

/** Of one endpoint: what the account asks of others goes on. */
const byAccount = countedByAccount(/"error",\s*11010\b|"ERR_RATE_LIMIT"/)

const stops = (answer: RestAnswer): Stop | undefined =>
  (answer.body === "" ? undefined : turnedAway(answer, TURNED_AWAY_MILLIS)) ?? byAccount(answer)

/** [type, currency, balance, interest, available]: what is not calculated counts as held. */
const balanceOf = ([type, currency, balance, , available]: Row): BalanceRow | undefined => {
  if (type !== "exchange") return undefined
  const [whole, free] = [balance, available ?? "0"].map((it) => Decimal.fromVenue(String(it)))
  if (whole === undefined || free === undefined) return undefined
  return { assetId: String(currency), available: free.toString(), locked: whole.subtract(free).toString() }
}

const fetchedBalances = ({ info }: CcxtBalance): ReadonlyArray<BalanceRow> =>
  rowsOf(info).flatMap((row) => balanceOf(row) ?? [])

/** Of channel 0. */
const saidOf = (event: Raw): readonly [type: unknown, row: Row] => [
  String(event[0]) === "0" ? event[1] : undefined,
  Array.isArray(event[2]) ? event[2] : [],
]

const isCalculated = (row: Row): boolean => row[4] !== null && row[4] !== undefined

const changedBalances = (event: Raw): ChangedBalances | null => {
  const [type, row] = saidOf(event)
  const balance = type === "wu" && isCalculated(row) ? balanceOf(row) : undefined
  return balance === undefined ? null : { at: null, rows: [balance] }
}

/** What an order holds leaves the wallet's balance as it is. */
const balancesMoved = (event: Raw): boolean => {
  const [type, row] = saidOf(event)
  if (type === "wu") return row[0] === "exchange" && !isCalculated(row)
  return type === "on" || type === "ou" || type === "oc"
}

const MUST_RECONNECT: ReadonlySet<string> = new Set(["20051", "20060", "20061"])

const accountId = async (instance: CcxtExchange): Promise<string | null> => {
  try {
    const user = await (instance as BitfinexExchange).privatePostAuthRInfoUser({})
    const id = Array.isArray(user) ? user[0] : undefined
    return id === undefined || id === null ? null : String(id)
  } catch (error) {
    if (classify(error).category === "PERMISSION_DENIED") return null
    throw error
  }
}

const wordOf = ({ info }: CcxtOrder): string => String(info?.[13] ?? "")

/** The venue itself ended what was left of it. */
const REMAINDER = /^(?:IOC|FILLORKILL) CANCELED|^INSUFFICIENT |^RSN_BOOK_SLIP/

/** What a post-only order was ended for is of the moment in which it came. */
const isOfItsArrival = ({ info }: CcxtOrder): boolean => !(Number(info?.[5]) - Number(info?.[4]) > 1000)

export const bitfinex: ExchangeAdapter = adapterByScheme(
  {
    ...commonScheme,
    // The instance writes it as the number that it is there, and knows it again.
    spelling: "hex",
    idParam: "cid",
    askParam: "cid",
    cancelParam: "cid",
    logsIn: true,
  },
  {
    prepare: prepareBitfinex,
    preparePublic: (exchange) => {
      sumAsVenue(exchange)
      watchClock(exchange)
    },
    leaving,
    accountId,
    ended: (order) => {
      const isRemainder = REMAINDER.test(wordOf(order)) || order.type === "market"
      return { status: "CANCELLED", ending: isRemainder ? "REMAINDER" : null }
    },
    neverWorked: (order) =>
      wordOf(order).startsWith("POSTONLY CANCELED") &&
      order.info?.["hasRested"] !== true &&
      isOfItsArrival(order) &&
      !/[1-9]/.test(String(order.filled ?? "")),
    fillClientId: ({ info }) => readBack(word(record(info), "clientOrderId")),
    // Its events are whole rows of the order.
    eventsAreHints: ({ status, amount }) => status === undefined || amount === undefined,
    changedBalances,
    balancesMoved,
    fetchedBalances,
    stops,
    endsPrivateStream: ({ event, code }) => event === "info" && MUST_RECONNECT.has(String(code)),
  },
)
