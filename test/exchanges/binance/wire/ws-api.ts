/**
 * Binance's WebSocket API (`/ws-api/v3`): signed requests with an id, and the subscription to the user data stream.
 * Fault switches see a request as `WS <method>`, e.g. `WS order.place`.
 */
import type { WebSocket } from "ws"
import type { Core } from "../core.ts"
import { webSocketRoutes } from "./private-api.ts"
import { Refusal, unsupportedOperation } from "./refusal.ts"
import type { Parameters } from "./signature.ts"
import { verifyWebSocket } from "./signature.ts"

export const attachWebSocketApi = (core: Core, socket: WebSocket): void => {
  socket.on("message", (bytes) => {
    const request = readRequest(String(bytes))
    if (request === undefined) {
      send(socket, { id: null, status: 400, error: { code: -1135, msg: "Invalid JSON" } })
      return
    }
    core.count(`WS ${request.method}`)
    if (request.method === "order.place") {
      const { newClientOrderId, apiKey = "", symbol = "" } = request.parameters
      if (newClientOrderId !== undefined) core.placements.arrived(newClientOrderId, apiKey, symbol)
    }
    answer(core, socket, request)
  })
}

interface Request {
  readonly id: unknown
  readonly method: string
  readonly parameters: Parameters
}

const answer = (core: Core, socket: WebSocket, request: Request): void => {
  const fault = core.faults.takeAnswer(`WS ${request.method}`)
  if (fault?.kind === "hang") return
  if (fault?.kind === "destroy") {
    socket.terminate()
    return
  }
  /** An error of a limit says until when, as an instant. */
  const refusedWith = (status: number, body: string | undefined, retryAfterSeconds?: string) => {
    const serverTime = core.now()
    const until = retryAfterSeconds === undefined ? {} : { retryAfter: serverTime + Number(retryAfterSeconds) * 1000 }
    const data = retryAfterSeconds === undefined ? {} : { data: { serverTime, ...until } }
    send(socket, { id: request.id, status, error: { ...readError(body), ...data }, rateLimits: [] })
  }
  if (fault?.kind === "status") {
    refusedWith(fault.status, fault.body, fault.headers?.["retry-after"])
    return
  }
  const reply = run(core, socket, request)
  if (fault?.kind === "apply-then-hang") return
  if (fault?.kind === "apply-then-destroy") socket.terminate()
  else if (fault?.kind === "apply-then-status") refusedWith(fault.status, fault.body)
  else if (fault?.kind === "delay") setTimeout(() => send(socket, reply), fault.millis)
  else send(socket, reply)
}

const run = (core: Core, socket: WebSocket, { id, method, parameters }: Request) => {
  try {
    return { id, status: 200, result: perform(core, socket, method, parameters), rateLimits: [] }
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
    return { id, status: cause.status, error: { code: cause.code, msg: cause.message }, rateLimits: [] }
  }
}

const perform = (core: Core, socket: WebSocket, method: string, parameters: Parameters): unknown => {
  if (method === "ping") return {}
  if (method === "time") return { serverTime: core.now() }
  if (method === "userDataStream.unsubscribe") {
    const subscriptionId = parameters["subscriptionId"]
    core.users.unsubscribe(socket, subscriptionId === undefined ? undefined : Number(subscriptionId))
    return {}
  }
  const route = webSocketRoutes.get(method)
  if (route === undefined && method !== "userDataStream.subscribe.signature") throw unsupportedOperation()
  const signed = verifyWebSocket(core.accounts, parameters, core.now())
  if (route !== undefined) return route(core, signed)
  return { subscriptionId: core.users.subscribe(socket, signed.account.apiKey) }
}

const readRequest = (text: string): Request | undefined => {
  try {
    const { id, method, params } = JSON.parse(text)
    const parameters = Object.fromEntries(Object.entries(params ?? {}).map(([name, value]) => [name, String(value)]))
    return { id, method: String(method), parameters }
  } catch {
    return undefined
  }
}

const readError = (body: string | undefined): object => {
  try {
    return JSON.parse(body ?? "")
  } catch {
    return { code: -1000, msg: body ?? "An unknown error occurred while processing the request." }
  }
}

const send = (socket: WebSocket, reply: unknown): void => {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(reply))
}
