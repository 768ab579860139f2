/** Users apart from their sessions: the mails sent to them. */
import { join } from "node:path"
import { Effect } from "effect"
import { LetterBox } from "../auth/user/letter-box.ts"
import { folderCarrier, smtpCarrier } from "../mail/carriers.ts"
import { startPostman } from "../mail/postman.ts"
import { Clock } from "../ports/clock.ts"
import { MailOutbox } from "../store/users/mail-outbox.ts"
import type { GatewayOptions } from "./options.ts"

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
