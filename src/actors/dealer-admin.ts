/** Changes of the dealer itself: pause, resume, archive, links. Memory changes at once, the answer waits for the commit. */
import type { Dealer } from "../domain/dealer.ts"
import { isLinked } from "../domain/dealer.ts"
import {
  AccountAlreadyLinked,
  AccountHasHedges,
  AccountNotLinked,
  DealerArchived,
  DealerHasPositions,
} from "../domain/errors/dealer.ts"
import type { DomainError } from "../domain/errors/domain-error.ts"
import { AccountNotActive } from "../domain/errors/trading-account.ts"
import type { Reply } from "../domain/reply.ts"
import type { DealerCore } from "./dealer-core.ts"
import type { LinkAccount, SetDealerStatus, UnlinkAccount } from "./dealer-messages.ts"

const change = (core: DealerCore, patch: Partial<Dealer>, reply: Reply<Dealer, DomainError>): void => {
  const { dealer } = core
  const next: Dealer = { ...dealer, ...patch, version: dealer.version + 1, updatedAt: core.parts.clock.now() }
  core.dealer = next
  core.self.fork(core.parts.store.save(next), () => {
    core.parts.dealerChanged(next)
    core.hedging.dealerChanged()
    reply.ok(next)
  })
}

export const setDealerStatus = (core: DealerCore, { status, reply }: SetDealerStatus): void => {
  const { dealer } = core
  if (dealer.status === "ARCHIVED") {
    reply.fail(new DealerArchived())
    return
  }
  if (dealer.status === status) {
    reply.ok(dealer)
    return
  }
  // Quotes whose end is on its way to the ledger are among them.
  if (status === "ARCHIVED" && (core.quotes.size > 0 || !core.hedging.isFlat())) {
    reply.fail(new DealerHasPositions({ openQuotes: core.quotes.size }))
    return
  }
  if (status === "ARCHIVED") core.following.close()
  change(core, { status }, reply)
}

export const linkAccount = (core: DealerCore, { tradingAccountId, reply }: LinkAccount): void => {
  const { dealer, parts } = core
  const account = parts.accounts.find(tradingAccountId)
  if (dealer.status === "ARCHIVED") reply.fail(new DealerArchived())
  else if (isLinked(dealer, tradingAccountId)) reply.fail(new AccountAlreadyLinked())
  else if (account?.status !== "ACTIVE") reply.fail(new AccountNotActive({ status: account?.status ?? "DISCONNECTED" }))
  else change(core, { linkedAccountIds: [...dealer.linkedAccountIds, tradingAccountId] }, reply)
}

export const unlinkAccount = (core: DealerCore, { tradingAccountId, reply }: UnlinkAccount): void => {
  const { dealer, hedging } = core
  if (dealer.status === "ARCHIVED") reply.fail(new DealerArchived())
  else if (!isLinked(dealer, tradingAccountId)) reply.fail(new AccountNotLinked())
  else if (hedging.isHedgingOn(tradingAccountId)) reply.fail(new AccountHasHedges())
  else change(core, { linkedAccountIds: dealer.linkedAccountIds.filter((it) => it !== tradingAccountId) }, reply)
}
