/**
 * Feeds that write prices as JSON numbers (Bitfinex, Deribit, Kraken): `4714.0` would come out as 4714, and nothing could tell how
 * the venue had spelled it. Every number of a frame is put between quotes before ccxt parses it; its readers take texts as well.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtExchange, CcxtSocket } from "../exchange/ccxt.ts"

/** A text is matched whole, so that digits inside it stay as they are; one without an end to the end, or every quote would be looked at again. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const QUOTE = 34

/** Exponents are not passed on: `2e-8` is 0.00000002 to everybody. */
export const withoutExponent = (number: string): string =>
  /[eE]/.test(number) ? (Decimal.fromVenue(number)?.toString() ?? number) : number

/** `[1,4714.0]` → `["1","4714.0"]` */
export const quoteNumbers = (json: string): string =>
  json.replace(TEXT_OR_NUMBER, (token) => (token.charCodeAt(0) === QUOTE ? token : `"${withoutExponent(token)}"`))

/** Wraps every socket that the instance makes from here on, before its first frame. */
export const quoteFrames = (exchange: CcxtExchange): void => {
  const make = exchange.client.bind(exchange)
  const wrapped = new WeakSet<CcxtSocket>()
  exchange.client = (url) => {
    const socket = make(url)
    if (wrapped.has(socket)) return socket
    wrapped.add(socket)
    const onMessage = socket.onMessage.bind(socket)
    // A frame is a Buffer with ws; ccxt would make the same text of it.
    socket.onMessage = (event) => onMessage({ data: quoteNumbers(String(event.data)) })
    return socket
  }
}
