/** Users beside their sessions: the audit of what they do, and the mails that they are sent. */
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { LetterBox } from "../auth/letter-box.ts"
import { openRequestLog, type RequestLog } from "../http/request-log.ts"
import { folderCarrier, smtpCarrier } from "../mail/carriers.ts"
import { startPostman } from "../mail/postman.ts"
import { Clock } from "../ports/clock.ts"
import { MailOutbox } from "../store/mail-outbox.ts"
import type { GatewayOptions } from "./options.ts"

/** Always kept; each line is on its way to the disk when the act is answered. */
export const auditLog = ({ settings, notice }: GatewayOptions): Effect.Effect<RequestLog, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      openRequestLog({
        directory: join(settings.dataDir, "logs"),
        name: "audit",
        gatherMillis: 0,
        onTrouble: (error) => notice("the audit log cannot be written", { error: error.message }),
      }),
    ),
    (log) => Effect.promise(() => log.close()),
  )

export const mails = ({ settings, notice }: GatewayOptions) =>
  Effect.gen(function* () {
    const { smtp, mailFrom, dataDir, appUrl } = settings
    const letters = yield* LetterBox
    const { now } = yield* Clock
    const outbox = yield* MailOutbox
    const carrier = smtp === null ? folderCarrier(join(dataDir, "outbox"), mailFrom) : smtpCarrier(smtp, mailFrom)
    const postman = yield* startPostman({ outbox, carrier, open: letters.open, appUrl, now, notice })
    letters.onPosted(postman.wake)
  })
