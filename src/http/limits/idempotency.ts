/**
 * `Idempotency-Key` on any POST of a signed-in user but the submit of orders, whose keys are part of the order (contract C2): the
 * operation runs at most once, and a repeat gets the response of the first call.
 */
import { createHmac } from "node:crypto"
import { Cause, Deferred, Effect, Exit, Option, Schema } from "effect"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { IdempotencyKeyReused, IdempotentOutcomeUnknown, InvalidParameter } from "../../domain/errors/request.ts"
import type { TradingAccountId } from "../../domain/ids.ts"
import { OrderKey } from "../../domain/order/submit-request.ts"
import { type Principal, reaches } from "../../domain/user/user.ts"
import { LeanMap } from "../../foundation/lean.ts"
import type { IdempotentAnswers } from "../../store/idempotent-answers.ts"
import type { Route } from "../docs/reflect.ts"
import { JsonText } from "../edge/envelope.ts"
import type { AnswerOptions, AnyHandler, FailureOptions, HandlerInput, HttpReply } from "../edge/route.ts"

const isKey = Schema.is(OrderKey)
/** Headers of an answer to what an earlier call has done. */
export const REPLAYED = { "Idempotency-Replayed": "true" } as const

/** After these it is unknown whether the operation was performed; after any other failure it was not. */
const UNKNOWN: ReadonlySet<DomainError["_tag"]> = new Set([
  "StorageUnavailable",
  "DeadlineExceeded",
  "InternalDefect",
  "OutcomeUnknown",
  "VenueTimeout",
])

/** These say nothing about an earlier call: ask again. */
const LATER: ReadonlySet<DomainError["_tag"]> = new Set(["Busy", "ShuttingDown"])

type Outcome =
  | { readonly _tag: "Answered"; readonly answer: unknown; readonly options: AnswerOptions | undefined }
  | { readonly _tag: "Failed"; readonly error: DomainError; readonly options: FailureOptions | undefined }

type Input = HandlerInput<unknown, unknown>
type Reply = HttpReply<unknown, DomainError>
type Handle = (input: Input, reply: Reply) => void | Effect.Effect<void, DomainError>

/** One text for one meaning: fields in order, absent and null alike. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part)
            .filter(([, one]) => one !== null && one !== undefined)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : part,
  ) ?? ""

/** What the handler says in the end, whether it answers in its turn, later, or fails. */
const outcomeOf = (handle: Handle, input: Input, reply: Reply): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const said = yield* Deferred.make<Outcome>()
    const say = (outcome: Outcome): void => Deferred.unsafeDone(said, Exit.succeed(outcome))
    const fail = (error: DomainError, options?: FailureOptions): void => say({ _tag: "Failed", error, options })
    const running = handle(input, {
      ok: (answer, options) => say({ _tag: "Answered", answer, options }),
      fail,
      relay: fail,
      onDeadline: reply.onDeadline,
    })
    if (Effect.isEffect(running)) {
      const exit = yield* Effect.exit(running)
      if (Exit.isFailure(exit)) {
        const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
        // The caller reports the defect itself; the claim is left without an answer.
        if (failure === undefined) return yield* Effect.failCause(exit.cause as Cause.Cause<never>)
        fail(failure)
      }
    }
    return yield* Deferred.await(said)
  })

const textOf = (answer: unknown): string => (answer instanceof JsonText ? answer.text : JSON.stringify(answer))

const isLimited = ({ key }: Principal): boolean => key !== null && key.accounts !== null

/** Whether a body or an answer names an account that an API key is not for. */
const namesBeyond = (principal: Principal, told: unknown): boolean => {
  if (!isLimited(principal) || told === null || typeof told !== "object") return false
  if (Array.isArray(told)) return told.some((one) => namesBeyond(principal, one))
  const { tradingAccountId, traderAccountId } = told as Readonly<Record<string, unknown>>
  return [tradingAccountId, traderAccountId].some(
    (named) => typeof named === "string" && !reaches(principal, named.toLowerCase() as TradingAccountId),
  )
}

