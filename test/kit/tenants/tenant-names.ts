/**
 * What every field of every route is to tenants: a plain value, a secret, a name that is the caller's own to choose, a market, or the name
 * of a record. The one thing to know: a field that stands nowhere here fails the test, and so does a route without its row.
 */
import type { DeclaredRoute } from "../http-fuzz/declared-routes.ts"
import { allLeaves } from "../http-fuzz/table-run.ts"
import { type Kind, type Own, PAIR } from "./furnish.ts"

export type Fields = Readonly<Record<string, unknown>>

/**
 * Kind: names a record of that kind; `[kind]` a list of them. own: a name that the caller chooses, kept apart by whom it is of. market: an
 * instrument, or a part of its name. cursor: a place in one's own list. secret: good in whoever's hands it is. address: of a person, the
 * same for the whole installation. operator: a user to whom a dealer gives rights. any: a record of any kind.
 */
export type Meaning = Kind | readonly [Kind] | "any" | "own" | "market" | "cursor" | "secret" | "address" | "operator"

/** By the field's own name, wherever it stands. */
const MEANING: Readonly<Record<string, Meaning>> = {
  tradingAccountId: "account",
  traderAccountId: "account",
  tradingAccountIds: ["account"],
  tradeOrderId: "order",
  clientOrderId: "clientOrder",
  orderListId: "orderList",
  // Of an order's story.
  id: "order",
  // Only derivatives have positions; on spot an id of any kind is one that nobody has.
  positionId: "order",
  quoteId: "quote",
  walletId: "wallet",
  sourceWalletId: "wallet",
  destWalletId: "wallet",
  // At INTERNAL the account's own name is its wallet.
  externalTradingAccountId: "wallet",
  dealerAccountId: "dealer",
  credentialId: "credential",
  credentialIds: ["credential"],
  sessionId: "session",
  apiKeyId: "apiKey",
  subscriptionId: "subscription",
  userId: "user",
  operators: "operator",
  tenantId: "tenant",
  objectId: "any",
  pricingProfileId: "profile",
  email: "address",
  idempotencyKey: "own",
  quoteRequestId: "own",
  cursor: "cursor",
  instrumentId: "market",
  instrumentIds: "market",
  venue: "market",
  symbol: "market",
  symbols: "market",
  baseAsset: "market",
  quoteAsset: "market",
  password: "secret",
  currentPassword: "secret",
  totpCode: "secret",
  code: "secret",
  refreshToken: "secret",
  setupToken: "secret",
  token: "secret",
  apiKey: "secret",
  apiSecret: "secret",
  apiPassphrase: "secret",
}

/** Amounts, words, times and choices: nothing is named by them. */
const VALUES: ReadonlySet<string> = new Set(
  `accountStatus action actorKind allowMarket allowSimulatedVenues amount ascending asset attemptsMax averagePrice awaitAccepted awaitClosed
  baseCurrencies caps clientPricingProfiles collarPercent config currency defaultPricingProfile depth direction endTime executedQuantity eventsAfter expireAt expiresAt force from hedge interval ipAllow leverage limit limitPrice
  lotSize maxQuantity metadata minNotional minQuantity name nettingWindowMs network nickname offset openQuotes
  openQuotesPerClient openQuotesPerUser permission orderQuantityType orderSide orderStatus orderType pricing pricingProfiles quantity
  quantityRounding quantityType quoteQuantity reason repriceMs result retryMs riskCurrency riskThreshold scope scopes securityType slippageBps
  startTime status stopLossLimitPrice stopLossPrice stopLossTimeInForce stopPrice takeProfitLimitPrice takeProfitPrice
  takeProfitTimeInForce takerFeeBpsByVenue tickSize timeInForce timeoutMs to tradingMode trailingAmount trailingDelta ttl type
  uncoveredPercent updatedAt updatedSince walletType`.split(/\s+/),
)

const KNOWN_AT_HOME =
  "an admin of the installation's own tenant knows all tenants, and another hears that it is not for it"

const order = {
  instrumentId: "MOCK:BTC/USDT",
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.001",
  limitPrice: "20000",
}
const money = { asset: "USDT", amount: "1" }
const ofOrder = (own: Own, named: Named) => ({
  tradingAccountId: own.account,
  // One of the two names it.
  ...(named.has("clientOrderId") ? {} : { tradeOrderId: own.order }),
})

/** The fields that will name something of the other tenant's. */
export type Named = ReadonlySet<string>

