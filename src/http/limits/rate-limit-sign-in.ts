/**
 * Rate limits for unauthenticated callers (logins, sign-ups, mails, refreshes) and for what venues count (instrument syncs, credential checks).
 * The one thing to know: they apply before a password is checked, and none of them locks an owner out (security A.3, scoreboard S9): the bucket
 * that strangers can empty from many addresses does not count where the user has a session or has logged in before.
 */
import { Effect } from "effect"
import { readRefreshToken } from "../../auth/session/sessions.ts"
import { normalised } from "../../auth/user/email-address.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { LoginRateLimited, RateLimited } from "../../domain/errors/limits.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { addressKey, type RateLimits } from "../../domain/user/rate-limits.ts"
import type { Principal } from "../../domain/user/user.ts"
import { perMinute, type TokenBucket, TokenBuckets } from "../../foundation/token-bucket.ts"
import { refreshTokenOf } from "../console/cookie.ts"
import type { Route } from "../docs/reflect.ts"
import type { AnyHandler, HandlerInput, HttpReply } from "../edge/route.ts"
import { type LimitedCall, refusal } from "./rate-limit.ts"

export interface SignInLimitParts {
  readonly limits: RateLimits
  readonly monotonic: () => number
  /** Addresses where the user of this e-mail address, if there is one, has sessions that were not ended. */
  readonly addressesOf: (email: string) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** Why the user may sync no such venue: told before anything is counted. */
  readonly syncFault: (venue: string, principal: Principal) => DomainError | undefined
  /** What a call weighs beyond its first 1, of its user's bucket. */
  readonly charge: (call: LimitedCall, weight: number) => DomainError | undefined
  /** It comes from this machine itself, and nothing says that a proxy on it passed it on. */
  readonly isLocal: (call: { readonly ip: string; readonly header: (name: string) => string }) => boolean
  /** A security event: at most one a minute for each bucket. */
  readonly onLimited: (event: {
    readonly bucket: string
    readonly call: LimitedCall & { readonly requestId: string; readonly header: (name: string) => string }
    readonly email: string | undefined
  }) => void
}

type Body = Readonly<Record<"email" | "refreshToken" | "venue" | "currentPassword" | "credentialIds", unknown>>
type Caller = Parameters<SignInLimitParts["onLimited"]>[0]["call"]
type Reply = HttpReply<unknown, DomainError>
type Input = HandlerInput<unknown, Body>
type Handle = (input: Input, reply: Reply) => void | Effect.Effect<void, DomainError>
type Limit = (handle: Handle) => Handle

/** Of the user's bucket, 1 of it with every call, the rest once it is known that the venue will be asked. */
const SYNC_WEIGHT = 50
const KNOWN_MAX = 10_000
/** As many as may wait for their password check: a later attempt would be refused only after a database read. */
const LOGINS_AT_ONCE = 64

/** Requests with a typing error: no password was checked and nothing was created. */
const FREE: ReadonlySet<DomainError["_tag"]> = new Set([
  "WeakPassword",
  "InvalidEmail",
  "InvalidParameter",
  "SignupDisabled",
  "SyncRunning",
  "Forbidden",
  "InsufficientPermissions",
])

