/** Every handler with what it needs: the whole of HTTP but the adapter, in the order of the declaration. */
import { Effect } from "effect"
import { AccountDirectory } from "../actors/account/directory.ts"
import { TradingAccounts } from "../actors/account/messages.ts"
import { DealerDirectory } from "../actors/dealer/directory.ts"
import { Dealers } from "../actors/dealer/messages.ts"
import { InstrumentDirectory } from "../actors/market/instrument-directory.ts"
import { Markets } from "../actors/market/messages.ts"
import { ApiKeys } from "../auth/api-key/api-keys.ts"
import { CredentialKeeper } from "../auth/keys/credential-vault.ts"
import { Sessions } from "../auth/session/sessions.ts"
import { TradingModeSwitch } from "../auth/session/trading-mode-switch.ts"
import { UserActs } from "../auth/user/user-acts.ts"
import { Loops } from "../kernel/loop.ts"
import { Clock } from "../ports/clock.ts"
import { Ids } from "../ports/ids.ts"
import { LedgerPort, LedgerWatch } from "../ports/ledger-port.ts"
import { VenuePort } from "../ports/venue-port.ts"
import { Acts } from "../store/audit/acts.ts"
import { AuditRows } from "../store/audit/list.ts"
import { DealerRows } from "../store/dealers/dealers.ts"
import { LedgerJournal } from "../store/ledger/journal.ts"
import { Wallets } from "../store/ledger/wallets.ts"
import { Writer } from "../store/orders/account-store-sql.ts"
import { Accounts } from "../store/orders/accounts.ts"
import { OrderStories } from "../store/orders/order-story.ts"
import { RefusedSubmits } from "../store/orders/refused-submits.ts"
import { Subscriptions } from "../store/orders/subscriptions.ts"
import { TradeOrders } from "../store/orders/trade-orders.ts"
import { Credentials } from "../store/users/credentials.ts"
import { adminOrderHandlers, adminUserHandlers } from "./admin/handlers.ts"
import { adminStatusHandlers } from "./admin/status-handlers.ts"
import { adminNetworkHandlers, adminTenantHandlers } from "./admin/tenancy-handlers.ts"
import type { ApiHandlers } from "./api.ts"
import { apiKeyHandlers } from "./api-key/handlers.ts"
import { auditHandlers } from "./audit/handlers.ts"
import { type ConsoleTerms, consoleHandlers } from "./console/handlers.ts"
import { credentialHandlers } from "./credential/handlers.ts"
import { dealerHandlers } from "./dealer/handlers.ts"
import { marketHandlers } from "./market/handlers.ts"
import type { OwnMarkets } from "./market/instrument-create.ts"
import { makeInstrumentLookup } from "./market/instrument-lookup.ts"
import type { InstrumentSync } from "./market/instrument-sync.ts"
import { makeCursors } from "./pagination.ts"
import { quoteHandlers } from "./quote/handlers.ts"
import { type HealthSources, rootHandlers } from "./root/handlers.ts"
import { secondFactorHandlers, sessionHandlers } from "./session/handlers.ts"
import { subscriptionHandlers } from "./subscription/handlers.ts"
import { tradeOrderHandlers } from "./trade-order/handlers.ts"
import { tradingAccountHandlers } from "./trading-account/handlers.ts"
import { tradingModeHandlers } from "./trading-mode/handlers.ts"
import { makeVenueGate } from "./venue-gate.ts"
import { walletHandlers } from "./wallet/handlers.ts"

export interface HandlerOptions {
  readonly environment: "PROD" | "UAT"
  readonly defaultTenantId: string
  /** The first signs cursors, any of them is believed: a cursor outlives a restart for as long as its key is among them. */
  readonly cursorKeys: () => ReadonlyArray<Uint8Array>
  /** Of accounts at venues that play, by venue. */
  readonly initialBalances: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly venueSessionsMax: number
  readonly accountsMax: number
  readonly internalAccountsMax: number
  /** Wallets of one user. */
  readonly walletsMax: number
  readonly ownMarkets: OwnMarkets
  readonly sync: InstrumentSync
  /** Of pages that may send a set-up token. */
  readonly allowedOrigins: ReadonlyArray<string>
  readonly console: ConsoleTerms
  readonly assetDigits: Readonly<Record<string, number>>
  readonly health: Pick<
    HealthSources,
    "database" | "isOwner" | "dataDir" | "diskFreeMinMegabytes" | "isReady" | "cluster" | "made"
  >
}

