/**
 * Users and sessions: sign-up, sign-in, verification by mail, the current user, its sessions and its second factor (specification,
 * Authentication).
 */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import {
  EmailNotConfirmed,
  InvalidLoginCredentials,
  InvalidOneTimeToken,
  InvalidRefreshToken,
  InvalidSecondFactor,
  ReauthenticationNeeded,
  RefreshTokenExpired,
  RefreshTokenReused,
  SecondFactorExists,
  SecondFactorNeeded,
  SessionNotFound,
  SessionRevoked,
  UserDisabled,
} from "../../domain/errors/authentication.ts"
import { Forbidden, IpForbidden } from "../../domain/errors/authorisation.ts"
import { LoginRateLimited, RateLimited } from "../../domain/errors/limits.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { InvalidEmail, SamePassword, SignupDisabled, UserExists, WeakPassword } from "../../domain/errors/user.ts"
import { EmailChangeRecord, SessionEntry, SessionRecord, UserRecord } from "../../domain/user/user.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, always, Deadline, Fresh, OwnSignIn, Query, within } from "../edge/route.ts"
import { optional, text } from "../edge/wire-text.ts"

// The second factor of the current user: set up with an authenticator app, confirmed by a code, removed by a code; recovery codes.

const State = Schema.Struct({
  enrolled: Schema.Boolean,
  recoveryCodesLeft: Schema.Int,
}).annotations({ identifier: "SecondFactorState" })

const Enrolment = Schema.Struct({
  secret: Schema.String.annotations({ description: "Base32, for manual entry" }),
  uri: Schema.String.annotations({ description: "otpauth://…, to be shown as a QR code" }),
}).annotations({ identifier: "SecondFactorEnrolment" })

const Codes = Schema.Struct({
  recoveryCodes: Schema.Array(Schema.String).annotations({
    description: "Each can be used once; they are not shown again",
  }),
}).annotations({ identifier: "RecoveryCodes" })

const Code = Schema.Struct({
  code: text(64).annotations({ description: "Six digits of the authenticator", examples: ["123456"] }),
}).annotations({ identifier: "SecondFactorCode" })

const AnyCode = Schema.Struct({
  code: text(64).annotations({ description: "Six digits of the authenticator, or a recovery code" }),
}).annotations({ identifier: "SecondFactorOrRecoveryCode" })

const state = HttpApiEndpoint.get("state", "/api/v3/auth/totp")
  .addSuccess(Ok(State))
  .addError(Fail(SessionRevoked))
  .annotate(Access, "session")
  .annotate(OpenApi.Summary, "Second factor")
  .annotate(OpenApi.Description, "Whether a second factor is set up, and how many recovery codes remain.")

const enrol = HttpApiEndpoint.post("enrol", "/api/v3/auth/totp/enrol")
  .addSuccess(Ok(Enrolment))
  .addError(Fail(SecondFactorExists, SessionRevoked))
  .annotate(Access, "session")
  .annotate(OwnSignIn, true)
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Set up a second factor")
  .annotate(
    OpenApi.Description,
    "Creates a secret for an authenticator app (TOTP: SHA-1, six digits, 30 s). It takes effect with auth/totp/confirm.",
  )

const confirm = HttpApiEndpoint.post("confirm", "/api/v3/auth/totp/confirm")
  .setPayload(Code)
  .addSuccess(Ok(Codes))
  .addError(Fail(InvalidSecondFactor, RateLimited, SecondFactorExists, SessionRevoked))
  .annotate(Access, "session")
  .annotate(OwnSignIn, true)
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Confirm the second factor")
  .annotate(
    OpenApi.Description,
    "Confirms it with a current code. From then on every sign-in needs a code, as totpCode. Ends all other sessions and returns ten recovery codes.",
  )

const remove = HttpApiEndpoint.post("remove", "/api/v3/auth/totp/remove")
  .setPayload(AnyCode)
  .addSuccess(Ok(Schema.Literal("ok")))
  .addError(Fail(InvalidSecondFactor, RateLimited, SessionRevoked))
  .annotate(Access, "session")
  .annotate(OwnSignIn, true)
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Remove the second factor")
  .annotate(OpenApi.Description, "With its recovery codes. Sign-ins need the password alone from here on.")

