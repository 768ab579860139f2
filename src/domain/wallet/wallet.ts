/**
 * Wallets of the ledger (contract C9): the owner, the permitted operations, the balances. The one thing to know: a wallet itself holds no
 * amounts; its balances are counters that only the ledger moves, one row per asset.
 */
import { Schema } from "effect"
import { dateTime } from "../../foundation/time.ts"
import { Decimal } from "../decimal.ts"
import { type DealerAccountId, nameUuid, type TenantId, type UserId } from "../ids.ts"

export const WalletId = Schema.UUID.pipe(Schema.brand("WalletId"))
export type WalletId = typeof WalletId.Type

/**
 * CLIENT: a customer's inventory on the internal venue. DEALER: a dealer's. EXCHANGE: the mirror of a linked venue account.
 * ACCOUNTING: fees, profit and loss, and the world outside; the only type that may go below zero.
 */
export const WalletType = Schema.Literal("CLIENT", "DEALER", "EXCHANGE", "ACCOUNTING")
export type WalletType = typeof WalletType.Type

/** FROZEN: nothing moves but the release of holds. CLOSED: for ever; what is left may leave, whole. */
export const WalletStatus = Schema.Literal("ACTIVE", "FROZEN", "CLOSED")
export type WalletStatus = typeof WalletStatus.Type

export interface Wallet {
  readonly walletId: WalletId
  readonly tenantId: TenantId
  readonly walletType: WalletType
  readonly status: WalletStatus
  /** It was frozen when it was closed: only an admin lets out what is left. */
  readonly frozen: boolean
  readonly allowNegative: boolean
  /** Null: no user's, but the installation's own (ACCOUNTING) or a dealer's (DEALER). */
  readonly userId: UserId | null
  /** The dealer whose clients' money this is, or whose books (ACCOUNTING); null: good for any. */
  readonly dealerAccountId: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly createdAt: number
  readonly updatedAt: number
}

/** As it is opened; only the installation's own may go below zero. */
export const newWallet = (
  own: Pick<Wallet, "walletId" | "tenantId" | "walletType" | "userId"> &
    Partial<Pick<Wallet, "dealerAccountId" | "metadata">>,
  at: number,
): Wallet => ({
  status: "ACTIVE",
  frozen: false,
  allowNegative: own.walletType === "ACCOUNTING",
  dealerAccountId: null,
  metadata: {},
  createdAt: at,
  updatedAt: at,
  ...own,
})

/** Of one asset. balance = credits - debits posted, held = debits pending, available = balance - held. */
export interface WalletBalance {
  readonly walletId: WalletId
  readonly asset: string
  readonly balance: Decimal
  readonly held: Decimal
  readonly available: Decimal
}

/** `movedAt`: of the newest transfer or hold of it; 0: none. */
export interface MovedBalance extends WalletBalance {
  readonly movedAt: number
}

/** What moves money, in the journal and on statements. */
export const TransferCode = Schema.Literal(
  "DEPOSIT",
  "WITHDRAWAL",
  "TRANSFER",
  "HOLD",
  "RELEASE",
  "EXPIRY",
  "TRADE",
  "FEE",
  "QUOTE",
  "QUOTE_RESERVATION",
  "EXCHANGE",
  "HEDGE",
  "OPENING",
  "FUNDING",
  "ADJUSTMENT",
  "SHORTFALL",
  "CORRECTION",
  "POSITION",
  "PROFIT",
)
export type TransferCode = typeof TransferCode.Type

/**
 * The installation's own wallets of a tenant. WORLD is where deposits come from and withdrawals go; CLEARING is named by holds whose
 * receiver is not known yet, and nothing is ever posted to it.
 */
export type AccountingPurpose = "WORLD" | "FEES" | "CLEARING" | "SUSPENSE"
export const ACCOUNTING_PURPOSES: ReadonlyArray<AccountingPurpose> = ["WORLD", "FEES", "CLEARING", "SUSPENSE"]

/**
 * A dealer's own books, beside what it has (decision 52). PROFIT: what it has earned; below zero, lost. POSITION: what is open, and what that
 * brought or cost. TRADING: the other side of both. LOSS: what its venue accounts have less than anything explains.
 */
export type DealerPurpose = "PROFIT" | "POSITION" | "TRADING" | "LOSS"

/** Of the names of these wallets; never to be changed. */
const NAMESPACE = Buffer.from("a3c1de5f7b0246b8935e0c8d41f6a2b7", "hex")

/** They are there as soon as the tenant has any wallet. */
export const accountingWalletId = (tenantId: TenantId, purpose: AccountingPurpose): WalletId =>
  nameUuid(`${tenantId}|${purpose}`, NAMESPACE) as WalletId

