/**
 * The gateway's current figures, for admins: its venues' connectors and threads, and its actors. Health says whether something is wrong; this
 * says where.
 */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TradingMode } from "../../domain/account/trading-mode.ts"
import { Ok } from "../edge/envelope.ts"
import { Access } from "../edge/route.ts"

const Counts = Schema.Record({ key: Schema.String, value: Schema.Int })

const Connector = Schema.Struct({
  connector: Schema.String,
  venue: Schema.String,
  thread: Schema.NullOr(Schema.String),
  state: Schema.Literal("idle", "starting", "up", "waiting", "stopped"),
  restarts: Schema.Int,
  streams: Schema.Int,
  sessions: Schema.Int,
  callsInFlight: Schema.Int.annotations({ description: "Requests to the venue that have no response yet" }),
  gaps: Schema.Int.annotations({ description: "Gaps detected in the venue's stream sequences" }),
  losses: Schema.Int.annotations({ description: "Stream interruptions" }),
  resyncs: Schema.Int,
  budgetUsed: Schema.NullOr(Schema.Number).annotations({
    description: "Share of the venue's request budget in use, 0 to 1",
  }),
  budgetPausedMs: Schema.Int.annotations({ description: "Remaining time of a pause requested by the venue" }),
  waiting: Counts.annotations({ description: "Requests waiting for the budget, by purpose" }),
  answers: Counts.annotations({ description: "Responses of the venue: ok, limited, refused, failed" }),
}).annotations({ identifier: "ConnectorStatus" })

const Thread = Schema.Struct({
  thread: Schema.String,
  state: Schema.Literal("starting", "up", "down"),
  connectors: Schema.Array(Schema.String),
  deaths: Schema.Int,
  loopDelayMs: Schema.Number.annotations({ description: "Longest delay in the last 10 to 20 s" }),
  busy: Schema.Number.annotations({ description: "Share of that time in which its event loop was busy, 0 to 1" }),
  heapUsedBytes: Schema.Int,
  heapMaxBytes: Schema.Int,
}).annotations({ identifier: "ThreadStatus" })

export const StatusRecord = Schema.Struct({
  at: Schema.Int,
  tradingMode: TradingMode,
  loopDelayMs: Schema.Number.annotations({
    description: "Longest event loop delay of the main thread in the last 10 to 20 s",
  }),
  actors: Schema.Struct({
    accounts: Counts,
    dealers: Counts,
  }).annotations({ description: "Counts by state; inDoubt: orders whose outcome is not known" }),
  connectors: Schema.Array(Connector),
  threads: Schema.Array(Thread),
}).annotations({ identifier: "Status" })
export type StatusRecord = typeof StatusRecord.Type

const get = HttpApiEndpoint.get("get", "/api/v3/admin/status")
  .addSuccess(Ok(StatusRecord))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "Get the gateway's current state (admin)")
  .annotate(
    OpenApi.Description,
    "Extension. Figures of this process since it started: venues' connectors with their request budgets, worker threads, actors.",
  )

export class AdminStatusApi extends HttpApiGroup.make("adminStatus")
  .add(get)
  .annotate(OpenApi.Title, "Status")
  .annotate(OpenApi.Description, "For admins: figures of the running gateway.") {}
