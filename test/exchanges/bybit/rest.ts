/** Bybit behind the HTTP door: its routes, its limits, and its envelope `{retCode, retMsg, result, retExtInfo, time}`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core } from "./core.ts"
import type { Fields } from "./order-request.ts"
import { privateRoutes } from "./private-api.ts"
import { publicRoutes } from "./public-api.ts"
import { BybitRefusal, notServed, parameterError, refusalOf } from "./refusal.ts"
import { verifyRest } from "./signature.ts"

const PLACE = "POST /v5/order/create"

export class RestDoor {
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

  #judge({ request, body }: RestRequest): void {
    const { orderLinkId, symbol } = fieldsOf(body) ?? {}
    if (typeof orderLinkId !== "string") return
    this.core.placements.arrived(orderLinkId, String(request.headers["x-bapi-api-key"] ?? ""), String(symbol ?? ""))
  }

  #answer({ key, url, body, request: { headers } }: RestRequest): RestAnswer {
    try {
      this.core.limits.address()
      const open = publicRoutes.get(key)
      if (open !== undefined) return this.#envelope(0, "OK", open(this.core, url.searchParams))
      const route = privateRoutes.get(key)
      if (route === undefined) throw notServed(key)
      const isPost = key.startsWith("POST ")
      const account = verifyRest(this.core.accounts, headers, isPost ? body : url.search.slice(1), this.core.now())
      const left = this.core.limits.account(account, key)
      const fields = isPost ? fieldsOf(body) : {}
      if (fields === undefined) throw parameterError("body")
      return {
        ...this.#envelope(0, "OK", route(this.core, { account, query: url.searchParams, fields })),
        headers: left,
      }
    } catch (cause) {
      const refusal = refusalOf(cause)
      if (refusal === undefined) throw cause
      if (refusal.status === 403) return { status: 403, body: `<html>${refusal.message}</html>` }
      return {
        ...this.#envelope(refusal.retCode, refusal.message, {}),
        status: refusal.status,
        headers: refusal instanceof BybitRefusal ? refusal.headers : {},
      }
    }
  }

  #envelope(retCode: number, retMsg: string, result: object): RestAnswer {
    return { status: 200, body: JSON.stringify({ retCode, retMsg, result, retExtInfo: {}, time: this.core.now() }) }
  }
}

const fieldsOf = (body: string): Fields | undefined => {
  try {
    const read: unknown = JSON.parse(body)
    return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as Fields) : undefined
  } catch {
    return undefined
  }
}
