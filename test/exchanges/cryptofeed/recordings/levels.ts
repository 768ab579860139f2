/** Rows of a recorded book as levels: `[price, quantity, …]`, wherever they stand in the row. */
import type { Level } from "../recording.ts"
import { type Spelled, textAt } from "../spelled-json.ts"

export const levelsOf = (
  rows: ReadonlyArray<Spelled>,
  price: string | number = 0,
  quantity: string | number = 1,
): ReadonlyArray<Level> => rows.map((row) => [textAt(row, price), textAt(row, quantity)])