const renewCodes = HttpApiEndpoint.post("renewCodes", "/api/v3/auth/recoveryCode/renew")
  .addSuccess(Ok(Codes))
  .addError(Fail(InvalidSecondFactor, SessionRevoked))
  .annotate(Access, "session")
  .annotate(OwnSignIn, true)
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Renew the recovery codes")
  .annotate(OpenApi.Description, "Returns ten new codes; the previous ones become invalid.")

export class SecondFactorApi extends HttpApiGroup.make("secondFactor")
  .add(state)
  .add(enrol)
  .add(confirm)
  .add(remove)
  .add(renewCodes)
  .annotate(OpenApi.Title, "Second factor")
  .annotate(OpenApi.Description, "Authenticator app codes in addition to the password, and recovery codes.") {}

const Email = Schema.String.pipe(Schema.maxLength(320)).annotations({
  format: "email",
  examples: ["ada@example.com"],
})
const Password = Schema.String.pipe(Schema.maxLength(1_024)).annotations({
  description: "8 to 128 characters; not a commonly used password, and not merely your e-mail address",
  examples: ["correct-horse-battery"],
})

export const Signup = Schema.Struct({
  email: Email,
  password: Password,
  metadata: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
    description: "Free-form; returned as user.userMetadata",
  }),
  setupToken: optional(text(512)).annotations({
    description:
      "From the ready line of an installation without an admin: makes this user its admin, whatever SIGNUP is; can be used once",
  }),
}).annotations({
  identifier: "Signup",
  examples: [{ email: "ada@example.com", password: "correct-horse-battery", metadata: { desk: "fx" } }],
})

const TotpCode = optional(text(64)).annotations({
  description: "Where a second factor is set up: six digits of the authenticator, or a recovery code",
})

const Login = Schema.Struct({ email: Email, password: Password, totpCode: TotpCode }).annotations({
  identifier: "Login",
  examples: [{ email: "ada@example.com", password: "correct-horse-battery" }],
})

const Refresh = Schema.Struct({ refreshToken: text(1_024) }).annotations({ identifier: "Refresh" })

const UpdateUser = Schema.Struct({
  email: optional(Email),
  password: optional(Password),
  currentPassword: optional(Schema.String.pipe(Schema.maxLength(1_024))).annotations({
    description:
      "Required for a new password or e-mail address unless the user authenticated within the last FRESH_SECONDS",
  }),
  totpCode: TotpCode,
  metadata: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
    description: "Merged key by key into userMetadata; null removes a key",
  }),
}).annotations({ identifier: "UpdateUser", examples: [{ metadata: { desk: "rates" } }] })

export const Reauthenticate = Schema.Struct({
  currentPassword: text(1_024),
  totpCode: TotpCode,
}).annotations({ identifier: "Reauthenticate", examples: [{ currentPassword: "correct-horse-battery" }] })

const Recover = Schema.Struct({ email: Email }).annotations({
  identifier: "Recover",
  examples: [{ email: "ada@example.com" }],
})

const Resend = Schema.Struct({
  type: Schema.Literal("signup", "email_change"),
  email: Email.annotations({ description: "For email_change: the new address" }),
}).annotations({ identifier: "Resend", examples: [{ type: "signup", email: "ada@example.com" }] })

export const Verify = Schema.Struct({
  type: Schema.Literal("signup", "recovery", "email_change"),
  token: text(512).annotations({ description: "From the mail" }),
  totpCode: TotpCode,
}).annotations({ identifier: "Verify" })

const RevokeSession = Schema.Struct({ sessionId: Schema.UUID }).annotations({ identifier: "RevokeSession" })

/** Hashing waits in a queue when many log in at once. */
const hashing = within(15_000)

const signup = HttpApiEndpoint.post("signup", "/api/v3/auth/signup")
  .setPayload(Signup)
  .addSuccess(Ok(Schema.Union(SessionRecord, UserRecord)))
  .addError(
    Fail(
      Forbidden,
      InvalidEmail,
      InvalidOneTimeToken,
      InvalidParameter,
      IpForbidden,
      RateLimited,
      SignupDisabled,
      UserExists,
      WeakPassword,
    ),
  )
  .annotate(Access, "none")
  .annotate(Deadline, hashing)
  .annotate(OpenApi.Summary, "Register a user")
  .annotate(
    OpenApi.Description,
    "Registers a user and opens a session. Send its accessToken as `Authorization: Bearer …` on every other call. With SIGNUP=confirm it returns the user without a session, the same for every address, and mails a token for auth/verify.",
  )

