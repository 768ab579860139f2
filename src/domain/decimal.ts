/**
 * Exact decimals: a bigint and a scale. Money and quantities never touch a float (contract C7).
 * Addition, subtraction and multiplication are exact; only `divide` and `roundTo` round, and they say how.
 */
import { Schema } from "effect"

/** The decimal grammar of the API: no exponent, no plus sign, no leading zeros, at most 36 and 18 digits. */
const GRAMMAR = /^-?(0|[1-9]\d{0,35})(\.\d{1,18})?$/

/** A decimal on the wire: a JSON string of the grammar. */
export const DecimalText = Schema.String.pipe(Schema.pattern(GRAMMAR), Schema.brand("DecimalText"))
export type DecimalText = typeof DecimalText.Type

/** The specification's positiveDecimal: the grammar without a minus sign. Zero passes; fields that refuse it say so themselves. */
export const PositiveDecimalText = Schema.String.pipe(
  Schema.pattern(/^(0|[1-9]\d{0,35})(\.\d{1,18})?$/),
  Schema.brand("PositiveDecimalText"),
)
export type PositiveDecimalText = typeof PositiveDecimalText.Type

export type Rounding = "UP" | "DOWN" | "CEIL" | "FLOOR" | "HALF_UP" | "HALF_DOWN" | "HALF_EVEN"

const POWERS: Array<bigint> = [1n]
const pow10 = (n: number): bigint => {
  for (let i = POWERS.length; i <= n; i++) POWERS.push(POWERS[i - 1]! * 10n)
  return POWERS[n]!
}

export class Decimal {
  static readonly ZERO = new Decimal(0n, 0)
  static readonly ONE = new Decimal(1n, 0)

  /** value = units / 10^scale */
  private constructor(
    readonly units: bigint,
    readonly scale: number,
  ) {}

  /** Of text that is known to follow the grammar (checked input, our own rows); a defect otherwise. */
  static of(text: string): Decimal {
    const parsed = Decimal.parse(text)
    if (parsed === undefined) throw new Error(`not a decimal: ${text.slice(0, 60)}`)
    return parsed
  }

  /** Of text from outside by the API's grammar; undefined when it does not follow it. */
  static parse(text: string): Decimal | undefined {
    return GRAMMAR.test(text) ? Decimal.read(text) : undefined
  }

  /** Of a venue's text: as `parse`, but exponents, a plus sign and any number of digits are understood. */
  static fromVenue(text: string): Decimal | undefined {
    const m = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
    if (m === null || ((m[2] ?? "") === "" && (m[3] ?? "") === "")) return undefined
    const fraction = m[3] ?? ""
    const scale = fraction.length - Number(m[4] ?? "0")
    const units = BigInt(`${m[2]}${fraction}`) * (m[1] === "-" ? -1n : 1n)
    return scale >= 0 ? new Decimal(units, scale) : new Decimal(units * pow10(-scale), 0)
  }

  /** units / 10^scale, for example a count of ticks. */
  static fromUnits(units: bigint, scale: number): Decimal {
    return new Decimal(units, scale)
  }

  private static read(text: string): Decimal {
    const dot = text.indexOf(".")
    return dot < 0
      ? new Decimal(BigInt(text), 0)
      : new Decimal(BigInt(text.slice(0, dot) + text.slice(dot + 1)), text.length - dot - 1)
  }

  add(other: Decimal): Decimal {
    if (this.scale === other.scale) return new Decimal(this.units + other.units, this.scale)
    return this.scale > other.scale
      ? new Decimal(this.units + other.units * pow10(this.scale - other.scale), this.scale)
      : new Decimal(this.units * pow10(other.scale - this.scale) + other.units, other.scale)
  }

  subtract(other: Decimal): Decimal {
    return this.add(other.negate())
  }

  multiply(other: Decimal): Decimal {
    return new Decimal(this.units * other.units, this.scale + other.scale)
  }

  negate(): Decimal {
    return new Decimal(-this.units, this.scale)
  }

