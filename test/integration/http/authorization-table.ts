/**
 * What must happen when somebody names what is not theirs: every field of every operation that names a record, and what each kind of
 * caller hears (contract C16). The one thing to know: a field that is not here fails the test, so a new operation gets its rows first.
 */
import { BTC, type Things } from "./authorization-people.ts"

export type Fields = Readonly<Record<string, unknown>>

/**
 * missing: the very answer to an id that nobody has. seen: a success that shows it. apart: a success that shows nothing of the owner's.
 * A number: refused with that errno. free: allowed, with effects, and shown elsewhere.
 */
export type Verdict = "missing" | "seen" | "apart" | "free" | number

export interface Naming {
  /** The owner's. */
  readonly of: (owner: Things) => string
  /** What a success shows of it; default what was named. */
  readonly shows?: (owner: Things) => string
  /** The request of `me` that names it. */
  readonly ask: (id: string, me: Things, owner: Things) => Fields
  /** Another user of the tenant who may write, and one who is admin. */
  readonly user: Verdict
  readonly admin: Verdict
  /** A writer and an admin of another tenant; default missing. */
  readonly stranger?: Verdict
  readonly strangerAdmin?: Verdict
}

/** Text: why naming it opens nothing. */
export type Row = Naming | string

const FORBIDDEN = -102_001
const NO_PERMISSION = -102_002
const NO_ADMIN = -102_003
const OTHER_TENANT = -102_004
export const ORDER_NOT_FOUND = -110_001
/** The account is none of the dealer's. */
export const NOT_LINKED = -141_006

const name = (field: string, of: Naming["of"], verdicts: Omit<Naming, "of" | "ask">, more: (me: Things) => Fields) => ({
  [field]: { of, ask: (id: string, me: Things) => ({ ...more(me), [field]: id }), ...verdicts },
})
const nothing = () => ({})

const account = ({ account }: Things) => account
/** Acting on an account is its owner's alone. */
const owners = { user: FORBIDDEN, admin: FORBIDDEN } as const
/** Nobody but the owner learns that it is there. */
const hidden = { user: "missing", admin: "missing" } as const
/** Reading is the owner's and the admins'. */
const read = { user: FORBIDDEN, admin: "seen" } as const
const hiddenButFromAdmins = { user: "missing", admin: "seen" } as const
/** What only admins do, with anybody's of their tenant. */
const admins = { user: NO_ADMIN, admin: "free", stranger: NO_ADMIN, strangerAdmin: "missing" } as const

/** Lists tell the caller's own records, and admins those of a user of their tenant whom they name. */
const ofUser = (shows = ({ userId }: Things): string => userId) =>
  name(
    "userId",
    ({ userId }) => userId,
    { user: NO_PERMISSION, admin: "seen", stranger: NO_PERMISSION, strangerAdmin: "missing", shows },
    nothing,
  )

const KEY = "a key of the caller's own, apart from everybody else's"

const ofAccount = (more: (me: Things) => Fields = nothing) => name("tradingAccountId", account, owners, more)
const ofOrder = (more: Fields = {}) => ({
  ...ofAccount((me) => ({ tradeOrderId: me.order, ...more })),
  ...name(
    "tradeOrderId",
    ({ order }) => order,
    hidden,
    (me) => ({ tradingAccountId: me.account, ...more }),
  ),
  ...name(
    "clientOrderId",
    ({ clientOrderId }) => clientOrderId,
    hidden,
    (me) => ({
      tradingAccountId: me.account,
      ...more,
    }),
  ),
})
const link = {
  ...name(
    "dealerAccountId",
    ({ dealer }) => dealer,
    { user: NO_PERMISSION, admin: "free" },
    (me) => ({
      tradingAccountId: me.account,
    }),
  ),
  ...name("tradingAccountId", account, owners, (me) => ({ dealerAccountId: me.dealer })),
}
const dealerStatus = name("dealerAccountId", ({ dealer }) => dealer, admins, nothing)
const money = { asset: "USDT", amount: "1" }
const FUNDING = { ...money, direction: "DEPOSIT" }
const wallet = ({ wallet }: Things) => wallet
/** What only admins read, within their tenant. */
const listed = { user: NO_ADMIN, admin: "seen", stranger: NO_ADMIN, strangerAdmin: "missing" } as const
const bannable = {
  ...name("userId", ({ userId }) => userId, admins, nothing),
  ...name("email", ({ email }) => email, admins, nothing),
}
const permission = { permission: "read" }
const rightful = {
  ...name(
    "userId",
    ({ userId }) => userId,
    admins,
    () => permission,
  ),
  ...name(
    "email",
    ({ email }) => email,
    admins,
    () => permission,
  ),
}
const networked = name(
  "userId",
  ({ userId }) => userId,
  admins,
  () => ({ network: "203.0.113.0/24" }),
)
const elsewhere = { ...admins, strangerAdmin: OTHER_TENANT } as const
const moving = () => ({ tenantId: "default" })
const movable = {
  ...name("userId", ({ userId }) => userId, elsewhere, moving),
  ...name("email", ({ email }) => email, elsewhere, moving),
}
const NONE = {}
const order = { instrumentId: BTC, orderSide: "BUY", orderType: "LIMIT", quantity: "0.001", limitPrice: "20000" }

