/**
 * What an endpoint declares beside its schemas (who may call it, how long it may take) and the types of its handler: a missing
 * endpoint, a wrong body field, a wrong answer and an undeclared failure are compile errors.
 */

import type { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Context, Effect, Schema } from "effect"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { DeadlineExceeded } from "../../domain/errors/service.ts"
import type { Reply } from "../../domain/reply.ts"
import type { Principal, SessionPrincipal } from "../../domain/user/user.ts"
import type { IsForSessions } from "../key-scopes.ts"
import type { RouteCost } from "../limits/rate-limit.ts"
import type { JsonText, Operation, Pagination } from "./envelope.ts"

// Small bridges between actors' replies and handlers.

/** A message's answer as an Effect, for handlers that need it to go on. Those that only pass it on hand the reply over instead. */
export const ask = <A, E>(post: (reply: Reply<A, E>) => void): Effect.Effect<A, E> =>
  Effect.async((resume) => {
    post({
      ok: (answer) => resume(Effect.succeed(answer)),
      fail: (error) => resume(Effect.fail(error)),
    })
  })

/** Answers an actor's failure, whose type is every failure there is. */
export const relayed = (
  effect: Effect.Effect<void, DomainError>,
  reply: { readonly relay: (error: DomainError) => void },
): Effect.Effect<void> => Effect.catchAll(effect, (error) => Effect.sync(() => reply.relay(error)))

/** The failure that a look-up answered instead of a value. */
export const isFailure = (answer: object): answer is DomainError => answer instanceof Error

/** none: no token. session: any live session. The rest: that permission (contract C16; admin implies write implies read). */
export type AccessLevel = "none" | "session" | "read" | "write" | "admin"

/** Declared on every endpoint by `.annotate(Access, …)`; mount refuses one without. */
export class Access extends Context.Tag("http/Access")<Access, AccessLevel>() {}

export interface DeadlineTerms {
  readonly millis: number
  readonly failure: () => DomainError
}

/** A route as its calls see it. */
export interface RouteFacts {
  /** GET, POST … as the log and OpenAPI write it; RPC for a call that came over a socket. */
  readonly method: string
  readonly template: string
  readonly operation: Operation
  readonly deadline: DeadlineTerms
  readonly cost: RouteCost
  /** A HEAD request: the headers of the GET, no body. */
  readonly isHead: boolean
}

/** How long an answer may take, from the arrival of the request. Default 5 s, then 504 -190004. */
export class Deadline extends Context.Reference<Deadline>()("http/Deadline", {
  defaultValue: (): DeadlineTerms => ({ millis: 5_000, failure: () => new DeadlineExceeded() }),
}) {}

/**
 * Whether the operation knows its own repeats: what it does has the id of its claim, so that a call with an unknown outcome may simply
 * be made again, and is answered as it ended.
 */
export class KnowsRepeats extends Context.Reference<KnowsRepeats>()("http/KnowsRepeats", {
  defaultValue: () => false,
}) {}

/** Whether all that the operation changes is how its own user signs in. A console that only reads may call it: it moves no order and no money. */
export class OwnSignIn extends Context.Reference<OwnSignIn>()("http/OwnSignIn", {
  defaultValue: () => false,
}) {}

/** Whether a call needs a proof of who asks that is younger than its session. Its input has the shape that the endpoint declares. */
export type NeedsProof = (asked: { readonly query: never; readonly body: never }) => boolean

/** Declared on endpoints of dangerous acts. Null: none of its calls needs one. */
export class Fresh extends Context.Reference<Fresh>()("http/Fresh", {
  defaultValue: (): NeedsProof | null => null,
}) {}

/** For `Fresh`: each call of the endpoint. */
export const always: NeedsProof = () => true

/** For routes that wait for something slow: a venue, an instrument list, password hashing. */
export const within = (millis: number): DeadlineTerms => ({ millis, failure: () => new DeadlineExceeded() })

/** Every failure a handler need not declare: the adapter and the service itself answer them on any route. */
type CommonFailure = Extract<
  DomainError,
  {
    readonly _tag:
      | "IdempotencyKeyReused"
      | "IdempotentOutcomeUnknown"
      | "Busy"
      | "ShuttingDown"
      | "StorageUnavailable"
      | "InternalDefect"
      | "DeadlineExceeded"
  }
