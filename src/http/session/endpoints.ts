/** Users and sessions: signup, login, refresh, logout, the current user (specification, Authentication). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import {
  InvalidEmail,
  InvalidLoginCredentials,
  InvalidRefreshToken,
  RateLimited,
  RefreshTokenExpired,
  RefreshTokenReused,
  SessionRevoked,
  UserDisabled,
  UserExists,
  WeakPassword,
} from "../../domain/errors.ts"
import { SessionRecord, UserRecord } from "../../domain/user.ts"
import { Fail, Ok } from "../envelope.ts"
import { Access, Deadline, within } from "../route.ts"
import { optional, text } from "../wire-text.ts"

const Email = Schema.String.pipe(Schema.maxLength(320)).annotations({
  format: "email",
  examples: ["ada@example.com"],
})
const Password = Schema.String.pipe(Schema.maxLength(1_024)).annotations({
  description: "At least 8 characters",
  examples: ["correct-horse-battery"],
})

const Signup = Schema.Struct({
  email: Email,
  password: Password,
  metadata: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
    description: "Free-form; returned as user.userMetadata",
  }),
}).annotations({
  identifier: "Signup",
  examples: [{ email: "ada@example.com", password: "correct-horse-battery", metadata: { desk: "fx" } }],
})

const Login = Schema.Struct({ email: Email, password: Password }).annotations({
  identifier: "Login",
  examples: [{ email: "ada@example.com", password: "correct-horse-battery" }],
})

const Refresh = Schema.Struct({ refreshToken: text(1_024) }).annotations({ identifier: "Refresh" })

/** Hashing waits in a queue when many log in at once. */
const hashing = within(15_000)

const signup = HttpApiEndpoint.post("signup", "/api/v3/auth/signup")
  .setPayload(Signup)
  .addSuccess(Ok(SessionRecord))
  .addError(Fail(UserExists, WeakPassword, InvalidEmail, RateLimited))
  .annotate(Access, "none")
  .annotate(Deadline, hashing)
  .annotate(OpenApi.Summary, "Register a user")
  .annotate(
    OpenApi.Description,
    "Registers a user and opens a session. Send its accessToken as `Authorization: Bearer …` on every other call.",
  )

const login = HttpApiEndpoint.post("login", "/api/v3/auth/login")
  .setPayload(Login)
  .addSuccess(Ok(SessionRecord))
  .addError(Fail(InvalidLoginCredentials, UserDisabled, RateLimited))
  .annotate(Access, "none")
  .annotate(Deadline, hashing)
  .annotate(OpenApi.Summary, "Log in")
  .annotate(OpenApi.Description, "Opens a session. An unknown e-mail and a wrong password are never told apart.")

const refresh = HttpApiEndpoint.post("refresh", "/api/v3/auth/token/refresh")
  .setPayload(Refresh)
  .addSuccess(Ok(SessionRecord))
  .addError(Fail(InvalidRefreshToken, RefreshTokenExpired, RefreshTokenReused, UserDisabled, RateLimited))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Renew a session")
  .annotate(
    OpenApi.Description,
    "Answers a new accessToken and a new refreshToken, which replaces the old one. An old refresh token that comes back ends the session.",
  )

const logout = HttpApiEndpoint.post("logout", "/api/v3/auth/logout")
  .addSuccess(Ok(Schema.Literal("ok")))
  .annotate(Access, "session")
  .annotate(OpenApi.Summary, "Log out")
  .annotate(OpenApi.Description, "Ends this session: its tokens are refused from now on and its sockets close.")

const user = HttpApiEndpoint.get("user", "/api/v3/auth/user")
  .addSuccess(Ok(UserRecord))
  .addError(Fail(SessionRevoked))
  .annotate(Access, "session")
  .annotate(OpenApi.Summary, "Current user")
  .annotate(OpenApi.Description, "The user that the access token speaks for.")

export class SessionApi extends HttpApiGroup.make("auth")
  .add(signup)
  .add(login)
  .add(refresh)
  .add(logout)
  .add(user)
  .annotate(OpenApi.Title, "Users and sessions")
  .annotate(OpenApi.Description, "Start here: sign up or log in, then send the accessToken with every call.") {}
