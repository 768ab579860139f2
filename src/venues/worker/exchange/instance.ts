/**
 * Builds the two kinds of ccxt instances with every setting venues 4 asks for. A public instance has floats and no keys;
 * a private one has strings and the keys of one account, and shares what they have alike. Their requests share the venue's budget, the
 * most urgent first.
 */
import type { VenueSecrets } from "../../../domain/account/credential.ts"
import { adapterOf } from "../../adapters/adapters.ts"
import type { ConnectorSettings } from "../../connector/wire.ts"
import { Budgets } from "../budget/budgets.ts"
import { queueSnapshots } from "../feed/snapshot-queue.ts"
import { waitsOf } from "../waits.ts"
import type { CcxtExchange, CcxtExchangeClass } from "./ccxt.ts"
import { mouldOf } from "./mould.ts"
import { applyTransport } from "./transport.ts"

/** A half-open socket is noticed after two missed pongs; ccxt waits up to 9 minutes on Binance otherwise. */
const STREAMING = { keepAlive: 10_000, maxPingPongMisses: 2 }

/** What an instance must know of its connector. */
export type InstanceSettings = Pick<ConnectorSettings, "profile" | "routes" | "proxy">

const made = (
  Exchange: CcxtExchangeClass,
  { profile }: InstanceSettings,
  given: Record<string, unknown>,
): CcxtExchange => {
  const exchange = new Exchange({
    enableRateLimit: true,
    rateLimiterAlgorithm: "rollingWindow",
    timeout: waitsOf(profile).requestMillis,
    newUpdates: true,
    streaming: STREAMING,
    ...(profile.rollingWindowMillis === undefined ? {} : { rollingWindowSize: profile.rollingWindowMillis }),
    ...given,
    options: structuredClone(profile.options),
  })
  if (profile.needsCurrencies === false) exchange.has["fetchCurrencies"] = false
  // It exchanges the URLs.
  if (profile.sandbox) exchange.setSandboxMode(true)
  return exchange
}

const connected = (exchange: CcxtExchange, { routes, proxy }: InstanceSettings): CcxtExchange => {
  // The rolling window is for REST. Sockets made from here on get the leaky bucket, which spaces what is sent: a window would let
  // 200 subscribe messages out at once, and Binance closes a connection that sends more than 5 a second.
  exchange.tokenBucket = { ...exchange.tokenBucket, algorithm: "leakyBucket" }
  applyTransport(exchange, routes, proxy)
  return exchange
}

export const publicInstance = (
  Exchange: CcxtExchangeClass,
  settings: InstanceSettings,
  budgets = new Budgets(settings.profile),
): CcxtExchange => {
  const exchange = connected(made(Exchange, settings, {}), settings)
  budgets.install(exchange, false)
  budgets.dials.install(exchange, true)
  // Where we ask for snapshots ourselves, each question is answered.
  if (!settings.profile.snapshotsAsked) queueSnapshots(exchange)
  // Without keys it could only throw, and ccxt logs in for streams that need no login (`trades-all` of OKX).
  exchange.authenticate = () => Promise.resolve(undefined)
  adapterOf(settings.profile).preparePublic?.(exchange, settings.profile)
  return exchange
}

/** Text that is already right stays as it is; ccxt would pass it through floats. */
const asGiven = (value: unknown): string => String(value)

/** Answers what makes the instance of each account; what they share is made with the first. */
export const privateInstances = (
  Exchange: CcxtExchangeClass,
  settings: InstanceSettings,
  budgets = new Budgets(settings.profile),
): ((secrets: VenueSecrets) => CcxtExchange) => {
  let cast: (() => CcxtExchange) | null = null
  return (secrets) => {
    cast ??= mouldOf(Exchange, (Unbound) => made(Unbound, settings, { number: String }))
    const exchange = connected(cast(), settings)
    Object.assign(exchange, {
      apiKey: secrets.apiKey,
      secret: secrets.apiSecret,
      ...(secrets.apiPassphrase === null ? {} : { password: secrets.apiPassphrase }),
    })
    budgets.install(exchange, true)
    budgets.dials.install(exchange, false)
    // Prices and quantities were checked against the steps before they came here; ccxt would truncate and round them silently.
    exchange.amountToPrecision = (_symbol, amount) => asGiven(amount)
    exchange.priceToPrecision = (_symbol, price) => asGiven(price)
    exchange.costToPrecision = (_symbol, cost) => asGiven(cost)
    // Fees can be in an asset that no listed market has; ccxt would throw and lose the fill.
    exchange.currencyToPrecision = (_code, fee) => asGiven(fee)
    adapterOf(settings.profile).prepare?.(exchange, settings.profile)
    return exchange
  }
}
