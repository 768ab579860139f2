/** Bitfinex behind the HTTP door: its routes, its limits, and its errors `["error", code, text]`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core } from "./core.ts"
import type { BitfinexAccount } from "./model.ts"
import { written } from "./numbers.ts"
import { fieldsOf, privateRoutes, routeOf } from "./private-api.ts"
import { publicAnswer } from "./public-api.ts"
import { BitfinexRefusal, inMaintenance, notPermitted, notServed } from "./refusal.ts"
import { verifyRest } from "./signature.ts"

const SUBMIT = "/v2/auth/w/order/submit"

/** Counted by what its path names. */
const nameOf = (key: string): string => {
  const [method = "", path = ""] = key.split(" ")
  return `${method} ${routeOf(path).route}`
}

export class RestDoor {
  constructor(readonly core: Core) {}

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return handleRest(
      {
        faults: this.core.faults,
        count: (key) => this.core.count(nameOf(key)),
        arrived: (asked) => asked.url.pathname === SUBMIT && this.#judge(asked),
        answer: (asked) => this.#answer(asked),
      },
      request,
      response,
    )
  }

  /** What was overtaken on its way is refused for its nonce, whatever it asks, and comes again. */
  #judge({ request: { headers }, body }: RestRequest): void {
    const { cid, symbol } = fieldsOf(body)
    const apiKey = String(headers["bfx-apikey"] ?? "")
    const isOvertaken = Number(headers["bfx-nonce"]) <= (this.core.accounts.get(apiKey)?.lastNonce ?? 0)
    if (cid !== undefined && !isOvertaken) this.core.placements.arrived(String(cid), apiKey, String(symbol ?? ""))
  }

  #answer(asked: RestRequest): RestAnswer {
    const { core } = this
    const { pathname, searchParams } = asked.url
    try {
      if (pathname.startsWith("/v2/auth/")) return written200(this.#signed(asked))
      core.limits.take(nameOf(asked.key))
      const answer = publicAnswer(core, pathname, searchParams)
      if (answer === undefined) throw notServed(pathname)
      return written200(answer)
    } catch (cause) {
      if (!(cause instanceof BitfinexRefusal)) throw cause
      return { status: cause.status, body: written(["error", cause.code, cause.message]) }
    }
  }

  #signed({ url: { pathname }, body, request: { headers } }: RestRequest): unknown {
    const { core } = this
    const { route, symbol, id } = routeOf(pathname)
    const found = privateRoutes.get(route)
    if (found === undefined) throw notServed(pathname)
    core.limits.take(route)
    this.#overtake(String(headers["bfx-apikey"] ?? ""))
    const account: BitfinexAccount = verifyRest(core.accounts, headers, { path: pathname, body })
    if (core.faults.isInMaintenance) throw inMaintenance()
    if (account.mayNotRead.includes(found.scope)) throw notPermitted()
    return found.answer(core, { account, fields: fieldsOf(body), symbol, id })
  }

  /** Another program has used the key meanwhile. */
  #overtake(apiKey: string): void {
    const { overtaken } = this.core.faults
    const account = this.core.accounts.get(apiKey)
    if (account === undefined || overtaken.count === 0) return
    overtaken.count -= 1
    account.lastNonce = Math.max(account.lastNonce, (Date.now() + overtaken.byMillis) * 1000)
  }
}

const written200 = (answer: unknown): RestAnswer => ({ status: 200, body: written(answer) })
