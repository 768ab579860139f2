/**
 * The HTTP door: reads a request, lets the fault switches have their way with it, answers in OKX's envelope `{code, msg, data}`.
 * Placements are counted the moment they arrive, before any fault: the judge must see what the client really sent.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { readBody } from "../binance/wire/rest.ts"
import type { Core } from "./core.ts"
import type { Fields } from "./order-request.ts"
import { privateRoutes } from "./private-api.ts"
import { publicRoutes } from "./public-api.ts"
import { badJson, bodyIsEmpty, notServed, RequestRefusal } from "./refusal.ts"
import { verifyRest } from "./signature.ts"

const CLOUD_ERROR = "<html><head><title>error</title></head><body><center><h1>error</h1></center></body></html>"
const PLACEMENTS = ["POST /api/v5/trade/order", "POST /api/v5/trade/batch-orders"]

interface Answer {
  readonly status: number
  readonly body: string
}

export class RestDoor {
  constructor(readonly core: Core) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://exchange")
    const body = await readBody(request)
    if (body === undefined) {
      send(response, { status: 413, body: CLOUD_ERROR })
      return
    }
    const key = `${request.method} ${url.pathname}`
    this.core.count(key)
    if (PLACEMENTS.includes(key)) this.#judge(request, body)
    const fault = this.core.faults.takeAnswer(key)
    if (fault?.kind === "delay") await new Promise((resolve) => setTimeout(resolve, fault.millis))
    // A hanging request is simply never answered; `stop()` cuts what still hangs.
    if (fault?.kind === "hang") return
    if (fault?.kind === "destroy") {
      request.socket.destroy()
      return
    }
    if (fault?.kind === "status") {
      send(response, { status: fault.status, body: fault.body ?? CLOUD_ERROR }, fault.headers)
      return
    }
    const answer = this.#answer(key, url, body, request)
    if (fault?.kind === "apply-then-hang") return
    if (fault?.kind === "apply-then-destroy") request.socket.destroy()
    else if (fault?.kind === "apply-then-status") {
      send(response, { status: fault.status, body: fault.body ?? CLOUD_ERROR })
    } else send(response, answer)
  }

  #judge(request: IncomingMessage, body: string): void {
    const apiKey = String(request.headers["ok-access-key"] ?? "")
    for (const { clOrdId, instId } of rowsOf(body) ?? []) {
      if (typeof clOrdId === "string") this.core.placements.arrived(clOrdId, apiKey, String(instId ?? ""))
    }
  }

  #answer(key: string, url: URL, body: string, { headers }: IncomingMessage): Answer {
    try {
      const open = publicRoutes.get(key)
      if (open !== undefined) return envelope("0", "", open(this.core, url.searchParams))
      const route = privateRoutes.get(key)
      if (route === undefined) throw notServed(key)
      const [method = ""] = key.split(" ", 1)
      const account = verifyRest(this.core.accounts, headers, method, url.pathname + url.search, body, this.core.now())
      const fields = method === "POST" ? rowsOf(body) : []
      if (fields === undefined) throw body === "" ? bodyIsEmpty() : badJson()
      const expTime = Number(headers["exptime"] ?? Number.NaN)
      const expiresAt = Number.isNaN(expTime) ? undefined : expTime
      return ofOperations(route(this.core, { account, query: url.searchParams, fields, expiresAt }))
    } catch (cause) {
      if (!(cause instanceof RequestRefusal)) throw cause
      return { ...envelope(cause.code, cause.message, []), status: cause.status }
    }
  }
}

const envelope = (code: string, msg: string, rows: ReadonlyArray<unknown>): Answer => ({
  status: 200,
  body: JSON.stringify({ code, data: rows, msg }),
})

/** Rows of operations carry their own result; what is said outside is their sum. */
const ofOperations = (rows: ReadonlyArray<object>): Answer => {
  const results = rows.flatMap((row) => ("sCode" in row ? [row.sCode === "0"] : []))
  if (results.length === 0 || results.every((isDone) => isDone)) return envelope("0", "", rows)
  return results.some((isDone) => isDone)
    ? envelope("2", "Bulk operation partially succeeded.", rows)
    : envelope("1", "All operations failed", rows)
}

const rowsOf = (body: string): ReadonlyArray<Fields> | undefined => {
  try {
    const read: unknown = JSON.parse(body)
    if (typeof read !== "object" || read === null) return undefined
    return Array.isArray(read) ? read : [read as Fields]
  } catch {
    return undefined
  }
}

const send = (response: ServerResponse, answer: Answer, headers: Readonly<Record<string, string>> = {}): void => {
  response.writeHead(answer.status, {
    "content-type": answer.body.startsWith("<") ? "text/html" : "application/json",
    "content-length": Buffer.byteLength(answer.body),
    ...headers,
  })
  response.end(answer.body)
}
