/** Authentication: tokens, logins, sessions. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

/** For who looks for the header: X-API-Key and a key without its scheme are how other services take one. */
export const HOW_TO_SEND_A_TOKEN = "send a session's accessToken or an API key as Authorization: Bearer TOKEN"

export class AccessTokenMissing extends Failure<AccessTokenMissing>()("AccessTokenMissing", {
  reason: Schema.String,
}) {
  override message = "Access token missing"
}

/** `reason`: where it is how it was sent, and not the token. */
export class InvalidAccessToken extends Failure<InvalidAccessToken>()("InvalidAccessToken", {
  reason: Schema.optional(Schema.String),
}) {
  override message = "Invalid access token"
}

/** Refresh the session and try again. */
export class AccessTokenExpired extends Failure<AccessTokenExpired>()("AccessTokenExpired", {}) {
  override message = "Access token expired"
}

/** The session was logged out or ended; log in again. */
export class SessionRevoked extends Failure<SessionRevoked>()("SessionRevoked", {}) {
  override message = "Session revoked"
}

/** Wrong e-mail or wrong password; the two are never told apart. */
export class InvalidLoginCredentials extends Failure<InvalidLoginCredentials>()("InvalidLoginCredentials", {}) {
  override message = "Invalid login credentials"
}

export class InvalidRefreshToken extends Failure<InvalidRefreshToken>()("InvalidRefreshToken", {}) {
  override message = "Invalid refresh token"
}

export class RefreshTokenExpired extends Failure<RefreshTokenExpired>()("RefreshTokenExpired", {}) {
  override message = "Refresh token expired"
}

/** An old refresh token came back: the whole session is revoked. */
export class RefreshTokenReused extends Failure<RefreshTokenReused>()("RefreshTokenReused", {}) {
  override message = "Refresh token already used"
}

/** Only after the right password: open the token that was mailed, or have it sent again. */
export class EmailNotConfirmed extends Failure<EmailNotConfirmed>()("EmailNotConfirmed", {}) {
  override message = "E-mail not confirmed"
}

export class UserDisabled extends Failure<UserDisabled>()("UserDisabled", {}) {
  override message = "Account disabled"
}

/** The caller's last proof of identity is too old for this: prove it again (auth/reauthenticate), then call again. */
export class ReauthenticationNeeded extends Failure<ReauthenticationNeeded>()("ReauthenticationNeeded", {
  /** How old a proof may be. */
  maxAgeSeconds: Schema.Number,
  /** What proves it. */
  needs: Schema.Array(Schema.Literal("password", "totp")),
}) {
  override message = "Reauthentication needed"
}

/** The password is right, and the user has a second factor: call again with a code of it, or a recovery code, as totpCode. */
export class SecondFactorNeeded extends Failure<SecondFactorNeeded>()("SecondFactorNeeded", {}) {
  override message = "Second factor needed"
}

/** Wrong, too old or used before; or there is none to prove. The four are never told apart. */
export class InvalidSecondFactor extends Failure<InvalidSecondFactor>()("InvalidSecondFactor", {}) {
  override message = "Invalid second factor"
}

/** Remove the one that there is first. */
export class SecondFactorExists extends Failure<SecondFactorExists>()("SecondFactorExists", {}) {
  override message = "Second factor already set up"
}

/** Unknown, used or too old: the three are never told apart. Ask for a new mail. */
export class InvalidOneTimeToken extends Failure<InvalidOneTimeToken>()("InvalidOneTimeToken", {}) {
  override message = "Invalid or expired token"
}

/** None of the caller's sessions has this id. */
export class SessionNotFound extends Failure<SessionNotFound>()("SessionNotFound", {}) {
  override message = "Session not found"
}
