/**
 * The control endpoint, for tests that run the exchange as a process of its own (a judge that survives a kill):
 * `GET /__control/placements`, `GET /__control/orders?apiKey=`, `GET /__control/counts` and `POST /__control/fault`.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Fault } from "./faults.ts"
import { readBody } from "./wire/rest.ts"

export interface ControlTarget<F extends { readonly fault: string } = Fault> {
  readonly placements: () => unknown
  readonly orders: (apiKey: string) => unknown
  readonly counts: () => unknown
  readonly fault: (fault: F) => void
}

export const CONTROL_PREFIX = "/__control/"

/** `more` names the switches that an exchange has beside these. */
export const handleControl = async <F extends { readonly fault: string } = Fault>(
  target: ControlTarget<F>,
  request: IncomingMessage,
  response: ServerResponse,
  more: ReadonlyArray<string> = [],
): Promise<void> => {
  const url = new URL(request.url ?? "/", "http://exchange")
  const reply = (status: number, body: unknown) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(body))
  }
  const key = `${request.method} ${url.pathname.slice(CONTROL_PREFIX.length)}`
  if (key === "GET placements") reply(200, target.placements())
  else if (key === "GET orders") reply(200, target.orders(url.searchParams.get("apiKey") ?? ""))
  else if (key === "GET counts") reply(200, target.counts())
  else if (key === "POST fault") {
    const known = [...KNOWN, ...more]
    const fault = readFault<F>((await readBody(request)) ?? "", known)
    if (fault === undefined) {
      reply(400, { error: `expected {"fault": one of ${known.join(", ")}, ...}` })
      return
    }
    target.fault(fault)
    reply(200, { thrown: fault })
  } else reply(404, { error: `no control named ${key}` })
}

const KNOWN: ReadonlyArray<Fault["fault"]> = [
  "answer",
  "dropNextDiffs",
  "duplicateNextDiffs",
  "reorderNextDiffs",
  "closeSockets",
  "refuseWebSockets",
  "pushUserEvent",
  "suppressUserEvents",
  "clear",
]

/** A malformed switch is refused here: thrown half, it would only show in some later request. */
const readFault = <F>(text: string, known: ReadonlyArray<string>): F | undefined => {
  try {
    const fault = JSON.parse(text)
    if (!known.includes(fault?.fault)) return undefined
    const isWhole =
      fault.fault !== "answer" || (typeof fault.match === "string" && typeof fault.action?.kind === "string")
    return isWhole ? fault : undefined
  } catch {
    return undefined
  }
}
