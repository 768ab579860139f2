/** Numbers and times as they are read: decimals stay text, in the digits that the gateway sent. */
import { compareDecimals } from "../../clients/typescript/src/index.ts"

const pad = (value: number, digits = 2): string => String(value).padStart(digits, "0")

/** Local time of day. */
export const clock = (ms: number): string => {
  const at = new Date(ms)
  return `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`
}

/** Local time of day, with its day where that is not today's. */
export const clockOfDay = (ms: number, now: number): string => {
  const [at, today] = [new Date(ms), new Date(now)]
  return at.toDateString() === today.toDateString()
    ? clock(ms)
    : `${at.getFullYear() === today.getFullYear() ? "" : `${at.getFullYear()}-`}${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${clock(ms)}`
}

/** Both clocks, for a title: local first. */
export const bothClocks = (ms: number): string => {
  const at = new Date(ms)
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${day} ${clock(ms)}.${pad(at.getMilliseconds(), 3)} local · ${at.toISOString().replace("T", " ").replace("Z", " UTC")}`
}

export const utcClock = (ms: number): string => new Date(ms).toISOString().slice(11, 19)

/** `4 s`, `3 min`, `2 h`: how long ago. */
export const age = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`
}

/** Digits behind the point. */
export const digits = (text: string): number => {
  const at = text.indexOf(".")
  return at < 0 ? 0 : text.length - at - 1
}

/** Of them those that say something: zeros at the end do not. */
export const neededDigits = (text: string): number => {
  const at = text.indexOf(".")
  if (at < 0) return 0
  let end = text.length
  while (text.charCodeAt(end - 1) === 48) end -= 1
  return end - at - 1
}

/** Without what is behind so many digits, which must be zeros. */
export const withoutZeros = (text: string, most: number): string => {
  const over = digits(text) - most
  return over <= 0 ? text : text.slice(0, text.length - over - (most === 0 ? 1 : 0))
}

/** Figure spaces, so that what stands in a column has its points below each other; a text without a point leaves its place free, too. */
export const filling = (text: string, most: number): string => {
  const own = digits(text)
  if (own >= most) return ""
  return (own === 0 ? "\u2008" : "") + "\u2007".repeat(most - own)
}

interface Scaled {
  readonly value: bigint
  readonly scale: number
}

const scaled = (text: string): Scaled => ({ value: BigInt(text.replace(".", "")), scale: digits(text) })
const DECIMAL = /^-?\d+(\.\d+)?$/
export const isDecimal = (text: string): boolean => DECIMAL.test(text)

/** A comma is a decimal's sign to some and parts thousands to others, and 60 is not 60000: it is taken as neither. Null: there is none. */
export const misreading = (text: string): string | null =>
  text.includes(",") ? `${text}: write a decimal with a point, and nothing between thousands.` : null

const written = ({ value, scale }: Scaled): string => {
  const sign = value < 0n ? "-" : ""
  const text = (value < 0n ? -value : value).toString().padStart(scale + 1, "0")
  if (scale === 0) return sign + text
  const fraction = text.slice(-scale).replace(/0+$/, "")
  return `${sign}${text.slice(0, -scale)}${fraction === "" ? "" : `.${fraction}`}`
}

export const times = (a: string, b: string): string => {
  const [left, right] = [scaled(a), scaled(b)]
  return written({ value: left.value * right.value, scale: left.scale + right.scale })
}

const added = (a: string, b: string, sign: bigint): string => {
  const [left, right] = [scaled(a), scaled(b)]
  const scale = Math.max(left.scale, right.scale)
  const raised = (it: Scaled): bigint => it.value * 10n ** BigInt(scale - it.scale)
  return written({ value: raised(left) + sign * raised(right), scale })
}
export const plus = (a: string, b: string): string => added(a, b, 1n)
export const minus = (a: string, b: string): string => added(a, b, -1n)

/** Cut, not rounded: for amounts that are only looked at. */
export const shortened = (text: string, most: number): string => {
  const at = text.indexOf(".")
  return at < 0 || text.length - at - 1 <= most ? text : text.slice(0, at + 1 + most).replace(/\.?0+$/, "") || "0"
}

/** One step up or down from a price. */
export const stepped = (text: string, step: string, by: 1 | -1): string => {
  const next = by === 1 ? plus(text, step) : minus(text, step)
  return compareDecimals(next, "0") < 0 ? "0" : next
}

/** Between a bid and an ask, of their middle. */
export const basisPoints = (bid: string, ask: string): string => {
  const [below, above] = [Number(bid), Number(ask)]
  const points = ((above - below) / (above + below)) * 20_000
  // A tenth of a point is much where a book is tight.
  return `${Math.abs(points) < 1 ? Number(points.toPrecision(2)) : points.toFixed(1)} bp`
}

/** The last part of an id, whole in the title: the first is the time, the same for all that was made within a minute. */
export const shortId = (id: string): string => id.slice(-8)
