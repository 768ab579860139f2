/** What a venue's codes mean, as the tables of codes have it: what is wrong, and whether it is certain that nothing was done. */
import type { FailureCategory } from "../connector/wire.ts"

export type Outcome = readonly [category: FailureCategory, verdict: "REFUSED" | "IN_DOUBT"]

/** Rows of a table: these codes mean the same. */
export const each = (outcome: Outcome, ...codes: ReadonlyArray<string>): ReadonlyArray<readonly [string, Outcome]> =>
  codes.map((code) => [code, outcome])
