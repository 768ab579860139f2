/**
 * Takes mails from the outbox and sends them, with growing pauses until they are accepted, refused for good, or too old. The one thing to know:
 * at least once. SMTP cannot query whether a server accepted a mail whose response was lost, so a crash between that response and our commit
 * sends it again, with the same Message-ID.
 */
import { Effect, Fiber, Queue, type Scope } from "effect"
import type { Letter } from "../domain/user/letter.ts"
import type { Notice } from "../foundation/log-line.ts"
import { keptLoop } from "../kernel/loop.ts"
import type { ClaimedMail, MailOutbox } from "../store/users/mail-outbox.ts"
import { type Carrier, MailRefused } from "./carriers.ts"
import { wording } from "./wording.ts"

export interface PostmanParts {
  readonly outbox: MailOutbox
  readonly carrier: Carrier
  /** Throws for what cannot be opened any more (a lost key). */
  readonly open: (mail: ClaimedMail) => { readonly to: string; readonly letter: Letter }
  /** The operator's page that takes tokens. */
  readonly appUrl: string | null
  readonly now: () => number
  readonly notice: Notice
  /** The pause after the first failure, in ms. Default 5 s. */
  readonly firstPauseMillis?: number
}

export interface Postman {
  /** Something was committed that is due now. */
  readonly wake: () => void
}

const AT_ONCE = 4
/** Longer than all timeouts of one delivery together: a mail is in one pair of hands. */
const LEASE_MILLIS = 60_000
const PAUSE_MAX_MILLIS = 3_600_000
const LOOK_MILLIS = 60_000
const NOTICE_MILLIS = 60_000
/** How long the end of the gateway waits for mails that are being handed over. */
const GRACE_MILLIS = 2_000

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200)

/** Works until the scope ends. */
export const startPostman = (parts: PostmanParts): Effect.Effect<Postman, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { outbox, carrier, now, notice, firstPauseMillis = 5_000 } = parts
    const bell = yield* Queue.sliding<void>(1)
    let noticedAt = Number.NEGATIVE_INFINITY

    const complain = (what: string, mail: ClaimedMail, error: string): void => {
      if (now() - noticedAt < NOTICE_MILLIS) return
      noticedAt = now()
      notice(what, { mailId: mail.mailId, kind: mail.kind, attempts: mail.attempts, error })
    }

    const handOver = async (mail: ClaimedMail): Promise<void> => {
      const { to, letter } = parts.open(mail)
      const { mailId, createdAt } = mail
      await carrier.deliver({ mailId, to, createdAt, ...wording(letter, parts.appUrl) })
    }

    const deliver = (mail: ClaimedMail) =>
      Effect.gen(function* () {
        if (mail.expiresAt <= now()) {
          complain("a mail was discarded: too old", mail, "expired")
          return yield* outbox.failed(mail.mailId, now(), "expired")
        }
        const trouble = yield* Effect.promise(() =>
          handOver(mail).then(
            () => null,
            (error: unknown) => error,
          ),
        )
        if (trouble === null) return yield* outbox.sent(mail.mailId, now())
        const error = describe(trouble)
        if (trouble instanceof MailRefused) {
          complain("a mail was refused", mail, error)
          return yield* outbox.failed(mail.mailId, now(), error)
        }
        complain("a mail could not be sent and will be retried", mail, error)
        const pause = Math.min(firstPauseMillis * 2 ** (mail.attempts - 1), PAUSE_MAX_MILLIS)
        return yield* outbox.later(mail.mailId, now() + pause, error)
        // Or one that was taken in the last moment would be sent again by the next start.
      }).pipe(Effect.uninterruptible)

    /** Until mails may be due, unless the bell rings. */
    let restMillis = 0
    const round = Effect.gen(function* () {
      const due = yield* outbox.claim(now(), AT_ONCE, LEASE_MILLIS)
      yield* Effect.forEach(due, deliver, { concurrency: AT_ONCE, discard: true })
      restMillis = 0
      if (due.length > 0) return
      const next = yield* outbox.waiting
      restMillis = Math.min(LOOK_MILLIS, next === null ? LOOK_MILLIS : Math.max(1, next.nextAt - now()))
    })
    const rest = Effect.suspend(() =>
      restMillis === 0 ? Effect.void : Effect.raceFirst(Queue.take(bell), Effect.sleep(restMillis)),
    )

    // Not of the scope: what is being handed over has its time of grace.
    const working = yield* Effect.forkDaemon(keptLoop({ name: "postman", awaits: rest, round }))
    yield* Effect.addFinalizer(() =>
      Fiber.interrupt(working).pipe(
        Effect.interruptible,
        Effect.timeoutOption(GRACE_MILLIS),
        Effect.zipRight(Effect.sync(carrier.close)),
      ),
    )
    return { wake: () => void Queue.unsafeOffer(bell, undefined) }
  })
