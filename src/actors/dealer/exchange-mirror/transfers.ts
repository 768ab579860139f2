/**
 * The transfers of a fill at a venue, or of a check of its balances, in the wallet that mirrors the account (contract C9): pure. The one thing to
 * know: the mirror never goes below zero; what it lacks for a fill arrived at the account unseen, and comes out of suspense first.
 */
import type { Funding } from "../../../domain/dealer/funding.ts"
import { Decimal } from "../../../domain/decimal.ts"
import {
  type DealerAccountId,
  nameUuid,
  type TenantId,
  type TradingAccountId,
  type UserId,
} from "../../../domain/ids.ts"
import { beyondReplaced } from "../../../domain/order/trade-order.ts"
import {
  accountingWalletId,
  asWritable,
  dealerBookId,
  isAsset,
  isWritableAmount,
  newWallet,
  type TransferCode,
  type Wallet,
  type WalletId,
} from "../../../domain/wallet/wallet.ts"
import type { Movement, Transfer } from "../../../ports/ledger-port.ts"
import type { StoredDifference, StoredFill } from "../../../ports/mirror-store.ts"
import { type Recent, recentOf } from "./differences.ts"

/** Of the names of mirrors and their transfers; never to be changed. */
const NAMESPACE = Buffer.from("6f2b8c1d94e84a30b75dd5013f6c9ae2", "hex")

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

/** Of an execution that takes the place of an inferred one: what it changes of what that one has moved. */
const legsOf = ({ execution, replaced, baseAsset, quoteAsset, isHedge }: StoredFill): ReadonlyArray<Leg> => {
  const isBuy = execution.orderSide === "BUY"
  const code = isHedge ? "HEDGE" : "EXCHANGE"
  const { quantity, cost } = beyondReplaced({ execution, replaced })
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
    // What has too few digits for the ledger is zero: the next look at the venue's balances finds what is missing.
    const change = asWritable(leg.change)
    return isAsset(leg.asset) && isWritableAmount(change.abs()) ? [{ ...leg, change }] : []
  })
}

/** Both legs and the fees, always the same for one fill. `balances` become what they are then. */
export const fillTransfers = (
  account: MirroredAccount,
  fill: StoredFill,
  balances: MirrorBalances,
): ReadonlyArray<Movement> =>
  legsOf(fill).map(({ name, ...leg }) => {
    const { executionId } = fill.execution
    return moved(account, balances, leg, worldOf(account), `${executionId} ${name}`, executionId)
  })

/** A deposit or withdrawal at the venue that was told of; `settled` grows with what is found of it. */
export type Awaited = Pick<Funding, "fundingId" | "asset" | "direction" | "amount" | "createdAt"> & { settled: Decimal }

/** What was found of it. */
export interface Funded {
  readonly fundingId: string
  /** With this. */
  readonly settled: Decimal
  readonly transfer: Movement
}

/** What of these differences was told of, the oldest first, and the rest of them. `awaited` and `balances` become what they are then. */
export const fundedOf = (
  account: MirroredAccount,
  differences: ReadonlyMap<string, Decimal>,
  awaited: ReadonlyArray<Awaited>,
  balances: MirrorBalances,
  name: string,
): { readonly funded: ReadonlyArray<Funded>; readonly rest: ReadonlyMap<string, Decimal> } => {
  const funded: Array<Funded> = []
  const rest = new Map(differences)
  for (const it of awaited) {
    const due = rest.get(it.asset) ?? Decimal.ZERO
    if (due.isNegative() !== (it.direction === "WITHDRAWAL")) continue
    const part = Decimal.min(due.abs(), it.amount.subtract(it.settled))
    if (!part.isPositive()) continue
    const change = due.isNegative() ? part.negate() : part
    const left = due.subtract(change)
    if (left.isZero()) rest.delete(it.asset)
    else rest.set(it.asset, left)
    it.settled = it.settled.add(part)
    const leg = { asset: it.asset, change, code: "FUNDING" } as const
    const transfer = moved(account, balances, leg, worldOf(account), `${name} ${it.fundingId}`, it.fundingId)
    funded.push({ fundingId: it.fundingId, settled: it.settled, transfer })
  }
  return { funded, rest }
}

/** What the mirror lacks for a fill: it came to the account before. `awaited` and `balances` become what they are then. */
export const lackOf = (
  account: MirroredAccount,
  fill: StoredFill,
  awaited: ReadonlyArray<Awaited>,
  balances: MirrorBalances,
  name: string,
): { readonly funded: ReadonlyArray<Funded>; readonly lacks: ReadonlyArray<Difference> } => {
  const { executionId, executedAt } = fill.execution
  // What it was paid with was there: it is told of a deposit before it is made.
  const told = awaited.filter(({ createdAt }) => createdAt <= executedAt)
  const after = new Map(balances)
  const lacking = new Map<string, Decimal>()
  for (const { asset, change } of legsOf(fill)) {
    const left = (after.get(asset) ?? Decimal.ZERO).add(change)
    after.set(asset, Decimal.max(left, Decimal.ZERO))
    if (left.isNegative()) lacking.set(asset, (lacking.get(asset) ?? Decimal.ZERO).subtract(left))
  }
  const { funded, rest } = fundedOf(account, lacking, told, balances, name)
  const lacks = [...rest].map(([asset, change]) =>
    differing(account, balances, { asset, change, code: "ADJUSTMENT", loser: null }, name, executionId),
  )
  return { funded, lacks }
}

/**
 * What a fill takes back of differences that were posted before it was known: it had been executed by then, and its account showed it.
 * `recent` and `balances` become what they are then.
 */
