/**
 * Changes of the dealer itself: pause, resume, archive, links, its configuration. Memory changes at once and the answer waits for the commit; if
 * the right is missing by then, memory is rolled back. A configuration applies from its commit on, because quotes priced with a refused one would
 * bind. The one thing to know: changes run one at a time, so that a rollback undoes nothing else.
 */
import { Cause, Exit, Option } from "effect"
import { type Dealer, isLinked } from "../../domain/dealer/dealer.ts"
import { Decimal } from "../../domain/decimal.ts"
import {
  AccountAlreadyLinked,
  AccountHasHedges,
  AccountNotLinked,
  DealerArchived,
  DealerChanged,
  DealerHasPositions,
  HedgeNotInDoubt,
} from "../../domain/errors/dealer.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { InternalDefect } from "../../domain/errors/service.ts"
import { OrderNotFound } from "../../domain/errors/trade-order.ts"
import { AccountNotActive } from "../../domain/errors/trading-account.ts"
import type { Reply } from "../../domain/reply.ts"
import { AMOUNT_MAX } from "../../domain/wallet/wallet.ts"
import type { DealerAct } from "../../ports/dealer-store.ts"
import type { StoredHedge } from "../../ports/hedge-store.ts"
import type { DealerCore } from "./core.ts"
import { canBeAsked } from "./hedging/courier.ts"
import type { HedgeKeeper } from "./hedging/hedging.ts"
import type { ConfigureDealer, LinkAccount, ResolveHedge, SetDealerStatus, UnlinkAccount } from "./messages.ts"
import { linkFault, tellIgnored } from "./places.ts"
import { riskCurrencyOf } from "./valuation.ts"

// An admin says what a hedge in doubt executed: the exit from a doubt that no venue will end. The one thing to know: it is an act, stored
// with its row of the audit before anything follows from it, and the venue's own word counts before it should it come after all.

/**
 * Of one hedge they take turns: the word that is stored last is the one that memory has. A change of the dealer comes first: one that is being
 * archived was found flat.
 */
export const resolveHedge = (core: DealerCore, keeper: HedgeKeeper, message: ResolveHedge): void => {
  const waiting = core.changes ?? keeper.resolving.get(message.tradeOrderId)
  if (waiting === undefined) resolve(core, keeper, message)
  else waiting.push(() => resolveHedge(core, keeper, message))
}

const resolve = (core: DealerCore, keeper: HedgeKeeper, message: ResolveHedge): void => {
  const { tradeOrderId, executedQuantity, averagePrice, asked, reply } = message
  const line = keeper.lineOfHedge(tradeOrderId)
  const hedge = line?.find(tradeOrderId)
  if (line === undefined || hedge === undefined) return reply.fail(new OrderNotFound())
  const canAsk = canBeAsked(core.parts.accounts.find(hedge.tradingAccountId)?.status)
  if (hedge.isOver || (canAsk && !hedge.isInDoubt)) return reply.fail(new HedgeNotInDoubt({ tradeOrderId }))
  const fault = faultOf(hedge, message)
  if (fault !== null) return reply.fail(fault)
  const executedCost = executedQuantity.multiply(averagePrice ?? Decimal.ZERO)
  const verdict = { executedQuantity, executedCost }
  const said = hedge.verdict
  if (said?.executedQuantity.equals(executedQuantity) && said.executedCost.equals(executedCost))
    return reply.ok({ hedging: keeper.reportOf(line), isNew: false })
  const { hedgeStore, clock } = core.parts
  const waiting: Array<() => void> = []
  keeper.resolving.set(tradeOrderId, waiting)
  core.self.fork(hedgeStore.resolve(core.dealer, tradeOrderId, verdict, clock.now(), asked), (exit) => {
    keeper.resolving.delete(tradeOrderId)
    if (Exit.isSuccess(exit)) {
      keeper.resolved(line, tradeOrderId, verdict)
      reply.ok({ hedging: keeper.reportOf(line), isNew: true })
    } else reply.fail(Option.getOrElse(Cause.failureOption(exit.cause), () => new InternalDefect()))
    for (const run of waiting) run()
  })
}

const faultOf = (
  hedge: StoredHedge,
  { executedQuantity, averagePrice }: Pick<ResolveHedge, "executedQuantity" | "averagePrice">,
): DomainError | null => {
  const invalid = (parameter: string, reason: string): DomainError => new InvalidParameter({ parameter, reason })
  if (executedQuantity.lessThan(hedge.executedQuantity))
    return invalid("executedQuantity", `its venue reported ${hedge.executedQuantity}: it must be at least that`)
  if (executedQuantity.greaterThan(hedge.baseQuantity))
    return invalid("executedQuantity", `the hedge was for ${hedge.baseQuantity}: it must be at most that`)
  if (executedQuantity.isPositive() && averagePrice?.isPositive() !== true)
    return invalid("averagePrice", "an executed quantity must have a price above 0")
  if (AMOUNT_MAX.lessThan(executedQuantity.multiply(averagePrice ?? Decimal.ZERO)))
    return invalid("averagePrice", `its cost must be at most ${AMOUNT_MAX}`)
  return null
}

