/** What an account's actor works with: the ports, and the few calls that reach beyond the account itself. */
import { Context } from "effect"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import type { TradingModeInForce } from "../../domain/account/trading-mode.ts"
import type { OrderRates } from "../../domain/order/rates.ts"
import type { AccountStore } from "../../ports/account-store.ts"
import type { ChannelPort } from "../../ports/channel-port.ts"
import type { Clock } from "../../ports/clock.ts"
import type { CredentialVault } from "../../ports/credential-vault.ts"
import type { Failpoint } from "../../ports/failpoint.ts"
import type { Ids } from "../../ports/ids.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { HedgeDesk } from "../dealer/hedging/hedge-desk.ts"
import type { QuoteDesk } from "../dealer/messages.ts"
import type { InstrumentDirectory } from "../market/instrument-directory.ts"
import type { KnownPrices } from "../market/known-prices.ts"
import type { LastPrices } from "../market/last-prices.ts"
import type { Markets } from "../market/messages.ts"
import type { TriggerBoard } from "../market/triggers/board.ts"
import type { AccountDirectory } from "./directory.ts"
import type { AuditKind } from "./messages.ts"
import type { OrderMeters } from "./order-meters.ts"
import type { RestingAccounts } from "./resting-accounts.ts"
import type { UserShares } from "./user-shares.ts"
import type { SessionOpenings } from "./venue/session-openings.ts"

/** How many ended orders an account has in memory at most; after a while of rest it has none. */
const WHOLE_ORDERS = 100

export class WholeOrders extends Context.Reference<WholeOrders>()("actors/WholeOrders", {
  defaultValue: (): number => WHOLE_ORDERS,
}) {}

export interface AccountParts {
  readonly store: Context.Tag.Service<typeof AccountStore>
  readonly venues: Context.Tag.Service<typeof VenuePort>
  readonly channels: Context.Tag.Service<typeof ChannelPort>
  readonly clock: Context.Tag.Service<typeof Clock>
  readonly ids: Context.Tag.Service<typeof Ids>
  readonly failpoint: Context.Tag.Service<typeof Failpoint>
  readonly vault: Context.Tag.Service<typeof CredentialVault>
  readonly markets: Context.Tag.Service<typeof Markets>
  readonly accounts: AccountDirectory
  readonly instruments: InstrumentDirectory
  /** Of the whole process. */
  readonly triggers: TriggerBoard
  readonly hedges: HedgeDesk
  readonly quotes: QuoteDesk
  /** Of the whole process. */
  readonly prices: KnownPrices
  /** Of the whole process. */
  readonly lastPrices: LastPrices
  /** Null: none. */
  readonly rates: OrderRates | null
  /** Of the whole process; null: no limits. */
  readonly shares: UserShares | null
  readonly wholeOrders: number
  readonly mode: TradingModeInForce["Type"]
  /** Of the whole process. */
  readonly meters: OrderMeters
  /** Of the whole process. */
  readonly resting: RestingAccounts
  /** Of the whole process. */
  readonly openings: SessionOpenings
  /** The account's state is in memory; its channel stands at this sequence, and what it tells of positions began at the other one. */
  readonly loaded: (account: TradingAccount, sequence: number, awakeSince: number) => void
  /** The event of this number is published, or would be if anybody listened. */
  readonly published: (account: TradingAccount, sequence: number) => void
  /** How many of the account's orders are in doubt; told every few seconds. */
  readonly doubts: (account: TradingAccount, count: number) => void
  /** An audit of the account began, so long after the one before it. */
  readonly audited: (account: TradingAccount, kind: AuditKind, periodMillis: number) => void
  /** After the commit of a new image of the account; before it, too, where it is UNAVAILABLE. */
  readonly accountChanged: (account: TradingAccount) => void
}
