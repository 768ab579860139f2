/** Gate behind the HTTP door: its routes, its limits, and its errors `{label, message}`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core } from "./core.ts"
import { type Fields, recordOf } from "./order-request.ts"
import { privateRoutes, routeOf } from "./private-api.ts"
import { publicRoutes } from "./public-api.ts"
import { notServed, refusalOf } from "./refusal.ts"
import { verifyRest } from "./signature.ts"

const PLACE = "POST /api/v4/spot/orders"

export class RestDoor {
  constructor(readonly core: Core) {}

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return handleRest(
      {
        faults: this.core.faults,
        count: (key) => this.core.count(routeOf(key) ?? key),
        arrived: (asked) => asked.key === PLACE && this.#judge(asked),
        answer: (asked) => this.#answer(asked),
      },
      request,
      response,
    )
  }

  #judge({ request, body }: RestRequest): void {
    const { text, currency_pair: pair } = fieldsOf(body)
    if (typeof text === "string")
      this.core.placements.arrived(text, String(request.headers["key"] ?? ""), String(pair ?? ""))
  }

  #answer({ key, url, body, request: { headers, method = "" } }: RestRequest): RestAnswer {
    const { core } = this
    try {
      const open = publicRoutes.get(key)
      if (open !== undefined) return json(open(core, url.searchParams), 200, core.limits.address(key))
      const name = routeOf(key)
      const route = privateRoutes.get(name ?? "")
      if (name === undefined || route === undefined) throw notServed(key)
      const query = url.search.slice(1)
      const account = verifyRest(core.accounts, { headers, method, path: url.pathname, query, body }, core.now())
      const fields = fieldsOf(body)
      const left = core.limits.account(account, name, String(fields["currency_pair"] ?? ""))
      const id = decodeURIComponent(url.pathname.split("/").at(-1) ?? "")
      return json(route(core, { account, query: url.searchParams, fields, id }), key === PLACE ? 201 : 200, left)
    } catch (cause) {
      const refusal = refusalOf(cause)
      if (refusal === undefined) throw cause
      return json({ label: refusal.label, message: refusal.message }, refusal.status, refusal.headers)
    }
  }
}

const json = (value: unknown, status: number, headers: Readonly<Record<string, string>>): RestAnswer => ({
  status,
  body: JSON.stringify(value),
  headers,
})

const fieldsOf = (body: string): Fields => {
  try {
    return recordOf(JSON.parse(body))
  } catch {
    return {}
  }
}