interface Asked {
  readonly asked?: DealerAct
  readonly reply: Reply<Dealer, DomainError>
}

/** Once the change before it is stored, or taken back. */
const inTurn = (core: DealerCore, run: () => void): void => {
  if (core.changes === null) run()
  else core.changes.push(run)
}

const change = (core: DealerCore, patch: Partial<Dealer>, { asked, reply }: Asked): void => {
  const before = core.dealer
  // It grows with each change: who changes the configuration names the dealer that was read by it.
  const updatedAt = Math.max(core.parts.clock.now(), before.updatedAt + 1)
  const next: Dealer = { ...before, ...patch, version: before.version + 1, updatedAt }
  const waiting: Array<() => void> = []
  if (patch.config === undefined) core.dealer = next
  core.changes = waiting
  core.self.fork(core.parts.store.save(next, asked), (exit) => {
    core.changes = null
    if (Exit.isSuccess(exit)) {
      core.dealer = next
      if (riskCurrencyOf({ dealer: before }) !== riskCurrencyOf({ dealer: next })) forgetValues(core)
      if (next.status === "ARCHIVED") core.following.close()
      core.parts.dealerChanged(next)
      core.hedging.dealerChanged()
      tellIgnored(core)
      reply.ok(next)
    } else {
      core.dealer = before
      reply.fail(Option.getOrElse(Cause.failureOption(exit.cause), () => new InternalDefect()))
    }
    for (const run of waiting) inTurn(core, run)
  })
}

/** They were in the risk currency of before. Of any other change they are kept: an asset without a price at that moment would stop all quotes. */
const forgetValues = (core: DealerCore): void => {
  core.riskPrices.clear()
  core.silentSince.clear()
}

export const configureDealer = (core: DealerCore, message: ConfigureDealer): void =>
  inTurn(core, () => {
    const { config, updatedAt, reply } = message
    const { dealer } = core
    if (dealer.status === "ARCHIVED") reply.fail(new DealerArchived())
    else if (dealer.updatedAt !== updatedAt) reply.fail(new DealerChanged({ updatedAt: dealer.updatedAt }))
    else change(core, { config }, message)
  })

export const setDealerStatus = (core: DealerCore, message: SetDealerStatus): void =>
  inTurn(core, () => {
    const { status, reply } = message
    const { dealer } = core
    // Quotes whose end is on its way to the ledger are among them.
    const isBusy = core.quotes.size > 0 || !core.hedging.isFlat()
    if (dealer.status === "ARCHIVED") reply.fail(new DealerArchived())
    else if (dealer.status === status) reply.ok(dealer)
    else if (status === "ARCHIVED" && isBusy) reply.fail(new DealerHasPositions({ openQuotes: core.quotes.size }))
    else change(core, { status }, message)
  })

export const linkAccount = (core: DealerCore, message: LinkAccount): void =>
  inTurn(core, () => {
    const { tradingAccountId, reply } = message
    const { dealer, parts } = core
    const account = parts.accounts.find(tradingAccountId)
    if (dealer.status === "ARCHIVED") reply.fail(new DealerArchived())
    else if (isLinked(dealer, tradingAccountId)) reply.fail(new AccountAlreadyLinked())
    else if (account?.status !== "ACTIVE")
      reply.fail(new AccountNotActive({ status: account?.status ?? "DISCONNECTED" }))
    else {
      const fault = linkFault(parts, dealer, core.hedging.venuesOwing(), account)
      if (fault !== null) reply.fail(fault)
      else change(core, { linkedAccountIds: [...dealer.linkedAccountIds, tradingAccountId] }, message)
    }
  })

export const unlinkAccount = (core: DealerCore, message: UnlinkAccount): void =>
  inTurn(core, () => {
    const { tradingAccountId, reply } = message
    const { dealer, hedging } = core
    if (dealer.status === "ARCHIVED") reply.fail(new DealerArchived())
    else if (!isLinked(dealer, tradingAccountId)) reply.fail(new AccountNotLinked())
    else if (hedging.isHedgingOn(tradingAccountId)) reply.fail(new AccountHasHedges())
    else change(core, { linkedAccountIds: dealer.linkedAccountIds.filter((it) => it !== tradingAccountId) }, message)
  })
