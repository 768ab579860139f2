/**
 * What operators do with users from the command line. The one thing to know: each command is one transaction that leaves word for a
 * running gateway, which follows within a second; without one it counts from the next start.
 */
import { Effect } from "effect"
import { InvalidParameter, type StorageUnavailable, UserNotFound } from "../domain/errors.ts"
import type { Permission, User } from "../domain/user.ts"
import { OneTimeTokens } from "../store/one-time-tokens.ts"
import { SessionRows } from "../store/sessions.ts"
import { Transactions } from "../store/transactions.ts"
import { UserChanges } from "../store/user-changes.ts"
import { UserNews } from "../store/user-news.ts"
import { Users } from "../store/users.ts"

export type Command =
  | { readonly _tag: "Show"; readonly email: string }
  | { readonly _tag: "Grant"; readonly email: string; readonly permission: Permission }
  | { readonly _tag: "Revoke"; readonly email: string; readonly permission: Permission }
  | { readonly _tag: "Ban"; readonly email: string; readonly reason: string | null }
  | { readonly _tag: "Unban"; readonly email: string }
  | { readonly _tag: "SignOut"; readonly email: string }

export const USAGE = `usage: npm run admin -- COMMAND

  user EMAIL                       show a user
  grant EMAIL read|write|admin     give a right, with all that it implies
  revoke EMAIL read|write|admin    take a right, with all that imply it; ends the user's sessions
  ban EMAIL [REASON]               end the user's sessions and refuse logins
  unban EMAIL                      let the user log in again
  sign-out EMAIL                   end the user's sessions
  migrate [--for ROLE]             bring the database to this version as its owner; ROLE: a gateway's, without DDL
  trading-mode                     show what the installation takes from clients
  trading-mode MODE [REASON]       set it: online, post_only, cancel_only, maintenance

Works on the database of DATABASE_URL, or on the embedded one in DATA_DIR, whether the gateway runs or not.
`

/** Each implies those before it. */
const RANKS: ReadonlyArray<Permission> = ["read", "write", "admin"]

const permissionOf = (text: string | undefined): Permission | undefined => RANKS.find((it) => it === text)

/** Undefined: the words are no command. */
export const parseCommand = (words: ReadonlyArray<string>): Command | undefined => {
  const [name, email, argument, ...more] = words
  if (name === undefined || email === undefined || !email.includes("@")) return undefined
  const permission = permissionOf(argument)
  const isBare = argument === undefined
  if (name === "ban") return { _tag: "Ban", email, reason: isBare ? null : [argument, ...more].join(" ").slice(0, 500) }
  if (more.length > 0) return undefined
  if (name === "grant" && permission !== undefined) return { _tag: "Grant", email, permission }
  if (name === "revoke" && permission !== undefined) return { _tag: "Revoke", email, permission }
  if (name === "user" && isBare) return { _tag: "Show", email }
  if (name === "unban" && isBare) return { _tag: "Unban", email }
  if (name === "sign-out" && isBare) return { _tag: "SignOut", email }
  return undefined
}

const granted = (held: ReadonlyArray<Permission>, permission: Permission): ReadonlyArray<Permission> =>
  RANKS.filter((it) => held.includes(it) || RANKS.indexOf(it) <= RANKS.indexOf(permission))

const withheld = (held: ReadonlyArray<Permission>, permission: Permission): ReadonlyArray<Permission> =>
  RANKS.filter((it) => held.includes(it) && RANKS.indexOf(it) < RANKS.indexOf(permission))

const change = (command: Exclude<Command, { _tag: "Show" }>, user: User, now: number) =>
  Effect.gen(function* () {
    const { userId, permissions } = user
    const changes = yield* UserChanges
    const rows = yield* SessionRows
    const endSessions = (reason: string) => rows.revokeOf(userId, null, reason, now)
    switch (command._tag) {
      case "Grant":
        yield* changes.setPermissions(userId, granted(permissions, command.permission), now)
        break
      case "Revoke":
        yield* changes.setPermissions(userId, withheld(permissions, command.permission), now)
        yield* endSessions("a right was taken away")
        break
      case "Ban":
        yield* changes.ban(userId, command.reason, now)
        yield* (yield* OneTimeTokens).wipe(userId)
        yield* endSessions("banned")
        break
      case "Unban":
        yield* changes.unban(userId, now)
        break
      case "SignOut":
        yield* endSessions("signed out by an operator")
        break
    }
    yield* (yield* UserNews).leave(userId)
  })

/** The user as it is afterwards. */
export const runCommand = (
  command: Command,
  now: number,
): Effect.Effect<
  User,
  UserNotFound | InvalidParameter | StorageUnavailable,
  OneTimeTokens | SessionRows | Transactions | UserChanges | UserNews | Users
> =>
  Effect.gen(function* () {
    const users = yield* Users
    const { all } = yield* Transactions
    if (!(yield* (yield* UserNews).isThere))
      return yield* new InvalidParameter({
        parameter: "database",
        reason: "it has not been used by this version of the gateway yet: start the gateway once",
      })
    return yield* all(
      Effect.gen(function* () {
        const found = yield* users.lockByEmail(command.email)
        if (found === null) return yield* new UserNotFound()
        if (command._tag !== "Show") yield* change(command, found.user, now)
        return (yield* users.findById(found.user.userId)) ?? found.user
      }),
    )
  })
