/** Credentials of venues. */
import { Schema } from "effect"
import { CredentialId, TradingAccountId } from "../ids.ts"
import { Failure } from "./failure.ts"

export class CredentialNotFound extends Failure<CredentialNotFound>()("CredentialNotFound", {}) {
  override message = "Credential not found"
}

export class CredentialsInvalid extends Failure<CredentialsInvalid>()("CredentialsInvalid", {
  reason: Schema.String,
  /** Which of several. */
  credentialId: Schema.optional(CredentialId),
}) {
  override message = "Credentials failed validation"
}

export class PassphraseRequired extends Failure<PassphraseRequired>()("PassphraseRequired", {}) {
  override message = "Passphrase required"
}

export class CredentialRevoked extends Failure<CredentialRevoked>()("CredentialRevoked", {}) {
  override message = "Credential revoked"
}

export class CredentialInUse extends Failure<CredentialInUse>()("CredentialInUse", {
  tradingAccountId: TradingAccountId,
}) {
  override message = "Credential in use"
}
