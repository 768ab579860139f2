/**
 * Puts mails into the outbox, encrypted, inside the transaction that causes them. The one thing to know: the caller that adds one calls `posted`
 * after the commit, or it waits until the postman's next poll.
 */
import { Context, Effect, Layer } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { Letter } from "../../domain/user/letter.ts"
import { Clock } from "../../ports/clock.ts"
import { Ids } from "../../ports/ids.ts"
import { MailOutbox, type WaitingMail } from "../../store/users/mail-outbox.ts"
import type { Keys } from "../keys/keys.ts"
import { type Envelope, open, placeIn, seal } from "../keys/secrets.ts"

export interface OpenedLetter {
  readonly to: string
  readonly letter: Letter
}

export class LetterBox extends Context.Tag("auth/LetterBox")<
  LetterBox,
  {
    /** `mailId`: of what is told once: a second one of the same id is none. Default: a new one. */
    readonly drop: (
      to: string,
      letter: Letter,
      expiresAt: number,
      mailId?: string,
    ) => Effect.Effect<void, StorageUnavailable>
    readonly posted: () => void
    readonly onPosted: (listener: () => void) => void
    /** Throws for one whose key is lost. */
    readonly open: (mail: WaitingMail) => OpenedLetter
  }
>() {}

const place = (mailId: string, kind: string) => placeIn("mail_outbox", mailId, kind)

export const letterBoxLayer = (keys: Keys) =>
  Layer.effect(
    LetterBox,
    Effect.gen(function* () {
      const clock = yield* Clock
      const ids = yield* Ids
      const outbox = yield* MailOutbox
      const listeners: Array<() => void> = []
      return LetterBox.of({
        drop: (to, letter, expiresAt, mailId = ids.uuid()) =>
          Effect.suspend(() => {
            const kind = letter._tag
            const content: OpenedLetter = { to, letter }
            const envelope = seal(keys.encryption, place(mailId, kind), Buffer.from(JSON.stringify(content)))
            return outbox.insert({ mailId, kind, envelope, createdAt: clock.now(), expiresAt }, envelope.kid)
          }),
        posted: () => {
          for (const listener of listeners) listener()
        },
        onPosted: (listener) => {
          listeners.push(listener)
        },
        open: ({ mailId, kind, envelope }) =>
          JSON.parse(open(keys.encryption, place(mailId, kind), envelope as Envelope).toString("utf8")) as OpenedLetter,
      })
    }),
  ).pipe(Layer.provideMerge(MailOutbox.Default))
