/** Decrypts the credentials of an account for its connector. Secrets pass through memory once and are never logged. */
import { Context, type Effect } from "effect"
import type { VenueSecrets } from "../domain/credential.ts"
import type { CredentialRevoked } from "../domain/errors/credential.ts"
import type { TradingAccountId } from "../domain/ids.ts"

export class CredentialVault extends Context.Tag("ports/CredentialVault")<
  CredentialVault,
  {
    /** Only for accounts of venues that need credentials; fails when none of the account's is usable. */
    readonly secretsOf: (account: TradingAccountId) => Effect.Effect<VenueSecrets, CredentialRevoked>
  }
>() {}