/** What was kept of a call that named no account may be about any of the user's. */
const tellsBeyond = (principal: Principal, answer: string): boolean =>
  isLimited(principal) && namesBeyond(principal, JSON.parse(answer))

/** Which operations take the header. */
export const takesIdempotencyKey = (route: Pick<Route, "method" | "template" | "access">): boolean =>
  route.method === "POST" &&
  ["read", "write", "admin"].includes(route.access) &&
  !route.template.endsWith("/tradeOrder/submit")

/** `secrets`: bodies may hold secrets, so their fingerprints are keyed; the first makes them, any of them knows them again. */
export const keepAnswers = (
  answers: IdempotentAnswers,
  secrets: () => ReadonlyArray<Uint8Array>,
  now: () => number,
) => {
  /** First calls at work in this process, by user, operation and key. */
  const working = new LeanMap<string, Deferred.Deferred<void>>()

  const once = (operation: string, knowsRepeats: boolean, handle: Handle, input: Input, reply: Reply, key: string) =>
    Effect.gen(function* () {
      const { userId } = input.principal
      const claim = { userId, operation, key }
      const name = `${userId}|${operation}|${key}`
      const meaning = canonical(input.body)
      const printBy = (secret: Uint8Array): string => createHmac("sha256", secret).update(meaning).digest("hex")
      const fingerprint = printBy(secrets()[0]!)
      const isSame = (kept: string): boolean =>
        kept === fingerprint || secrets().some((secret) => kept === printBy(secret))
      for (let other = working.get(name); other !== undefined; other = working.get(name)) yield* Deferred.await(other)
      const done = Deferred.unsafeMake<void>(yield* Effect.fiberId)
      working.set(name, done)
      const work = Effect.gen(function* () {
        const { claimId, kept } = yield* answers.claim(claim, fingerprint, now())
        const isAnother =
          kept !== null &&
          (!isSame(kept.fingerprint) || (kept.answer !== null && tellsBeyond(input.principal, kept.answer)))
        if (isAnother) return reply.fail(new IdempotencyKeyReused())
        if (kept !== null && kept.answer !== null) return reply.ok(new JsonText(kept.answer), { headers: REPLAYED })
        if (kept !== null && !knowsRepeats) return reply.fail(new IdempotentOutcomeUnknown())
        let isRefused = false
        const refused = (): void => {
          isRefused = true
        }
        const outcome = yield* outcomeOf(handle, { ...input, claim: { id: claimId, refused } }, reply)
        if (outcome._tag === "Answered") {
          // An answer that could not be kept is an answer all the same; a repeat is answered "outcome unknown".
          yield* Effect.ignore(answers.keep(claimId, claim, textOf(outcome.answer)))
          reply.ok(outcome.answer, outcome.options)
          return
        }
        const { error, options } = outcome
        if (UNKNOWN.has(error._tag) || (kept !== null && LATER.has(error._tag))) return reply.fail(error, options)
        // What refuses the repeat may not have been so then: the first call may have been done, and its key stays with its request.
        if (kept !== null && !isRefused) return reply.fail(new IdempotentOutcomeUnknown())
        yield* Effect.ignore(answers.release(claimId, claim))
        reply.fail(error, options)
      })
      yield* Effect.ensuring(
        work,
        Effect.sync(() => {
          working.delete(name)
          Deferred.unsafeDone(done, Exit.void)
        }),
      )
    })

  return (route: Route): Route => {
    const { resource, action } = route.operation
    if (!takesIdempotencyKey(route)) return route
    const handle = route.handler as unknown as Handle
    const keyed: Handle = (input, reply) => {
      const key = input.request.header("idempotency-key")
      // What was answered about another account of the user is not for a key of some: the handler refuses it.
      if (key === "" || namesBeyond(input.principal, input.body)) return handle(input, reply)
      if (!isKey(key))
        return reply.fail(
          new InvalidParameter({ parameter: "Idempotency-Key", reason: "1 to 64 of letters, digits and . _ : -" }),
        )
      return once(`${resource}.${action}`, route.knowsRepeats, handle, input, reply, key)
    }
    return { ...route, handler: keyed as unknown as AnyHandler }
  }
}