export const makeHandlers = (options: HandlerOptions) =>
  Effect.gen(function* () {
    const clock = yield* Clock
    const ids = yield* Ids
    const port = yield* VenuePort
    const directory = yield* InstrumentDirectory
    const accounts = yield* AccountDirectory
    const tradingAccounts = yield* TradingAccounts
    const dealerDirectory = yield* DealerDirectory
    const markets = yield* Markets
    const keeper = yield* CredentialKeeper
    const acts = yield* UserActs
    const modes = yield* TradingModeSwitch
    const gate = makeVenueGate(port, options.environment)
    const cursors = makeCursors(options.cursorKeys)
    const { sync } = options
    const find = makeInstrumentLookup(gate, directory, sync)
    const time = { now: clock.now, uuid: ids.uuid }
    const reach = { accounts, dealers: dealerDirectory }
    const audited = yield* Acts
    return {
      root: rootHandlers({
        now: clock.now,
        monotonic: clock.monotonic,
        ...options.health,
        venues: port,
        accounts: tradingAccounts,
        dealers: yield* Dealers,
        ledger: (yield* LedgerWatch).health,
        loops: (yield* Loops).states,
        writer: yield* Writer,
        tradingMode: modes.current,
      }),
      auth: sessionHandlers(yield* Sessions, acts, options.allowedOrigins),
      secondFactor: secondFactorHandlers(acts),
      adminUser: adminUserHandlers({ administration: acts.administration, cursors }),
      adminNetwork: adminNetworkHandlers(acts.networks),
      adminTenant: adminTenantHandlers(acts.tenancy),
      adminOrder: adminOrderHandlers({ stories: yield* OrderStories }),
      adminStatus: adminStatusHandlers({
        now: clock.now,
        venues: port,
        accounts: tradingAccounts,
        dealers: yield* Dealers,
        tradingMode: modes.current,
      }),
      console: consoleHandlers(yield* Sessions, acts, options.console),
      tradingMode: tradingModeHandlers(modes),
      audit: auditHandlers({ rows: yield* AuditRows, cursors, defaultTenantId: options.defaultTenantId }),
      apiKey: apiKeyHandlers(yield* ApiKeys, reach),
      credential: credentialHandlers({
        gate,
        venues: port,
        keeper,
        credentials: yield* Credentials,
        acts: audited,
        accounts,
        tradingAccounts,
        cursors,
        ...time,
      }),
      tradingAccount: tradingAccountHandlers({
        gate,
        cursors,
        venues: port,
        keeper,
        accounts,
        reach,
        store: yield* Accounts,
        tradingAccounts,
        sync,
        initialBalances: options.initialBalances,
        venueSessionsMax: options.venueSessionsMax,
        accountsMax: options.accountsMax,
        internalAccountsMax: options.internalAccountsMax,
        walletsMax: options.walletsMax,
        wallets: yield* Wallets,
        acts: audited,
        isDealersOwn: (id) => (dealerDirectory.ofOwnAccount(id)?.status ?? "ARCHIVED") !== "ARCHIVED",
        ...time,
      }),
      tradeOrder: tradeOrderHandlers({
        reach,
        tradingAccounts,
        orders: yield* TradeOrders,
        gate,
        cursors,
        refused: yield* RefusedSubmits,
        now: clock.now,
        monotonic: clock.monotonic,
      }),
      market: marketHandlers({
        gate,
        directory,
        markets,
        sync,
        find,
        cursors,
        own: options.ownMarkets,
        acts: audited,
        uuid: ids.uuid,
      }),
      subscription: subscriptionHandlers({
        subscriptions: yield* Subscriptions,
        markets,
        instruments: directory,
        reach,
        find,
        gate,
        ...time,
      }),
      dealer: dealerHandlers({
        dealers: yield* Dealers,
        directory: dealerDirectory,
        rows: yield* DealerRows,
        acts: audited,
        accountRows: yield* Accounts,
        wallets: yield* Wallets,
        accounts,
        reach,
        tradingAccounts,
        gate,
        cursors,
        ...time,
      }),
      quote: quoteHandlers({
        dealers: yield* Dealers,
        directory: dealerDirectory,
        rows: yield* DealerRows,
        accounts,
        reach,
        instruments: directory,
        gate,
        defaultTenantId: options.defaultTenantId,
        cursors,
        ...time,
      }),
      wallet: walletHandlers({
        wallets: yield* Wallets,
        journal: yield* LedgerJournal,
        ledger: yield* LedgerPort,
        acts: audited,
        dealers: dealerDirectory,
        cursors,
        assetDigits: options.assetDigits,
        walletsMax: options.walletsMax,
        ...time,
      }),
    } satisfies ApiHandlers
  })
