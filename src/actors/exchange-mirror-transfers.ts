/**
 * What a fill at a venue, or a look at its balances, moves in the wallet that mirrors the account (contract C9): pure. The one thing to
 * know: the mirror never goes below zero; what it lacks for a fill came to the account unseen, and comes out of suspense first.
 */
import { Decimal } from "../domain/decimal.ts"
import type { TenantId, TradingAccountId, UserId } from "../domain/ids.ts"
import { nameUuid } from "../domain/name-uuid.ts"
import { shareOf } from "../domain/trade-order.ts"
import {
  AMOUNT_DIGITS_MAX,
  accountingWalletId,
  isAsset,
  isWritableAmount,
  newWallet,
  type TransferCode,
  type Wallet,
  type WalletId,
} from "../domain/wallet.ts"
import type { Transfer } from "../ports/ledger-port.ts"
import type { StoredFill } from "../ports/mirror-store.ts"

/** Of the names of mirrors and their transfers; never to be changed. */
const NAMESPACE = Buffer.from("6f2b8c1d94e84a30b75dd5013f6c9ae2", "hex")
const STEP = Decimal.fromUnits(1n, AMOUNT_DIGITS_MAX)

export const mirrorWalletId = (account: TradingAccountId): WalletId => nameUuid(account, NAMESPACE) as WalletId

export interface MirroredAccount {
  readonly tradingAccountId: TradingAccountId
  readonly tenantId: TenantId
  readonly userId: UserId | null
  readonly venue: string
}

export const mirrorWallet = (account: MirroredAccount, at: number): Wallet => {
  const { tradingAccountId, tenantId, userId, venue } = account
  const walletId = mirrorWalletId(tradingAccountId)
  return newWallet({ walletId, tenantId, walletType: "EXCHANGE", userId, metadata: { tradingAccountId, venue } }, at)
}

/** By asset; absent: nothing. */
export type MirrorBalances = Map<string, Decimal>

interface Leg {
  readonly name: string
  readonly asset: string
  readonly change: Decimal
  readonly code: TransferCode
}

/** Zero where the ledger has too few digits to write it down: the next look at the venue's balances finds what is missing. */
const writable = (amount: Decimal): Decimal => amount.roundTo(STEP, "HALF_EVEN")

const sizeOf = (change: Decimal): Decimal => (change.isNegative() ? change.negate() : change)

/** Of an execution that takes the place of an inferred one: what it changes of what that one has moved. */
const legsOf = ({ execution, replaced, baseAsset, quoteAsset, isHedge }: StoredFill): ReadonlyArray<Leg> => {
  const isBuy = execution.orderSide === "BUY"
  const code = isHedge ? "HEDGE" : "EXCHANGE"
  const share = shareOf({ execution, replaced })
  const quantity = execution.executedQuantity.subtract(share?.executedQuantity ?? Decimal.ZERO)
  const cost = execution.executedCost.subtract(share?.executedCost ?? Decimal.ZERO)
  const legs: ReadonlyArray<Leg> = [
    { name: "base", asset: baseAsset, change: isBuy ? quantity : quantity.negate(), code },
    { name: "quote", asset: quoteAsset, change: isBuy ? cost.negate() : cost, code },
    ...execution.fees.map(
      (fee, index): Leg => ({
        name: `fee ${index}`,
        asset: fee.asset,
        change: fee.quantity.negate(),
        code: "FEE",
      }),
    ),
  ]
  return legs.flatMap((leg) => {
    const change = writable(leg.change)
    return isAsset(leg.asset) && isWritableAmount(sizeOf(change)) ? [{ ...leg, change }] : []
  })
}

/** Both legs and the fees, always the same for one fill. `balances` become what they are then. */
export const fillTransfers = (
  account: MirroredAccount,
  fill: StoredFill,
  balances: MirrorBalances,
): ReadonlyArray<Transfer> =>
  legsOf(fill).map(({ name, ...leg }) => {
    const { executionId } = fill.execution
    return moved(account, balances, leg, `${executionId} ${name}`, executionId)
  })

/**
 * What the mirror lacks for a fill, under a name of its own. Posted apart: a fill whose request is repeated after a crash has changed the balances already, and
 * what is then given too much the next look at the venue's balances takes back.
 */
export const lackOf = (
  account: MirroredAccount,
  fill: StoredFill,
  balances: MirrorBalances,
  name: string,
): ReadonlyArray<Transfer> => {
  const { executionId } = fill.execution
  const after = new Map(balances)
  const lacking = new Map<string, Decimal>()
  for (const { asset, change } of legsOf(fill)) {
    const left = (after.get(asset) ?? Decimal.ZERO).add(change)
    after.set(asset, Decimal.max(left, Decimal.ZERO))
    if (left.isNegative()) lacking.set(asset, (lacking.get(asset) ?? Decimal.ZERO).subtract(left))
  }
  return [...lacking].map(([asset, change]) =>
    moved(account, balances, { asset, change, code: "ADJUSTMENT" }, `${name} ${asset}`, executionId),
  )
}

/** What makes the mirror equal to what the venue shows. `name`: of this look. */
export const adjustments = (
  account: MirroredAccount,
  venue: ReadonlyMap<string, Decimal>,
  balances: MirrorBalances,
  name: string,
): ReadonlyArray<Transfer> =>
  [...new Set([...venue.keys(), ...balances.keys()])].sort().flatMap((asset) => {
    const shown = writable(venue.get(asset) ?? Decimal.ZERO)
    const change = shown.subtract(balances.get(asset) ?? Decimal.ZERO)
    if (!isAsset(asset) || shown.isNegative() || !isWritableAmount(sizeOf(change))) return []
    return [
      moved(account, balances, { asset, change, code: "ADJUSTMENT" }, `${name} ${asset}`, account.tradingAccountId),
    ]
  })

const moved = (
  { tradingAccountId, tenantId }: MirroredAccount,
  balances: MirrorBalances,
  { asset, change, code }: Omit<Leg, "name">,
  name: string,
  reference: string,
): Transfer => {
  const mirror = mirrorWalletId(tradingAccountId)
  // Trades are with the world outside; what nobody has explained is in suspense.
  const other = accountingWalletId(tenantId, code === "ADJUSTMENT" ? "SUSPENSE" : "WORLD")
  const isIn = change.isPositive()
  balances.set(asset, (balances.get(asset) ?? Decimal.ZERO).add(change))
  return {
    kind: "single",
    transferId: nameUuid(name, NAMESPACE),
    pendingId: null,
    debitWalletId: isIn ? other : mirror,
    creditWalletId: isIn ? mirror : other,
    asset,
    amount: isIn ? change : change.negate(),
    code,
    reference,
    expiresAt: null,
  }
}
