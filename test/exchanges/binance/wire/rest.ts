/**
 * The HTTP door: reads a request, lets the fault switches have their way with it, answers as Binance does.
 * Placements are counted the moment they arrive, before any fault: the judge must see what the client really sent.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Core } from "../core.ts"
import { clientIdsOfList, privateRoutes } from "./private-api.ts"
import { publicRoutes, weightOf } from "./public-api.ts"
import { notServed, Refusal } from "./refusal.ts"
import { verifyRest } from "./signature.ts"

const BODY_BYTES_MAX = 64 * 1024
const PLACES_LIST = "POST /api/v3/orderList/oco"
const CLOUD_ERROR = "<html><head><title>error</title></head><body><center><h1>error</h1></center></body></html>"

interface Answer {
  readonly status: number
  readonly body: string
}

export class RestDoor {
  #weightMinute = 0
  #weightUsed = 0
  #ordersWindow = 0
  #ordersUsed = 0

  constructor(
    readonly core: Core,
    readonly fillsLateMillis = 0,
  ) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://exchange")
    const body = await readBody(request)
    if (body === undefined) {
      this.#send(response, { status: 413, body: CLOUD_ERROR })
      return
    }
    const key = `${request.method} ${url.pathname}`
    this.core.count(key)
    this.#weigh(key, url.searchParams)
    let ids: ReadonlyArray<string> = []
    if (key === "POST /api/v3/order" || key === PLACES_LIST) {
      const parameters = new URLSearchParams(url.search ? `${url.search.slice(1)}&${body}` : body)
      const parameter = (name: string): string | null => parameters.get(name)
      ids = key === PLACES_LIST ? clientIdsOfList(parameter) : [parameter("newClientOrderId") ?? []].flat()
      const apiKey = String(request.headers["x-mbx-apikey"] ?? "")
      for (const id of ids) this.core.placements.arrived(id, apiKey, parameter("symbol") ?? "")
    }
    const fault = this.core.faults.takeAnswer(key)
    if (fault?.kind === "delay") await sleep(fault.millis)
    // A hanging request is simply never answered; `stop()` cuts what still hangs.
    if (fault?.kind === "hang") return
    if (fault?.kind === "destroy") {
      request.socket.destroy()
      return
    }
    if (fault?.kind === "status") {
      this.#send(response, { status: fault.status, body: fault.body ?? CLOUD_ERROR }, fault.headers)
      return
    }
    const answer = this.#answer(key, url, body, request.headers["x-mbx-apikey"], ids)
    if (this.fillsLateMillis > 0 && key === "POST /api/v3/order")
      await sleep(this.fillsLateMillis, undefined, { ref: false })
    if (fault?.kind === "apply-then-hang") return
    if (fault?.kind === "apply-then-destroy") request.socket.destroy()
    else if (fault?.kind === "apply-then-status") {
      this.#send(response, { status: fault.status, body: fault.body ?? CLOUD_ERROR })
    } else this.#send(response, answer)
  }

  /** `ids`: of the orders that it would place. */
  #answer(
    key: string,
    url: URL,
    body: string,
    apiKey: string | ReadonlyArray<string> | undefined,
    ids: ReadonlyArray<string>,
  ): Answer {
    let isVerified = false
    try {
      const open = publicRoutes.get(key)
      if (open !== undefined) return { status: 200, body: JSON.stringify(open(this.core, url.searchParams)) }
      const signed = privateRoutes.get(key)
      if (signed === undefined) throw notServed(key)
      const name = typeof apiKey === "string" ? apiKey : undefined
      const who = verifyRest(this.core.accounts, name, url.search.slice(1), body, this.core.now())
      isVerified = true
      return { status: 200, body: JSON.stringify(signed(this.core, who)) }
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      if (!isVerified) for (const id of ids) this.core.placements.refused(id, cause.code)
      return { status: cause.status, body: JSON.stringify({ code: cause.code, msg: cause.message }) }
    }
  }

  #send(response: ServerResponse, answer: Answer, headers: Readonly<Record<string, string>> = {}): void {
    response.writeHead(answer.status, {
      "content-type": answer.body.startsWith("<") ? "text/html" : "application/json;charset=UTF-8",
      "content-length": Buffer.byteLength(answer.body),
      "x-mbx-used-weight": String(this.#weightUsed),
      "x-mbx-used-weight-1m": String(this.#weightUsed),
      "x-mbx-order-count-10s": String(this.#ordersUsed),
      ...headers,
    })
    response.end(answer.body)
  }

  #weigh(key: string, query: URLSearchParams): void {
    const now = this.core.now()
    const minute = Math.floor(now / 60_000)
    if (minute !== this.#weightMinute) this.#weightUsed = 0
    this.#weightMinute = minute
    this.#weightUsed += weightOf(key, query)
    const window = Math.floor(now / 10_000)
    if (window !== this.#ordersWindow) this.#ordersUsed = 0
    this.#ordersWindow = window
    if (key === "POST /api/v3/order") this.#ordersUsed += 1
    if (key === PLACES_LIST) this.#ordersUsed += 2
  }
}

/** `undefined` when it is larger than any order. */
export const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > BODY_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