interface RouteRow {
  /** A right request of a member's own; absent: none is needed to name anything. */
  readonly ask?: (own: Own, named: Named) => Fields
  /** Where a field means another thing than everywhere else. */
  readonly meaning?: Readonly<Record<string, Meaning>>
  /** Where a name may be answered otherwise than one of nobody's: why nothing of the other tenant's is told by that. */
  readonly known?: Readonly<Record<string, string>>
}

const NONE: RouteRow = {}

/** Every route of the declared table. */
export const ROUTES: Readonly<Record<string, RouteRow>> = {
  "root.get": NONE,
  "root.getSlash": NONE,
  "root.getBare": NONE,
  "root.health": NONE,
  "root.healthBare": NONE,
  "root.live": NONE,
  "auth.signup": NONE,
  "auth.login": NONE,
  "auth.refresh": NONE,
  "auth.logout": NONE,
  "auth.user": NONE,
  "auth.update": NONE,
  "auth.reauthenticate": NONE,
  "auth.recover": NONE,
  "auth.resend": NONE,
  "auth.verify": NONE,
  "auth.sessionList": NONE,
  "auth.sessionRevoke": { ask: ({ session }) => ({ sessionId: session }) },
  "auth.jwks": NONE,
  "secondFactor.state": NONE,
  "secondFactor.enrol": NONE,
  "secondFactor.confirm": NONE,
  "secondFactor.remove": NONE,
  "secondFactor.renewCodes": NONE,
  "apiKey.create": { ask: () => ({ name: "bot", scopes: ["read"] }) },
  "apiKey.list": NONE,
  "apiKey.revoke": NONE,
  "credential.create": NONE,
  "credential.list": NONE,
  "credential.revoke": NONE,
  "tradingAccount.connect": {
    ask: (_own, named) => ({ venue: named.has("credentialIds") ? "BINANCE_UAT" : "INTERNAL" }),
  },
  "tradingAccount.update": { ask: ({ account }) => ({ tradingAccountId: account, nickname: "taken" }) },
  "tradingAccount.list": NONE,
  "tradingAccount.disconnect": NONE,
  "tradingAccount.portfolioList": NONE,
  "tradeOrder.submit": {
    ask: (own, named) =>
      named.has("quoteId")
        ? { tradingAccountId: own.internal, orderType: "QUOTED", orderSide: "BUY", quantity: "0.5" }
        : { tradingAccountId: own.account, ...order },
    meaning: { clientOrderId: "own" },
  },
  "tradeOrder.cancel": { ask: ofOrder },
  "tradeOrder.replace": { ask: (own, named) => ({ ...ofOrder(own, named), limitPrice: "20001" }) },
  "tradeOrder.cancelAll": NONE,
  "tradeOrder.cancelAllAfter": { ask: () => ({ timeoutMs: 60_000 }) },
  "tradeOrder.get": { ask: ofOrder },
  "tradeOrder.list": NONE,
  "market.instrumentSync": NONE,
  "market.instrumentCreate": NONE,
  "market.instrumentRetire": NONE,
  "market.instrumentList": NONE,
  "market.venueList": NONE,
  "market.venueCapabilityList": NONE,
  "market.orderBookGet": NONE,
  "market.orderBookList": NONE,
  "market.tickerGet": NONE,
  "market.tickerList": NONE,
  "market.klineGet": NONE,
  "subscription.subscribe": { ask: () => ({ instrumentId: "MOCK:BTC/USDT" }) },
  "subscription.unsubscribe": { ask: () => ({ instrumentId: "MOCK:ETH/USDT" }) },
  "subscription.list": NONE,
  "dealer.create": NONE,
  "dealer.get": NONE,
  "dealer.list": NONE,
  "dealer.update": { ask: () => ({ updatedAt: 0, config: {} }) },
  "dealer.pause": NONE,
  "dealer.resume": NONE,
  "dealer.archive": NONE,
  "dealer.accountLink": { ask: (own) => ({ dealerAccountId: own.dealer, tradingAccountId: own.account }) },
  "dealer.accountUnlink": { ask: (own) => ({ dealerAccountId: own.dealer, tradingAccountId: own.account }) },
  "dealer.accountFunding": {
    ask: (own) => ({ dealerAccountId: own.dealer, tradingAccountId: own.account, direction: "DEPOSIT", ...money }),
  },
  "dealer.hedgeResolve": {
    ask: (own) => ({ dealerAccountId: own.dealer, tradeOrderId: own.order, executedQuantity: "0" }),
  },
  "quote.request": {
    ask: (own) => ({
      dealerAccountId: own.dealer,
      traderAccountId: own.internal,
      ...PAIR,
      orderSide: "BUY",
      quantity: "0.5",
    }),
  },
  "quote.get": NONE,
  "quote.list": NONE,
  "tradingMode.set": NONE,
  "wallet.create": NONE,
  "wallet.get": NONE,
  "wallet.list": NONE,
  "wallet.transfer": {
    ask: (own) => ({ sourceWalletId: own.internalWallet, destWalletId: own.wallet, ...money }),
  },
  "wallet.deposit": { ask: () => money },
  "wallet.withdraw": { ask: () => money },
  "wallet.freeze": NONE,
  "wallet.unfreeze": NONE,
  "wallet.close": NONE,
  "wallet.transferList": NONE,
  "audit.list": {
    known: { "objectId (user)": "a user who came from another tenant has left it by an act that is that tenant's" },
  },
  "adminOrder.get": { ask: (own) => ({ id: own.order }) },
  "adminStatus.get": NONE,
  "console.open": NONE,
  "console.signup": NONE,
  "console.verify": NONE,
  "console.reauthenticate": NONE,
  "console.renew": NONE,
  "console.end": NONE,
  "adminUser.list": NONE,
  "adminUser.sessionList": NONE,
  "adminUser.grant": { meaning: { email: "email" }, ask: () => ({ permission: "read" }) },
  "adminUser.revoke": { meaning: { email: "email" }, ask: () => ({ permission: "read" }) },
  "adminUser.signOut": { meaning: { email: "email" } },
  "adminUser.resetSecondFactor": { meaning: { email: "email" } },
  "adminNetwork.list": NONE,
  "adminNetwork.allow": { ask: () => ({ network: "203.0.113.0/24" }) },
  "adminNetwork.forget": { ask: () => ({ network: "203.0.113.0/24" }) },
  "adminTenant.list": NONE,
  "adminTenant.create": { known: { tenantId: KNOWN_AT_HOME } },
  "adminTenant.move": {
    meaning: { email: "email" },
    known: {
      tenantId: KNOWN_AT_HOME,
      "userId + tenantId": KNOWN_AT_HOME,
      "email + tenantId": KNOWN_AT_HOME,
      "userId + email + tenantId": KNOWN_AT_HOME,
    },
  },
  "adminUser.ban": { meaning: { email: "email" } },
  "adminUser.unban": { meaning: { email: "email" } },
}

