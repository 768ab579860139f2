/** The trading mode of the whole installation, for its operators. The mode in force is in the health record, visible to everyone. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TradingMode } from "../../domain/account/trading-mode.ts"
import { AdminRequired, TenantForbidden } from "../../domain/errors/authorisation.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, always, Fresh } from "../edge/route.ts"
import { optional, text } from "../edge/wire-text.ts"

const SetTradingMode = Schema.Struct({ tradingMode: TradingMode, reason: optional(text(500)) }).annotations({
  identifier: "SetTradingMode",
  examples: [{ tradingMode: "cancel_only", reason: "the exchange is down" }],
})

const TradingModeRecord = Schema.Struct({
  tradingMode: TradingMode,
  reason: Schema.NullOr(Schema.String),
  changedAt: Schema.Int,
  changedAtDateTime: Schema.String,
}).annotations({ identifier: "TradingModeRecord" })

const WORDS =
  "For admins of the default tenant: it applies to every tenant. Stored and in force when the call returns, and kept across restarts. Cancels are accepted in every mode; orders accepted before are not affected."

const set = HttpApiEndpoint.post("set", "/api/v3/admin/tradingMode")
  .setPayload(SetTradingMode)
  .addSuccess(Ok(TradingModeRecord))
  .addError(Fail(AdminRequired, TenantForbidden))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Set the trading mode")
  .annotate(OpenApi.Description, WORDS)

export class TradingModeApi extends HttpApiGroup.make("tradingMode")
  .add(set)
  .annotate(OpenApi.Title, "Trading mode")
  .annotate(OpenApi.Description, "What the installation accepts from clients: everything, resting orders, cancels.") {}
