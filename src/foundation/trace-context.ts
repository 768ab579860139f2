/**
 * W3C Trace Context: which trace a request belongs to. The one thing to know: a client's sampling flag is ignored, since any client could
 * otherwise have everything recorded; the trace id alone decides, so that all services with the same share keep the same traces.
 */

export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Ours: 16 hexadecimal digits. */
  readonly spanId: string
  /** The caller's; null: the trace begins here. */
  readonly parentSpanId: string | null
  readonly sampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/

/** Of a `traceparent` header; null: none, or none that counts. */
export const parentOf = (header: string): { readonly traceId: string; readonly spanId: string } | null => {
  if (header.length < 55 || header.length > 128) return null
  const [, version, traceId = "", spanId = ""] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === "ff" || (version === "00" && header.length !== 55)) return null
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? null : { traceId, spanId }
}

/** By the last 56 bits of the id, which are random (level 2 of the specification). */
export const isSampled = (traceId: string, share: number): boolean =>
  share >= 1 || Number.parseInt(traceId.slice(-13), 16) < share * 2 ** 52

export const traceparentOf = ({ traceId, spanId, sampled }: Trace): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