export interface Naming {
  /** With dots: `config.operators`. */
  readonly field: string
  readonly meaning: Meaning
}

/** All that can be named on the route. */
export const namingsOf = (route: DeclaredRoute): ReadonlyArray<Naming> =>
  allLeaves()
    .filter((leaf) => leaf.route.name === route.name)
    .flatMap(({ path }) => {
      const field = path.join(".")
      const meaning = ROUTES[route.name]?.meaning?.[field] ?? MEANING[path.at(-1) ?? ""]
      return meaning === undefined ? [] : [{ field, meaning }]
    })

/** Routes and fields that stand nowhere, and rows of none. */
export const unclassified = (routes: ReadonlyArray<DeclaredRoute>): ReadonlyArray<string> => {
  const names = new Set(routes.map(({ name }) => name))
  const leaves = allLeaves()
  const used = new Set(leaves.map(({ path }) => path.at(-1) ?? ""))
  return [
    ...routes.filter(({ name }) => ROUTES[name] === undefined).map(({ name }) => `${name}: a route without its row`),
    ...Object.keys(ROUTES).flatMap((name) => (names.has(name) ? [] : [`${name}: a row without its route`])),
    ...leaves.flatMap(({ route, path }) => {
      const last = path.at(-1) ?? ""
      return MEANING[last] === undefined && !VALUES.has(last) ? [`${route.name}.${path.join(".")}: what it means`] : []
    }),
    ...[...Object.keys(MEANING), ...VALUES].flatMap((name) => (used.has(name) ? [] : [`${name}: no route has it`])),
    ...[...VALUES].flatMap((name) => (MEANING[name] === undefined ? [] : [`${name}: is said twice`])),
  ]
}

/** `fields` with this value at that place. */
export const withField = (fields: Fields, field: string, value: unknown): Fields => {
  const [first = "", ...rest] = field.split(".")
  if (rest.length === 0) return { ...fields, [first]: value }
  return { ...fields, [first]: withField((fields[first] ?? {}) as Fields, rest.join("."), value) }
}