export const correctionsOf = (
  account: MirroredAccount,
  fill: StoredFill,
  balances: MirrorBalances,
  recent: Recent,
  name: string,
): ReadonlyArray<Difference> => {
  const { executionId, executedAt } = fill.execution
  return legsOf(fill).flatMap(({ name: leg, asset, change }) => {
    let rest = change.abs()
    // A loss is restored to the dealer that bore it, the oldest first.
    const posted = [...recent.values()].filter(
      (it) => it.asset === asset && it.isLost === change.isNegative() && executedAt <= it.newestAt,
    )
    return posted.flatMap((it) => {
      // A surplus that was spent meanwhile is not there to be taken back.
      const there = it.isLost ? it.amount : Decimal.min(it.amount, balances.get(asset) ?? Decimal.ZERO)
      const amount = Decimal.min(rest, there)
      if (!amount.isPositive()) return []
      rest = rest.subtract(amount)
      it.amount = it.amount.subtract(amount)
      const back = it.isLost ? amount : amount.negate()
      const difference = { asset, change: back, code: "CORRECTION", loser: it.loser } as const
      // A fee is often in an asset of the trade: two legs of one fill in one asset are two transfers.
      return [differing(account, balances, difference, `${name} ${leg}`, executionId)]
    })
  })
}

/** By asset: what the venue shows more than the mirror has, or less. */
export const differencesOf = (
  venue: ReadonlyMap<string, Decimal>,
  balances: MirrorBalances,
): ReadonlyMap<string, Decimal> => {
  const found = new Map<string, Decimal>()
  for (const asset of [...new Set([...venue.keys(), ...balances.keys()])].sort()) {
    const shown = asWritable(venue.get(asset) ?? Decimal.ZERO)
    const change = shown.subtract(balances.get(asset) ?? Decimal.ZERO)
    if (isAsset(asset) && !shown.isNegative() && isWritableAmount(change.abs())) found.set(asset, change)
  }
  return found
}

/** With what an account begins: it was brought from outside. */
export const openingOf = (
  account: MirroredAccount,
  differences: ReadonlyMap<string, Decimal>,
  balances: MirrorBalances,
  name: string,
): ReadonlyArray<Transfer> =>
  [...differences].map(([asset, change]) =>
    moved(
      account,
      balances,
      { asset, change, code: "OPENING" },
      worldOf(account),
      `${name} ${asset}`,
      account.tradingAccountId,
    ),
  )

/**
 * What nothing explains: a shortfall is the loss of the dealer that keeps the account. A surplus makes good what that one lost within the last
 * day, and the rest of it waits in suspense for an operator who knows where it came from. `recent` becomes what it is then.
 */
export const unexplainedOf = (
  account: MirroredAccount,
  keeper: DealerAccountId,
  differences: ReadonlyMap<string, Decimal>,
  balances: MirrorBalances,
  recent: Recent,
  name: string,
): ReadonlyArray<Difference> =>
  [...differences].flatMap(([asset, change]) => {
    const one = (of: Decimal, code: Difference["code"], loser: DealerAccountId | null) =>
      differing(account, balances, { asset, change: of, code, loser }, name, account.tradingAccountId)
    const lost = recentOf(recent, asset, keeper, true)
    const back = Decimal.max(Decimal.ZERO, Decimal.min(change, lost.amount))
    const rest = change.subtract(back)
    lost.amount = lost.amount.subtract(change.isNegative() ? change : back)
    if (change.isNegative()) return [one(change, "SHORTFALL", keeper)]
    return [
      ...(back.isPositive() ? [one(back, "CORRECTION", keeper)] : []),
      ...(rest.isPositive() ? [one(rest, "ADJUSTMENT", null)] : []),
    ]
  })

/**
 * What an account has less, or more, than it had when a dealer linked it before, and has executed since: it is in no dealer's time, and waits
 * in suspense for an operator. `recent` becomes what it is then.
 */
export const unlinkedOf = (
  account: MirroredAccount,
  differences: ReadonlyMap<string, Decimal>,
  balances: MirrorBalances,
  recent: Recent,
  name: string,
): ReadonlyArray<Difference> =>
  [...differences].map(([asset, change]) => {
    const posted = recentOf(recent, asset, null, change.isNegative())
    posted.amount = posted.amount.add(change.abs())
    const difference = { asset, change, code: "ADJUSTMENT", loser: null } as const
    return differing(account, balances, difference, name, account.tradingAccountId)
  })

/** A transfer that nothing known explains, and what is written down of it. */
export interface Difference extends Omit<StoredDifference, "at"> {
  readonly transfer: Movement
}

/** The same under another name. */
export const renamed = (transfer: Movement, name: string): Movement => ({
  ...transfer,
  transferId: nameUuid(`${transfer.transferId} ${name}`, NAMESPACE),
})

export const differing = (
  account: MirroredAccount,
  balances: MirrorBalances,
  difference: Omit<Difference, "transfer">,
  name: string,
  reference: string,
): Difference => {
  const { asset, change, code, loser } = difference
  const other = loser === null ? accountingWalletId(account.tenantId, "SUSPENSE") : dealerBookId(loser, "LOSS")
  const own = `${name} ${code} ${asset} ${loser ?? ""}`.trimEnd()
  return { asset, change, code, loser, transfer: moved(account, balances, difference, other, own, reference) }
}

const worldOf = ({ tenantId }: MirroredAccount): WalletId => accountingWalletId(tenantId, "WORLD")

const moved = (
  { tradingAccountId }: MirroredAccount,
  balances: MirrorBalances,
  { asset, change, code }: Omit<Leg, "name">,
  other: WalletId,
  name: string,
  reference: string,
): Movement => {
  const mirror = mirrorWalletId(tradingAccountId)
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
