// The one failure of the embedded database. Its message is a whole sentence for the operator, in one line where possible.
import { Data } from "effect"

/** PostgreSQL could not be started (or stopped). The message says what is wrong and what to change; nothing was left running. */
export class EmbeddedPostgresUnavailable extends Data.TaggedError("EmbeddedPostgresUnavailable")<{
  readonly message: string
}> {}

export const unavailable = (message: string): EmbeddedPostgresUnavailable =>
  new EmbeddedPostgresUnavailable({ message })

/** The `code` of a Node system error (`ENOENT`, `EACCES` …), or undefined for anything else. */
export const systemErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined
