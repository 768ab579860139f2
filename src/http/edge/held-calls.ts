/**
 * Changes that wait for a process that is new, and behind with what it has to store: checked, not begun, and let in when there is room. The one
 * thing to know: one whose time is over before that is answered Busy, for nothing of it was done.
 */
import { Busy } from "../../domain/errors/service.ts"
import { addressKey } from "../../domain/user/rate-limits.ts"
import { TurnShare } from "../../foundation/turn-share.ts"
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

/** Runs calls: those that change something in the order in which they came, and later while there is no room. */
export const makeRunInRoom = (run: Run, isCrowded: () => boolean, monotonic: () => number): Run => {
  let held: Array<Held> = []
  /** Of each address that has any. */
  let counts = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  const share = new TurnShare(monotonic)

  const keep = (rest: Array<Held>): void => {
    if (rest.length === held.length) return
    held = rest
    counts = new Map()
    for (const { from } of rest) counts.set(from, (counts.get(from) ?? 0) + 1)
  }

  /** Without those whose clients are gone or whose time is over: they would take the room of others. */
  const letIn = (): void => {
    keep(held.filter(({ call }) => !call.done))
    if (isCrowded()) return
    const early: Array<Held> = []
    const late = share.some(held, (one) => {
      const { call, begin } = one
      if (isCrowded()) return void early.push(one)
      call.reply.onDeadline(call.route.deadline.failure)
      guarded(call, begin)
    })
    keep([...early, ...late])
  }

  const look = (): void => {
    letIn()
    if (held.length > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const hold = (call: Call, begin: () => undefined): void => {
    const refusal = () => new Busy({ retryAfterSeconds: 1 })
    const from = addressKey(call.ip)
    const own = counts.get(from) ?? 0
    // An address may have as many as are left free for others, so one alone half of all.
    if (own >= HELD_MAX - held.length) return call.fail(refusal())
    call.handedOver = true
    call.reply.onDeadline(refusal)
    held.push({ call, from, begin })
    counts.set(from, own + 1)
    if (timer !== undefined) return
    share.leave()
    timer = setInterval(look, LOOK_MILLIS).unref()
  }

  return (call, route, query, body) => {
    if (route.isRead || (timer === undefined && !isCrowded())) return run(call, route, query, body)
    hold(call, () => run(call, route, query, body))
    return undefined
  }
}
