/** A trading account: one user's account on one venue (contract C11a), and its public records. */
import { Schema } from "effect"
import { dateTime } from "../../foundation/time.ts"
import type { Decimal } from "../decimal.ts"
import {
  type DealerAccountId,
  type InstrumentId,
  positionIdOf,
  type TenantId,
  type TradingAccountId,
  type UserId,
  type VenueId,
} from "../ids.ts"
import type { WalletId } from "../wallet/wallet.ts"
import { type Credential, CredentialRecord, credentialRecord } from "./credential.ts"

export const TradingAccountStatus = Schema.Literal(
  "NEW",
  "CREATED",
  "ACTIVE",
  "INACTIVE",
  "LOCKED",
  "DISCONNECTED",
  "UNAVAILABLE",
)
export type TradingAccountStatus = typeof TradingAccountStatus.Type

export interface TradingAccount {
  readonly tradingAccountId: TradingAccountId
  readonly tenantId: TenantId
  /** Null: a dealer's own, at the internal venue; who is on its dealer's side at the moment acts for it. */
  readonly userId: UserId | null
  /** Grows by one with every stored image. */
  readonly version: number
  readonly venue: VenueId
  /** The account's id at the venue; a label where the venue gives none. */
  readonly externalTradingAccountId: string
  readonly nickname: string
  readonly status: TradingAccountStatus
  /** At the internal venue: what it owns. Null elsewhere. */
  readonly walletId: WalletId | null
  /** At the internal venue: the dealer whose client it is, or whose own it is where it is no user's; null: any dealer's. */
  readonly dealerAccountId: DealerAccountId | null
  readonly credentials: ReadonlyArray<Credential>
  /** Starting balances of an account on an in-process venue, fixed when it is connected: [asset, decimal text]. */
  readonly initialBalances: ReadonlyArray<readonly [asset: string, quantity: string]>
  /** Stream identity of `tradingAccount:<id>`; a new one makes older positions unrecoverable. */
  readonly channelEpoch: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly disconnectedAt: number | null
  /** The dead man's switch: at this instant every order is cancelled unless the client was heard of before. Null: off. */
  readonly cancelAllAt: number | null
}

export const TradingAccountRecord = Schema.Struct({
  tradingAccountId: Schema.String,
  externalTradingAccountId: Schema.String,
  userId: Schema.NullOr(Schema.String).annotations({ description: "null: a dealer's own account" }),
  venue: Schema.String,
  nickname: Schema.String,
  name: Schema.String,
  accountType: Schema.String,
  externalAccountType: Schema.String,
  positionMode: Schema.String,
  collateralMode: Schema.String,
  marginMode: Schema.String,
  walletId: Schema.NullOr(Schema.String).annotations({
    description: "Extension: at INTERNAL, the wallet that holds the account's funds",
  }),
  dealerAccountId: Schema.NullOr(Schema.String).annotations({
    description: "Extension: at INTERNAL, the dealer whose client the account is; null: any dealer's",
  }),
  credentials: Schema.Array(CredentialRecord),
  status: TradingAccountStatus,
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  updatedAt: Schema.Int,
  updatedAtDateTime: Schema.String,
  disconnectedAt: Schema.optional(Schema.Int),
  disconnectedAtDateTime: Schema.optional(Schema.String),
}).annotations({ identifier: "TradingAccount" })
export type TradingAccountRecord = typeof TradingAccountRecord.Type

export const tradingAccountRecord = (a: TradingAccount): TradingAccountRecord => ({
  tradingAccountId: a.tradingAccountId,
  externalTradingAccountId: a.externalTradingAccountId,
  userId: a.userId,
  venue: a.venue,
  nickname: a.nickname,
  name: a.nickname,
  accountType: "SPOT",
  externalAccountType: "SPOT",
  positionMode: "NETTING",
  collateralMode: "CROSS",
  marginMode: "CROSS",
  walletId: a.walletId,
  dealerAccountId: a.dealerAccountId,
  credentials: a.credentials.map(credentialRecord),
  status: a.status,
  createdAt: a.createdAt,
  createdAtDateTime: dateTime(a.createdAt),
  updatedAt: a.updatedAt,
  updatedAtDateTime: dateTime(a.updatedAt),
  ...(a.disconnectedAt === null
    ? {}
    : { disconnectedAt: a.disconnectedAt, disconnectedAtDateTime: dateTime(a.disconnectedAt) }),
})

