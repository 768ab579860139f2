/**
 * Runs before every test file: Effect's structural equality (Option, Either, Data, Chunk) counts in `toEqual`, and properties draw the
 * same worlds in every run, so that a red run is a fact about the change. `PROPERTY_SEED=N` draws others, `PROPERTY_SEED=random` new ones.
 */
import { addEqualityTesters } from "@effect/vitest"
import fc from "fast-check"

addEqualityTesters()

const { PROPERTY_SEED = "1" } = process.env
if (PROPERTY_SEED !== "random") fc.configureGlobal({ seed: Number(PROPERTY_SEED) })
