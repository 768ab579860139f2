/**
 * One order, once, whatever happens to requests and answers. The key is made once and can be stored before anything is sent; only the same
 * request with the same key ever goes out again. The one thing to know: the result is never a bare exception. Unanswered means that the
 * order may be there: submit the same with its key again, also after a restart.
 */
import { GatewayError, NoAnswer } from "./errors.ts"
import type { Gateway } from "./gateway.ts"
import { patiently } from "./retry.ts"
import type { SubmitOrder, TradeOrder } from "./types.ts"

export type Submission =
  /** Made by this submit. */
  | { readonly outcome: "Stored"; readonly key: string; readonly order: TradeOrder }
  /** An earlier request with this key had made it; the order as it is now. */
  | { readonly outcome: "Replayed"; readonly key: string; readonly order: TradeOrder }
  /** There is no order of this key. */
  | { readonly outcome: "Refused"; readonly key: string; readonly error: GatewayError }
  /** Nobody can say yet. */
  | { readonly outcome: "Unanswered"; readonly key: string; readonly error: GatewayError | NoAnswer }

export interface SubmitOptions {
  /** Of an earlier try. Default: the order's own `idempotencyKey` or `clientOrderId`, or a new one. */
  readonly key?: string
  /** Awaited before the first byte leaves: what it stores is what a restarted bot submits again. */
  readonly persist?: (key: string, order: SubmitOrder) => void | Promise<void>
  /** So long the same request is repeated, ms; 30,000 unless told. */
  readonly patienceMs?: number
  readonly signal?: AbortSignal
  readonly onAttempt?: (error: Error) => void
}

/** Said before the order is looked at: of an earlier try they prove nothing. */
const SPEAKS_OF_ITSELF: ReadonlySet<number> = new Set([401, 403, 429])

/** Certain to have done nothing, although a later try may succeed. */
const didNothing = (error: Error): boolean =>
  error instanceof GatewayError && (error.status === 429 || error.is("ACCOUNT_RECONCILING"))

export const submit = async (
  gateway: Gateway,
  order: SubmitOrder,
  options: SubmitOptions = {},
): Promise<Submission> => {
  const { persist, patienceMs = 30_000, signal } = options
  const key = options.key ?? order.idempotencyKey ?? order.clientOrderId ?? crypto.randomUUID()
  // `clientOrderId` is the order's key where there is no other.
  const body: SubmitOrder = key === order.clientOrderId ? order : { ...order, idempotencyKey: key }
  await persist?.(key, body)
  /** With the key of an earlier try, that one may have arrived. */
  let mayBeThere = options.key !== undefined
  const onAttempt = (error: Error): void => {
    if (!didNothing(error)) mayBeThere = true
    options.onAttempt?.(error)
  }
  try {
    const answer = await patiently(() => gateway.send("tradeOrder/submit", body, { signal }), {
      patienceMs,
      signal,
      onAttempt,
    })
    const isReplay = answer.headers.get("Idempotency-Replayed") === "true"
    return { outcome: isReplay ? "Replayed" : "Stored", key, order: answer.data as TradeOrder }
  } catch (error) {
    if (error instanceof GatewayError) {
      const isDefinite = mayBeThere
        ? error.status < 500 && !SPEAKS_OF_ITSELF.has(error.status)
        : error.status < 500 || didNothing(error)
      return { outcome: isDefinite ? "Refused" : "Unanswered", key, error }
    }
    if (error instanceof NoAnswer) return { outcome: "Unanswered", key, error }
    // Called off by the caller's signal: what was sent may have arrived.
    if (signal?.aborted) {
      const why = new NoAnswer("POST tradeOrder/submit", "called off", { cause: error })
      return { outcome: "Unanswered", key, error: why }
    }
    throw error
  }
}
