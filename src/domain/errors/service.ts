/** The gateway itself: a defect, or no time for anybody just now. */
import { Schema } from "effect"

/** A defect of ours; the log has it under the request id, the client never does. */
export class InternalDefect extends Schema.TaggedError<InternalDefect>()("InternalDefect", {}) {
  override message = "Internal error"
}

/** Not accepted, nothing stored: safe to repeat. */
export class Busy extends Schema.TaggedError<Busy>()("Busy", { retryAfterSeconds: Schema.Int }) {
  override message = "Service unavailable"
}

export class ShuttingDown extends Schema.TaggedError<ShuttingDown>()("ShuttingDown", {}) {
  override message = "Shutting down"
}

export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {}) {
  override message = "Storage unavailable"
}

export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>()("DeadlineExceeded", {}) {
  override message = "Timeout"
}
