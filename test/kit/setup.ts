/** Runs before every test file: Effect's structural equality (Option, Either, Data, Chunk) counts in `toEqual`. */
import { addEqualityTesters } from "@effect/vitest"

addEqualityTesters()
