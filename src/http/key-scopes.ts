/**
 * The scope that an API key needs for each operation. The one thing to know: an operation without a row does not compile (`api.ts`), and what
 * always needs a recent authentication is for sessions only, whatever the key's scopes (decision 77).
 */
import type { ApiKeyScope } from "../domain/user/api-key.ts"

export interface KeyRule {
  /** open: no token is asked for. session: no key may call it. */
  readonly scope: "open" | "session" | ApiKeyScope
  /** Whether a key that is limited to accounts may: the account that is named is judged, or nothing of any user is told. */
  readonly limited: boolean
}

const OPEN = { scope: "open", limited: true } as const
const SESSION = { scope: "session", limited: false } as const

/** Of whatever the user has. */
const READ = { scope: "read", limited: false } as const
const TRADE = { scope: "trade", limited: false } as const
const ADMIN = { scope: "admin", limited: false } as const

/** Of accounts that are judged one by one (`account-access.ts`). */
const READ_ACCOUNT = { scope: "read", limited: true } as const
const TRADE_ACCOUNT = { scope: "trade", limited: true } as const

/** The same for all users of a tenant. */
const READ_MARKET = { scope: "read", limited: true } as const

export const KEY_RULES = {
  root: { get: OPEN, getSlash: OPEN, getBare: OPEN, health: OPEN, healthBare: OPEN, live: OPEN },
  auth: {
    signup: OPEN,
    login: OPEN,
    refresh: OPEN,
    recover: OPEN,
    resend: OPEN,
    verify: OPEN,
    jwks: OPEN,
    user: READ,
    logout: SESSION,
    update: SESSION,
    reauthenticate: SESSION,
    sessionList: SESSION,
    sessionRevoke: SESSION,
  },
  secondFactor: { state: SESSION, enrol: SESSION, confirm: SESSION, remove: SESSION, renewCodes: SESSION },
  // A key makes no other and ends none.
  apiKey: { create: SESSION, list: SESSION, revoke: SESSION },
  credential: { create: SESSION, list: READ, revoke: SESSION },
  tradingAccount: {
    connect: TRADE,
    update: TRADE_ACCOUNT,
    list: READ_ACCOUNT,
    // By force it needs a proof, which no key has.
    disconnect: TRADE_ACCOUNT,
    portfolioList: READ_ACCOUNT,
  },
  tradeOrder: {
    submit: TRADE_ACCOUNT,
    cancel: TRADE_ACCOUNT,
    replace: TRADE_ACCOUNT,
    cancelAll: TRADE_ACCOUNT,
    cancelAllAfter: TRADE_ACCOUNT,
    get: READ_ACCOUNT,
    list: READ_ACCOUNT,
  },
  market: {
    instrumentSync: { scope: "trade", limited: true },
    instrumentCreate: SESSION,
    instrumentRetire: SESSION,
    instrumentList: READ_MARKET,
    venueList: READ_MARKET,
    venueCapabilityList: READ_MARKET,
    orderBookGet: READ_MARKET,
    orderBookList: READ_MARKET,
    tickerGet: READ_MARKET,
    tickerList: READ_MARKET,
    klineGet: READ_MARKET,
  },
  // They are the user's, whatever account they name.
  subscription: { subscribe: READ, unsubscribe: READ, list: READ },
  dealer: {
    get: READ,
    list: ADMIN,
    pause: ADMIN,
    resume: ADMIN,
    accountLink: TRADE,
    accountUnlink: TRADE,
    create: SESSION,
    update: SESSION,
    archive: SESSION,
    accountFunding: SESSION,
    hedgeResolve: SESSION,
  },
  // A list tells quotes of all the user's accounts.
  quote: { request: TRADE_ACCOUNT, get: READ_ACCOUNT, list: READ },
  wallet: {
    get: READ,
    list: READ,
    transferList: READ,
    create: TRADE,
    transfer: TRADE,
    close: TRADE,
    deposit: SESSION,
    withdraw: SESSION,
    freeze: SESSION,
    unfreeze: SESSION,
  },
  adminUser: {
    list: ADMIN,
    sessionList: SESSION,
    ban: SESSION,
    unban: SESSION,
    grant: SESSION,
    revoke: SESSION,
    signOut: SESSION,
    resetSecondFactor: SESSION,
  },
  adminNetwork: { list: ADMIN, allow: SESSION, forget: SESSION },
  adminTenant: { list: ADMIN, create: SESSION, move: SESSION },
  adminStatus: { get: ADMIN },
  // A page's own: the token is a cookie.
  console: { open: OPEN, signup: OPEN, verify: OPEN, reauthenticate: SESSION, renew: OPEN, end: OPEN },
  adminOrder: { get: ADMIN },
  tradingMode: { set: SESSION },
  audit: { list: ADMIN },
} as const satisfies Readonly<Record<string, Readonly<Record<string, KeyRule>>>>
type Rules = typeof KEY_RULES

type RuleOf<Group, Name> = Group extends keyof Rules
  ? Name extends keyof Rules[Group]
    ? Rules[Group][Name]
    : never
  : never

/** Whether only sessions call it: its handler need not think of keys. */
export type IsForSessions<Group, Name> = [RuleOf<Group, Name>] extends [{ readonly scope: "session" }]
  ? [RuleOf<Group, Name>] extends [never]
    ? false
    : true
  : false

/** Of what is not declared here: nothing is for keys. */
export const keyRuleOf = (group: string, name: string): KeyRule =>
  (KEY_RULES as Readonly<Record<string, Readonly<Record<string, KeyRule>>>>)[group]?.[name] ?? SESSION
