/** Stored exchange credentials: encrypted on the way in, decrypted only for the connector of an account that they belong to. */
import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { Credential, VenueSecrets } from "../domain/credential.ts"
import { CredentialNotFound, CredentialRevoked } from "../domain/errors/credential.ts"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import type { CredentialId, UserId } from "../domain/ids.ts"
import type { Principal } from "../domain/user.ts"
import type { Venue } from "../domain/venue.ts"
import { Clock } from "../ports/clock.ts"
import { CredentialVault } from "../ports/credential-vault.ts"
import { Ids } from "../ports/ids.ts"
import { Credentials } from "../store/credentials.ts"
import type { EncryptionKeys } from "./encryption-keys.ts"
import type { Keys } from "./keys.ts"
import { type Envelope, open, placeIn, seal } from "./secrets.ts"

const place = (credentialId: CredentialId, userId: UserId) => placeIn("credential", credentialId, userId)

const read = (keys: EncryptionKeys, credentialId: CredentialId, userId: UserId, envelope: unknown): VenueSecrets =>
  JSON.parse(open(keys, place(credentialId, userId), envelope as Envelope).toString("utf8")) as VenueSecrets

export interface NewCredential {
  readonly principal: Principal
  readonly venue: Venue
  /** Already proven at the venue. */
  readonly secrets: VenueSecrets
  readonly name: string
  readonly type: string
}

/** The edges' side of the vault: storing, and proving ownership before anything is decrypted. */
export class CredentialKeeper extends Context.Tag("auth/CredentialKeeper")<
  CredentialKeeper,
  {
    readonly store: (credential: NewCredential) => Effect.Effect<Credential, StorageUnavailable>
    /** The user's own ACTIVE credentials by id, with the secrets of the first. */
    readonly open: (
      principal: Principal,
      ids: ReadonlyArray<CredentialId>,
    ) => Effect.Effect<
      { readonly credentials: ReadonlyArray<Credential>; readonly secrets: VenueSecrets },
      CredentialNotFound | CredentialRevoked | StorageUnavailable
    >
  }
>() {}

const keeper = (keys: Keys) =>
  Effect.gen(function* () {
    const clock = yield* Clock
    const ids = yield* Ids
    const credentials = yield* Credentials
    return CredentialKeeper.of({
      store: ({ principal, venue, secrets, name, type }) =>
        Effect.suspend(() => {
          const now = clock.now()
          const credentialId = ids.uuid() as CredentialId
          const envelope = seal(
            keys.encryption,
            place(credentialId, principal.userId),
            Buffer.from(JSON.stringify(secrets)),
          )
          const credential: Credential = {
            credentialId,
            tenantId: principal.tenantId,
            userId: principal.userId,
            venue: venue.venue,
            name,
            type,
            maskedApiKey: `****${secrets.apiKey.slice(-4)}`,
            status: "ACTIVE",
            createdAt: now,
            updatedAt: now,
            revokedAt: null,
          }
          const apiKeyHash = createHash("sha256").update(secrets.apiKey).digest("hex")
          return credentials.insert(credential, envelope, envelope.kid, apiKeyHash).pipe(Effect.as(credential))
        }),
      open: (principal, wanted) =>
        Effect.gen(function* () {
          const found: Array<Credential> = []
          let secrets: VenueSecrets | undefined
          for (const id of wanted) {
            const stored = yield* credentials.find(id)
            // Somebody else's credential answers as one that does not exist.
            if (stored === null || stored.credential.userId !== principal.userId) return yield* new CredentialNotFound()
            if (stored.credential.status === "REVOKED" || stored.envelope === null)
              return yield* new CredentialRevoked()
            found.push(stored.credential)
            secrets ??= read(keys.encryption, stored.credential.credentialId, stored.credential.userId, stored.envelope)
          }
          if (secrets === undefined) return yield* new CredentialNotFound()
          return { credentials: found, secrets }
        }),
    })
  })

const vault = (keys: Keys) =>
  Effect.gen(function* () {
    const credentials = yield* Credentials
    return CredentialVault.of({
      secretsOf: (account) =>
        Effect.gen(function* () {
          const usable = (yield* Effect.orDie(credentials.envelopesOf(account)))[0]
          if (usable === undefined) return yield* new CredentialRevoked()
          return read(keys.encryption, usable.credentialId, usable.userId, usable.envelope)
        }),
    })
  })

export const credentialLayers = (keys: Keys) =>
  Layer.mergeAll(Layer.effect(CredentialKeeper, keeper(keys)), Layer.effect(CredentialVault, vault(keys)))
