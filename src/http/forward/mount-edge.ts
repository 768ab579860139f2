/**
 * The operations of the API at a node that does not do them: the same doors, behind which a request is read to its end and passed to the node that does
 * (forwarder.ts). The one thing to know: nothing of it is judged here but its length and its way, so that a client hears the same from every node.
 */
import type { HttpApi } from "@effect/platform"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { Busy } from "../../domain/errors/service.ts"
import { addressKey } from "../../domain/user/rate-limits.ts"
import { type DeclaredRoute, declaredRoutes } from "../docs/reflect.ts"
import { Deadlines, guarded, type Surroundings } from "../edge/call.ts"
import { type DoorOptions, openDoors, type Serve, tooLarge } from "../edge/doors.ts"
import type { Exchange } from "../edge/exchange.ts"
import { mayHaveBody } from "../edge/proceed.ts"
import { BODY_BYTES_DRAINED, BODY_BYTES_MAX } from "../edge/request-body.ts"
import type { HttpReply } from "../edge/route.ts"
import type { RouteApp } from "../edge/server.ts"
import type { RequestLimiter } from "../limits/rate-limit.ts"
import type { Forwarder } from "./forwarder.ts"
import { readAnswer, requestText } from "./frame.ts"

/** What a node says of itself, by the action of its route: never passed on. */
export type OwnAnswers = Readonly<Record<string, (reply: HttpReply<unknown, DomainError>) => void>>

export interface MountEdgeOptions extends Omit<Surroundings, "deadlines" | "limiter">, DoorOptions {
  /** Of addresses: of pages, of what is not there, and of bodies that are too long; what is passed on is limited by the node that does it. */
  readonly limiter: RequestLimiter | null
  readonly forwarder: Pick<Forwarder, "pass">
  /** Of the group `root`. */
  readonly own: OwnAnswers
  /** While it answers true each answer ends its connection: the client's next request goes to another node. */
  readonly isDraining: () => boolean
}

export interface MountedEdge {
  /** The doors are these again, after others took their place: for what comes from now on. */
  readonly reopen: () => void
  /** Requests without an answer yet. */
  readonly inFlight: () => number
  /** Stops the deadlines. */
  readonly close: () => void
}

type TakeChunk = (chunk: ArrayBuffer, isLast: boolean) => void

/** Answers the whole body, or why there is none. */
const gather = (
  res: { onData(take: TakeChunk): unknown },
  exchange: Exchange,
  whole: (body: Buffer) => DomainError | undefined,
  refuse: (closeConnection: boolean) => DomainError,
): DomainError | undefined => {
  if (Number(exchange.header("content-length")) > BODY_BYTES_DRAINED) return refuse(true)
  let chunks: Array<Buffer> = []
  const take = (chunk: ArrayBuffer, isLast: boolean): DomainError | undefined => {
    exchange.bytesIn += chunk.byteLength
    if (exchange.done) return undefined
    if (exchange.bytesIn > BODY_BYTES_MAX) {
      chunks = []
      return isLast || exchange.bytesIn > BODY_BYTES_DRAINED ? refuse(!isLast) : undefined
    }
    // The chunk's memory is uWebSockets' own again when this returns.
    chunks.push(Buffer.from(new Uint8Array(chunk)))
    return isLast ? whole(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)) : undefined
  }
  res.onData((chunk, isLast) => guarded(exchange, () => take(chunk, isLast)))
  return undefined
}

const NO_BODY = Buffer.alloc(0)

export const mountEdge = (app: RouteApp, api: HttpApi.HttpApi.AnyWithProps, options: MountEdgeOptions): MountedEdge => {
  const { forwarder, own, isDraining, limiter } = options
  const deadlines = new Deadlines(options.monotonic)
  const { transport, requestId, now, monotonic, log, onDefect, watch } = options
  const around: Surroundings = { transport, deadlines, requestId, now, monotonic, log, onDefect, limiter, watch }

  const pass = (exchange: Exchange, route: DeclaredRoute, query: string, body: Buffer): DomainError | undefined => {
    exchange.handedOver = true
    const passing = forwarder.pass({
      from: addressKey(exchange.ip),
      head: requestText(exchange.passed(query)),
      body,
      isRead: route.isRead,
      deadline: exchange.receivedAt + route.deadline.millis,
      isOver: () => exchange.done,
      answered: (head, payload) => {
        const answer = readAnswer(head)
        if (answer === undefined) exchange.defect(new Error(`a node answers in words of another version: ${head}`))
        else exchange.relay(answer, payload)
      },
      unanswered: () => exchange.fail(route.deadline.failure()),
    })
    if (passing === undefined) return new Busy({ retryAfterSeconds: 1 })
    // What no node has taken was not done.
    exchange.reply.onDeadline(() => (passing.isOut ? route.deadline.failure() : new Busy({ retryAfterSeconds: 1 })))
    return undefined
  }

  const serve: Serve<DeclaredRoute> = (res, req, route, exchange) => {
    const answer = route.isOfService ? own[route.operation.action] : undefined
    if (answer !== undefined) {
      const refused = limiter?.charge(exchange, route.cost.weight)
      if (refused !== undefined) return refused
      exchange.handedOver = true
      answer(exchange.reply as HttpReply<unknown, DomainError>)
      return undefined
    }
    if (isDraining()) exchange.closeConnection = true
    const query = req.getQuery() ?? ""
    if (route.isRead || !mayHaveBody(exchange)) return pass(exchange, route, query, NO_BODY)
    // The owner never hears of it, so it is counted here, where only the address is known.
    const refuse = (closeConnection: boolean): DomainError => {
      const failure = tooLarge(exchange, closeConnection)
      return limiter?.chargeAddress(exchange, route.cost.weight) ?? failure
    }
    return gather(res, exchange, (body) => pass(exchange, route, query, body), refuse)
  }

  const routes = declaredRoutes(api)
  const open = (): void => openDoors(app, routes, around, options, serve)
  open()
  return { reopen: open, inFlight: () => deadlines.size, close: () => deadlines.close() }
}
