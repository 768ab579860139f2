/** API keys of the current user: created after a recent authentication, listed, revoked. The key itself is in one response and nowhere else. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ApiKeyNotFound, TooManyApiKeys } from "../../domain/errors/api-key.ts"
import { SessionRevoked } from "../../domain/errors/authentication.ts"
import { AccountForbidden, AdminRequired, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { TradingAccountNotFound } from "../../domain/errors/trading-account.ts"
import { ApiKeyId, TradingAccountId } from "../../domain/ids.ts"
import { ACCOUNTS_MAX, ApiKeyRecord, ApiKeyScope, CreatedApiKey, NETWORKS_MAX } from "../../domain/user/api-key.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, always, Fresh } from "../edge/route.ts"
import { optional, text } from "../edge/wire-text.ts"

const CreateApiKey = Schema.Struct({
  name: text(64).annotations({ description: "Your name for the key" }),
  scopes: Schema.Array(ApiKeyScope).pipe(Schema.minItems(1), Schema.maxItems(3)).annotations({
    description:
      "read: what the permission read allows. trade: write, and what it implies. admin: for admins only, and void once the user loses that right",
  }),
  tradingAccountIds: optional(
    Schema.Array(TradingAccountId).pipe(Schema.minItems(1), Schema.maxItems(ACCOUNTS_MAX)),
  ).annotations({
    description:
      "The accounts that the key is limited to, without access to wallets, credentials or dealers; omitted: no limit",
  }),
  ipAllow: optional(Schema.Array(text(64)).pipe(Schema.minItems(1), Schema.maxItems(NETWORKS_MAX))).annotations({
    description:
      "Addresses and CIDRs that the key may be used from, in addition to the restriction on your user; omitted: any",
  }),
  expiresAt: optional(Schema.Int.pipe(Schema.between(0, 8_640_000_000_000_000))).annotations({
    description: "Expiry, in ms, 9999-12-31T23:59:59.999Z at the latest; omitted: never",
  }),
}).annotations({
  identifier: "CreateApiKey",
  examples: [{ name: "market maker", scopes: ["trade"] }],
})

const RevokeApiKey = Schema.Struct({ apiKeyId: ApiKeyId }).annotations({ identifier: "RevokeApiKey" })

const create = HttpApiEndpoint.post("create", "/api/v3/apiKey/create")
  .setPayload(CreateApiKey)
  .addSuccess(Ok(CreatedApiKey))
  .addError(
    Fail(
      AccountForbidden,
      AdminRequired,
      InsufficientPermissions,
      InvalidParameter,
      SessionRevoked,
      TooManyApiKeys,
      TradingAccountNotFound,
    ),
  )
  .annotate(Access, "session")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Create an API key")
  .annotate(
    OpenApi.Description,
    "Extension. The response contains the key, which is shown only once: store it. Send it as the Bearer token over HTTP, or as the token of the WebSocket's connect command. A key needs no refresh, cannot create other keys, and cannot perform operations that need a recent authentication.",
  )

const list = HttpApiEndpoint.get("list", "/api/v3/apiKey/list")
  .addSuccess(Ok(Schema.Array(ApiKeyRecord)))
  .annotate(Access, "session")
  .annotate(OpenApi.Summary, "List API keys")
  .annotate(
    OpenApi.Description,
    "Extension. Your keys, newest first, with their last use; revoked and expired keys are listed for another month.",
  )

const revoke = HttpApiEndpoint.post("revoke", "/api/v3/apiKey/revoke")
  .setPayload(RevokeApiKey)
  .addSuccess(Ok(ApiKeyRecord))
  .addError(Fail(ApiKeyNotFound))
  .annotate(Access, "session")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Revoke an API key")
  .annotate(
    OpenApi.Description,
    "Extension. Ends the key: it is refused from now on, and its sockets are closed. Orders placed with it are not affected.",
  )

export class ApiKeyApi extends HttpApiGroup.make("apiKey")
  .add(create)
  .add(list)
  .add(revoke)
  .annotate(OpenApi.Title, "API keys")
  .annotate(
    OpenApi.Description,
    "Authentication for programs instead of a session: limited to scopes, accounts and addresses.",
  ) {}