  abs(): Decimal {
    return this.isNegative() ? this.negate() : this
  }

  /** Negative, zero or positive, as numbers compare. */
  compare(other: Decimal): number {
    const a = this.scale >= other.scale ? this.units : this.units * pow10(other.scale - this.scale)
    const b = other.scale >= this.scale ? other.units : other.units * pow10(this.scale - other.scale)
    return a < b ? -1 : a > b ? 1 : 0
  }

  equals(other: Decimal): boolean {
    return this.compare(other) === 0
  }
  lessThan(other: Decimal): boolean {
    return this.compare(other) < 0
  }
  atMost(other: Decimal): boolean {
    return this.compare(other) <= 0
  }
  greaterThan(other: Decimal): boolean {
    return this.compare(other) > 0
  }
  atLeast(other: Decimal): boolean {
    return this.compare(other) >= 0
  }

  isZero(): boolean {
    return this.units === 0n
  }
  isNegative(): boolean {
    return this.units < 0n
  }
  isPositive(): boolean {
    return this.units > 0n
  }

  /** Whether this is a whole number of steps; every number is one of step zero. */
  isMultipleOf(step: Decimal): boolean {
    if (step.isZero()) return true
    const scale = Math.max(this.scale, step.scale)
    return (this.units * pow10(scale - this.scale)) % (step.units * pow10(scale - step.scale)) === 0n
  }

  /** The neighbouring whole number of steps; unchanged for step zero. */
  roundTo(step: Decimal, rounding: Rounding): Decimal {
    if (step.isZero()) return this
    const scale = Math.max(this.scale, step.scale)
    const unit = step.units * pow10(scale - step.scale)
    return new Decimal(roundedQuotient(this.units * pow10(scale - this.scale), unit, rounding) * unit, scale)
  }

  /** The quotient with `digits` fractional digits. Dividing by zero is a defect. */
  divide(divisor: Decimal, digits: number, rounding: Rounding): Decimal {
    if (divisor.isZero()) throw new Error("division by zero")
    const shift = digits + divisor.scale - this.scale
    const numerator = shift >= 0 ? this.units * pow10(shift) : this.units
    const denominator = shift >= 0 ? divisor.units : divisor.units * pow10(-shift)
    return new Decimal(roundedQuotient(numerator, denominator, rounding), digits)
  }

  static min(a: Decimal, b: Decimal): Decimal {
    return a.compare(b) <= 0 ? a : b
  }
  static max(a: Decimal, b: Decimal): Decimal {
    return a.compare(b) >= 0 ? a : b
  }

  /** Plain digits without trailing zeros; "0", never "-0". */
  toString(): string {
    if (this.units === 0n) return "0"
    if (this.scale === 0) return this.units.toString()
    const negative = this.units < 0n
    const digits = (negative ? -this.units : this.units).toString().padStart(this.scale + 1, "0")
    const whole = digits.slice(0, digits.length - this.scale)
    let end = digits.length
    while (end > whole.length && digits.charCodeAt(end - 1) === 48) end--
    const fraction = digits.slice(whole.length, end)
    return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
  }

  toJSON(): string {
    return this.toString()
  }
}

const roundedQuotient = (numerator: bigint, denominator: bigint, rounding: Rounding): bigint => {
  const n = denominator < 0n ? -numerator : numerator
  const d = denominator < 0n ? -denominator : denominator
  const quotient = n / d
  const rest = n % d
  if (rest === 0n) return quotient
  const away = n < 0n ? quotient - 1n : quotient + 1n
  const twice = (rest < 0n ? -rest : rest) * 2n
  switch (rounding) {
    case "UP":
      return away
    case "DOWN":
      return quotient
    case "CEIL":
      return n > 0n ? away : quotient
    case "FLOOR":
      return n < 0n ? away : quotient
    case "HALF_UP":
      return twice >= d ? away : quotient
    case "HALF_DOWN":
      return twice > d ? away : quotient
    case "HALF_EVEN":
      return twice > d || (twice === d && quotient % 2n !== 0n) ? away : quotient
  }
}
