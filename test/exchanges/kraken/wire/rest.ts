/** Kraken behind the HTTP door: its routes, and its answers, 200 and `{"error", "result"}`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest } from "../../rest-door.ts"
import type { Core } from "../core.ts"
import { privateMethods } from "./private-api.ts"
import { publicRoutes, symbolNamed } from "./public-api.ts"
import { KrakenRefusal, unknownMethod } from "./refusal.ts"
import { readParameters, verify } from "./signature.ts"

const PRIVATE = "/0/private/"

export class RestDoor {
  constructor(readonly core: Core) {}

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const apiKey = headerOf(request, "api-key")
    return handleRest(
      {
        faults: this.core.faults,
        count: this.core.count,
        arrived: ({ key, body }) => key === `POST ${PRIVATE}AddOrder` && this.#judge(apiKey ?? "", body),
        answer: ({ key, url, body }) => ({
          status: 200,
          body: this.#answer(key, url, body, apiKey, headerOf(request, "api-sign")),
        }),
      },
      request,
      response,
    )
  }

  #judge(apiKey: string, body: string): void {
    const { cl_ord_id: clOrdId, pair, validate } = readParameters(body)
    if (clOrdId === undefined || validate === "true") return
    this.core.placements.arrived(clOrdId, apiKey, symbolNamed(this.core, pair ?? ""))
  }

  #answer(key: string, url: URL, body: string, apiKey: string | undefined, signature: string | undefined): string {
    try {
      return JSON.stringify({ error: [], result: this.#result(key, url, body, apiKey, signature) })
    } catch (cause) {
      if (!(cause instanceof KrakenRefusal)) throw cause
      return JSON.stringify({ error: [cause.message] })
    }
  }

  #result(key: string, url: URL, body: string, apiKey: string | undefined, signature: string | undefined): unknown {
    const open = publicRoutes.get(key)
    if (open !== undefined) return open(this.core, url.searchParams)
    const name = key.startsWith(`POST ${PRIVATE}`) ? url.pathname.slice(PRIVATE.length) : ""
    const method = privateMethods.get(name)
    if (method === undefined) throw unknownMethod()
    const signed = verify(this.core.accounts, url.pathname, apiKey, signature, body)
    this.core.limits.call(signed.account, name)
    return method(this.core, signed)
  }
}

const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === "string" ? value : undefined
}