export const accountingWallet = (tenantId: TenantId, purpose: AccountingPurpose, at: number): Wallet =>
  newWallet(
    {
      walletId: accountingWalletId(tenantId, purpose),
      tenantId,
      walletType: "ACCOUNTING",
      userId: null,
      metadata: { purpose },
    },
    at,
  )

export const dealerBookId = (dealer: DealerAccountId, purpose: DealerPurpose): WalletId =>
  nameUuid(`${dealer}|${purpose}`, NAMESPACE) as WalletId

export const dealerBook = (
  { dealerAccountId, tenantId }: { readonly dealerAccountId: DealerAccountId; readonly tenantId: TenantId },
  purpose: DealerPurpose,
  at: number,
): Wallet =>
  newWallet(
    {
      walletId: dealerBookId(dealerAccountId, purpose),
      tenantId,
      walletType: "ACCOUNTING",
      userId: null,
      dealerAccountId,
      metadata: { purpose },
    },
    at,
  )

/** Letters, digits and a few marks, as venues write assets. */
export const AssetText = Schema.String.pipe(Schema.pattern(/^[A-Z0-9][A-Z0-9._-]{0,31}$/)).annotations({
  description: "An asset, for example BTC",
  examples: ["USDT"],
})

export const isAsset = Schema.is(AssetText)

/**
 * Of one transfer. The counters of a balance only grow and end below 10^36 (numeric(54, 18)): that is 10^12 transfers of this size, more
 * than can ever be made, so that no asset of a wallet ever becomes unusable.
 */
export const AMOUNT_MAX = Decimal.fromUnits(10n ** 24n, 0)
export const AMOUNT_DIGITS_MAX = 18

/** Digits behind the point without trailing zeros. */
export const digitsOf = (amount: Decimal): number => {
  const text = amount.toString()
  const dot = text.indexOf(".")
  return dot < 0 ? 0 : text.length - dot - 1
}

/** Whether the ledger writes it down, exactly. */
export const isWritableAmount = (amount: Decimal): boolean =>
  amount.isPositive() && !AMOUNT_MAX.lessThan(amount) && digitsOf(amount) <= AMOUNT_DIGITS_MAX

const STEP = Decimal.fromUnits(1n, AMOUNT_DIGITS_MAX)

/** With the digits that the ledger writes down: zero where it has too few for it. */
export const asWritable = (amount: Decimal): Decimal => amount.roundTo(STEP, "HALF_EVEN")

export const BalanceRecord = Schema.Struct({
  asset: Schema.String,
  balance: Schema.String.annotations({ description: "available + held" }),
  available: Schema.String,
  held: Schema.String,
}).annotations({ identifier: "WalletBalance" })
export type BalanceRecord = typeof BalanceRecord.Type

export const WalletRecord = Schema.Struct({
  walletId: Schema.String,
  walletType: WalletType,
  status: WalletStatus,
  frozen: Schema.Boolean.annotations({ description: "FROZEN, or frozen when it was closed" }),
  allowNegative: Schema.Boolean,
  userId: Schema.NullOr(Schema.String),
  dealerAccountId: Schema.NullOr(Schema.String),
  metadata: Schema.Record({ key: Schema.String, value: Schema.String }),
  balances: Schema.Array(BalanceRecord).annotations({
    description: "By asset; assets with a zero balance are omitted",
  }),
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  updatedAt: Schema.Int.annotations({
    description: "Time of the last change of its status, or of the last transfer or hold of any asset",
  }),
  updatedAtDateTime: Schema.String,
}).annotations({ identifier: "Wallet" })
export type WalletRecord = typeof WalletRecord.Type

export const balanceRecord = (b: WalletBalance): BalanceRecord => ({
  asset: b.asset,
  balance: b.balance.toString(),
  available: b.available.toString(),
  held: b.held.toString(),
})

/** Changed with its status and with each transfer and hold of any of its assets. */
export const walletRecord = (w: Wallet, balances: ReadonlyArray<MovedBalance>): WalletRecord => {
  const updatedAt = balances.reduce((newest, { movedAt }) => Math.max(newest, movedAt), w.updatedAt)
  return {
    walletId: w.walletId,
    walletType: w.walletType,
    status: w.status,
    frozen: w.frozen,
    allowNegative: w.allowNegative,
    userId: w.userId,
    dealerAccountId: w.dealerAccountId,
    metadata: w.metadata,
    balances: balances.filter((it) => !it.balance.isZero() || !it.held.isZero()).map(balanceRecord),
    createdAt: w.createdAt,
    createdAtDateTime: dateTime(w.createdAt),
    updatedAt,
    updatedAtDateTime: dateTime(updatedAt),
  }
}
