/** The root record and the health of the service: no token, for operators and load balancers. */
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

const ClusterHealth = Schema.Struct({
  nodeId: Schema.String,
  role: Schema.Literal("core", "edge").annotations({
    description: "core: it owns the database and does all operations; edge: it passes them to the node that does",
  }),
  owner: Schema.NullOr(Schema.Struct({ nodeId: Schema.String, term: Schema.Int })).annotations({
    description: "The node that owns the database, with its term; null: none is known now",
  }),
  broker: Schema.Literal("up", "down"),
}).annotations({ identifier: "ClusterHealth" })
export type ClusterHealth = typeof ClusterHealth.Type

export const HealthRecord = Schema.Struct({
  status: Schema.Literal("healthy", "degraded", "unhealthy"),
  timestamp: Schema.Int,
  isoDateTime: Schema.String,
  version: Schema.String,
  tradingMode: Schema.optional(TradingMode).annotations({
    description: "Absent at a node that does not own the database",
  }),
  cluster: Schema.optional(ClusterHealth).annotations({ description: "Absent where there is one machine" }),
  checks: Schema.Record({ key: Schema.String, value: HealthCheck }).annotations({
    description:
      "service, database, eventLoop, orderWriter, ledger, upkeep (recurring background work), actors (accounts and dealers stopped by a defect), venues, workers, mailOutbox, disk, clock; of several machines also broker, and of one that does not own the database only service, owner, broker, eventLoop, disk. One unhealthy check makes the record unhealthy",
  }),
  venues: Schema.Record({ key: Schema.String, value: Schema.Literal("idle", "up", "down") }).annotations({
    description: "By venue. idle: no request has been sent to it yet",
  }),
  auditMillis: Schema.Record({ key: Schema.String, value: AuditMillis }).annotations({
    description: "By venue: the current interval at which its accounts are audited, in ms; the longest of any account",
  }),
}).annotations({ identifier: "Health" })
export type HealthRecord = typeof HealthRecord.Type

const ROOT_WORDS = "Name, version and description of the service. For its state see health."
const HEALTH_WORDS =
  "200 while the service is operational: healthy, or degraded (a venue is unavailable, the ledger audit found a violation, upkeep fails, an account stopped, mail is queued, the disk is filling up). Otherwise 503 -190001 with this record in details.metadata.health: starting, shutting down, no database, or writes do not complete. At most one second old."

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
  .annotate(OpenApi.Description, "Responds while the process runs, independent of its dependencies.")

const AGAIN_WORDS = "The same record at another path."
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
  .annotate(OpenApi.Description, "The service's version and health. No token needed.") {}
