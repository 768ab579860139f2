/**
 * Passwords: argon2id with the parameters of OWASP's minimum. Hashing shares libuv's four threads with DNS and files, so at most two run at once
 * and at most 64 wait; beyond that the caller is told to retry.
 */
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { hash, verify } from "@node-rs/argon2"
import { Effect } from "effect"
import { RateLimited } from "../../domain/errors/limits.ts"
import { WeakPassword } from "../../domain/errors/user.ts"

// Which passwords are refused (security A.1): too short, too long, commonly used, or derived from public facts about the user. No rules
// about kinds of characters: they make passwords harder to remember, not to guess.

const LENGTH_MIN = 8
const LENGTH_MAX = 128
const BYTES_MAX = 512
/** Besides a known word a password needs this many other characters. */
const OTHERS_MIN = 5
const WORD_MIN = 4

/** Words of this service; those of the user come with the call. */
const OUR_WORDS = ["venue-gateway", "venuegateway", "gateway", "trading"]

const readCommonPasswords = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import("@zxcvbn-ts/language-common")
  return new Set(dictionary["passwords-common"].filter((word) => word.length >= LENGTH_MIN))
}

let common: Promise<ReadonlySet<string>> | undefined

/** Leaked passwords by frequency, of those that are long enough; 18 thousand of them take 2 MB, once for a process. */
export const loadCommonPasswords = (): Promise<ReadonlySet<string>> => {
  common ??= readCommonPasswords()
  return common
}

const isOneTune = (characters: ReadonlyArray<string>): boolean => {
  const steps = new Set(characters.slice(1).map((it, i) => it.codePointAt(0)! - characters[i]!.codePointAt(0)!))
  // aaaaaaaa, abcdefgh, 87654321.
  return steps.size === 1 && Math.abs([...steps][0]!) <= 1
}

/** Words of an address that its owner's password must not consist of: `ada.lovelace@example.com` has four. */
export const wordsOf = (email: string): ReadonlyArray<string> => {
  const [local = "", domain = ""] = email.toLowerCase().split("@")
  return [email.toLowerCase(), local, ...local.split(/[^a-z0-9]+/), domain, ...domain.split(".").slice(0, -1)]
}

/** Reasons why a password is refused; empty when it may be used. Counts code points, as a user does. */
export const weaknesses = (
  password: string,
  common: ReadonlySet<string>,
  context: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const characters = [...password]
  if (characters.length < LENGTH_MIN) return [`length: at least ${LENGTH_MIN} characters`]
  if (characters.length > LENGTH_MAX || Buffer.byteLength(password) > BYTES_MAX)
    return [`length: at most ${LENGTH_MAX} characters`]
  const lower = password.toLowerCase()
  if (common.has(lower) || isOneTune(characters)) return ["common: among the first passwords an attacker tries"]
  const known = [...OUR_WORDS, ...context].some(
    (word) => word.length >= WORD_MIN && lower.includes(word) && characters.length - [...word].length < OTHERS_MIN,
  )
  return known ? ["context: little more than your e-mail address or the name of the service"] : []
}

// Algorithm 2 is argon2id; the enum of the package is ambient and cannot be read under isolatedModules.
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** On two cores the second one is left to orders: with both, their slowest waited four times as long while many logged in. */
const CONCURRENT = availableParallelism() > 2 ? 2 : 1
const WAITING_MAX = 64

export interface Passwords {
  /** `context`: words that the password must not consist of. */
  readonly hash: (password: string, context: ReadonlyArray<string>) => Effect.Effect<string, WeakPassword | RateLimited>
  /** Of a password that was right, whatever is thought of it now. */
  readonly rehash: (password: string) => Effect.Effect<string, RateLimited>
  /** Whether it was hashed with less work than a new one is. */
  readonly isWeak: (stored: string) => boolean
  /** The hash of an unknown password. */
  readonly nobodys: Effect.Effect<string, RateLimited>
  /** With `stored` null (unknown user) the same work is done and the answer is false: so that the duration does not reveal which users exist. */
  readonly verify: (password: string, stored: string | null) => Effect.Effect<boolean, RateLimited>
  readonly waiting: () => number
}

const COSTS = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/

/** Of another algorithm or version, or with less memory or fewer passes than today's. */
const isWeak = (stored: string): boolean => {
  const [, memory, passes] = COSTS.exec(stored) ?? []
  return !(Number(memory) >= PARAMETERS.memoryCost && Number(passes) >= PARAMETERS.timeCost)
}

let decoy: Promise<string> | undefined

/** What the passwords of unknown users are compared with: no user has it. */
const decoyHash = (): Promise<string> => {
  decoy ??= hash("no password of anybody", PARAMETERS)
  return decoy
}

/** What passwords need before the first of them, once for a process: a tenth of a second. */
export const preparePasswords = async (): Promise<void> => {
  await Promise.all([loadCommonPasswords(), decoyHash()])
}

export const makePasswords: Effect.Effect<Passwords> = Effect.gen(function* () {
  const gate = yield* Effect.makeSemaphore(CONCURRENT)
  const common = yield* Effect.promise(loadCommonPasswords)
  const decoy = yield* Effect.promise(decoyHash)
  let waiting = 0
  const gated = <A>(work: () => Promise<A>): Effect.Effect<A, RateLimited> =>
    Effect.suspend(() => {
      if (waiting >= WAITING_MAX) return new RateLimited({ retryAfterSeconds: 1 })
      waiting++
      return gate
        .withPermits(1)(Effect.promise(work))
        .pipe(
          Effect.ensuring(
            Effect.sync(() => {
              waiting--
            }),
          ),
        )
    })
  return {
    hash: (password, context) => {
      const reasons = weaknesses(password, common, context)
      return reasons.length > 0 ? new WeakPassword({ reasons }) : gated(() => hash(password, PARAMETERS))
    },
    rehash: (password) => gated(() => hash(password, PARAMETERS)),
    isWeak,
    nobodys: gated(() => hash(randomBytes(32), PARAMETERS)),
    verify: (password, stored) =>
      // Longer input than any stored password can have is cut before hashing: work stays bounded, the answer stays no.
      gated(() => verify(stored ?? decoy, password.slice(0, 600))).pipe(Effect.map((same) => same && stored !== null)),
    waiting: () => waiting,
  }
})
