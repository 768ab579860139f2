/**
 * The trading mode of the installation: who may change it, and how the process learns of a change. The one thing to know: it applies to all
 * tenants, so only admins of the default tenant set it, and the command line, whose change rings (store/postgres/news-bell.ts).
 */
import { Context, Effect, Layer } from "effect"
import type { Settings } from "../../config.ts"
import { modeWords, type TradingMode, TradingModeInForce } from "../../domain/account/trading-mode.ts"
import { AdminRequired, TenantForbidden } from "../../domain/errors/authorisation.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { Actor } from "../../domain/user/act.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { Notice } from "../../foundation/log-line.ts"
import { dateTime } from "../../foundation/time.ts"
import { keepLoop } from "../../kernel/loop.ts"
import { Clock } from "../../ports/clock.ts"
import { Ids } from "../../ports/ids.ts"
import { Acts } from "../../store/audit/acts.ts"
import { type StoredTradingMode, TradingModes } from "../../store/market/trading-modes.ts"
import { awaitNews } from "../../store/postgres/news-bell.ts"
import { Users } from "../../store/users/users.ts"

export interface TradingModeRecord {
  readonly tradingMode: TradingMode
  readonly reason: string | null
  /** 0: never changed. */
  readonly changedAt: number
  readonly changedAtDateTime: string
}

export class TradingModeSwitch extends Context.Tag("auth/TradingModeSwitch")<
  TradingModeSwitch,
  {
    readonly current: () => TradingMode
    /** In force, and stored, when it answers. */
    readonly change: (
      principal: Principal,
      to: { readonly tradingMode: TradingMode; readonly reason: string | null },
      actor: Actor,
    ) => Effect.Effect<TradingModeRecord, AdminRequired | TenantForbidden | StorageUnavailable>
  }
>() {}

export interface TradingModeOptions {
  readonly settings: Pick<Settings, "defaultTenantId">
  readonly notice: Notice
}

export const tradingModeRecord = ({ tradingMode, reason, changedAt }: StoredTradingMode): TradingModeRecord => ({
  tradingMode,
  reason,
  changedAt,
  changedAtDateTime: dateTime(changedAt),
})

/** Also provides what the order path asks: build it before the actors. */
export const tradingModeLayer = ({ settings, notice }: TradingModeOptions) =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { now } = yield* Clock
      const { uuid } = yield* Ids
      const acts = yield* Acts
      const modes = yield* TradingModes
      const users = yield* Users
      let stored = yield* modes.read
      const inForce = (found: StoredTradingMode): void => {
        // Read before the change that is in force by now was stored.
        if (found.changedAt < stored.changedAt) return
        if (found.tradingMode !== stored.tradingMode)
          notice("trading mode", { from: stored.tradingMode, to: found.tradingMode, reason: found.reason }, "info")
        stored = found
      }
      if (stored.tradingMode !== "online")
        notice("trading mode", { to: stored.tradingMode, reason: stored.reason }, "info")

      // While it cannot be read, what it was stays in force.
      yield* keepLoop({ name: "trading mode", awaits: yield* awaitNews, round: Effect.map(modes.read, inForce) })

      /** The session's word is not enough for this: the store is asked whether the caller is an admin now (contract C16). */
      const proven = (principal: Principal) =>
        Effect.gen(function* () {
          const caller = (yield* users.lockById(principal.userId))?.user ?? null
          const provided = caller === null || caller.bannedAt !== null ? [] : caller.permissions
          if (!provided.includes("admin")) return yield* new AdminRequired({ required: ["admin"], provided })
          if (caller?.tenantId !== settings.defaultTenantId)
            return yield* new TenantForbidden({ tenantId: settings.defaultTenantId })
        })

      const service = TradingModeSwitch.of({
        current: () => stored.tradingMode,
        change: (principal, { tradingMode, reason }, actor) =>
          Effect.gen(function* () {
            // A clock that was set back must not make an older word the newer one.
            const changed = { tradingMode, reason, changedAt: Math.max(now(), stored.changedAt + 1) }
            yield* acts.commit(
              {
                actId: uuid(),
                action: "tradingMode.set",
                actor,
                object: { type: "MODE", id: "tradingMode", tenantId: null },
                what: modeWords(tradingMode, reason),
              },
              () => Effect.zipRight(proven(principal), modes.change({ ...changed, changedBy: principal.userId })),
            )
            inForce(changed)
            return tradingModeRecord(changed)
          }),
      })
      return Context.make(TradingModeSwitch, service).pipe(
        Context.add(TradingModeInForce, { current: service.current }),
      )
    }),
  )
