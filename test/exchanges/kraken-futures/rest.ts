/** Kraken Futures behind the HTTP door: its routes, its limits, and its errors. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import { type Core, iso } from "./core.ts"
import { historyRoutes } from "./history-api.ts"
import type { FuturesAccount } from "./model.ts"
import { privateRoutes } from "./private-api.ts"
import { publicAnswer } from "./public-api.ts"
import { notServed, RequestRefusal } from "./refusal.ts"
import { Nonces, verifyRest } from "./signature.ts"

const TRADING = "/derivatives/api/v3/"
const HISTORY = /^\/api\/history\/v[23]\//
const PLACE = `POST ${TRADING}sendorder`

export class RestDoor {
  readonly #nonces = new Nonces()

  constructor(readonly core: Core) {}

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return handleRest(
      {
        faults: this.core.faults,
        count: this.core.count,
        arrived: (asked) => asked.key === PLACE && this.#judge(asked),
        answer: (asked) => this.#answer(asked),
      },
      request,
      response,
    )
  }

  #judge({ url, body, request }: RestRequest): void {
    const query = fieldsOf(url, body)
    const id = query.get("cliOrdId")
    if (id !== null)
      this.core.placements.arrived(id, String(request.headers["apikey"] ?? ""), query.get("symbol") ?? "")
  }

  #answer(asked: RestRequest): RestAnswer {
    const { core } = this
    try {
      return { status: 200, body: JSON.stringify({ ...this.#found(asked), ...said(core, "success") }) }
    } catch (cause) {
      if (!(cause instanceof RequestRefusal)) throw cause
      const { error, status } = cause
      const body =
        status === 401 ? { status: error, reason: "You are not authorized." } : { ...said(core, "error"), error }
      return { status, body: JSON.stringify(body) }
    }
  }

  #found(asked: RestRequest): object {
    const { core } = this
    const { url, body, request } = asked
    const query = fieldsOf(url, body)
    if (HISTORY.test(url.pathname)) {
      const route = historyRoutes.get(`${request.method} ${url.pathname.replace(HISTORY, "")}`)
      if (route === undefined) throw notServed()
      const account = this.#verified(asked)
      core.limits.history(account)
      return route(core, account, query)
    }
    if (!url.pathname.startsWith(TRADING)) throw notServed()
    const path = url.pathname.slice(TRADING.length)
    const open = request.method === "GET" ? publicAnswer(core, path, query) : undefined
    if (open !== undefined) return open
    const route = privateRoutes.get(`${request.method} ${path}`)
    if (route === undefined) throw notServed()
    const account = this.#verified(asked)
    core.limits.derivatives(account, path, query)
    return route(core, { account, query })
  }

  #verified({ url, body, request: { headers } }: RestRequest): FuturesAccount {
    const data = `${url.search.slice(1)}${body}`
    return verifyRest(this.core.accounts, this.#nonces, { headers, path: url.pathname, data })
  }
}

const said = (core: Core, result: string) => ({ result, serverTime: iso(core.now()) })

const fieldsOf = (url: URL, body: string): URLSearchParams =>
  new URLSearchParams(body === "" ? url.search : `${url.search.slice(1)}&${body}`)
