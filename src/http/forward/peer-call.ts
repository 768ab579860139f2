/**
 * A request that another node passes on, at the node that does it: it is authenticated, limited and checked here as if it had come to this node's own port. The
 * one thing to know: it ends before the other node's time is over, so that the client hears what happened, and not that nothing is known.
 */
import { Unseen } from "../../auth/session/unseen.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { UnsupportedContentType } from "../../domain/errors/request.ts"
import { LeanSet } from "../../foundation/lean.ts"
import { traceparentOf } from "../../foundation/trace-context.ts"
import { type Asked, isTooLate, millisLeft, type NotTakenReason, type TakeAsked } from "../../ports/cable.ts"
import type { Route } from "../docs/reflect.ts"
import { Call, guarded, type Headers, type Run, type Surroundings } from "../edge/call.ts"
import type { FailureStatus } from "../edge/errno.ts"
import { linesOf } from "../edge/exchange.ts"
import { linesNamed, misspeltKey } from "../edge/header-lines.ts"
import { type Authenticate, makeProceed, onceSeen, runBody } from "../edge/proceed.ts"
import { isJsonType } from "../edge/request-body.ts"
import type { RouteFacts } from "../edge/route.ts"
import { answerText, jsonOf, type PassedRequest, readRequest } from "./frame.ts"

/** So many changes of a route that are being done, and the oldest for so long: what comes now would wait for them and end as unknown, as would those behind it. */
const CROWD = 16
const CROWD_MILLIS = 1_500

class PeerCall extends Call {
  readonly requestId: string
  readonly callId: string
  readonly ip: string
  readonly isSecure: boolean

  constructor(
    route: RouteFacts,
    around: Surroundings,
    private readonly passed: PassedRequest,
    private readonly asked: Asked,
    readonly beganAt: number,
    /** Its like that are being done, the oldest first; undefined: a read. */
    private readonly crowd: LeanSet<PeerCall> | undefined,
  ) {
    // As this node's clock says when it came to the other one.
    super(route, around, Math.min(beganAt, asked.deadline - route.deadline.millis))
    this.requestId = passed.requestId
    this.callId = passed.isNamed ? around.requestId() : passed.requestId
    this.ip = passed.ip
    this.isSecure = passed.isSecure
    this.bytesIn = asked.payload.length
    if (around.watch?.isTracing === true) this.trace = around.watch.begin(passed.traceparent)
    crowd?.add(this)
  }

  get body(): Buffer {
    return this.asked.payload
  }

  header(name: string): string {
    return linesNamed(this.passed.headers, name)
  }

  misspeltKey(): string | undefined {
    return misspeltKey(this.passed.headers)
  }

  getQuery(): string {
    return this.passed.query
  }

  override startClock(): void {
    this.around.deadlines.addBefore(this.asked.deadline, this, this.beganAt)
  }

  protected send(
    status: FailureStatus | 200,
    errno: number,
    envelope: string,
    headers: Headers | undefined,
    _failure: DomainError | null,
  ): void {
    this.end()
    let lines = this.around.limiter?.lines(this, status === 200) ?? ""
    lines += linesOf(headers)
    if (this.trace !== null && this.passed.traceparent === "") lines += `\r\ntraceparent: ${traceparentOf(this.trace)}`
    this.asked.answer(answerText({ status, errno, lines }), envelope)
    this.crowd?.delete(this)
    this.record(status, errno, envelope.length, false)
  }
}

const isBehind = (crowd: LeanSet<PeerCall>, now: number): boolean => {
  if (crowd.size < CROWD) return false
  const [oldest] = crowd
  return oldest !== undefined && now - oldest.beganAt > CROWD_MILLIS
}

interface PeerParts {
  readonly run: Run
  readonly authenticate: Authenticate
  readonly mayAct: () => boolean
  readonly isDraining: () => boolean
  /** What changes orders and has so many ms left is held where it came to, until there is room. */
  readonly isCrowded: (leftMillis: number) => boolean
}

export const makeTakePeerCall = (
  routes: ReadonlyArray<Route>,
  around: Surroundings,
  { run, authenticate, mayAct, isDraining, isCrowded }: PeerParts,
): TakeAsked => {
  const crowds = new Map(routes.flatMap((route) => (route.isRead ? [] : [[route, new LeanSet<PeerCall>()] as const])))
  const byName = new Map(routes.map((route) => [`${route.method} ${route.template}`, route] as const))

  const proceed = makeProceed<PeerCall, PeerCall>(run, around.limiter, ({ body }, call, route, check, query) => {
    const isReadable = isJsonType(call.header("content-type")) && call.header("content-encoding") === ""
    if (route.body === undefined && body.length === 0) return run(call, route, query, undefined)
    return isReadable ? runBody(run, call, route, check, query, body) : new UnsupportedContentType()
  })

  const serve = (call: PeerCall, route: Route): DomainError | undefined => {
    if (route.access === "none") return proceed(call, call, route, call, undefined)
    const found = authenticate(call.header("authorization"), call)
    if (!(found instanceof Unseen)) return proceed(call, call, route, call, found)
    onceSeen(call, found, authenticate, (again) => proceed(call, call, route, call, again))
    return undefined
  }

  return (asked): NotTakenReason | undefined => {
    const passed = readRequest(asked.head)
    const route = passed && byName.get(`${passed.method} ${passed.path}`)
    if (passed === undefined || route === undefined) return "unknown"
    if (!mayAct()) return "lease"
    if (isDraining()) return "leaving"
    const now = around.monotonic()
    if (isTooLate(asked.deadline, now)) return "late"
    const crowd = crowds.get(route)
    if (crowd !== undefined) {
      if (isBehind(crowd, now)) return "crowded"
      const left = millisLeft(asked.deadline, now)
      // One that has little time left says nothing of the others.
      if (isCrowded(left) && route.waitsForOrders(jsonOf(asked.payload.toString())))
        return isCrowded(Number.POSITIVE_INFINITY) ? "crowded" : "late"
    }
    const call = new PeerCall(route, around, passed, asked, now, crowd)
    guarded(call, () => serve(call, route))
    if (!call.done) call.startClock()
    return undefined
  }
}
