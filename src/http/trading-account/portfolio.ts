/**
 * Holdings of several accounts, requested from their actors in parallel: one that cannot answer fails the whole list, so none is left
 * out silently.
 */
import type { TradingAccounts } from "../../actors/account/messages.ts"
import type { Position, TradingAccount } from "../../domain/account/trading-account.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { Reply } from "../../domain/reply.ts"

export const readPortfolios = (
  tradingAccounts: TradingAccounts["Type"],
  accounts: ReadonlyArray<TradingAccount>,
  currency: string | null,
  reply: Reply<ReadonlyArray<Position>, DomainError>,
): void => {
  let waiting = accounts.length
  if (waiting === 0) reply.ok([])
  const positions: Array<Position> = []
  for (const account of accounts)
    tradingAccounts.post(account.tradingAccountId, {
      _tag: "ReadPortfolio",
      currency,
      reply: {
        ok: (held) => {
          positions.push(...held)
          waiting--
          if (waiting === 0) reply.ok(positions)
        },
        fail: reply.fail,
      },
    })
}
