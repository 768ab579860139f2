/**
 * Changes of orders that wait for a process that is behind with storing them: checked, not begun, and let in when there is room, and in time to be answered. The one
 * thing to know: one whose time is over before that, or nearly over, is answered Busy, for nothing of it was done.
 */
import { Busy } from "../../domain/errors/service.ts"
import { addressKey } from "../../domain/user/rate-limits.ts"
import { SharedRoom } from "../../foundation/shared-room.ts"
import { TurnShare } from "../../foundation/turn-share.ts"
import { isTooLate, millisLeft } from "../../ports/cable.ts"
import { type Call, guarded, type Run } from "./call.ts"

/** Bodies of 64 KB at most. */
export const HELD_MAX = 2_000
const LOOK_MILLIS = 20

interface Held {
  readonly call: Call
  /** Whose share of the room it takes: the client's address, as limits count it. */
  readonly from: string
  readonly begin: () => undefined
}

/** Runs calls: those that change orders in the order in which they came, and later while there is no room. */
export const makeRunInRoom = (run: Run, isCrowded: (leftMillis: number) => boolean, monotonic: () => number): Run => {
  let held: Array<Held> = []
  const room = new SharedRoom(HELD_MAX)
  let timer: NodeJS.Timeout | undefined
  const share = new TurnShare(monotonic)
  const refusal = () => new Busy({ retryAfterSeconds: 1 })

  /** Without those whose clients are gone or whose time is over: they would take the room of others. */
  const letIn = (): void => {
    held = held.filter(({ call, from }) => {
      if (call.isClientGone()) call.abort()
      if (call.done) room.leave(from)
      return !call.done
    })
    if (isCrowded(Number.POSITIVE_INFINITY)) return
    const early: Array<Held> = []
    /** Whose changes wait: none of them overtakes another. */
    const waiting = new Set<unknown>()
    const late = share.some(held, (one) => {
      const { call, from, begin } = one
      const now = monotonic()
      const account = call.tradingAccountId
      if (!isTooLate(call.dueAt, now) && (waiting.has(account) || isCrowded(millisLeft(call.dueAt, now)))) {
        waiting.add(account)
        return void early.push(one)
      }
      room.leave(from)
      if (isTooLate(call.dueAt, now)) return call.fail(refusal())
      call.reply.onDeadline(call.route.deadline.failure)
      guarded(call, begin)
    })
    held = [...early, ...late]
  }

  const look = (): void => {
    letIn()
    if (held.length > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const hold = (call: Call, begin: () => undefined): void => {
    const from = addressKey(call.ip)
    if (!room.take(from)) return call.fail(refusal())
    call.handedOver = true
    call.reply.onDeadline(refusal)
    held.push({ call, from, begin })
    if (timer !== undefined) return
    share.leave()
    timer = setInterval(look, LOOK_MILLIS).unref()
  }

  return (call, route, query, body) => {
    if (!route.waitsForOrders(body)) return run(call, route, query, body)
    const left = millisLeft(call.receivedAt + route.deadline.millis, monotonic())
    if (timer === undefined && !isCrowded(left)) return run(call, route, query, body)
    hold(call, () => run(call, route, query, body))
    return undefined
  }
}