const login = HttpApiEndpoint.post("login", "/api/v3/auth/login")
  .setPayload(Login)
  .addSuccess(Ok(SessionRecord))
  .addError(
    Fail(
      EmailNotConfirmed,
      InvalidLoginCredentials,
      InvalidSecondFactor,
      LoginRateLimited,
      RateLimited,
      SecondFactorNeeded,
      UserDisabled,
    ),
  )
  .annotate(Access, "none")
  .annotate(Deadline, hashing)
  .annotate(OpenApi.Summary, "Log in")
  .annotate(
    OpenApi.Description,
    "Opens a session. If a second factor is set up, the correct password alone is answered with -100014 SECOND_FACTOR_NEEDED: call again with totpCode. An unknown e-mail address, a wrong password and a client address that is not allowed for the user give the same answer.",
  )

const refresh = HttpApiEndpoint.post("refresh", "/api/v3/auth/token/refresh")
  .setPayload(Refresh)
  .addSuccess(Ok(SessionRecord))
  .addError(Fail(InvalidRefreshToken, IpForbidden, RefreshTokenExpired, RefreshTokenReused, UserDisabled, RateLimited))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Renew a session")
  .annotate(
    OpenApi.Description,
    "Returns a new accessToken and a new refreshToken, which replaces the old one. Reuse of an old refresh token ends the session.",
  )

const logout = HttpApiEndpoint.post("logout", "/api/v3/auth/logout")
  .setUrlParams(
    Query({
      scope: Schema.optional(Schema.Literal("local", "others", "global")).annotations({
        description: "This session (default), all others, or all",
      }),
    }),
  )
  .addSuccess(Ok(Schema.Literal("ok")))
  .annotate(Access, "session")
  .annotate(OwnSignIn, true)
  .annotate(Fresh, ({ query }: { readonly query: { readonly scope?: string } }) => (query.scope ?? "local") !== "local")
  .annotate(OpenApi.Summary, "Log out")
  .annotate(OpenApi.Description, "Ends sessions: their tokens are refused from now on and their sockets are closed.")

const user = HttpApiEndpoint.get("user", "/api/v3/auth/user")
  .addSuccess(Ok(UserRecord))
  .addError(Fail(SessionRevoked))
  .annotate(Access, "session")
  .annotate(OpenApi.Summary, "Current user")
  .annotate(OpenApi.Description, "The user to whom the access token belongs.")

/** The current password beside it is a proof of its own. */
const needsProofOfUpdate = ({ body }: { readonly body: typeof UpdateUser.Type }): boolean =>
  ((body.password ?? null) !== null || (body.email ?? null) !== null) && (body.currentPassword ?? null) === null

const update = HttpApiEndpoint.post("update", "/api/v3/auth/user/update")
  .setPayload(UpdateUser)
  .addSuccess(Ok(UserRecord))
  .addError(
    Fail(
      InvalidEmail,
      InvalidLoginCredentials,
      InvalidParameter,
      InvalidSecondFactor,
      RateLimited,
      ReauthenticationNeeded,
      SamePassword,
      SecondFactorNeeded,
      SessionRevoked,
      WeakPassword,
    ),
  )
  .annotate(Access, "session")
  .annotate(OwnSignIn, true)
  .annotate(Fresh, needsProofOfUpdate)
  .annotate(Deadline, hashing)
  .annotate(OpenApi.Summary, "Update the current user")
  .annotate(
    OpenApi.Description,
    "All changes apply, or none. A new address or password needs currentPassword, or a sign-in (or auth/reauthenticate) within the last FRESH_SECONDS. A new address takes effect once both it and the current one have confirmed the tokens mailed to them. A new password ends all other sessions.",
  )

