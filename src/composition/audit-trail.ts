/**
 * The one audit trail of the process: each row is a line of the audit log, a count, and, where attackers are watched for, an event; acts
 * of the pool have their rows in the database first.
 */
import { Effect, Layer } from "effect"
import { type Audit, makeAudit } from "../auth/audit-log.ts"
import { tellAudited } from "../auth/audited-events.ts"
import { countAudited } from "../auth/auth-meters.ts"
import type { Keys } from "../auth/keys/keys.ts"
import { Clock } from "../ports/clock.ts"
import { Ids } from "../ports/ids.ts"
import { Meters } from "../ports/meters.ts"
import { SecurityLog } from "../ports/security-log.ts"
import { actsLayer } from "../store/audit/acts.ts"
import type { GatewayOptions } from "./options.ts"
import { auditLog } from "./request-logs.ts"

export const auditTrail = (options: GatewayOptions, keys: Keys) =>
  Effect.gen(function* () {
    const count = countAudited(yield* Meters)
    const tell = tellAudited(yield* SecurityLog)
    return makeAudit({
      line: yield* auditLog(options),
      secret: () => keys.addresses[0],
      now: (yield* Clock).now,
      observe: (row) => {
        count(row)
        tell(row)
      },
    })
  })

export const auditedActs = ({ told }: Audit) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      return actsLayer({ told, now: (yield* Clock).now, uuid: (yield* Ids).uuid })
    }),
  )
