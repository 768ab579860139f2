/** The whole HTTP API as one declaration: types for handlers, checks for requests, and the OpenAPI document come from here. */
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "@effect/platform"
import { AdminOrderApi, AdminUserApi } from "./admin/endpoints.ts"
import { AdminStatusApi } from "./admin/status-endpoints.ts"
import { AdminNetworkApi, AdminTenantApi } from "./admin/tenancy-endpoints.ts"
import { ApiKeyApi } from "./api-key/endpoints.ts"
import { AuditApi } from "./audit/endpoints.ts"
import { ConsoleApi } from "./console/endpoints.ts"
import { CredentialApi } from "./credential/endpoints.ts"
import { DealerApi } from "./dealer/endpoints.ts"
import type { Handlers } from "./edge/route.ts"
import { KEY_RULES, type KeyRule } from "./key-scopes.ts"
import { MarketApi } from "./market/endpoints.ts"
import { QuoteApi } from "./quote/endpoints.ts"
import { RootApi } from "./root/endpoints.ts"
import { SecondFactorApi, SessionApi } from "./session/endpoints.ts"
import { SubscriptionApi } from "./subscription/endpoints.ts"
import { TradeOrderApi } from "./trade-order/endpoints.ts"
import { TradingAccountApi } from "./trading-account/endpoints.ts"
import { TradingModeApi } from "./trading-mode/endpoints.ts"
import { WalletApi } from "./wallet/endpoints.ts"

/** What the service calls itself (specification, Root record). */
export const SERVICE = {
  name: "Trading Platform HTTP API",
  version: "3.0.1",
  description: "One trading gateway in front of many venues: orders, balances and market data over HTTP and WebSocket.",
} as const

export const Api = HttpApi.make("gateway")
  .add(RootApi)
  .add(SessionApi)
  .add(SecondFactorApi)
  .add(ApiKeyApi)
  .add(CredentialApi)
  .add(TradingAccountApi)
  .add(TradeOrderApi)
  .add(MarketApi)
  .add(SubscriptionApi)
  .add(DealerApi)
  .add(QuoteApi)
  .add(WalletApi)
  .add(AdminUserApi)
  .add(AdminNetworkApi)
  .add(AdminTenantApi)
  .add(AdminOrderApi)
  .add(AdminStatusApi)
  .add(TradingModeApi)
  .add(AuditApi)
  .add(ConsoleApi)
  .annotate(OpenApi.Title, SERVICE.name)
  .annotate(OpenApi.Version, SERVICE.version)

/** One handler per endpoint, by group and name: a missing one does not compile. */
export interface ApiHandlers {
  readonly root: Handlers<typeof RootApi>
  readonly auth: Handlers<typeof SessionApi>
  readonly secondFactor: Handlers<typeof SecondFactorApi>
  readonly apiKey: Handlers<typeof ApiKeyApi>
  readonly credential: Handlers<typeof CredentialApi>
  readonly tradingAccount: Handlers<typeof TradingAccountApi>
  readonly tradeOrder: Handlers<typeof TradeOrderApi>
  readonly market: Handlers<typeof MarketApi>
  readonly subscription: Handlers<typeof SubscriptionApi>
  readonly dealer: Handlers<typeof DealerApi>
  readonly quote: Handlers<typeof QuoteApi>
  readonly wallet: Handlers<typeof WalletApi>
  readonly adminUser: Handlers<typeof AdminUserApi>
  readonly adminNetwork: Handlers<typeof AdminNetworkApi>
  readonly adminTenant: Handlers<typeof AdminTenantApi>
  readonly adminOrder: Handlers<typeof AdminOrderApi>
  readonly tradingMode: Handlers<typeof TradingModeApi>
  readonly adminStatus: Handlers<typeof AdminStatusApi>
  readonly audit: Handlers<typeof AuditApi>
  readonly console: Handlers<typeof ConsoleApi>
}

type GroupsOf<Declared> = Declared extends HttpApi.HttpApi<infer _Id, infer G, infer _E, infer _R> ? G : never
type EndpointNames<G extends HttpApiGroup.HttpApiGroup.Any> = HttpApiEndpoint.HttpApiEndpoint.Name<
  HttpApiGroup.HttpApiGroup.Endpoints<G>
>

/** What an API key needs, for every endpoint by group and name: a missing one does not compile. */
export const API_KEY_RULES: {
  readonly [G in GroupsOf<typeof Api> as HttpApiGroup.HttpApiGroup.Name<G>]: {
    readonly [N in EndpointNames<G>]: KeyRule
  }
} = KEY_RULES
