/** Everything that users and admins do with accounts of users, as one layer: sessions, signing in, proofs by mail, changes, bans. */
import { Context, Effect, Layer, Schedule } from "effect"
import type { Settings } from "../config.ts"
import type { UserId } from "../domain/ids.ts"
import { Clock } from "../ports/clock.ts"
import { MailOutbox } from "../store/mail-outbox.ts"
import { OneTimeTokens } from "../store/one-time-tokens.ts"
import { SessionRows } from "../store/sessions.ts"
import { Transactions } from "../store/transactions.ts"
import { UserChanges } from "../store/user-changes.ts"
import { UserNews } from "../store/user-news.ts"
import { Users } from "../store/users.ts"
import { makeAudit } from "./audit.ts"
import { type Bans, makeBans } from "./bans.ts"
import type { Keys } from "./keys.ts"
import { letterBoxLayer } from "./letter-box.ts"
import { makePasswords } from "./passwords.ts"
import { makeProofs, type Proofs } from "./proofs.ts"
import { makeSessions, Sessions } from "./sessions.ts"
import { makeSignIn, type SignIn } from "./sign-in.ts"
import { makeUserParts } from "./user-parts.ts"
import { makeUserUpdates, type UserUpdates } from "./user-update.ts"

export class UserActs extends Context.Tag("auth/UserActs")<
  UserActs,
  { readonly signIn: SignIn; readonly proofs: Proofs; readonly updates: UserUpdates; readonly bans: Bans }
>() {}

export interface UserActsOptions {
  readonly settings: Settings
  readonly keys: Keys
  /** Takes one line of the audit trail and never throws; null: none is kept. */
  readonly audit: ((line: string) => void) | null
}

/** A change by the command line is in force at most so much later. */
const NEWS_MILLIS = 500
/** Longer than any access token lives: sessions that ended before are in nobody's memory. */
const ENDED_MILLIS = 2 * 3_600_000

/** What the command line changed: rights and ends of sessions are read again. */
const followNews = Effect.gen(function* () {
  const { now } = yield* Clock
  const users = yield* Users
  const rows = yield* SessionRows
  const sessions = yield* Sessions
  const news = yield* UserNews
  /** Taken and not yet looked at: a database that went away in between costs time, not news. */
  const waiting = new Set<UserId>()
  const look = Effect.gen(function* () {
    for (const userId of yield* news.take) waiting.add(userId)
    for (const userId of waiting) {
      const ended = yield* rows.revokedSince(userId, now() - ENDED_MILLIS)
      const user = yield* users.findById(userId)
      sessions.ended(ended)
      if (user !== null) sessions.renew(user)
      waiting.delete(userId)
    }
  })
  yield* look.pipe(
    Effect.catchTag("StorageUnavailable", () => Effect.void),
    // tidy: no actor restarts this loop, and a ban that is not followed is worse than a line in the log each time
    Effect.catchAllDefect((defect) => Effect.logError("news of users could not be followed", defect)),
    Effect.repeat(Schedule.spaced(NEWS_MILLIS)),
    Effect.forkScoped,
  )
})

/** Tokens, mails and sessions that are over are not kept. */
const forgetOld = Effect.gen(function* () {
  const { now } = yield* Clock
  const tokens = yield* OneTimeTokens
  const outbox = yield* MailOutbox
  const rows = yield* SessionRows
  const kinds = [tokens, outbox, rows]
  yield* Effect.suspend(() => Effect.forEach(kinds, (kind) => kind.forgetOld(now()), { discard: true })).pipe(
    Effect.catchTag("StorageUnavailable", () => Effect.void),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.forkScoped,
  )
})

export const userActsLayer = ({ settings, keys, audit: line }: UserActsOptions) => {
  const repositories = Layer.mergeAll(
    OneTimeTokens.Default,
    Transactions.Default,
    UserChanges.Default,
    UserNews.Default,
  )
  return Layer.scopedContext(
    Effect.gen(function* () {
      const { now } = yield* Clock
      const audit = makeAudit({ line, secret: keys.cursor, now })
      const sessions = yield* makeSessions(keys, `venue-gateway/${settings.environment}`, audit)
      const passwords = yield* makePasswords
      const parts = yield* makeUserParts(settings, passwords, audit).pipe(Effect.provideService(Sessions, sessions))
      yield* followNews.pipe(Effect.provideService(Sessions, sessions))
      yield* forgetOld
      const acts = UserActs.of({
        signIn: makeSignIn(parts),
        proofs: makeProofs(parts),
        updates: makeUserUpdates(parts),
        bans: makeBans(parts),
      })
      return Context.make(Sessions, sessions).pipe(Context.add(UserActs, acts))
    }),
  ).pipe(Layer.provide(repositories), Layer.provideMerge(letterBoxLayer(keys)))
}
