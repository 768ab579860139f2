/**
 * The core of the account whose process started last. A test that asks for it first mocks `src/actors/account/venue/session.ts` with
 * `keepingCore`; mocks belong to the file that asks for them.
 */
import type { AccountCore } from "../../../src/actors/account/core.ts"
import type * as Session from "../../../src/actors/account/venue/session.ts"

let newest: AccountCore | null = null

export const newestCore = (): AccountCore => {
  if (newest === null) throw new Error("no process has started")
  return newest
}

/** The module as it is, and each core is kept before its session begins. */
export const keepingCore = async (original: () => Promise<unknown>): Promise<typeof Session> => {
  const real = (await original()) as typeof Session
  return {
    ...real,
    keepSession: (core, post) => {
      newest = core
      return real.keepSession(core, post)
    },
  }
}
