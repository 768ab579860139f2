/**
 * Instances of one ccxt class that share what all of them have alike. ccxt gives each its own tables and a function for each endpoint:
 * 440 kB at Binance, of which an account needs 12. Here one is made whole and the others inherit from it: its tables of what the venue is
 * are frozen, whatever else an instance could write to is copied.
 */
import type { CcxtExchange, CcxtExchangeClass } from "./ccxt.ts"

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
export const mouldOf = (
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
