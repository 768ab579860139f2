/** The gateway itself: a defect, or overload. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

/** A defect of ours; the log has it under the request id, the client never does. */
export class InternalDefect extends Failure<InternalDefect>()("InternalDefect", {}) {
  override message = "Internal error"
}

/** Not accepted, nothing stored: safe to repeat. */
export class Busy extends Failure<Busy>()("Busy", { retryAfterSeconds: Schema.Int }) {
  override message = "Service unavailable"
}

export class ShuttingDown extends Failure<ShuttingDown>()("ShuttingDown", {}) {
  override message = "Shutting down"
}

export class StorageUnavailable extends Failure<StorageUnavailable>()("StorageUnavailable", {}) {
  override message = "Storage unavailable"
}

export class DeadlineExceeded extends Failure<DeadlineExceeded>()("DeadlineExceeded", {}) {
  override message = "Timeout"
}
