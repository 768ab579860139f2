/** Users, their passwords and their addresses. */
import { Schema } from "effect"

export class UserExists extends Schema.TaggedError<UserExists>()("UserExists", {}) {
  override message = "User already registered"
}

export class WeakPassword extends Schema.TaggedError<WeakPassword>()("WeakPassword", {
  reasons: Schema.Array(Schema.String),
}) {
  override message = "Password too weak"
}

export class InvalidEmail extends Schema.TaggedError<InvalidEmail>()("InvalidEmail", {}) {
  override message = "Invalid e-mail"
}

export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", {}) {
  override message = "User not found"
}

export class SamePassword extends Schema.TaggedError<SamePassword>()("SamePassword", {}) {
  override message = "New password equals the old one"
}

export class SignupDisabled extends Schema.TaggedError<SignupDisabled>()("SignupDisabled", {}) {
  override message = "Signup disabled"
}
