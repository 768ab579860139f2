/**
 * Builds the two kinds of ccxt instances with every setting that venues 4 lists. A public instance has floats and no keys; a private one has
 * strings and the keys of one account, and shares everything else. Their requests share the venue's budget, the most urgent first.
 */

import type { VenueSecrets } from "../../../domain/account/credential.ts"
import { adapterOf } from "../../adapters/adapters.ts"
import type { ConnectorSettings } from "../../connector/wire.ts"
import { Budgets } from "../budget/budgets.ts"
import { queueSnapshots } from "../feed/snapshots.ts"
import { waitsOf } from "../waits.ts"
import type { CcxtExchange, CcxtExchangeClass } from "./ccxt.ts"
import { ordersOverSocket } from "./order-socket.ts"
import { applyTransport } from "./transport.ts"

// Instances of one ccxt class that share what all of them have alike. ccxt gives each its own tables and a function for each endpoint:
// 440 kB at Binance, of which an account needs 12. Here one is made whole and the others inherit from it: its tables of what the venue is
// are frozen, whatever else an instance could write to is copied.

/** What the venue is. ccxt writes to none of them once the sandbox is chosen; if it did, it would throw. */
const SHARED: ReadonlyArray<string> = [
  "api",
  "exceptions",
  "features",
  "fees",
  "has",
  "httpExceptions",
  "limits",
  "precision",
  "requiredCredentials",
  "status",
  "timeframes",
  "urls",
  "userAgents",
]
/** Of a class of ccxt's own, and made anew for each. */
const THROTTLER = "throttler"

type Table = Record<string, unknown>

type Callable = Readonly<Record<string, (...given: ReadonlyArray<unknown>) => unknown>>

interface Moulded extends CcxtExchange {
  initThrottler(): void
  defineRestApiEndpoint(methodName: string, ...rest: ReadonlyArray<unknown>): void
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isTable = (value: object): value is Table => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

const freeze = (value: unknown): void => {
  if (!isObject(value) || !isTable(value) || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const each of Object.values(value)) freeze(each)
}

/** What is frozen stays shared; two names of one table are two names of its copy. */
const copyOf = (value: unknown, copies: Map<object, object>): unknown => {
  if (!isObject(value) || Object.isFrozen(value)) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  if (!isTable(value)) throw new Error(`an instance of ccxt has an object of the class ${value.constructor.name}`)
  // A copy made whole takes a quarter of the room of one that grows.
  const copy: Table = Array.isArray(value) ? ([...value] as unknown as Table) : { ...value }
  copies.set(value, copy)
  for (const [name, each] of Object.entries(value)) if (isObject(each)) copy[name] = copyOf(each, copies)
  return copy
}

/** ccxt's own functions of endpoints are bound to the instance that they were made for; these are called on theirs. */
const unbound = (Exchange: CcxtExchangeClass): CcxtExchangeClass =>
  class extends (Exchange as new (settings: Table) => Moulded) {
    override defineRestApiEndpoint(methodName: string, ...rest: ReadonlyArray<unknown>): void {
      let asked: ReadonlyArray<unknown> = []
      const made: Table = Object.create(this)
      made[methodName] = (...given: ReadonlyArray<unknown>) => {
        asked = given
      }
      super.defineRestApiEndpoint.call(made, methodName, ...rest)
      for (const [name, bound] of Object.entries(made)) {
        if (name === methodName) continue
        // It calls the method before it returns.
        void (bound as () => unknown)()
        const [path, api, method, , headers, body, config] = asked
        const call = async function (this: Callable, params: unknown = {}, context: unknown = {}) {
          return this[methodName]?.(path, api, method, params, headers, body, config, context)
        }
        Object.assign(this, { [name]: call })
      }
    }
  }

/** `make` gets the class and answers a first instance, as all are to be; the answer makes the others. */
const mouldOf = (
  Exchange: CcxtExchangeClass,
  make: (Exchange: CcxtExchangeClass) => CcxtExchange,
): (() => CcxtExchange) => {
  const mould = make(unbound(Exchange)) as Moulded
  const all = Object.entries(mould)
  for (const [name, value] of all) if (SHARED.includes(name)) freeze(value)
  // ccxt also keeps its class's prototype, under a name made by mistake.
  const isClass = (value: object): boolean => Object.prototype.isPrototypeOf.call(value, mould)
  const owned = all.filter(([name, value]) => isObject(value) && name !== THROTTLER && !isClass(value))
  return () => {
    const exchange: Moulded = Object.create(mould)
    const copies = new Map<object, object>()
    for (const [name, value] of owned) Object.assign(exchange, { [name]: copyOf(value, copies) })
    exchange.initThrottler()
    return exchange
  }
}

/** A half-open socket is noticed after two missed pongs; ccxt waits up to 9 minutes on Binance otherwise. */
const STREAMING = { keepAlive: 10_000, maxPingPongMisses: 2 }

/** What an instance must know of its connector. */
type InstanceSettings = Pick<ConnectorSettings, "profile" | "routes" | "proxy" | "socketOrders">

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
    const { prepare, orderSocket } = adapterOf(settings.profile)
    prepare?.(exchange, settings.profile)
    if (settings.socketOrders === true && orderSocket !== undefined)
      ordersOverSocket(exchange, orderSocket, settings.profile)
    return exchange
  }
}
