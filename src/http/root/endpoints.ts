/** The root record and the health of the service: no token, for people and for load balancers. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TradingMode } from "../../domain/account/trading-mode.ts"
import { Busy } from "../../domain/errors/service.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access } from "../edge/route.ts"

export const RootRecord = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  description: Schema.String,
}).annotations({ identifier: "Root" })

const HealthCheck = Schema.Struct({
  status: Schema.Literal("healthy", "degraded", "unhealthy"),
  reason: Schema.NullOr(Schema.String),
}).annotations({ identifier: "HealthCheck" })
export type HealthCheck = typeof HealthCheck.Type

const AuditMillis = Schema.Struct({
  openOrders: Schema.optional(Schema.Int),
  fills: Schema.optional(Schema.Int),
  balances: Schema.optional(Schema.Int),
}).annotations({ identifier: "AuditMillis" })

export const HealthRecord = Schema.Struct({
  status: Schema.Literal("healthy", "degraded", "unhealthy"),
  timestamp: Schema.Int,
  isoDateTime: Schema.String,
  version: Schema.String,
  tradingMode: TradingMode,
  checks: Schema.Record({ key: Schema.String, value: HealthCheck }).annotations({
    description:
      "service, database, eventLoop, orderWriter, ledger, upkeep (what the gateway does again and again), actors (accounts and dealers that a defect stopped), venues, workers, mailOutbox, disk, clock. One unhealthy check makes the record unhealthy",
  }),
  venues: Schema.Record({ key: Schema.String, value: Schema.Literal("idle", "up", "down") }).annotations({
    description: "By venue. idle: nothing was asked of it yet",
  }),
  auditMillis: Schema.Record({ key: Schema.String, value: AuditMillis }).annotations({
    description: "By venue: how often its accounts are audited now, in ms. The longest period of any of them",
  }),
}).annotations({ identifier: "Health" })
export type HealthRecord = typeof HealthRecord.Type

const ROOT_WORDS = "Name, version and description of the service. Not more than that: see health."
const HEALTH_WORDS =
  "200 while the service can work: healthy, or degraded (a venue is away, the ledger's audit found something, upkeep fails, an account stopped, mail waits, the disk fills). Otherwise 503 -190001 with this record in details.metadata.health: starting, shutting down, no database, nothing stored. At most a second old."

const root = HttpApiEndpoint.get("get", "/api/v3")
  .addSuccess(Ok(RootRecord))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Root record")
  .annotate(OpenApi.Description, ROOT_WORDS)

const health = HttpApiEndpoint.get("health", "/api/v3/health")
  .addSuccess(Ok(HealthRecord))
  .addError(Fail(Busy))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Health")
  .annotate(OpenApi.Description, HEALTH_WORDS)

const live = HttpApiEndpoint.get("live", "/api/v3/health/live")
  .addSuccess(Ok(Schema.Literal("ok")))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Liveness")
  .annotate(OpenApi.Description, "Answers while the process turns, whatever it depends on.")

const AGAIN_WORDS = "The same record under another address."
const rootSlash = HttpApiEndpoint.get("getSlash", "/api/v3/")
  .addSuccess(Ok(RootRecord))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Root record (with the slash)")
  .annotate(OpenApi.Description, AGAIN_WORDS)
const rootBare = HttpApiEndpoint.get("getBare", "/")
  .addSuccess(Ok(RootRecord))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Root record (bare)")
  .annotate(OpenApi.Description, AGAIN_WORDS)
const healthBare = HttpApiEndpoint.get("healthBare", "/health")
  .addSuccess(Ok(HealthRecord))
  .addError(Fail(Busy))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Health (bare)")
  .annotate(OpenApi.Description, AGAIN_WORDS)

export class RootApi extends HttpApiGroup.make("root")
  .add(root)
  .add(rootSlash)
  .add(rootBare)
  .add(health)
  .add(healthBare)
  .add(live)
  .annotate(OpenApi.Title, "Service")
  .annotate(OpenApi.Description, "What runs here and whether it is well. No token.") {}
