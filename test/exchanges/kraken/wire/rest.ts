/**
 * The HTTP door: reads a request, lets the fault switches have their way with it, answers as Kraken does: 200 and `{"error", "result"}`.
 * Placements are counted the moment they arrive, before any fault: the judge must see what the client really sent.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AnswerFault } from "../../binance/faults.ts"
import { readBody } from "../../binance/wire/rest.ts"
import type { Core } from "../core.ts"
import { privateMethods } from "./private-api.ts"
import { publicRoutes, symbolNamed } from "./public-api.ts"
import { KrakenRefusal, unknownMethod } from "./refusal.ts"
import { readParameters, verify } from "./signature.ts"

const CLOUD_ERROR = "<html><head><title>error</title></head><body><center><h1>error</h1></center></body></html>"
const PRIVATE = "/0/private/"

export class RestDoor {
  constructor(readonly core: Core) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://exchange")
    const body = await readBody(request)
    if (body === undefined) {
      send(response, 413, CLOUD_ERROR)
      return
    }
    const key = `${request.method} ${url.pathname}`
    this.core.count(key)
    const apiKey = headerOf(request, "api-key")
    if (key === `POST ${PRIVATE}AddOrder`) this.#judge(apiKey ?? "", body)
    const fault = this.core.faults.takeAnswer(key)
    if (fault?.kind === "delay") await new Promise((resolve) => setTimeout(resolve, fault.millis))
    if (fault !== undefined && isBefore(fault)) {
      breakAnswer(request, response, fault)
      return
    }
    const answer = this.#answer(key, url, body, apiKey, headerOf(request, "api-sign"))
    if (fault === undefined || fault.kind === "delay") send(response, 200, answer)
    else breakAnswer(request, response, fault)
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

/** The answer is lost before anything was done. */
const isBefore = ({ kind }: AnswerFault): boolean => kind === "hang" || kind === "destroy" || kind === "status"

const breakAnswer = (request: IncomingMessage, response: ServerResponse, fault: AnswerFault): void => {
  // A hanging request is simply never answered; `stop()` cuts what still hangs.
  if (fault.kind === "destroy" || fault.kind === "apply-then-destroy") request.socket.destroy()
  else if (fault.kind === "status") send(response, fault.status, fault.body ?? CLOUD_ERROR, fault.headers)
  else if (fault.kind === "apply-then-status") send(response, fault.status, fault.body ?? CLOUD_ERROR)
}

const send = (
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, {
    "content-type": body.startsWith("<") ? "text/html" : "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}
