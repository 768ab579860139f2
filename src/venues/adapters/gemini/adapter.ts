/** Gemini, served as ccxt has it but for its private dial. Source: createOrder, fetchOrder and authenticate of ccxt 4.5.84. */

import type { CcxtExchange } from "../../worker/exchange/ccxt.ts"
import { type ExchangeAdapter, type Leaving, record } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"

/**
 * How a stream of Gemini ends, which ccxt does not know. Book and trades of a market come by one subscription, whose end the venue does
 * not acknowledge; it reads in order, so what follows is of the next one.
 */
const leaving: Leaving = {
  isJoint: true,
  leave: ({ stream, market: { id, symbol } }) =>
    stream === "ticker"
      ? null
      : {
          message: { type: "unsubscribe", subscriptions: [{ name: "l2", symbols: [id.toUpperCase()] }] },
          keys: [`l2:${symbol}`],
          waiting: [`orderbook:${symbol}`, `trades:${symbol}`],
          isHeard: null,
        },
}

/** The headers of the login go over the socket's settings, and ccxt would replace them all: route, proxy and backoff with them. */
const keepSocketSettings = (exchange: CcxtExchange): void => {
  const extend = exchange.extendExchangeOptions.bind(exchange)
  exchange.extendExchangeOptions = (settings) => {
    const [given, kept] = [record(settings["ws"]), record(exchange.options["ws"])]
    extend({
      ...settings,
      ws: { ...given, ...kept, options: { ...record(given["options"]), ...record(kept["options"]) } },
    })
  }
}

const byScheme = adapterByScheme({ ...commonScheme, askParam: "client_order_id" })

export const gemini: ExchangeAdapter = {
  ...byScheme,
  leaving,
  channels: ["events"],
  channelNews: ({ type }) => (type === "subscription_ack" ? [{ channel: "events", isTaken: true }] : []),
  prepare: (exchange, profile) => {
    keepSocketSettings(exchange)
    byScheme.prepare?.(exchange, profile)
  },
}
