/**
 * OKX behind the HTTP door: its routes, and its envelope `{code, msg, data}`.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { handleRest, type RestAnswer, type RestRequest } from "../rest-door.ts"
import type { Core } from "./core.ts"
import type { Fields } from "./order-request.ts"
import { privateRoutes } from "./private-api.ts"
import { publicRoutes } from "./public-api.ts"
import { badJson, bodyIsEmpty, notServed, RequestRefusal } from "./refusal.ts"
import { verifyRest } from "./signature.ts"

const PLACEMENTS = ["POST /api/v5/trade/order", "POST /api/v5/trade/batch-orders"]

export class RestDoor {
  constructor(readonly core: Core) {}

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return handleRest(
      {
        faults: this.core.faults,
        count: this.core.count,
        arrived: (asked) => PLACEMENTS.includes(asked.key) && this.#judge(asked),
        answer: (asked) => this.#answer(asked),
      },
      request,
      response,
    )
  }

  #judge({ request, body }: RestRequest): void {
    const apiKey = String(request.headers["ok-access-key"] ?? "")
    for (const { clOrdId, instId } of rowsOf(body) ?? []) {
      if (typeof clOrdId === "string") this.core.placements.arrived(clOrdId, apiKey, String(instId ?? ""))
    }
  }

  #answer({ key, url, body, request: { headers } }: RestRequest): RestAnswer {
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
      this.core.limits.operation(account, key, String(fields[0]?.["instId"]))
      const { code, msg, data } = ofOperations(
        route(this.core, { account, query: url.searchParams, fields, expiresAt }),
      )
      return envelope(code, msg, data)
    } catch (cause) {
      if (!(cause instanceof RequestRefusal)) throw cause
      return { ...envelope(cause.code, cause.message, []), status: cause.status }
    }
  }
}

const envelope = (code: string, msg: string, rows: ReadonlyArray<unknown>): RestAnswer => ({
  status: 200,
  body: JSON.stringify({ code, data: rows, msg }),
})

/** Rows of operations carry their own result; what is said outside is their sum. */
export const ofOperations = (data: ReadonlyArray<object>) => {
  const results = data.flatMap((row) => ("sCode" in row ? [row.sCode === "0"] : []))
  if (results.length === 0 || results.every((isDone) => isDone)) return { code: "0", msg: "", data }
  return results.some((isDone) => isDone)
    ? { code: "2", msg: "Bulk operation partially succeeded.", data }
    : { code: "1", msg: "All operations failed", data }
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
