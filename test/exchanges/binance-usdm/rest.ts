/** Binance USDⓈ-M behind the HTTP door: its routes and its limits. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { notServed, unknownKey } from "../binance/wire/refusal.ts"
import { verifyRest } from "../binance/wire/signature.ts"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core } from "./core.ts"
import type { KeyRoute } from "./listen-keys.ts"
import { privateRoutes } from "./private-api.ts"
import { publicRoutes } from "./public-api.ts"
import { refusalOf } from "./refusal.ts"

const PLACE = "POST /fapi/v1/order"

export class RestDoor {
  constructor(
    readonly core: Core,
    readonly listenKeys: ReadonlyMap<string, KeyRoute>,
  ) {}

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
    const parameters = new URLSearchParams(url.search === "" ? body : `${url.search.slice(1)}&${body}`)
    const id = parameters.get("newClientOrderId")
    if (id !== null) this.core.placements.arrived(id, keyOf(request) ?? "", parameters.get("symbol") ?? "")
  }

  #answer({ key, url, body, request }: RestRequest): RestAnswer {
    const { core } = this
    const apiKey = keyOf(request)
    const answered = (status: number, value: unknown): RestAnswer => ({
      status,
      body: JSON.stringify(value),
      headers: core.limits.headers(apiKey, key, status),
    })
    try {
      core.limits.address(key, url.searchParams)
      const open = publicRoutes.get(key)
      if (open !== undefined) return answered(200, open(core, url.searchParams))
      const listenKey = this.listenKeys.get(key)
      if (listenKey !== undefined) return answered(200, listenKey(core, apiKey))
      const route = privateRoutes.get(key)
      if (route === undefined) throw notServed(key)
      const { parameters } = verifyRest(core.accounts, apiKey, url.search.slice(1), body, core.now())
      const account = core.accounts.get(apiKey ?? "")
      if (account === undefined) throw unknownKey()
      core.limits.account(account, key)
      return answered(200, route(core, { account, parameters }))
    } catch (cause) {
      const refusal = refusalOf(cause)
      if (refusal === undefined) throw cause
      return answered(refusal.status, { code: refusal.code, msg: refusal.message })
    }
  }
}

const keyOf = ({ headers }: IncomingMessage): string | undefined => {
  const apiKey = headers["x-mbx-apikey"]
  return typeof apiKey === "string" ? apiKey : undefined
}