>

export interface RequestFacts {
  /** Equal to X-Request-ID. */
  readonly requestId: string
  /** A uuid of ours, whatever the client names the request. */
  readonly callId: string
  /** The client's address: of the socket, or from a trusted proxy. */
  readonly ip: string
  /** Monotonic ms. */
  readonly receivedAt: number
  /** Set by the submit of an order: how many there were in its second when it was counted, itself among them. */
  submitsCounted: number
  /** Set by operations on one order, for the access log; always a uuid. */
  tradeOrderId: string | undefined
  /** By lower-case name; the empty string without it. */
  readonly header: (name: string) => string
}

export interface AnswerOptions {
  readonly pagination?: Pagination
  /** Values are cleaned of line breaks. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface FailureOptions {
  /** Beside the error's own fields, in `details.metadata`. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** One-shot: the first of all calls counts, and none reaches a client that is gone. Its functions may be passed on by themselves. */
export interface HttpReply<A, E> {
  readonly ok: (answer: A | JsonText, options?: AnswerOptions) => void
  readonly fail: (error: E | CommonFailure, options?: FailureOptions) => void
  /** For an actor's failure, whose type is every failure there is. */
  readonly relay: (error: DomainError) => void
  /** What the deadline answers instead of the route's own failure, for example once an order's id is known. */
  readonly onDeadline: (failure: () => DomainError) => void
}

/** Writes a list query's fields; the parser makes numbers and booleans of their text. */
export const Query = <const F extends Schema.Struct.Fields>(fields: F) =>
  // As OpenAPI and the compiled check see it a number is a number; HttpApi wants to hear that the wire has strings.
  Schema.Struct(fields) as unknown as Schema.Schema<
    Schema.Struct.Type<F>,
    Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  >

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.Any
type UrlParams<E extends Endpoint> = HttpApiEndpoint.HttpApiEndpoint.UrlParams<E>
type Payload<E extends Endpoint> = HttpApiEndpoint.HttpApiEndpoint.Payload<E>
type Answer<E extends Endpoint> =
  HttpApiEndpoint.HttpApiEndpoint.Success<E> extends { readonly data: infer A } ? A : never
type Failure<E extends Endpoint> = Extract<HttpApiEndpoint.HttpApiEndpoint.Error<E>, DomainError>

/** Of a call with an Idempotency-Key. */
export interface Claim {
  /** A uuid, the same for a call and its repeats until it is known how it ended; a call after a refusal has another. */
  readonly id: string
  /** What has this id was judged, and will never be done: the key may be used again, by a repeat too. */
  readonly refused: () => void
}

export interface HandlerInput<Q, B, P extends Principal = Principal> {
  readonly query: Q
  readonly body: B
  readonly principal: P
  readonly request: RequestFacts
  /** Absent without an Idempotency-Key. */
  readonly claim?: Claim
}

/** Answers by `reply`. An Effect that fails answers its failure, one that dies 500; it is not interrupted when the client leaves. */
type Handler<Q, B, A, F, P extends Principal = Principal> = (
  input: HandlerInput<Q, B, P>,
  reply: HttpReply<A, F>,
) => void | Effect.Effect<void, F | CommonFailure>

/** One handler per endpoint of a group; of what no API key may call with the principal of a session. */
export type Handlers<G extends HttpApiGroup.HttpApiGroup.Any> = {
  readonly [E in HttpApiGroup.HttpApiGroup.Endpoints<G> as E extends { readonly name: infer N extends string }
    ? N
    : never]: E extends Endpoint
    ? Handler<UrlParams<E>, Payload<E>, Answer<E>, Failure<E>, CallerOf<HttpApiGroup.HttpApiGroup.Name<G>, E["name"]>>
    : never
}

type CallerOf<Group, Name> = IsForSessions<Group, Name> extends true ? SessionPrincipal : Principal

/** As the adapter sees handlers: the declaration has typed them, the compiled check has looked at their input. */
export type AnyHandler = (
  input: HandlerInput<never, never>,
  reply: HttpReply<never, never>,
) => void | Effect.Effect<void, DomainError>
