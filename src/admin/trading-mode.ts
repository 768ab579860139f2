/**
 * `trading-mode`: what the installation accepts from clients, from the command line. A running gateway applies it at once, or within 5 s where the notice is lost; a stopped
 * one at its start.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { modeWords, TradingMode } from "../domain/account/trading-mode.ts"
import { InvalidParameter } from "../domain/errors/request.ts"
import type { Actor } from "../domain/user/act.ts"
import { dateTime } from "../foundation/time.ts"
import { Acts } from "../store/audit/acts.ts"
import { TradingModes } from "../store/market/trading-modes.ts"

export interface TradingModeCommand {
  readonly _tag: "TradingMode"
  /** Null: only show it. */
  readonly tradingMode: TradingMode | null
  readonly reason: string | null
}

export const TRADING_MODE_USAGE = `  trading-mode                     show the current trading mode
  trading-mode MODE [REASON]       set it: online, post_only, cancel_only, maintenance
`

/** Undefined: the words are another command, or none. */
export const parseTradingMode = ([name, mode, ...reason]: ReadonlyArray<string>): TradingModeCommand | undefined => {
  if (name !== "trading-mode") return undefined
  const tradingMode = TradingMode.literals.find((it) => it === mode) ?? null
  if (mode !== undefined && tradingMode === null) return undefined
  return { _tag: "TradingMode", tradingMode, reason: reason.length === 0 ? null : reason.join(" ").slice(0, 500) }
}

/** The mode as it is afterwards. */
export const runTradingMode = ({ tradingMode, reason }: TradingModeCommand, now: number, actor: Actor) =>
  Effect.gen(function* () {
    const modes = yield* TradingModes
    if (!(yield* modes.isThere))
      return yield* new InvalidParameter({
        parameter: "database",
        reason: "this version of the gateway has not used it yet: start the gateway once",
      })
    const before = yield* modes.read
    // A clock that was set back must not make an older word the newer one.
    const changedAt = Math.max(now, before.changedAt + 1)
    if (tradingMode !== null)
      yield* (yield* Acts).commit(
        {
          actId: randomUUID(),
          action: "tradingMode.set",
          actor,
          object: { type: "MODE", id: "tradingMode", tenantId: null },
          what: modeWords(tradingMode, reason),
        },
        () => modes.change({ tradingMode, reason, changedAt, changedBy: null }),
      )
    const after = yield* modes.read
    return { ...after, changedAtDateTime: dateTime(after.changedAt) }
  })
