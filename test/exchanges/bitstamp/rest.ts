/** Bitstamp behind the HTTP door: its routes, its limits, its errors, and the date of each answer, which is all that it tells of its clock. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core } from "./core.ts"
import { privateRoutes } from "./private-api.ts"
import { publicRoutes } from "./public-api.ts"
import { notServed, refusalOf } from "./refusal.ts"
import { Signatures } from "./signature.ts"

const PREFIX = "/api/v2/"

const partsOf = ({ url }: RestRequest): ReadonlyArray<string> =>
  url.pathname.startsWith(PREFIX) ? url.pathname.slice(PREFIX.length).split("/").filter(Boolean) : []

export class RestDoor {
  readonly #signatures = new Signatures()

  constructor(readonly core: Core) {}

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return handleRest(
      {
        faults: this.core.faults,
        count: (key) => this.core.count(key),
        arrived: (asked) => this.#judge(asked),
        answer: (asked) => this.#answer(asked),
      },
      request,
      response,
    )
  }

  #judge(asked: RestRequest): void {
    const [side = ""] = partsOf(asked)
    if (side !== "buy" && side !== "sell") return
    const id = new URLSearchParams(asked.body).get("client_order_id")
    const key = String(asked.request.headers["x-auth"] ?? "").replace(/^BITSTAMP /, "")
    if (id !== null) this.core.placements.arrived(id, key, partsOf(asked).at(-1) ?? "")
  }

  #answer(asked: RestRequest): RestAnswer {
    const { core } = this
    const { key, url, body, request } = asked
    const { headers, method = "" } = request
    try {
      const parts = partsOf(asked)
      const [name = ""] = parts
      const open = method === "GET" ? publicRoutes[name] : undefined
      if (open !== undefined) {
        core.limits.take("")
        return this.#json(open(core, parts), 200)
      }
      const route = method === "POST" ? privateRoutes[name] : undefined
      if (route === undefined) throw notServed(key)
      const path = url.pathname + url.search
      const account = this.#signatures.verify(core.accounts, { headers, method, path, body }, core.now())
      core.limits.take(account.apiKey)
      return this.#json(route(core, { account, fields: new URLSearchParams(body), parts }), 200)
    } catch (cause) {
      const refusal = refusalOf(cause)
      if (refusal === undefined) throw cause
      return this.#json(refusal.body, refusal.status)
    }
  }

  #json(value: unknown, status: number): RestAnswer {
    return { status, body: JSON.stringify(value), headers: { date: new Date(this.core.now()).toUTCString() } }
  }
}
