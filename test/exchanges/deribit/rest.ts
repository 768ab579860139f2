/** Deribit behind the HTTP door: its methods as paths, its limits, and its errors. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core, Params } from "./core.ts"
import { privateMethods } from "./methods.ts"
import { publicMethods } from "./public-methods.ts"
import { methodNotFound, RpcRefusal } from "./refusal.ts"
import { keyOf, type Signatures } from "./signature.ts"

const VERSION = "/api/v2/"
const PLACE = /^GET \/api\/v2\/private\/(?:buy|sell)$/

export class RestDoor {
  constructor(
    readonly core: Core,
    readonly signatures: Signatures,
  ) {}

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return handleRest(
      {
        faults: this.core.faults,
        count: this.core.count,
        arrived: (asked) => PLACE.test(asked.key) && this.#judge(asked),
        answer: (asked) => this.#answer(asked),
      },
      request,
      response,
    )
  }

  #judge({ url, request }: RestRequest): void {
    const label = url.searchParams.get("label")
    if (label !== null)
      this.core.placements.arrived(
        label,
        keyOf(request.headers.authorization),
        url.searchParams.get("instrument_name") ?? "",
      )
  }

  #answer(asked: RestRequest): RestAnswer {
    const usIn = this.core.now() * 1000
    const times = { usIn, usOut: usIn, usDiff: 0, testnet: false }
    try {
      return { status: 200, body: JSON.stringify({ jsonrpc: "2.0", result: this.#result(asked), ...times }) }
    } catch (cause) {
      if (!(cause instanceof RpcRefusal)) throw cause
      const { code, message, data } = cause
      return { status: 400, body: JSON.stringify({ jsonrpc: "2.0", error: { code, message, data }, ...times }) }
    }
  }

  #result({ url, body, request: { method = "GET", headers } }: RestRequest): unknown {
    const name = url.pathname.startsWith(VERSION) ? url.pathname.slice(VERSION.length) : ""
    const params: Params = Object.fromEntries(url.searchParams)
    const open = publicMethods.get(name)
    if (open !== undefined) return open(this.core, params)
    const run = privateMethods.get(name)
    if (run === undefined) throw methodNotFound()
    const account = this.signatures.verifyRest(headers.authorization, method, `${url.pathname}${url.search}`, body)
    this.core.limits.take(account.apiKey, name)
    return run(this.core, account, params)
  }
}