const asLogin = ({ bucket = "login", limit = 0, remaining = 0, resetMs = 0, ...rest }: RateLimited) => {
  const { windowSeconds, burst, retryAfterSeconds } = rest
  return new LoginRateLimited({ bucket, limit, windowSeconds, burst, remaining, resetMs, retryAfterSeconds })
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

export const limitSignIn = (parts: SignInLimitParts) => {
  const { limits, monotonic, addressesOf, onLimited } = parts
  const told = new TokenBuckets(perMinute(1))
  /** Addresses with a successful login, even if that session has ended; the oldest are dropped first. */
  const known = new Set<string>()

  const tell = (name: string, key: string, call: Caller, email?: string): void => {
    const now = monotonic()
    if (told.of(`${name}|${key}`, now).take(now) === 0) onLimited({ bucket: name, call, email })
  }

  const take = (name: string, buckets: TokenBuckets, key: string, call: Caller, email?: string, tokens = 1) => {
    const now = monotonic()
    const bucket = buckets.of(key, now)
    const refused = refusal(bucket, name, tokens, now)
    call.limit = bucket
    call.limitName = name
    if (refused !== undefined) tell(name, key, call, email)
    return { bucket, refused }
  }

  /** Takes from all of them, or from none: an attempt that one of them refuses must not empty the others. */
  const takeAll = (
    claims: ReadonlyArray<readonly [name: string, buckets: TokenBuckets, key: string]>,
    call: Caller,
    email?: string,
  ) => {
    const taken: Array<TokenBucket> = []
    const giveBack = (): void => {
      for (const bucket of taken) bucket.giveBack(monotonic())
    }
    for (const [name, buckets, key] of claims) {
      const { bucket, refused } = take(name, buckets, key, call, email)
      if (refused !== undefined) {
        giveBack()
        return { refused, giveBack }
      }
      taken.push(bucket)
    }
    return { refused: undefined, giveBack }
  }

  /** One bucket, by a key of the request; without a key the request is limited as any other. */
  const by = (name: keyof RateLimits & string, keyOf: (call: Caller, body: Body) => string | undefined): Limit => {
    const buckets = new TokenBuckets(limits[name] as RateLimits["signup"])
    return (handle) => (input, reply) => {
      const call = input.request as unknown as Caller
      const key = keyOf(call, input.body)
      if (key === undefined) return handle(input, reply)
      const { bucket, refused } = take(name, buckets, key, call)
      if (refused !== undefined) return reply.fail(refused)
      return givingBack(() => bucket.giveBack(monotonic()), handle, input, reply)
    }
  }

  /** The user's share of a venue's bucket, then the venue's: who has used up the one leaves the other to the rest. */
  const sync: Limit = (handle) => {
    const ofVenue = new TokenBuckets(limits.instrumentSync)
    const ofUser = new TokenBuckets(limits.instrumentSyncUser)
    return (input, reply) => {
      const call = input.request as unknown as Caller
      const fault = parts.syncFault(text(input.body.venue), input.principal)
      if (fault !== undefined) return reply.fail(fault)
      const dear = parts.charge(call, SYNC_WEIGHT - 1)
      if (dear !== undefined) return reply.fail(dear)
      // The aliases of a test venue are one venue.
      const venue = text(input.body.venue)
        .toUpperCase()
        .replace(/_(SANDBOX|PAPER)$/, "_UAT")
      const share = ["instrumentSyncUser", ofUser, `${call.principal?.userId}|${venue}`] as const
      const { refused, giveBack } = takeAll([share, ["instrumentSync", ofVenue, venue]], call)
      return refused === undefined ? givingBack(giveBack, handle, input, reply) : reply.fail(refused)
    }
  }

  /** Each credential is a signed question to the venue, from the one budget of all. */
  const proofs = new TokenBuckets(limits.credentialProofs)
  const proving =
    (countOf: (body: Body) => number): Limit =>
    (handle) =>
    (input, reply) => {
      const call = input.request as unknown as Caller
      const count = countOf(input.body)
      const key = call.principal?.userId
      if (count === 0 || key === undefined) return handle(input, reply)
      const { refused } = take("credentialProofs", proofs, key, call, undefined, count)
      return refused === undefined ? handle(input, reply) : reply.fail(refused)
    }

  /** What was asked for by mistake takes nothing. */
  const givingBack = (giveBack: () => void, handle: Handle, input: Input, reply: Reply): ReturnType<Handle> => {
    const learn = (error: DomainError): void => {
      if (FREE.has(error._tag)) giveBack()
    }
    const running = handle(input, {
      ...reply,
      fail: (error, options) => {
        learn(error)
        reply.fail(error, options)
      },
      relay: (error) => {
        learn(error)
        reply.relay(error)
      },
    })
    return Effect.isEffect(running) ? Effect.tapError(running, (error) => Effect.sync(() => learn(error))) : running
  }

  /** A session's renewals, counted once they are proven: a guessed or known session id takes nothing from its owner's bucket. */
  const refreshes = new TokenBuckets(limits.refresh)
  const refreshBy = (tokenOf: (input: Input) => string): Limit => {
    const buckets = refreshes
    return (handle) => (input, reply) => {
      const call = input.request as unknown as Caller
      const key = readRefreshToken(tokenOf(input))?.sessionId
      if (key === undefined) return handle(input, reply)
      const count = () => take("refresh", buckets, key, call).refused
      if (buckets.find(key)?.remaining(monotonic()) === 0) {
        const refused = count()
        if (refused !== undefined) return reply.fail(refused)
      }
      const running = handle(input, {
        ...reply,
        ok: (answer, options) => {
          count()
          reply.ok(answer, options)
        },
      })
      if (!Effect.isEffect(running)) return running
      return Effect.tapError(running, ({ _tag }) =>
        Effect.sync(() => {
          if (_tag !== "InvalidRefreshToken") count()
        }),
      )
    }
  }

  /** The same for every door that takes a password. */
  const login = ((): Limit => {
    let running = 0
    const counted = (work: Effect.Effect<void, DomainError>): Effect.Effect<void, DomainError> => {
      running++
      return Effect.ensuring(
        work,
        Effect.sync(() => {
          running--
        }),
      )
    }
    const ofAddress = new TokenBuckets(limits.loginAddress)
    const ofBoth = new TokenBuckets(limits.login)
    const ofBothInLongRun = new TokenBuckets(limits.loginHour)
    const ofAccount = new TokenBuckets(limits.loginAccount)
    return (handle) => (input, reply) => {
      if (running >= LOGINS_AT_ONCE) return reply.fail(new RateLimited({ retryAfterSeconds: 1 }))
      const call = input.request as unknown as Caller
      const email = normalised(text(input.body.email))
      const address = addressKey(call.ip)
      const both = `${address}|${email}`
      const remember: Reply = {
        ...reply,
        ok: (answer, options) => {
          if (known.size >= KNOWN_MAX) for (const oldest of known) if (known.delete(oldest)) break
          known.add(both)
          reply.ok(answer, options)
        },
      }
      const isKnown = known.has(both)
      const own = [["loginHour", ofBothInLongRun, both] as const, ["login", ofBoth, both] as const]
      // What others try from the same address is not the fault of who has logged in there.
      const claims = isKnown ? own : [["loginAddress", ofAddress, address] as const, ...own]
      const { refused, giveBack } = takeAll(claims, call, email)
      if (refused !== undefined) return reply.fail(asLogin(refused))
      const now = monotonic()
      const exhausted = isKnown ? undefined : refusal(ofAccount.of(email, now), "loginAccount", 1, now)
      const looked = (): Effect.Effect<void, DomainError> => handle(input, remember) ?? Effect.void
      if (exhausted === undefined) return counted(Effect.suspend(looked))
      return counted(
        Effect.flatMap(addressesOf(email), (addresses) => {
          if (addresses.some((one) => addressKey(one) === address)) return looked()
          giveBack()
          tell("loginAccount", email, call, email)
          return asLogin(exhausted)
        }),
      )
    }
  })()

  // A stolen token is no licence to guess the password. By user, apart from the logins that strangers try.
  const guessed = by("loginAccount", ({ principal }, body) =>
    text(body.currentPassword) === "" ? undefined : principal?.userId,
  )
  const ofAddress = ({ ip }: Caller): string => addressKey(ip)
  // A script on the machine of the gateway may sign up its users; behind a proxy that adds no header all the world comes from there.
  const [signupLocal, signupOther] = [by("signupLocal", () => "local"), by("signup", ofAddress)]
  const signup: Limit = (handle) => {
    const [local, other] = [signupLocal(handle), signupOther(handle)]
    return (input, reply) => (parts.isLocal(input.request as unknown as Caller) ? local : other)(input, reply)
  }
  const verify = by("verify", ofAddress)
  // The console's doors count in the buckets of those that they stand beside.
  const byOperation: Readonly<Record<string, Limit>> = {
    "auth.login": login,
    "auth.signup": signup,
    "auth.recover": by("recover", ofAddress),
    "auth.resend": by("resend", ofAddress),
    "auth.verify": verify,
    "auth.refresh": refreshBy(({ body }) => text(body.refreshToken)),
    "console.open": login,
    "console.signup": signup,
    "console.verify": verify,
    "console.reauthenticate": guessed,
    "console.renew": refreshBy(({ request }) => refreshTokenOf(request)),
    "auth.update": guessed,
    "auth.reauthenticate": guessed,
    "market.instrumentSync": sync,
    "credential.create": proving(() => 1),
    "tradingAccount.connect": proving(({ credentialIds }) => (Array.isArray(credentialIds) ? credentialIds.length : 0)),
  }

  return (route: Route): Route => {
    const limit = byOperation[`${route.operation.resource}.${route.operation.action}`]
    if (limit === undefined) return route
    return { ...route, handler: limit(route.handler as unknown as Handle) as unknown as AnyHandler }
  }
}
