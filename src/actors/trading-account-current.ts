/**
 * Money that a venue of this process has acknowledged is there for the account's next command (contract C10): where the venue's books have
 * moved since the account last read them, the command waits for that reading, not for the news of it.
 */
import { Exit } from "effect"
import type { DomainError } from "../domain/errors/domain-error.ts"
import { Busy } from "../domain/errors/service.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { applyBalances, fetchBalances } from "./trading-account-reports.ts"

const WAITING_MAX = 256
/** Books that cannot be read are tried again so soon, and no command waits longer for them. */
const AGAIN_MILLIS = 50
const PATIENCE_MILLIS = 2_000

export const isBehind = ({ session, phase, knowsMovesTo }: AccountCore): boolean =>
  phase === "ready" && (session?.movedTo?.() ?? 0) > knowsMovesTo

/** Runs when the account knows all that was acknowledged before the call: at once, as a rule. `fail`: the books could not be read. */
export const whenCurrent = (core: AccountCore, run: () => void, fail: (error: DomainError) => void): void => {
  if (!isBehind(core)) return run()
  const due = core.session?.movedTo?.() ?? 0
  if (core.behind.length >= WAITING_MAX) return fail(new Busy({ retryAfterSeconds: 1 }))
  core.behind.push({ due, until: core.parts.clock.monotonic() + PATIENCE_MILLIS, run, fail })
  if (core.behind.length === 1) readBooks(core)
}

const readBooks = (core: AccountCore): void => {
  const { session } = core
  // Without a session the commands that wait go on, and are answered like any command without one.
  if (session === null || core.phase !== "ready") {
    for (const { run } of core.behind.splice(0)) run()
    return
  }
  core.self.fork(fetchBalances(core, session), (exit) => {
    if (Exit.isSuccess(exit) && core.session === session && core.phase === "ready") applyBalances(core, exit.value)
    const waiting = core.behind.splice(0)
    const now = core.parts.clock.monotonic()
    const late = new Busy({ retryAfterSeconds: 1 })
    const still = waiting.filter(({ due, until }) => due > core.knowsMovesTo && now < until)
    core.behind.push(...still)
    if (still.length > 0) core.self.later(Exit.isSuccess(exit) ? 0 : AGAIN_MILLIS, () => readBooks(core))
    for (const { due, until, run, fail } of waiting)
      if (due <= core.knowsMovesTo) run()
      else if (now >= until) fail(late)
  })
}
