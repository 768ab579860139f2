/** The console's own session: opened with a password, continued by a cookie that scripts cannot read, ended. For the console's page only. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import {
  EmailNotConfirmed,
  InvalidLoginCredentials,
  InvalidRefreshToken,
  InvalidSecondFactor,
  RefreshTokenExpired,
  RefreshTokenReused,
  SecondFactorNeeded,
  UserDisabled,
} from "../../domain/errors/authentication.ts"
import { Forbidden, IpForbidden } from "../../domain/errors/authorisation.ts"
import { LoginRateLimited, RateLimited } from "../../domain/errors/limits.ts"
import { UnknownEndpoint } from "../../domain/errors/request.ts"
import { ConsoleMode } from "../../domain/user/console-mode.ts"
import { Permission, UserRecord } from "../../domain/user/user.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, Deadline, within } from "../edge/route.ts"
import { optional, text } from "../edge/wire-text.ts"

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

const RenewConsole = Schema.Struct({
  refreshToken: optional(text(1_024)).annotations({
    description: "Refresh token of a session just opened or re-authenticated. Omitted: that of the cookie",
  }),
}).annotations({ identifier: "RenewConsole" })

const ONLY = "Extension, for the console's own page: other callers are refused (403), or get 404 if CONSOLE is off."

const open = HttpApiEndpoint.post("open", "/console/session/open")
  .setPayload(OpenConsole)
  .addSuccess(Ok(ConsoleSession))
  .addError(
    Fail(
      EmailNotConfirmed,
      Forbidden,
      InvalidLoginCredentials,
      InvalidRefreshToken,
      InvalidSecondFactor,
      IpForbidden,
      LoginRateLimited,
      RateLimited,
      RefreshTokenExpired,
      RefreshTokenReused,
      SecondFactorNeeded,
      UnknownEndpoint,
      UserDisabled,
    ),
  )
  .annotate(Access, "none")
  .annotate(Deadline, within(15_000))
  .annotate(OpenApi.Summary, "Open the console's session")
  .annotate(OpenApi.Description, `${ONLY} As auth/login; the refresh token goes into an HttpOnly cookie.`)

const renew = HttpApiEndpoint.post("renew", "/console/session/renew")
  .setPayload(RenewConsole)
  .addSuccess(Ok(ConsoleSession))
  .addError(
    Fail(
      Forbidden,
      InvalidRefreshToken,
      IpForbidden,
      RateLimited,
      RefreshTokenExpired,
      RefreshTokenReused,
      UnknownEndpoint,
      UserDisabled,
    ),
  )
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
  .add(renew)
  .add(end)
  .annotate(OpenApi.Title, "Console")
  .annotate(OpenApi.Description, "The session of the gateway's own page. Programs use API keys, or auth/login.") {}
