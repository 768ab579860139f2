/** API keys: those that have ended, and operations that no key may perform. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

/** It was revoked: by its user, by an operator, or with its user's ban. */
export class ApiKeyRevoked extends Failure<ApiKeyRevoked>()("ApiKeyRevoked", {}) {
  override message = "API key revoked"
}

export class ApiKeyExpired extends Failure<ApiKeyExpired>()("ApiKeyExpired", {}) {
  override message = "API key expired"
}

/** None of the caller's keys has this id. */
export class ApiKeyNotFound extends Failure<ApiKeyNotFound>()("ApiKeyNotFound", {}) {
  override message = "API key not found"
}

export class TooManyApiKeys extends Failure<TooManyApiKeys>()("TooManyApiKeys", {
  limit: Schema.Number,
}) {
  override message = "Too many API keys"
}

/** The scopes let it through, and it is not for keys: it needs a session, or a key that is not limited to accounts. */
export class ApiKeyForbidden extends Failure<ApiKeyForbidden>()("ApiKeyForbidden", {
  reason: Schema.Literal("SESSION_NEEDED", "LIMITED_TO_ACCOUNTS"),
}) {
  override message = "Not with this API key"
}