const reauthenticate = HttpApiEndpoint.post("reauthenticate", "/api/v3/auth/reauthenticate")
  .setPayload(Reauthenticate)
  .addSuccess(Ok(SessionRecord))
  .addError(Fail(InvalidLoginCredentials, InvalidSecondFactor, RateLimited, SecondFactorNeeded, SessionRevoked))
  .annotate(Access, "session")
  .annotate(Deadline, hashing)
  .annotate(OpenApi.Summary, "Authenticate again")
  .annotate(
    OpenApi.Description,
    "For operations that answer -100011 REAUTHENTICATION_NEEDED: the session continues with new tokens, and its old ones become invalid. Sockets stay open.",
  )

const recover = HttpApiEndpoint.post("recover", "/api/v3/auth/recover")
  .setPayload(Recover)
  .addSuccess(Ok(Schema.Literal("ok")))
  .addError(Fail(InvalidEmail))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Recover a password")
  .annotate(
    OpenApi.Description,
    "Mails a token for auth/verify, valid for 10 minutes, to the address if it belongs to a user, at most once a minute. Returns ok for every well-formed address.",
  )

const resend = HttpApiEndpoint.post("resend", "/api/v3/auth/resend")
  .setPayload(Resend)
  .addSuccess(Ok(Schema.Literal("ok")))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Send a mail again")
  .annotate(OpenApi.Description, "Sends a new token if one is pending, at most once a minute. Always returns ok.")

const verify = HttpApiEndpoint.post("verify", "/api/v3/auth/verify")
  .setPayload(Verify)
  .addSuccess(Ok(Schema.Union(SessionRecord, EmailChangeRecord)))
  .addError(Fail(InvalidOneTimeToken, InvalidSecondFactor, RateLimited, SecondFactorNeeded, UserDisabled))
  .annotate(Access, "none")
  .annotate(Deadline, hashing)
  .annotate(OpenApi.Summary, "Use a mailed token")
  .annotate(
    OpenApi.Description,
    "signup confirms the address and recovery proves its ownership: both open a session, in which a new password may be set. email_change is one of two confirmations of a new address.",
  )

const sessionList = HttpApiEndpoint.get("sessionList", "/api/v3/auth/session/list")
  .addSuccess(Ok(Schema.Array(SessionEntry)))
  .annotate(Access, "session")
  .annotate(OpenApi.Summary, "List sessions")
  .annotate(OpenApi.Description, "The user's open sessions, most recently used first.")

const sessionRevoke = HttpApiEndpoint.post("sessionRevoke", "/api/v3/auth/session/revoke")
  .setPayload(RevokeSession)
  .addSuccess(Ok(Schema.Literal("ok")))
  .addError(Fail(SessionNotFound))
  .annotate(Access, "session")
  .annotate(OwnSignIn, true)
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Revoke a session")
  .annotate(OpenApi.Description, "Ends one of your sessions: its tokens are refused from now on and its sockets close.")

const Jwk = Schema.Struct({
  kty: Schema.Literal("OKP"),
  crv: Schema.Literal("Ed25519"),
  x: Schema.String,
  kid: Schema.String,
  use: Schema.Literal("sig"),
  alg: Schema.Literal("EdDSA"),
}).annotations({ identifier: "Jwk" })

const jwks = HttpApiEndpoint.get("jwks", "/api/v3/auth/jwks")
  .addSuccess(Ok(Schema.Struct({ keys: Schema.Array(Jwk) }).annotations({ identifier: "Jwks" })))
  .annotate(Access, "none")
  .annotate(OpenApi.Summary, "Public keys of access tokens")
  .annotate(
    OpenApi.Description,
    "The key that access tokens are signed with now, and earlier keys whose tokens may still be valid (RFC 7517). May be cached for 5 minutes; fetch it again for an unknown kid. For libraries that expect the set without an envelope it is at /.well-known/jwks.json.",
  )

export class SessionApi extends HttpApiGroup.make("auth")
  .add(signup)
  .add(login)
  .add(refresh)
  .add(logout)
  .add(user)
  .add(update)
  .add(reauthenticate)
  .add(recover)
  .add(resend)
  .add(verify)
  .add(sessionList)
  .add(sessionRevoke)
  .add(jwks)
  .annotate(OpenApi.Title, "Users and sessions")
  .annotate(OpenApi.Description, "Start here: sign up or log in, then send the accessToken with every call.") {}
