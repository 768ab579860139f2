/** The second factor of the current user: set up with an authenticator app, confirmed by a code, removed by a code; recovery codes. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { InvalidSecondFactor, SecondFactorExists, SessionRevoked } from "../../domain/errors/authentication.ts"
import { RateLimited } from "../../domain/errors/limits.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, always, Fresh } from "../edge/route.ts"
import { text } from "../edge/wire-text.ts"

const State = Schema.Struct({
  enrolled: Schema.Boolean,
  recoveryCodesLeft: Schema.Int,
}).annotations({ identifier: "SecondFactorState" })

const Enrolment = Schema.Struct({
  secret: Schema.String.annotations({ description: "Base32, to be typed" }),
  uri: Schema.String.annotations({ description: "otpauth://…, to be shown as a QR code" }),
}).annotations({ identifier: "SecondFactorEnrolment" })

const Codes = Schema.Struct({
  recoveryCodes: Schema.Array(Schema.String).annotations({ description: "Each good once; told this once only" }),
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
  .annotate(OpenApi.Description, "Whether one is set up, and how many recovery codes are left.")

const enrol = HttpApiEndpoint.post("enrol", "/api/v3/auth/totp/enrol")
  .addSuccess(Ok(Enrolment))
  .addError(Fail(SecondFactorExists, SessionRevoked))
  .annotate(Access, "session")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Set up a second factor")
  .annotate(
    OpenApi.Description,
    "A new secret for an authenticator app (TOTP: SHA-1, six digits, 30 s). Nothing needs it before auth/totp/confirm.",
  )

const confirm = HttpApiEndpoint.post("confirm", "/api/v3/auth/totp/confirm")
  .setPayload(Code)
  .addSuccess(Ok(Codes))
  .addError(Fail(InvalidSecondFactor, RateLimited, SecondFactorExists, SessionRevoked))
  .annotate(Access, "session")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Confirm the second factor")
  .annotate(
    OpenApi.Description,
    "By a code of it. From here on each sign-in needs one, as totpCode. Ends all other sessions, and answers ten recovery codes.",
  )

const remove = HttpApiEndpoint.post("remove", "/api/v3/auth/totp/remove")
  .setPayload(AnyCode)
  .addSuccess(Ok(Schema.Literal("ok")))
  .addError(Fail(InvalidSecondFactor, RateLimited, SessionRevoked))
  .annotate(Access, "session")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Remove the second factor")
  .annotate(OpenApi.Description, "With its recovery codes. Sign-ins need the password alone from here on.")

const renewCodes = HttpApiEndpoint.post("renewCodes", "/api/v3/auth/recoveryCode/renew")
  .addSuccess(Ok(Codes))
  .addError(Fail(InvalidSecondFactor, SessionRevoked))
  .annotate(Access, "session")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Renew the recovery codes")
  .annotate(OpenApi.Description, "Ten others; those of before are good no longer.")

export class SecondFactorApi extends HttpApiGroup.make("secondFactor")
  .add(state)
  .add(enrol)
  .add(confirm)
  .add(remove)
  .add(renewCodes)
  .annotate(OpenApi.Title, "Second factor")
  .annotate(OpenApi.Description, "Codes of an authenticator app beside the password, and recovery codes.") {}
