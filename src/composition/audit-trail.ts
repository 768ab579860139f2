/** The one audit trail of the process: each row is a line of the audit log, a count, and, where attackers are watched for, an event. */
import { Effect } from "effect"
import { makeAudit } from "../auth/audit.ts"
import { tellAudited } from "../auth/audited-events.ts"
import { countAudited } from "../auth/auth-meters.ts"
import type { Keys } from "../auth/keys.ts"
import { Clock } from "../ports/clock.ts"
import { Meters } from "../ports/meters.ts"
import { SecurityLog } from "../ports/security-log.ts"
import type { GatewayOptions } from "./options.ts"
import { auditLog } from "./request-logs.ts"

export const auditTrail = (options: GatewayOptions, keys: Keys) =>
  Effect.gen(function* () {
    const count = countAudited(yield* Meters)
    const tell = tellAudited(yield* SecurityLog)
    return makeAudit({
      line: yield* auditLog(options),
      secret: keys.cursor,
      now: (yield* Clock).now,
      observe: (row) => {
        count(row)
        tell(row)
      },
    })
  })