/** What an account has open in one contract, by its venue's word. */
export interface ContractPosition {
  readonly instrumentId: InstrumentId
  /** Of the base asset; below zero where it is short. */
  readonly quantity: Decimal
  /** Null where the venue does not say it, as the profit. */
  readonly entryPrice: Decimal | null
  /** At the venue's mark price, in the currency. */
  readonly unrealizedProfit: Decimal | null
}

/** Balance of one currency: balance = available + locked, always (contract C10). */
export interface Position {
  readonly tradingAccountId: TradingAccountId
  readonly venue: VenueId
  readonly currency: string
  readonly available: Decimal
  readonly locked: Decimal
  /** Venue time of the snapshot, or of the execution or the hold since. */
  readonly updatedAt: number
  /** Whose margin it is; absent: it is no contract's. */
  readonly contracts?: ReadonlyArray<ContractPosition>
}

/** It is left out of the portfolio: no balance, and no contract's margin. */
export const isNothing = ({ available, locked, contracts }: Position): boolean =>
  available.add(locked).isZero() && contracts === undefined

export const ContractPositionRecord = Schema.Struct({
  positionId: Schema.String.annotations({ description: "The same as on the orders of this account and instrument" }),
  instrumentId: Schema.String,
  side: Schema.Literal("LONG", "SHORT"),
  quantity: Schema.String.annotations({ description: "In the base asset, above zero" }),
  entryPrice: Schema.NullOr(Schema.String),
  unrealizedProfit: Schema.NullOr(Schema.String).annotations({
    description: "At the venue's mark price, when it was last asked; below zero for a loss",
  }),
}).annotations({ identifier: "ContractPosition" })
export type ContractPositionRecord = typeof ContractPositionRecord.Type

const contractRecord = (
  account: TradingAccountId,
  { instrumentId, quantity, entryPrice, unrealizedProfit }: ContractPosition,
): ContractPositionRecord => ({
  positionId: positionIdOf(account, instrumentId),
  instrumentId,
  side: quantity.isNegative() ? "SHORT" : "LONG",
  quantity: quantity.abs().toString(),
  entryPrice: entryPrice?.toString() ?? null,
  unrealizedProfit: unrealizedProfit?.toString() ?? null,
})

export const PositionRecord = Schema.Struct({
  tradingAccountId: Schema.String,
  venue: Schema.String,
  currency: Schema.String,
  balance: Schema.String,
  available: Schema.String,
  locked: Schema.String,
  updatedAt: Schema.Int.annotations({
    description:
      "The venue's time of the balances, or of a later execution or hold: never older than the last change of the figures",
  }),
  updatedAtDateTime: Schema.String,
  contracts: Schema.optional(Schema.Array(ContractPositionRecord)).annotations({
    description: "Of a venue of contracts: what is open and has its margin in this currency; absent where nothing is",
  }),
}).annotations({ identifier: "PortfolioPosition" })
export type PositionRecord = typeof PositionRecord.Type

export const positionRecord = (p: Position): PositionRecord => ({
  tradingAccountId: p.tradingAccountId,
  venue: p.venue,
  currency: p.currency,
  balance: p.available.add(p.locked).toString(),
  available: p.available.toString(),
  locked: p.locked.toString(),
  updatedAt: p.updatedAt,
  updatedAtDateTime: dateTime(p.updatedAt),
  ...(p.contracts !== undefined && { contracts: p.contracts.map((it) => contractRecord(p.tradingAccountId, it)) }),
})
