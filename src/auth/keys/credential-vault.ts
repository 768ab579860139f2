/** Stored exchange credentials: encrypted on the way in, decrypted only for the connector of an account that they belong to. */
import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { type Credential, isOwnCredential, type VenueSecrets } from "../../domain/account/credential.ts"
import { CredentialNotFound, CredentialRevoked } from "../../domain/errors/credential.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { CredentialId, TradingAccountId, UserId } from "../../domain/ids.ts"
import type { Venue } from "../../domain/instrument/venue.ts"
import type { Actor } from "../../domain/user/act.ts"
import type { Principal } from "../../domain/user/user.ts"
import { Clock } from "../../ports/clock.ts"
import { CredentialVault } from "../../ports/credential-vault.ts"
import { Ids } from "../../ports/ids.ts"
import { VenuePort } from "../../ports/venue-port.ts"
import { Acts } from "../../store/audit/acts.ts"
import { Accounts } from "../../store/orders/accounts.ts"
import { type AttachedCredential, Credentials } from "../../store/users/credentials.ts"
import type { EncryptionKeys, Keys } from "./keys.ts"
import { type Envelope, open, placeIn, seal } from "./secrets.ts"

const place = (credentialId: CredentialId, userId: UserId) => placeIn("credential", credentialId, userId)

const read = (keys: EncryptionKeys, credentialId: CredentialId, userId: UserId, envelope: unknown): VenueSecrets =>
  JSON.parse(open(keys, place(credentialId, userId), envelope as Envelope).toString("utf8")) as VenueSecrets

const hashOf = (apiKey: string): string => createHash("sha256").update(apiKey).digest("hex")

export interface NewCredential {
  readonly principal: Principal
  readonly actor: Actor
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
    /** The user's own ACTIVE credentials by id, with their secrets. */
    readonly open: (
      principal: Principal,
      ids: ReadonlyArray<CredentialId>,
    ) => Effect.Effect<
      ReadonlyArray<{ readonly credential: Credential; readonly secrets: VenueSecrets }>,
      CredentialNotFound | CredentialRevoked | StorageUnavailable
    >
  }
>() {}

const keeper = (keys: Keys) =>
  Effect.gen(function* () {
    const clock = yield* Clock
    const ids = yield* Ids
    const credentials = yield* Credentials
    const acts = yield* Acts
    return CredentialKeeper.of({
      store: ({ principal, actor, venue, secrets, name, type }) =>
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
          const { tenantId } = principal
          return acts
            .commit(
              {
                actId: credentialId,
                action: "credential.create",
                actor,
                object: { type: "CREDENTIAL", id: credentialId, tenantId },
                what: venue.venue,
              },
              () => credentials.insert(credential, envelope, envelope.kid, hashOf(secrets.apiKey)),
            )
            .pipe(Effect.as(credential))
        }),
      open: (principal, wanted) =>
        Effect.forEach(wanted, (id) =>
          Effect.gen(function* () {
            const stored = yield* credentials.find(id)
            if (stored === null || !isOwnCredential(stored.credential, principal))
              return yield* new CredentialNotFound()
            const { credential, envelope } = stored
            if (credential.status === "REVOKED" || envelope === null) return yield* new CredentialRevoked()
            return { credential, secrets: read(keys.encryption, id, credential.userId, envelope) }
          }),
        ),
    })
  })

/** What an account is held by at its venue (contract C11a): the account's id there, or the key itself where the venue tells none. */
export const externalKeyOf = (externalAccountId: string | null, { apiKey }: VenueSecrets): string =>
  externalAccountId ?? hashOf(apiKey)

const vault = (keys: Keys) =>
  Effect.gen(function* () {
    const credentials = yield* Credentials
    const accounts = yield* Accounts
    const venues = yield* VenuePort

    /** Attached before the venue was asked about each: it is asked before the first use. */
    const proves = (tradingAccountId: TradingAccountId, attached: AttachedCredential, secrets: VenueSecrets) =>
      Effect.gen(function* () {
        const { credentialId, venue, externalTradingAccountId } = attached
        const { externalAccountId } = yield* venues.verify(venue, secrets)
        if (externalAccountId !== null && externalAccountId !== externalTradingAccountId) return false
        const externalKey = externalKeyOf(externalAccountId, secrets)
        yield* accounts.prove({ tradingAccountId, venue }, [{ credentialId, externalKey }])
        return true
      }).pipe(
        Effect.catchTags({
          CredentialsInvalid: () => Effect.succeed(false),
          ExternalAccountTaken: () => Effect.succeed(false),
          // Its owner may keep it otherwise tomorrow.
          NotSupportedByVenue: ({ feature }) => new VenueUnavailable({ reason: feature }),
          StorageUnavailable: Effect.die,
        }),
      )

    return CredentialVault.of({
      usableOf: (account) =>
        Effect.gen(function* () {
          for (const attached of yield* Effect.orDie(credentials.attachedTo(account))) {
            const { credentialId, userId, envelope, isProven } = attached
            const secrets = read(keys.encryption, credentialId, userId, envelope)
            if (isProven || (yield* proves(account, attached, secrets))) return { credentialId, secrets }
          }
          return yield* new CredentialRevoked()
        }),
    })
  })

export const keeperLayer = (keys: Keys) => Layer.effect(CredentialKeeper, keeper(keys))
export const vaultLayer = (keys: Keys) => Layer.effect(CredentialVault, vault(keys))
