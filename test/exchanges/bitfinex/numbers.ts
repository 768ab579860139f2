/** JSON whose amounts are numbers with their own digits, as the venue's JavaScript writes them: below 1e-6 with an exponent. */
import { plain } from "../plain-numbers.ts"

/** A number that is written as it stands. */
export class Bare {
  constructor(readonly text: string) {}
}

const SMALL = 100n

/** Of a fixed-point number (binance/fixed.ts). */
export const bare = (units: bigint): Bare => {
  const isSmall = units !== 0n && units < SMALL && units > -SMALL
  return new Bare(isSmall ? String(Number(plain(units))) : plain(units))
}

export const written = (value: unknown): string => {
  if (value instanceof Bare) return value.text
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}:${written(each)}`)
      .join(",")}}`
  return JSON.stringify(value ?? null)
}
