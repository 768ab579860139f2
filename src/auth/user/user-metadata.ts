/** What users keep about themselves: free-form, bounded. */
import { Effect } from "effect"
import { InvalidParameter } from "../../domain/errors/request.ts"

export type UserMetadata = Readonly<Record<string, unknown>>

const CHARACTERS_MAX = 16_384

/** As it may be stored. */
export const checkedMetadata = (metadata: UserMetadata): Effect.Effect<UserMetadata, InvalidParameter> =>
  JSON.stringify(metadata).length > CHARACTERS_MAX
    ? new InvalidParameter({ parameter: "metadata", reason: "more than 16 kB in all" })
    : Effect.succeed(metadata)

/** Key by key; null removes a key. */
export const mergedMetadata = (before: UserMetadata, change: UserMetadata): UserMetadata =>
  Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null))
