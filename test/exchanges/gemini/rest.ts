/** Gemini behind the HTTP door: its routes, its limits, its errors, and the date of each answer, which is all that it tells of its clock. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core } from "./core.ts"
import { privateRoutes, type Signed } from "./private-api.ts"
import { exchangePage, publicAnswer } from "./public-api.ts"
import { notServed, refusalOf } from "./refusal.ts"
import type { Signatures } from "./signature.ts"
import { written } from "./wire-private.ts"

const PREFIX = /^\/v[12]\//

const payloadOf = ({ request }: RestRequest): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(Buffer.from(String(request.headers["x-gemini-payload"] ?? ""), "base64").toString())
  } catch {
    return {}
  }
}

export class RestDoor {
  constructor(
    readonly core: Core,
    readonly signatures: Signatures,
  ) {}

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
    if (asked.key !== "POST /v1/order/new") return
    const { client_order_id: id, symbol } = payloadOf(asked)
    if (typeof id !== "string") return
    this.core.placements.arrived(id, String(asked.request.headers["x-gemini-apikey"] ?? ""), String(symbol))
  }

  #signed(asked: RestRequest): Signed {
    const { core } = this
    const allow = ({ apiKey }: { readonly apiKey: string }): void => core.limits.take(apiKey)
    try {
      const said = { headers: asked.request.headers, path: asked.url.pathname }
      return this.signatures.verify(core.accounts, said, core.now(), allow)
    } catch (cause) {
      const refusal = refusalOf(cause)
      const { client_order_id: id } = payloadOf(asked)
      if (refusal !== undefined && typeof id === "string") core.placements.refused(id, refusal.reason)
      throw cause
    }
  }

  #answer(asked: RestRequest): RestAnswer {
    const { key, url, request } = asked
    const { core } = this
    const { method = "" } = request
    try {
      if (key === "GET /") return this.#said(exchangePage(core), 200)
      const path = url.pathname.replace(PREFIX, "")
      if (method === "GET") {
        core.limits.take(null)
        return this.#said(written(publicAnswer(core, key, path.split("/"))), 200)
      }
      const route = method === "POST" ? privateRoutes[path] : undefined
      if (route === undefined) throw notServed(key)
      return this.#said(written(route(core, this.#signed(asked))), 200)
    } catch (cause) {
      const refusal = refusalOf(cause)
      if (refusal === undefined) throw cause
      return this.#said(JSON.stringify(refusal.body), refusal.status)
    }
  }

  #said(body: string, status: number): RestAnswer {
    return { status, body, headers: { date: new Date(this.core.now()).toUTCString() } }
  }
}
