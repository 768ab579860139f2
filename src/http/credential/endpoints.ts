/** Exchange API credentials: create (proved at the venue first), list, revoke. A secret goes in and never comes out again. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { CredentialRecord } from "../../domain/account/credential.ts"
import { InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import {
  CredentialInUse,
  CredentialNotFound,
  CredentialsInvalid,
  PassphraseRequired,
} from "../../domain/errors/credential.ts"
import { ConflictingParameters, InvalidCursor } from "../../domain/errors/request.ts"
import { InvalidVenue, NotSupportedByVenue, VenueInactive, VenueUnavailable } from "../../domain/errors/venue.ts"
import { CredentialId } from "../../domain/ids.ts"
import { Fail, Ok, Page } from "../edge/envelope.ts"
import { Access, always, Deadline, Fresh, Query, within } from "../edge/route.ts"
import { Ask, optional, text, VenueText } from "../edge/wire-text.ts"

const CreateCredential = Schema.Struct({
  venue: VenueText,
  apiKey: text(512),
  apiSecret: text(8_192).annotations({ description: "Key text or PEM; stored encrypted, never returned" }),
  apiPassphrase: optional(text(512)).annotations({ description: "Required by some venues" }),
  name: optional(text(128)),
  type: optional(text(32)).annotations({ description: "Default EXCHANGE" }),
}).annotations({
  identifier: "CreateCredential",
  examples: [
    {
      venue: "BINANCE_UAT",
      apiKey: "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A",
      apiSecret: "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j",
      name: "testnet",
    },
  ],
})

const RevokeCredential = Schema.Struct({
  credentialId: CredentialId,
  force: optional(Schema.Boolean).annotations({
    description: "Revoke although open orders depend on it; the account becomes INACTIVE",
  }),
}).annotations({ identifier: "RevokeCredential" })

const create = HttpApiEndpoint.post("create", "/api/v3/credential/create")
  .setPayload(CreateCredential)
  .addSuccess(Ok(CredentialRecord))
  .addError(
    Fail(
      CredentialsInvalid,
      PassphraseRequired,
      InvalidVenue,
      VenueInactive,
      NotSupportedByVenue,
      VenueUnavailable,
      InsufficientPermissions,
    ),
  )
  .annotate(Access, "write")
  .annotate(Fresh, always)
  .annotate(Deadline, within(30_000))
  .annotate(OpenApi.Summary, "Store a credential")
  .annotate(
    OpenApi.Description,
    "Verifies the credential at the venue, then stores it encrypted. If verification fails, nothing is stored.",
  )

const list = HttpApiEndpoint.get("list", "/api/v3/credential/list")
  .setUrlParams(
    Query({
      venue: Schema.optional(VenueText),
      userId: Ask.userId,
      limit: Ask.limit(1_000, 50),
      offset: Ask.offset,
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(CredentialRecord))
  .addError(Fail(InvalidVenue, InsufficientPermissions, InvalidCursor, ConflictingParameters))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "List credentials")
  .annotate(OpenApi.Description, "Your credentials, newest first, with masked keys.")

const revoke = HttpApiEndpoint.post("revoke", "/api/v3/credential/revoke")
  .setPayload(RevokeCredential)
  .addSuccess(Ok(CredentialRecord))
  .addError(Fail(CredentialNotFound, CredentialInUse))
  .annotate(Access, "write")
  .annotate(Fresh, always)
  .annotate(Deadline, within(15_000))
  .annotate(OpenApi.Summary, "Revoke a credential")
  .annotate(
    OpenApi.Description,
    "Invalidates the credential and deletes its secret. Refused (409) while it is the last one of an account with open orders, unless force.",
  )

export class CredentialApi extends HttpApiGroup.make("credential")
  .add(create)
  .add(list)
  .add(revoke)
  .annotate(OpenApi.Title, "Credentials")
  .annotate(OpenApi.Description, "API keys of your accounts on venues. MOCK needs none.") {}
