/** Passes the change on to auth, which checks in the store that the caller still is an admin. */
import { Effect } from "effect"
import type { TradingModeSwitch } from "../../auth/session/trading-mode-switch.ts"
import { actorOf } from "../account-access.ts"
import type { Handlers } from "../edge/route.ts"
import type { TradingModeApi } from "./endpoints.ts"

export const tradingModeHandlers = (modes: TradingModeSwitch["Type"]): Handlers<typeof TradingModeApi> => ({
  set: ({ body, principal, request }, reply) =>
    modes
      .change(principal, { tradingMode: body.tradingMode, reason: body.reason ?? null }, actorOf(request, principal))
      .pipe(Effect.map((record) => reply.ok(record))),
})
