/**
 * The HTTP door of a loopback exchange: reads a request, lets the fault switches have their way with it, and answers in the venue's words.
 * What the venue judges placements by hears of them the moment they arrive, before any fault: it must see what the client really sent.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { AnswerFault, Faults } from "./binance/faults.ts"
import { readBody } from "./binance/wire/rest.ts"

const CLOUD_ERROR = "<html><head><title>error</title></head><body><center><h1>error</h1></center></body></html>"

export interface RestAnswer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** `key` is `METHOD /path`. */
export interface RestRequest {
  readonly key: string
  readonly url: URL
  readonly body: string
  readonly request: IncomingMessage
}

export interface RestParts {
  readonly faults: Faults
  readonly count: (key: string) => void
  readonly arrived: (request: RestRequest) => unknown
  readonly answer: (request: RestRequest) => RestAnswer
}

export const handleRest = async (
  { faults, count, arrived, answer }: RestParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const url = new URL(request.url ?? "/", "http://exchange")
  const body = await readBody(request)
  if (body === undefined) {
    send(response, { status: 413, body: CLOUD_ERROR })
    return
  }
  const asked = { key: `${request.method} ${url.pathname}`, url, body, request }
  count(asked.key)
  arrived(asked)
  const fault = faults.takeAnswer(asked.key)
  if (fault?.kind === "delay") await sleep(fault.millis)
  if (fault !== undefined && isBefore(fault)) {
    breakAnswer(request, response, fault)
    return
  }
  const answered = answer(asked)
  if (fault === undefined || fault.kind === "delay") send(response, answered)
  else breakAnswer(request, response, fault)
}

/** The answer is lost before anything was done. */
const isBefore = ({ kind }: AnswerFault): boolean => kind === "hang" || kind === "destroy" || kind === "status"

const breakAnswer = (request: IncomingMessage, response: ServerResponse, fault: AnswerFault): void => {
  // A hanging request is simply never answered; `stop()` cuts what still hangs.
  if (fault.kind === "destroy" || fault.kind === "apply-then-destroy") request.socket.destroy()
  else if (fault.kind === "status" || fault.kind === "apply-then-status") {
    const headers = fault.kind === "status" ? (fault.headers ?? {}) : {}
    send(response, { status: fault.status, body: fault.body ?? CLOUD_ERROR, headers })
  }
}

const send = (response: ServerResponse, { status, body, headers = {} }: RestAnswer): void => {
  response.writeHead(status, {
    "content-type": body.startsWith("<") ? "text/html" : "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}
