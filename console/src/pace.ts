/** When a session is renewed, and how long to wait after a trouble. The one thing to know: no wall clock decides, since a user's may be hours off. */

const RENEW_BEFORE_MS = 120_000
const LEAST_MS = 5_000
/** Of a token that does not tell: well below the gateway's hour. */
const UNTOLD_MS = 600_000

/** So long after it came a token is renewed, ms: by how long it holds, as it says itself. */
export const renewalAfter = (accessToken: string): number => {
  const lifetime = lifetimeOf(accessToken) ?? UNTOLD_MS
  return Math.max(LEAST_MS, lifetime / 2, lifetime - RENEW_BEFORE_MS)
}

const lifetimeOf = (accessToken: string): number | null => {
  try {
    const text = atob((accessToken.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"))
    const { exp, iat } = JSON.parse(text) as { readonly exp?: unknown; readonly iat?: unknown }
    return typeof exp === "number" && typeof iat === "number" && exp > iat ? (exp - iat) * 1_000 : null
  } catch {
    return null
  }
}

const FIRST_MS = 1_000
const LONGEST_MS = 30_000
/** What a proxy asks for beyond that is no reason to sit still. */
const PATIENT_MS = 600_000

/** The pause after the nth trouble in a row, from 0 on; not before the gateway wants to be asked. `chance`: 0 to 1, so that many do not come at once. */
export const pauseAfter = (nth: number, retryAfterMs: number | null, chance: number): number =>
  Math.max(Math.min(FIRST_MS * 2 ** nth, LONGEST_MS), Math.min(retryAfterMs ?? 0, PATIENT_MS)) * (1 + chance / 4)

/** Seconds, or a date; null: nothing is asked for. */
export const retryAfterOf = (text: string | null, now: number): number | null => {
  if (text === null) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

const OVER: ReadonlySet<number> = new Set([401, 403, 404])
/** Whether a refused renewal means that there is no session; everything else is a trouble that passes. */
export const endsSession = (status: number): boolean => OVER.has(status)
