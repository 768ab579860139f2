/** Coinbase behind the HTTP door: its routes, its limits, and its errors. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core } from "./core.ts"
import { type Fields, recordOf } from "./order-request.ts"
import { privateRoutes } from "./private-api.ts"
import { publicRoutes } from "./public-api.ts"
import { HttpRefusal, invalidArgument, notServed } from "./refusal.ts"
import { verifyRest } from "./signature.ts"

const PLACE = "POST /api/v3/brokerage/orders"
const ONE = "GET /api/v3/brokerage/orders/historical/"

/** Whose key it is, as far as it says so. */
const keyOf = ({ request }: RestRequest): string => {
  const [, payload = ""] = (request.headers.authorization ?? "").split(".")
  const legacy = request.headers["cb-access-key"]
  return typeof legacy === "string"
    ? legacy
    : String(fieldsOf(Buffer.from(payload, "base64url").toString())["sub"] ?? "")
}

export class RestDoor {
  constructor(readonly core: Core) {}

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return handleRest(
      {
        faults: this.core.faults,
        // Orders are looked at one by one under an id of their own.
        count: (key) => this.core.count(this.#routeOf(key)),
        arrived: (asked) => asked.key === PLACE && this.#judge(asked),
        answer: (asked) => this.#answer(asked),
      },
      request,
      response,
    )
  }

  #routeOf(key: string): string {
    return !privateRoutes.has(key) && key.startsWith(ONE) ? ONE : key
  }

  #judge(asked: RestRequest): void {
    const { client_order_id, product_id } = fieldsOf(asked.body)
    if (typeof client_order_id === "string")
      this.core.placements.arrived(client_order_id, keyOf(asked), String(product_id ?? ""))
  }

  #answer({ key, url, body, request: { headers, method = "" } }: RestRequest): RestAnswer {
    const { core } = this
    try {
      const open = publicRoutes.find(([path]) => path.test(key))
      if (open !== undefined) {
        core.limits.address()
        return json(200, open[1](core, url.searchParams, url.pathname))
      }
      const route = privateRoutes.get(this.#routeOf(key))
      if (route === undefined) throw notServed(key)
      const account = verifyRest(core.accounts, { headers, method, path: url.pathname, body }, core.now())
      core.limits.account(account)
      const fields = method === "POST" ? fieldsOf(body) : {}
      if (method === "POST" && Object.keys(fields).length === 0) throw invalidArgument("body")
      const id = decodeURIComponent(url.pathname.split("/").at(-1) ?? "")
      return json(200, route(core, { account, query: url.searchParams, fields, id }))
    } catch (cause) {
      if (!(cause instanceof HttpRefusal)) throw cause
      const { status, error, message } = cause
      return error === "" ? { status, body: message } : json(status, { error, error_details: message, message })
    }
  }
}

const json = (status: number, body: object): RestAnswer => ({ status, body: JSON.stringify(body) })

const fieldsOf = (body: string): Fields => {
  try {
    return recordOf(JSON.parse(body))
  } catch {
    return {}
  }
}
