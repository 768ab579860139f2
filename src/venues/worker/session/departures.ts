/**
 * Submits on their way through ccxt, by our client id in any spelling. The one thing to know: ccxt signs after its throttle, so signing is the one
 * place to see that an order, or a change of one, has waited too long (order-path 3); what is signed ahead is judged once more at its gate. Until
 * then a cancel takes the order back: neither is sent.
 */
import { LeanMap } from "../../../foundation/lean.ts"
import { isOwned, type SharedOwnership } from "../../../ports/ownership.ts"
import type { CcxtExchange, Raw } from "../exchange/ccxt.ts"
import { TooLate, WITHDRAWN } from "../exchange/errors.ts"
import type { Gate } from "../gate.ts"
import { currentWork, leftOf, type Work } from "../work.ts"
import { isSameId } from "./client-ids.ts"

interface Route {
  /** Of an order that was built ahead. */
  readonly gate?: Gate | undefined
  /** Aborted by `withdraw`; what does the order's work looks at it. */
  readonly withdrawal?: AbortController | undefined
  /** False: a cancel that comes first is sent all the same. */
  readonly yieldsToCancel?: boolean
}

class Departure {
  /** From here on the order may be at the venue. Not of what is signed behind a gate: that has left once the gate let it pass. */
  signed = false
  readonly #gate: Gate | undefined
  readonly #withdrawal: AbortController
  readonly yieldsToCancel: boolean

  constructor({ gate, withdrawal = new AbortController(), yieldsToCancel = true }: Route) {
    this.#gate = gate
    this.#withdrawal = withdrawal
    this.yieldsToCancel = yieldsToCancel
  }

  get withdrawn(): AbortSignal {
    return this.#withdrawal.signal
  }

  get mayHaveLeft(): boolean {
    return this.signed || this.#gate?.hasLeft === true
  }

  /** False: it may have left. */
  withdraw(): boolean {
    if (this.mayHaveLeft) return false
    this.#withdrawal.abort()
    // What waits at it has had its turn, which is free again.
    this.#gate?.drop()
    return true
  }
}

/** In the turn in which its bytes may leave. Throws TooLate. */
const checkMayLeave = (work: Work, isOurs: () => boolean): void => {
  if (work.withdrawn?.aborted === true) throw new TooLate(WITHDRAWN)
  const left = leftOf(work)
  if (left !== null && left < 0) throw new TooLate("its deadline for sending had passed")
  if (!isOurs()) throw new TooLate("the lease of this gateway on its database had run out")
}

/** Deribit takes its orders and their changes by GET. */
const BY_GET = ["buy", "sell", "edit"]

/** Of one operation, or of each of a batch: ccxt sends a single order of OKX as a batch of one unless it is told otherwise. */
const valuesOf = (params: Raw | ReadonlyArray<Raw>): ReadonlyArray<unknown> =>
  Array.isArray(params) ? params.flatMap((operation) => Object.values(operation)) : Object.values(params)

export class Departures {
  readonly #waiting = new LeanMap<string, Departure>()

  /** Wraps `sign` and `fetch` of the instance. `owned`: of the process's database; null where there is none, as in tests. */
  constructor(exchange: CcxtExchange, owned: SharedOwnership | null = null) {
    const sign = exchange.sign.bind(exchange)
    const isOurs = owned === null ? () => true : isOwned(owned)
    exchange.sign = (path, api, method, params, headers, body) => {
      const asks = (method === "GET" && !BY_GET.includes(path)) || method === "DELETE"
      const work = currentWork()
      if (!asks && work?.purpose === "submit") checkMayLeave(work, isOurs)
      const values = asks || this.#waiting.size === 0 || work?.gate !== undefined ? [] : valuesOf(params)
      for (const [clientId, departure] of this.#waiting)
        if (values.some((value) => isSameId(clientId, value))) {
          // By its name, too: whatever work this is, the order is told to be not sent.
          if (departure.withdrawn.aborted) throw new TooLate(WITHDRAWN)
          departure.signed = true
        }
      return sign(path, api, method, params, headers, body)
    }
    const fetch = exchange.fetch.bind(exchange)
    exchange.fetch = (...request) => {
      const work = currentWork()
      const gate = work?.gate
      if (gate === undefined) return fetch(...request)
      return gate.passed.then(() => {
        // Judged again: what was signed in time may have waited too long.
        checkMayLeave(work!, isOurs)
        gate.hasLeft = true
        return fetch(...request)
      })
    }
  }

  begin(clientId: string, route: Route = {}): Departure {
    const departure = new Departure(route)
    this.#waiting.set(clientId, departure)
    return departure
  }

  /** True: nothing of it has left, and nothing will; what was about to send it fails with TooLate. False: it may have left, or none is on its way. */
  withdraw(clientId: string): boolean {
    const departure = this.#waiting.get(clientId)
    return departure?.yieldsToCancel === true && departure.withdraw()
  }

  /** The session ends: nothing that has not left is sent any more, though it waits in a budget that others go on with. */
  stop(): void {
    for (const departure of this.#waiting.values()) departure.withdraw()
  }

  end(clientId: string): void {
    this.#waiting.delete(clientId)
  }
}
