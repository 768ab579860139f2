/** Users, their passwords and their addresses. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

export class UserExists extends Failure<UserExists>()("UserExists", {}) {
  override message = "User already registered"
}

export class WeakPassword extends Failure<WeakPassword>()("WeakPassword", {
  reasons: Schema.Array(Schema.String),
}) {
  override message = "Password too weak"
}

export class InvalidEmail extends Failure<InvalidEmail>()("InvalidEmail", {}) {
  override message = "Invalid e-mail"
}

export class UserNotFound extends Failure<UserNotFound>()("UserNotFound", {}) {
  override message = "User not found"
}

export class SamePassword extends Failure<SamePassword>()("SamePassword", {}) {
  override message = "New password equals the old one"
}

export class SignupDisabled extends Failure<SignupDisabled>()("SignupDisabled", {}) {
  override message = "Signup disabled"
}
