/** docs/operations/rate-limits.md says of every limit what the code says: a number changed in one place only fails here. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { RATE_LIMITS } from "../../src/domain/user/rate-limits.ts"
import type { Rate } from "../../src/foundation/token-bucket.ts"

const UNITS: Readonly<Record<string, number>> = { "a second": 1, "a minute": 60, "an hour": 3_600 }

/** Of the table's second column. */
const limitOf = (words: string): Rate | number => {
  const m = /^(\d+) (a second|a minute|an hour), burst (\d+)$/.exec(words)
  return m === null ? Number(words) : { perSecond: Number(m[1]) / UNITS[m[2]!]!, burst: Number(m[3]) }
}

it("the page on rate limits lists all of them as they are", () => {
  const page = readFileSync(new URL("../../docs/operations/rate-limits.md", import.meta.url), "utf8")
  const rows = [...page.matchAll(/^\| `(\w+)` +\| ([^|]+?) +\|/gm)].map((m) => [m[1], limitOf(m[2]!)])
  expect(Object.fromEntries(rows)).toEqual(RATE_LIMITS)
})
