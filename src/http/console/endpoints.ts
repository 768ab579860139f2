/**
 * The console's own session: opened with a password, a sign-up or a mailed token, continued by a cookie that scripts cannot read, proven anew,
 * ended. For the console's page only: no other token than the console's is given to it.
 */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import {
  EmailNotConfirmed,
  InvalidLoginCredentials,
  InvalidOneTimeToken,
  InvalidRefreshToken,
  InvalidSecondFactor,
  RefreshTokenExpired,
  RefreshTokenReused,
  SecondFactorNeeded,
  SessionRevoked,
  UserDisabled,
} from "../../domain/errors/authentication.ts"
import { Forbidden, IpForbidden } from "../../domain/errors/authorisation.ts"
import { LoginRateLimited, RateLimited } from "../../domain/errors/limits.ts"
import { InvalidParameter, UnknownEndpoint } from "../../domain/errors/request.ts"
import { InvalidEmail, SignupDisabled, UserExists, WeakPassword } from "../../domain/errors/user.ts"
import { ConsoleMode } from "../../domain/user/console-mode.ts"
import { EmailChangeRecord, Permission, UserRecord } from "../../domain/user/user.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, Deadline, OwnSignIn, within } from "../edge/route.ts"
import { optional, text } from "../edge/wire-text.ts"
import { Reauthenticate, Signup, Verify } from "../session/endpoints.ts"

const ConsoleSession = Schema.Struct({
  accessToken: Schema.String,
  expiresAt: Schema.Int.annotations({ description: "In seconds since the Unix epoch" }),
  idleSeconds: Schema.NullOr(Schema.Int).annotations({
    description:
      "An admin's page ends the session when it was not touched for so long (ADMIN_IDLE_MINUTES). Null: it does not",
  }),
  mode: ConsoleMode,
  permissions: Schema.Array(Permission).annotations({
    description: "The user's permissions. If the console's mode is read, only read operations are performed",
  }),
  user: UserRecord,
}).annotations({ identifier: "ConsoleSession" })
export type ConsoleSession = typeof ConsoleSession.Type

const OpenConsole = Schema.Struct({
  email: text(320),
  password: text(1_024),
  totpCode: optional(text(64)),
}).annotations({
  identifier: "OpenConsole",
  examples: [{ email: "ada@example.com", password: "correct-horse-battery" }],
})

const ONLY = "Extension, for the console's own page: other callers are refused (403), or get 404 if CONSOLE is off."

/** What ends an exchange of a session's tokens for the console's. */
const EXCHANGE = [
  Forbidden,
  InvalidRefreshToken,
  IpForbidden,
  RateLimited,
  RefreshTokenExpired,
  RefreshTokenReused,
  UnknownEndpoint,
  UserDisabled,
] as const

const open = HttpApiEndpoint.post("open", "/console/session/open")
  .setPayload(OpenConsole)
  .addSuccess(Ok(ConsoleSession))
  .addError(
    Fail(
      ...EXCHANGE,
      EmailNotConfirmed,
      InvalidLoginCredentials,
      InvalidSecondFactor,
      LoginRateLimited,
      SecondFactorNeeded,
    ),
  )
  .annotate(Access, "none")
  .annotate(Deadline, within(15_000))
  .annotate(OpenApi.Summary, "Open the console's session")
  .annotate(OpenApi.Description, `${ONLY} As auth/login; the refresh token goes into an HttpOnly cookie.`)

const signup = HttpApiEndpoint.post("signup", "/console/session/signup")
  .setPayload(Signup)
  .addSuccess(Ok(Schema.Union(ConsoleSession, UserRecord)))
  .addError(
    Fail(...EXCHANGE, InvalidEmail, InvalidOneTimeToken, InvalidParameter, SignupDisabled, UserExists, WeakPassword),
  )
  .annotate(Access, "none")
  .annotate(Deadline, within(15_000))
  .annotate(OpenApi.Summary, "Register a user in the console")
  .annotate(OpenApi.Description, `${ONLY} As auth/signup; the refresh token goes into an HttpOnly cookie.`)

const verify = HttpApiEndpoint.post("verify", "/console/session/verify")
  .setPayload(Verify)
  .addSuccess(Ok(Schema.Union(ConsoleSession, EmailChangeRecord)))
  .addError(Fail(...EXCHANGE, InvalidOneTimeToken, InvalidSecondFactor, SecondFactorNeeded))
  .annotate(Access, "none")
  .annotate(Deadline, within(15_000))
  .annotate(OpenApi.Summary, "Use a mailed token in the console")
  .annotate(OpenApi.Description, `${ONLY} As auth/verify; the refresh token goes into an HttpOnly cookie.`)

const reauthenticate = HttpApiEndpoint.post("reauthenticate", "/console/session/reauthenticate")
  .setPayload(Reauthenticate)
  .addSuccess(Ok(ConsoleSession))
  .addError(Fail(...EXCHANGE, InvalidLoginCredentials, InvalidSecondFactor, SecondFactorNeeded, SessionRevoked))
  .annotate(Access, "session")
  .annotate(OwnSignIn, true)
  .annotate(Deadline, within(15_000))
  .annotate(OpenApi.Summary, "Authenticate again in the console")
  .annotate(OpenApi.Description, `${ONLY} As auth/reauthenticate; the cookie is replaced.`)

const renew = HttpApiEndpoint.post("renew", "/console/session/renew")
  .addSuccess(Ok(ConsoleSession))
  .addError(Fail(...EXCHANGE))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Continue the console's session")
  .annotate(OpenApi.Description, `${ONLY} A new access token; the cookie is replaced.`)

const end = HttpApiEndpoint.post("end", "/console/session/end")
  .addSuccess(Ok(Schema.Literal("ok")))
  .addError(Fail(Forbidden, IpForbidden, UnknownEndpoint))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "End the console's session")
  .annotate(OpenApi.Description, `${ONLY} Ends the session of the cookie and clears the cookie.`)

export class ConsoleApi extends HttpApiGroup.make("console")
  .add(open)
  .add(signup)
  .add(verify)
  .add(reauthenticate)
  .add(renew)
  .add(end)
  .annotate(OpenApi.Title, "Console")
  .annotate(OpenApi.Description, "The session of the gateway's own page. Programs use API keys, or auth/login.") {}
