/** KuCoin behind the HTTP door: its routes, its limits, and its envelope `{code, data}` or `{code, msg}`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core } from "./core.ts"
import { type Fields, recordOf } from "./order-request.ts"
import { privateRoutes, routeOf } from "./private-api.ts"
import { publicRoutes } from "./public-api.ts"
import { notServed, refusalOf } from "./refusal.ts"
import { verifyRest } from "./signature.ts"

const PLACE = "POST /api/v1/hf/orders"

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
    const { clientOid, symbol } = fieldsOf(body)
    if (typeof clientOid === "string")
      this.core.placements.arrived(clientOid, String(request.headers["kc-api-key"] ?? ""), String(symbol ?? ""))
  }

  #answer({ key, url, body, request: { headers, method = "" } }: RestRequest): RestAnswer {
    const { core } = this
    try {
      const open = publicRoutes.get(key)
      if (open !== undefined) {
        const left = core.limits.address(key)
        return json({ code: "200000", data: open(core, url.searchParams) }, 200, left)
      }
      const route = privateRoutes.get(routeOf(key) ?? "")
      if (route === undefined) throw notServed(key)
      const path = url.pathname + url.search
      const account = verifyRest(core.accounts, { headers, method, path, body }, core.now())
      const left = core.limits.account(account, routeOf(key) ?? key)
      const id = decodeURIComponent(url.pathname.split("/").at(-1) ?? "")
      const asked = { account, query: url.searchParams, fields: fieldsOf(body), id }
      return json({ code: "200000", data: route(core, asked) }, 200, left)
    } catch (cause) {
      const refusal = refusalOf(cause)
      if (refusal === undefined) throw cause
      return json({ code: refusal.code, msg: refusal.message }, refusal.status, refusal.headers)
    }
  }
}

/** Numbers that are too long for JavaScript stand bare in it. */
export const written = (value: object): string => JSON.stringify(value).replace(/"#(\d+)"/g, "$1")

const json = (value: object, status: number, headers: Readonly<Record<string, string>>): RestAnswer => ({
  status,
  body: written(value),
  headers,
})

const fieldsOf = (body: string): Fields => {
  try {
    return recordOf(JSON.parse(body))
  } catch {
    return {}
  }
}
