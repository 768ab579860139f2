/**
 * The control endpoint, for tests that run the exchange as a process of its own (a judge that survives a kill):
 * `GET /__control/placements`, `GET /__control/orders?apiKey=`, `GET /__control/counts` and `POST /__control/fault`.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { readBody } from "../binance/rest.ts"
import { KRAKEN_FAULTS, type KrakenFault } from "./faults.ts"

export interface ControlTarget {
  readonly placements: () => unknown
  readonly orders: (apiKey: string) => unknown
  readonly counts: () => unknown
  readonly fault: (fault: KrakenFault) => void
}

export const CONTROL_PREFIX = "/__control/"

const SHARED: ReadonlyArray<KrakenFault["fault"]> = [
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

export const handleControl = async (
  target: ControlTarget,
  request: IncomingMessage,
  response: ServerResponse,
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
    const fault = readFault((await readBody(request)) ?? "")
    if (fault === undefined) reply(400, { error: `expected {"fault": one of ${known.join(", ")}, ...}` })
    else {
      target.fault(fault)
      reply(200, { thrown: fault })
    }
  } else reply(404, { error: `no control named ${key}` })
}

const known: ReadonlyArray<string> = [...SHARED, ...KRAKEN_FAULTS]

/** A malformed switch is refused here: thrown half, it would only show in some later request. */
const readFault = (text: string): KrakenFault | undefined => {
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
