/** The statement of a wallet: its rows of the journal, newest first. The other side is named only to those who may read it. */
import { Effect } from "effect"
import type { Wallet } from "../../domain/wallet/wallet.ts"
import { dateTime, dateTimeOrNull } from "../../foundation/time.ts"
import type { JournalTransfer, LedgerJournal } from "../../store/ledger/journal.ts"
import type { Wallets } from "../../store/ledger/wallets.ts"
import { isFailure } from "../edge/answers.ts"
import type { Handlers } from "../edge/route.ts"
import { type Cursors, countedPage } from "../pagination.ts"
import type { StatementRow, WalletApi } from "./endpoints.ts"
import { mayRead, readableWallet, type WalletReach } from "./wallet-access.ts"

const rowOf = (wallet: Wallet, known: ReadonlySet<string>, t: JournalTransfer): StatementRow => {
  const isDebit = t.debitWalletId === wallet.walletId
  const counter = isDebit ? t.creditWalletId : t.debitWalletId
  return {
    transferId: t.transferId,
    walletId: wallet.walletId,
    direction: isDebit ? "DEBIT" : "CREDIT",
    counterWalletId: known.has(counter) ? counter : null,
    kind: t.kind,
    pendingId: t.pendingId,
    asset: t.asset,
    amount: t.amount.toString(),
    code: t.code,
    reference: t.reference,
    expiresAt: t.expiresAt,
    expiresAtDateTime: dateTimeOrNull(t.expiresAt),
    createdAt: t.at,
    createdAtDateTime: dateTime(t.at),
  }
}

export const statementHandler =
  ({
    wallets,
    dealers,
    journal,
    cursors,
  }: WalletReach & {
    readonly wallets: Wallets
    readonly journal: LedgerJournal
    readonly cursors: Cursors
  }): Handlers<typeof WalletApi>["transferList"] =>
  ({ query, principal }, reply) => {
    const plan = cursors.plan({
      scope: `wallet/transfer/list:${principal.userId}`,
      filters: { walletId: query.walletId.toLowerCase(), asset: query.asset },
      limit: query.limit ?? 50,
      offset: query.offset ?? 0,
      cursor: query.cursor,
    })
    if (isFailure(plan)) return reply.fail(plan)
    const asset = (plan.filters["asset"] as string | undefined) ?? null
    return Effect.gen(function* () {
      const wallet = yield* readableWallet({ wallets, dealers }, principal, String(plan.filters["walletId"]))
      const rows = yield* journal.statement({
        walletId: wallet.walletId,
        asset,
        before: plan.after,
        limit: plan.limit + 1,
        offset: plan.offset,
      })
      const count = journal.count(wallet.walletId, asset)
      const { items, pagination } = yield* countedPage(cursors, plan, rows, (it) => it.number, count)
      const others = new Set(items.flatMap((it) => [it.debitWalletId, it.creditWalletId]))
      const readable = (yield* wallets.findAll([wallet.walletId, ...others])).filter((it) =>
        mayRead({ dealers }, it, principal),
      )
      const known = new Set<string>(readable.map((it) => it.walletId))
      reply.ok(
        items.map((it) => rowOf(wallet, known, it)),
        { pagination },
      )
    })
  }
