/** Credentials of venues. */
import { Schema } from "effect"
import { CredentialId, TradingAccountId } from "../ids.ts"

export class CredentialNotFound extends Schema.TaggedError<CredentialNotFound>()("CredentialNotFound", {}) {
  override message = "Credential not found"
}

export class CredentialsInvalid extends Schema.TaggedError<CredentialsInvalid>()("CredentialsInvalid", {
  reason: Schema.String,
  /** Which of several. */
  credentialId: Schema.optional(CredentialId),
}) {
  override message = "Credentials failed validation"
}

export class PassphraseRequired extends Schema.TaggedError<PassphraseRequired>()("PassphraseRequired", {}) {
  override message = "Passphrase required"
}

export class CredentialRevoked extends Schema.TaggedError<CredentialRevoked>()("CredentialRevoked", {}) {
  override message = "Credential revoked"
}

export class CredentialInUse extends Schema.TaggedError<CredentialInUse>()("CredentialInUse", {
  tradingAccountId: TradingAccountId,
}) {
  override message = "Credential in use"
}
