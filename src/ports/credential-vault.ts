/** Decrypts the credentials of an account for its connector. Secrets pass through memory once and are never logged. */
import { Context, type Effect } from "effect"
import type { VenueSecrets } from "../domain/account/credential.ts"
import type { CredentialRevoked } from "../domain/errors/credential.ts"
import type { VenueUnavailable } from "../domain/errors/venue.ts"
import type { CredentialId, TradingAccountId } from "../domain/ids.ts"

export interface UsableCredential {
  readonly credentialId: CredentialId
  readonly secrets: VenueSecrets
}

export class CredentialVault extends Context.Tag("ports/CredentialVault")<
  CredentialVault,
  {
    /**
     * One that is proven to open this very account, only for accounts of venues that need credentials. CredentialRevoked: none of the
     * account's is usable. VenueUnavailable: one has to be proven first, and the venue cannot be asked now.
     */
    readonly usableOf: (
      account: TradingAccountId,
    ) => Effect.Effect<UsableCredential, CredentialRevoked | VenueUnavailable>
  }
>() {}