export const TABLE: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  "root.get": NONE,
  "root.getSlash": NONE,
  "root.getBare": NONE,
  "root.health": NONE,
  "root.healthBare": NONE,
  "root.live": NONE,
  "auth.signup": NONE,
  "auth.jwks": NONE,
  "auth.login": NONE,
  "auth.refresh": NONE,
  "auth.logout": NONE,
  "auth.user": NONE,
  "auth.update": NONE,
  "auth.reauthenticate": NONE,
  "secondFactor.state": NONE,
  "secondFactor.enrol": NONE,
  "secondFactor.confirm": NONE,
  "secondFactor.remove": NONE,
  "secondFactor.renewCodes": NONE,
  "auth.recover": NONE,
  "auth.resend": NONE,
  "auth.verify": NONE,
  "auth.sessionList": NONE,
  "auth.sessionRevoke": name("sessionId", ({ sessionId }) => sessionId, hidden, nothing),
  "apiKey.create": {
    tradingAccountIds: {
      of: account,
      ask: (id) => ({ name: "bot", scopes: ["trade"], tradingAccountIds: [id] }),
      ...owners,
    },
  },
  "apiKey.list": NONE,
  "apiKey.revoke": name("apiKeyId", ({ apiKey }) => apiKey, hidden, nothing),
  "credential.create": NONE,
  "credential.list": ofUser(),
  "credential.revoke": name("credentialId", ({ credential }) => credential, hidden, nothing),
  "tradingAccount.connect": {
    credentialIds: {
      of: ({ credential }) => credential,
      ask: (id) => ({ venue: "BINANCE_UAT", credentialIds: [id] }),
      ...hidden,
    },
    ...name(
      "externalTradingAccountId",
      ({ wallet }) => wallet,
      hidden,
      () => ({ venue: "INTERNAL" }),
    ),
    ...name(
      "dealerAccountId",
      ({ dealer }) => dealer,
      { user: "free", admin: "free" },
      () => ({ venue: "INTERNAL" }),
    ),
  },
  "tradingAccount.update": ofAccount(() => ({ nickname: "taken" })),
  "tradingAccount.list": {
    ...name("tradingAccountId", account, hiddenButFromAdmins, nothing),
    ...ofUser(),
    tenantId: {
      of: ({ tenantId }) => tenantId,
      ask: (id) => ({ tenantId: id }),
      user: "apart",
      admin: "apart",
      stranger: OTHER_TENANT,
      strangerAdmin: OTHER_TENANT,
    },
  },
  "tradingAccount.disconnect": ofAccount(),
  "tradingAccount.portfolioList": {
    ...name("tradingAccountId", account, read, nothing),
    ...ofUser(account),
  },
  "tradeOrder.submit": {
    ...ofAccount(() => order),
    ...name(
      "quoteId",
      ({ quote }) => quote,
      hidden,
      (me) => ({
        tradingAccountId: me.internal,
        orderType: "QUOTED",
        orderSide: "BUY",
        quantity: "0.5",
      }),
    ),
    ...name(
      "positionId",
      ({ order }) => order,
      hidden,
      (me) => ({ ...order, tradingAccountId: me.account }),
    ),
    clientOrderId: KEY,
  },
  "tradeOrder.cancel": ofOrder(),
  "tradeOrder.replace": ofOrder({ limitPrice: "20001" }),
  "tradeOrder.cancelAll": ofAccount(),
  "tradeOrder.cancelAllAfter": ofAccount(() => ({ timeoutMs: 60_000 })),
  "tradeOrder.get": {
    ...ofOrder(),
    tradingAccountId: {
      of: account,
      ask: (id, _me, owner) => ({ tradingAccountId: id, tradeOrderId: owner.order }),
      ...read,
    },
  },
  "tradeOrder.list": {
    ...name("tradeOrderId", ({ order }) => order, hidden, nothing),
    ...name("clientOrderId", ({ clientOrderId }) => clientOrderId, hidden, nothing),
    ...name("orderListId", ({ orderListId }) => orderListId, hidden, nothing),
    ...name("tradingAccountId", account, read, nothing),
    ...ofUser(account),
  },
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
  "subscription.subscribe": ofAccount(() => ({ instrumentId: BTC })),
  "subscription.unsubscribe": {
    ...name("subscriptionId", ({ subscription }) => subscription, hidden, nothing),
    ...name("tradingAccountId", account, hidden, () => ({ instrumentId: BTC })),
  },
  "subscription.list": ofUser(({ subscription }) => subscription),
  "dealer.create": { "config.operators": "names users, who gain nothing outside of the dealer's tenant" },
  "dealer.get": name("dealerAccountId", ({ dealer }) => dealer, { user: "seen", admin: "seen" }, nothing),
  "dealer.list": NONE,
  "dealer.update": {
    "config.operators": "names users, who gain nothing outside of the dealer's tenant",
    ...name(
      "dealerAccountId",
      ({ dealer }) => dealer,
      admins,
      () => ({ updatedAt: 0, config: {} }),
    ),
  },
  "dealer.pause": dealerStatus,
  "dealer.resume": dealerStatus,
  "dealer.archive": dealerStatus,
  "dealer.accountLink": link,
  "dealer.accountUnlink": link,
  "dealer.accountFunding": {
    ...name(
      "dealerAccountId",
      ({ dealer }) => dealer,
      { ...admins, admin: NOT_LINKED },
      (me) => ({ tradingAccountId: me.account, ...FUNDING }),
    ),
    ...name("tradingAccountId", account, { ...admins, admin: NOT_LINKED }, (me) => ({
      dealerAccountId: me.dealer,
      ...FUNDING,
    })),
  },
  "dealer.hedgeResolve": {
    ...name(
      "dealerAccountId",
      ({ dealer }) => dealer,
      { ...admins, admin: ORDER_NOT_FOUND },
      (me) => ({ tradeOrderId: me.order, executedQuantity: "0" }),
    ),
    // An order of the tenant is no hedge of that dealer.
    ...name(
      "tradeOrderId",
      ({ order }) => order,
      { ...admins, admin: "missing" },
      (me) => ({ dealerAccountId: me.dealer, executedQuantity: "0" }),
    ),
  },
  "quote.request": {
    ...name(
      "dealerAccountId",
      ({ dealer }) => dealer,
      { user: "free", admin: "free" },
      (me) => ({
        traderAccountId: me.internal,
        instrumentId: "MOCK:BTC/USDT",
        orderSide: "BUY",
        quantity: "0.5",
      }),
    ),
    ...name(
      "traderAccountId",
      ({ internal }) => internal,
      owners,
      (me) => ({
        dealerAccountId: me.dealer,
        baseAsset: "BTC",
        quoteAsset: "USDT",
        orderSide: "BUY",
        quantity: "0.5",
      }),
    ),
    quoteRequestId: KEY,
    pricingProfileId: "a profile of the dealer that is asked",
  },
  "quote.get": name("quoteId", ({ quote }) => quote, hiddenButFromAdmins, nothing),
  "quote.list": {
    ...name("dealerAccountId", ({ dealer }) => dealer, { user: "apart", admin: "seen" }, nothing),
    ...name("traderAccountId", ({ internal }) => internal, hidden, nothing),
    ...ofUser(({ internal }) => internal),
  },
  "tradingMode.set": NONE,
  "wallet.create": NONE,
  "wallet.get": name("walletId", wallet, hiddenButFromAdmins, nothing),
  "wallet.list": ofUser(),
  "wallet.transfer": {
    ...name("sourceWalletId", wallet, hidden, (me) => ({ ...money, destWalletId: me.wallet })),
    ...name("destWalletId", wallet, { user: -150_005, admin: -150_005 }, (me) => ({
      ...money,
      sourceWalletId: me.internalWallet,
    })),
  },
  "wallet.deposit": name("walletId", wallet, admins, () => money),
  "wallet.withdraw": name("walletId", wallet, admins, () => money),
  "wallet.freeze": name("walletId", wallet, admins, nothing),
  "wallet.unfreeze": name("walletId", wallet, admins, nothing),
  "wallet.close": name("walletId", wallet, hidden, nothing),
  "wallet.transferList": name("walletId", ({ internalWallet }) => internalWallet, hiddenButFromAdmins, nothing),
  "audit.list": {
    ...name("userId", ({ userId }) => userId, listed, nothing),
    ...name("objectId", wallet, listed, nothing),
  },
  "adminOrder.get": {
    ...name("id", ({ order }) => order, listed, nothing),
    tradingAccountId: {
      of: account,
      ask: (id, _me, owner) => ({ tradingAccountId: id, id: owner.order }),
      ...listed,
    },
  },
  "adminStatus.get": NONE,
  "console.open": NONE,
  "console.signup": NONE,
  "console.verify": NONE,
  "console.reauthenticate": NONE,
  "console.renew": NONE,
  "console.end": NONE,
  "adminUser.list": NONE,
  "adminUser.sessionList": name(
    "userId",
    ({ userId }) => userId,
    { ...listed, shows: ({ sessionId }) => sessionId },
    nothing,
  ),
  "adminUser.grant": rightful,
  "adminUser.revoke": rightful,
  "adminUser.signOut": bannable,
  "adminUser.resetSecondFactor": bannable,
  "adminNetwork.list": name("userId", ({ userId }) => userId, listed, nothing),
  "adminNetwork.allow": networked,
  "adminNetwork.forget": networked,
  "adminTenant.list": NONE,
  "adminTenant.create": { tenantId: "names the one that is to be" },
  "adminTenant.move": {
    ...movable,
    tenantId: "a tenant of the installation's, for admins of its own alone",
  },
  "adminUser.ban": bannable,
  "adminUser.unban": bannable,
}
