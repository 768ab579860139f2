/**
 * An admin says what a hedge in doubt executed: the exit from a doubt that no venue will end. The one thing to know: it is an act, stored
 * with its row of the audit before anything follows from it, and the venue's own word counts before it should it come after all.
 */
import { Cause, Exit, Option } from "effect"
import { Decimal } from "../../../domain/decimal.ts"
import { HedgeNotInDoubt } from "../../../domain/errors/dealer.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { InvalidParameter } from "../../../domain/errors/request.ts"
import { InternalDefect } from "../../../domain/errors/service.ts"
import { OrderNotFound } from "../../../domain/errors/trade-order.ts"
import { AMOUNT_MAX } from "../../../domain/wallet/wallet.ts"
import type { StoredHedge } from "../../../ports/hedge-store.ts"
import type { DealerCore } from "../core.ts"
import type { ResolveHedge } from "../messages.ts"
import { canBeAsked } from "./hedge-desk.ts"
import type { HedgeKeeper } from "./hedging.ts"

/** Of one hedge they take turns: the word that is stored last is the one that memory has. */
export const resolveHedge = (core: DealerCore, keeper: HedgeKeeper, message: ResolveHedge): void => {
  const waiting = keeper.resolving.get(message.tradeOrderId)
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
    return invalid("executedQuantity", `its venue has told of ${hedge.executedQuantity}: it is at least that`)
  if (executedQuantity.greaterThan(hedge.baseQuantity))
    return invalid("executedQuantity", `the hedge was of ${hedge.baseQuantity}: it is at most that`)
  if (executedQuantity.isPositive() && averagePrice?.isPositive() !== true)
    return invalid("averagePrice", "what was executed has a price above 0")
  if (AMOUNT_MAX.lessThan(executedQuantity.multiply(averagePrice ?? Decimal.ZERO)))
    return invalid("averagePrice", `what was executed cost at most ${AMOUNT_MAX}`)
  return null
}
