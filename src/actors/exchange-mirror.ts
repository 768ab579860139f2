/**
 * Keeps the ledger's mirrors of linked accounts: every stored fill becomes transfers, and what the venue shows beyond them becomes
 * adjustments. The one thing to know: one account is looked at by one look at a time, and a mirror is adjusted only when it has every fill.
 */
import { Effect, Option } from "effect"
import type { DomainError } from "../domain/errors/domain-error.ts"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import type { TradingAccountId } from "../domain/ids.ts"
import { nameUuid } from "../domain/name-uuid.ts"
import type { Position, TradingAccount } from "../domain/trading-account.ts"
import { isSpot } from "../domain/venue.ts"
import { Clock } from "../ports/clock.ts"
import { Ids } from "../ports/ids.ts"
import { LedgerPort, type Transfer } from "../ports/ledger-port.ts"
import { MirrorStore } from "../ports/mirror-store.ts"
import { VenuePort } from "../ports/venue-port.ts"
import { AccountDirectory } from "./account-directory.ts"
import { TradingAccounts } from "./account-messages.ts"
import { DealerDirectory } from "./dealer-directory.ts"
import {
  adjustments,
  fillTransfers,
  lackOf,
  type MirrorBalances,
  mirrorWallet,
  mirrorWalletId,
} from "./exchange-mirror-transfers.ts"

const FILLS_AT_ONCE = 50
/** Of requests of fills; never to be changed. */
const NAMESPACE = Buffer.from("b81c7f405e2d4d9a8a6612d9c3f7e05b", "hex")

export const makeExchangeMirror = Effect.gen(function* () {
  const store = yield* MirrorStore
  const ledger = yield* LedgerPort
  const directory = yield* AccountDirectory
  const dealers = yield* DealerDirectory
  const accounts = yield* TradingAccounts
  const venues = yield* VenuePort
  const clock = yield* Clock
  const ids = yield* Ids

  /** What the ledger refuses is missing in the mirror until the venue's balances are looked at. */
  const post = (requestId: string, transfers: ReadonlyArray<Transfer>): Effect.Effect<void> =>
    Effect.async((resume) => ledger.post({ requestId, transfers, facts: [], settled: () => resume(Effect.void) }))

  const positions = (id: TradingAccountId): Effect.Effect<ReadonlyArray<Position>, DomainError> =>
    Effect.async((resume) =>
      accounts.post(id, {
        _tag: "ReadPortfolio",
        currency: null,
        reply: { ok: (found) => resume(Effect.succeed(found)), fail: (error) => resume(Effect.fail(error)) },
      }),
    )

  const mirrored = (id: TradingAccountId): Effect.Effect<MirrorBalances, StorageUnavailable> =>
    Effect.map(ledger.balances(mirrorWalletId(id)), (rows) => new Map(rows.map((row) => [row.asset, row.balance])))

  const follow = (account: TradingAccount): Effect.Effect<void, DomainError> =>
    Effect.gen(function* () {
      const id = account.tradingAccountId
      let last = yield* store.open(id, mirrorWallet(account, clock.now()))
      // What is refused once is refused for ever: nothing is asked of a wallet that is frozen now.
      if ((yield* ledger.wallet(mirrorWalletId(id)))?.status !== "ACTIVE") return
      const balances = yield* mirrored(id)
      for (;;) {
        const fills = yield* store.fills(id, last, FILLS_AT_ONCE)
        for (const fill of fills) {
          const attempt = ids.uuid()
          const lacking = lackOf(account, fill, balances, attempt)
          if (lacking.length > 0) yield* post(attempt, lacking)
          const transfers = fillTransfers(account, fill, balances)
          if (transfers.length > 0) yield* post(nameUuid(fill.execution.executionId, NAMESPACE), transfers)
          last = fill.number
        }
        if (fills.length > 0) yield* store.advance(id, last)
        if (fills.length < FILLS_AT_ONCE) break
      }
      const shown = yield* Effect.option(positions(id))
      if (Option.isNone(shown)) return
      // A fill that came meanwhile is in what was shown, and not in the mirror: the next look sees both.
      if ((yield* store.fills(id, last, 1)).length > 0) return
      const venue = new Map(shown.value.map(({ currency, available, locked }) => [currency, available.add(locked)]))
      const look = ids.uuid()
      const transfers = adjustments(account, venue, yield* mirrored(id), look)
      if (transfers.length > 0) yield* post(look, transfers.slice(0, ADJUSTED_AT_ONCE))
    })

  const linked = (): ReadonlyArray<TradingAccount> => {
    const found = new Set(dealers.all().flatMap(({ linkedAccountIds }) => linkedAccountIds))
    return [...found].flatMap((id) => {
      const account = directory.find(id)
      const venue = account && venues.find(account.venue)
      // Of a derivative venue positions are no balances; the internal venue is the ledger itself.
      return account === undefined || venue === undefined || account.walletId !== null || !isSpot(venue)
        ? []
        : [account]
    })
  }

  /** One look at every linked account. What goes wrong with one is told, and tried again by the next look. */
  return (trouble: (account: TradingAccountId, error: DomainError) => void): Effect.Effect<void> =>
    Effect.suspend(() =>
      Effect.forEach(
        linked(),
        (account) =>
          Effect.catchAll(follow(account), (error) => Effect.sync(() => trouble(account.tradingAccountId, error))),
        { discard: true },
      ),
    )
})

const ADJUSTED_AT_ONCE = 300
