/** The audit, for admins: who did what, when, from where, and with what result, within their tenant. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import {
  ConflictingParameters,
  InvalidCursor,
  InvalidParameter,
  InvalidTimeRange,
} from "../../domain/errors/request.ts"
import { UserId } from "../../domain/ids.ts"
import { INSTRUMENT_ID_MAX } from "../../domain/instrument/instrument.ts"
import { ACTIONS } from "../../domain/user/act.ts"
import { Fail, Page } from "../edge/envelope.ts"
import { Access, Query } from "../edge/route.ts"
import { Ask, text } from "../edge/wire-text.ts"

const OrNull = Schema.NullOr(Schema.String)
const said = (description: string) => OrNull.annotations({ description })

const ActorKind = Schema.Literal("USER", "OPERATOR", "SYSTEM").annotations({
  description: "OPERATOR: the command line; SYSTEM: the gateway itself",
})

const AuditRecord = Schema.Struct({
  actId: Schema.String,
  lane: Schema.String.annotations({ description: "The hash chain that contains the row" }),
  number: Schema.Int.annotations({ description: "Its position in the chain, from 1 without gaps" }),
  at: Schema.Int,
  atDateTime: Schema.String,
  action: Schema.String,
  result: Schema.String.annotations({ description: "ok, or the name of the failure: the act was not performed" }),
  actorKind: ActorKind,
  userId: said("Who performed the act"),
  sessionId: OrNull,
  keyId: OrNull,
  tenantId: said("The actor's"),
  ip: OrNull,
  userAgent: said("On the command line: the operating system account it ran under"),
  requestId: said("The gateway's own id of the request: callId of the access log"),
  clientRequestId: said("The client's own id of the request"),
  objectType: OrNull,
  objectId: OrNull,
  objectTenantId: OrNull,
  otherId: said("The other party: the second wallet of a transfer, the linked account"),
  asset: OrNull,
  amount: OrNull,
  what: said("Further details: a right, a mode and its reason, a venue"),
}).annotations({ identifier: "AuditRecord" })
export type AuditRecord = typeof AuditRecord.Type

const list = HttpApiEndpoint.get("list", "/api/v3/audit/list")
  .setUrlParams(
    Query({
      actorKind: Schema.optional(ActorKind),
      userId: Schema.optional(UserId),
      action: Schema.optional(Schema.Literal(...ACTIONS)),
      objectId: Schema.optional(text(INSTRUMENT_ID_MAX)).annotations({ description: "The object, or the other party" }),
      result: Schema.optional(text(64)).annotations({ description: "ok, or a failure's name" }),
      from: Ask.instant("Start of the range, in ms, inclusive"),
      to: Ask.instant("End of the range, in ms, inclusive"),
      limit: Ask.limit(1_000, 50),
      offset: Ask.offsetUpTo(COUNTED_MAX),
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(AuditRecord))
  .addError(Fail(InvalidCursor, InvalidParameter, ConflictingParameters, InvalidTimeRange))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "List audited acts (admin)")
  .annotate(
    OpenApi.Description,
    "Extension. Acts on money, rights, credentials, accounts, dealers, instruments, keys and modes, performed or refused, newest first: acts on objects of your tenant, and acts of its users on objects that belong to no tenant. Admins of the default tenant also see those of the installation: the command line, and every act on keys, the trading mode and venues.",
  )

export class AuditApi extends HttpApiGroup.make("audit")
  .add(list)
  .annotate(OpenApi.Title, "Audit")
  .annotate(OpenApi.Description, "For admins: who did what, from where, and with what result.") {}
