/**
 * The delivery of one signal's batches to the collector, between the package's exporter and the network: an `HttpClient` for it. The one thing to
 * know: to the exporter every batch appears accepted at once. An exporter that waits starts a further request for every full batch, and one that
 * is refused discards, uncounted, whatever arrives in the next minute; so waiting, retries and dropping are done here.
 */
import { HttpBody, HttpClient, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Effect, FiberSet, type Scope, Stream } from "effect"

export interface Lane {
  /** Of what may wait, spans or lines; a batch that does not fit is lost whole. */
  readonly itemsMax: number
  readonly sent: (count: number) => void
  readonly dropped: (count: number) => void
  /** Told when it begins to fail, and when it goes again. */
  readonly trouble: (what: string) => void
}

export interface Delivery {
  /** Of a batch; empty, and never sent, when it does not fit. */
  readonly body: (count: number, batch: unknown) => HttpBody.HttpBody
  readonly client: HttpClient.HttpClient
}

const TIMEOUT = "5 seconds"
const LAST_TIMEOUT = "2 seconds"
/** Of an answer, whose status says all that matters. */
const ANSWER_BYTES_MAX = 65_536
const ANSWER_TIMEOUT = "1 second"
const PAUSE_FIRST_MILLIS = 1_000
const PAUSE_MAX_MILLIS = 60_000

interface Refusal {
  readonly isFinal: boolean
  readonly reason: string
}

/** What was understood and refused would be refused again. Null: taken. */
const refusalOf = (status: number): Refusal | null =>
  status >= 200 && status < 300
    ? null
    : { isFinal: status < 500 && status !== 408 && status !== 429, reason: `HTTP ${status}` }

/** The innermost word: `fetch failed` says nothing. */
const wordsOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined
    ? wordsOf(error.cause)
    : error instanceof Error && error.message !== ""
      ? error.message
      : "no answer"

/** Reads it to its end, or the connection cannot be used again; one that has none is hung up on, and its status counts all the same. */
const finished = ({ stream }: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
  stream.pipe(
    Stream.runFoldWhile(
      0,
      (bytes) => bytes < ANSWER_BYTES_MAX,
      (bytes, chunk) => bytes + chunk.length,
    ),
    Effect.timeout(ANSWER_TIMEOUT),
    Effect.ignore,
  )

/** Makes the deliveries of one collector. When the scope closes, what waits is tried once more, for two seconds over all. */
export const deliveries: Effect.Effect<(lane: Lane) => Delivery, never, HttpClient.HttpClient | Scope.Scope> =
  Effect.gen(function* () {
    const network = yield* HttpClient.HttpClient
    const underway = yield* FiberSet.make()
    const closing = yield* Effect.makeLatch(false)
    let isClosing = false
    yield* Effect.addFinalizer(() => {
      isClosing = true
      return closing.open.pipe(
        Effect.zipRight(FiberSet.awaitEmpty(underway)),
        Effect.interruptible,
        Effect.timeoutOption(LAST_TIMEOUT),
      )
    })

    const attempt = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<Refusal | null> =>
      network.execute(request).pipe(
        Effect.timeout(TIMEOUT),
        Effect.flatMap((response) => Effect.as(finished(response), response.status)),
        Effect.match({ onSuccess: refusalOf, onFailure: (error) => ({ isFinal: false, reason: wordsOf(error) }) }),
        Effect.withTracerEnabled(false),
      )

    return ({ itemsMax, sent, dropped, trouble }) => {
      const turns = Effect.unsafeMakeSemaphore(1)
      const sizes = new WeakMap<HttpBody.HttpBody, number>()
      let waiting = 0
      let isFailing = false

      /** One batch until it is taken or refused for good; the others wait for their turn. */
      const deliver = (request: HttpClientRequest.HttpClientRequest, count: number) =>
        Effect.gen(function* () {
          for (let pause = PAUSE_FIRST_MILLIS; ; pause = Math.min(PAUSE_MAX_MILLIS, pause * 2)) {
            const refusal = yield* attempt(request)
            if (refusal === null) {
              if (isFailing) trouble("the collector accepts telemetry again")
              isFailing = false
              return sent(count)
            }
            if (!isFailing) trouble(`the collector does not accept telemetry: ${refusal.reason}`)
            isFailing = true
            if (refusal.isFinal || isClosing) return dropped(count)
            yield* Effect.sleep(pause).pipe(Effect.raceFirst(closing.await))
          }
        }).pipe(
          turns.withPermits(1),
          Effect.onError(() => Effect.sync(() => dropped(count))),
          Effect.ensuring(
            Effect.sync(() => {
              waiting -= count
            }),
          ),
          Effect.interruptible,
        )

      return {
        body: (count, batch) => {
          if (waiting + count > itemsMax) {
            dropped(count)
            return HttpBody.empty
          }
          const body = HttpBody.unsafeJson(batch)
          sizes.set(body, count)
          return body
        },
        client: HttpClient.make((request) =>
          Effect.suspend(() => {
            const taken = HttpClientResponse.fromWeb(request, new Response(null, { status: 202 }))
            const count = sizes.get(request.body)
            if (count === undefined) return Effect.succeed(taken)
            waiting += count
            return Effect.as(FiberSet.run(underway, deliver(request, count)), taken)
          }),
        ),
      }
    }
  })
