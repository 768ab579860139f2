/**
 * The dead man's switch (`tradeOrder/cancelAllAfter`): unless the client is heard of again before the instant that it named, all its
 * orders are cancelled. The instant is stored before it is answered, and a gateway that was away then keeps it when it is back.
 */

import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import { AccountDisconnected, AccountNotActive } from "../../../domain/errors/trading-account.ts"
import type { AccountCore } from "../core.ts"
import type { CancelAllAfter } from "../messages.ts"
import { sweep } from "../orders/cancel.ts"

export interface DeadMan {
  readonly set: (message: CancelAllAfter) => void
  /** After a restart, or a sleep: goes on counting; what passed meanwhile happens now. */
  readonly resume: () => void
}

export const keepDeadMan = (core: AccountCore): DeadMan => {
  const { parts, self } = core
  let callOff = (): void => undefined

  const save = (cancelAllAt: number | null, committed: (account: TradingAccount) => void): void =>
    core.noteAccount({ cancelAllAt }, committed)

  const count = (millis: number): void => {
    callOff()
    callOff = self.later(millis, fire)
  }

  const fire = (): void => {
    if (core.account.cancelAllAt === null || core.account.status === "DISCONNECTED") return
    core.waiting.hastenAll()
    const lives = core.orders.openLives()
    sweep(core, lives, "DEAD_MAN_SWITCH")
    // After the cancels: if the process ends between the two, they are asked for again.
    save(null, () => undefined)
    const message = `the dead man's switch asked to cancel ${lives.length} ${lives.length === 1 ? "order" : "orders"}`
    core.outlet.alert({ code: "DEAD_MAN_SWITCH", severity: "WARNING", message, tradeOrderId: null })
  }

  const set = ({ timeoutMillis, reply }: CancelAllAfter): void => {
    const { status } = core.account
    if (status === "DISCONNECTED") return reply.fail(new AccountDisconnected({}))
    if (status === "LOCKED") return reply.fail(new AccountNotActive({ status }))
    const limited = core.limits.cancelError()
    if (limited !== null) return reply.fail(limited)
    callOff()
    if (timeoutMillis > 0) count(timeoutMillis)
    save(timeoutMillis === 0 ? null : parts.clock.now() + timeoutMillis, (account) => reply.ok(account))
  }

  const resume = (): void => {
    const { cancelAllAt } = core.account
    if (cancelAllAt !== null) count(Math.max(0, cancelAllAt - parts.clock.now()))
  }

  return { set, resume }
}
