/**
 * Bitstamp's codes and texts whose class in ccxt 4.5.84 is wrong, or that ccxt does not know (source: www.bitstamp.net/api, "Response codes", "Possible
 * authentication errors" and "Possible errors"). What is not listed means what its class says: of most that is a doubt.
 */
import { each, type Outcome } from "../outcome.ts"

const GONE: Outcome = ["ORDER_NOT_FOUND", "REFUSED"]
const INVALID: Outcome = ["INVALID_ORDER", "REFUSED"]
const LIMITED: Outcome = ["RATE_LIMITED", "REFUSED"]
const CLOSED: Outcome = ["MARKET_CLOSED", "REFUSED"]
const UNLISTED: Outcome = ["INSTRUMENT_NOT_FOUND", "REFUSED"]
const FORBIDDEN: Outcome = ["PERMISSION_DENIED", "REFUSED"]
const UNFILLABLE: Outcome = ["ORDER_NOT_FILLABLE", "REFUSED"]
/** The venue looked at its clock and refused. */
const LATE: Outcome = ["CLOCK_SKEW", "REFUSED"]
const MALFORMED: Outcome = ["INVALID_ARGUMENT", "REFUSED"]

/** Of a form that is wrong in one of its fields: nothing was done with it. */
const FORM = "form"

export const BITSTAMP_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ...each(LIMITED, "400.002", "400.067", "400.068"),
  ...each(CLOSED, "400.003", "500.010", "500.011"),
  ...each(["INSUFFICIENT_BALANCE", "REFUSED"], "400.009"),
  // An earlier attempt arrived (contract C3).
  ...each(["DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"], "400.019"),
  ...each(INVALID, "400.008", "400.020", "400.021", "400.022", "400.023", "400.024", "400.025", "400.026", FORM),
  ...each(INVALID, "400.037", "400.038", "400.039", "400.041", "400.046"),
  ...each(MALFORMED, "400.004", "400.005", "400.006", "400.007", "400.016", "400.035", "400.036"),
  ...each(FORBIDDEN, "403.001", "403.002", "403.003", "403.006", "API0002", "API0003", "API0006", "API0009"),
  ...each(["ACCOUNT_SUSPENDED", "REFUSED"], "403.004"),
  // Of a cancel: "Order might already be filled or canceled." ccxt knows the text with a full stop alone.
  ...each(GONE, "404.002", "Order not found", "Order not found."),
  ...each(UNLISTED, "404.003", "404.005", "404.007"),
  ...each(UNFILLABLE, "500.004", "500.005", "500.015", "500.018"),
  ...each(["REJECTED", "REFUSED"], "500.017"),
  ...each(["VENUE_AUTHENTICATION", "REFUSED"], "API0001", "API0005", "API0008", "API0011"),
  ...each(LATE, "API0017", "API0018"),
  ...each(MALFORMED, "API0010", "API0012", "API0013", "API0014", "API0015", "API0016", "API0019", "API0020", "API0021"),
])

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const texts = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value.filter((it) => typeof it === "string") : []

/** `error` or `reason` is a text, or texts by field; the code may be left out. */
export const bitstampWords = (
  body: unknown,
): { readonly code: string; readonly message: string | null } | undefined => {
  const { error, reason, code, response_code: number } = record(body)
  if (error === undefined && reason === undefined) return undefined
  const said = error ?? reason
  const byField = Object.entries(record(said)).filter(([, value]) => texts(value).some((text) => text !== ""))
  const all = typeof said === "string" ? [said] : byField.flatMap(([, value]) => texts(value))
  const isForm = byField.some(([field]) => field !== "__all__")
  const message = all.find((text) => text !== "") ?? null
  return { code: String(number ?? code ?? (isForm ? FORM : "error")), message }
}
