/**
 * The accounts of the platform's own venue that have a session open, and what is in flight for them. Balances are the ledger's: the one thing to
 * know is that they are read while nothing of the account is in flight, so that no trade is counted twice.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { WalletId } from "../../domain/wallet/wallet.ts"
import { LeanMap } from "../../foundation/lean.ts"
import type { LedgerPort } from "../../ports/ledger-port.ts"
import type { SessionReport, VenueBalances } from "../../ports/venue-session.ts"

/** How often balances are read again because something of the account moved meanwhile. */
const READS_MAX = 8
/** Changes of a wallet from elsewhere that come close together are told once. */
const TELL_MILLIS = 20

interface Open {
  readonly walletId: WalletId
  readonly report: (report: SessionReport) => void
  /** The newest change from elsewhere. */
  movedTo: number
}

export class InternalSessions {
  readonly #open = new Map<TradingAccountId, Open>()
  readonly #byWallet = new Map<WalletId, TradingAccountId>()
  /** Changes from elsewhere, counted over all wallets. */
  #moves = 0
  /** Counts what is asked of the ledger for an account, and what is answered. */
  readonly #stirs = new LeanMap<TradingAccountId, number>()
  /** Submits of which the journal does not know yet, and who waits for it. */
  readonly #undecided = new LeanMap<TradeOrderId, { readonly at: InstrumentId; readonly waiting: Array<() => void> }>()
  readonly #ledger: Pick<LedgerPort["Type"], "balances" | "after">
  readonly #now: () => number

  constructor(ledger: Pick<LedgerPort["Type"], "balances" | "after">, now: () => number) {
    this.#ledger = ledger
    this.#now = now
  }

  get size(): number {
    return this.#open.size
  }

  open(account: TradingAccountId, walletId: WalletId, report: (report: SessionReport) => void): void {
    this.#open.set(account, { walletId, report, movedTo: 0 })
    this.#byWallet.set(walletId, account)
  }

  close(account: TradingAccountId, report: (report: SessionReport) => void): void {
    const known = this.#open.get(account)
    if (known?.report !== report) return
    this.#open.delete(account)
    this.#byWallet.delete(known.walletId)
    this.#stirs.delete(account)
  }

  report(account: TradingAccountId, report: SessionReport): void {
    this.#open.get(account)?.report(report)
  }

  everyone(report: SessionReport): void {
    for (const { report: tell } of this.#open.values()) tell(report)
  }

  stirred(account: TradingAccountId): void {
    if (this.#open.has(account)) this.#stirs.set(account, (this.#stirs.get(account) ?? 0) + 1)
  }

  accountOf(walletId: WalletId): TradingAccountId | undefined {
    return this.#byWallet.get(walletId)
  }

  undecided(tradeOrderId: TradeOrderId, at: InstrumentId): void {
    this.#undecided.set(tradeOrderId, { at, waiting: [] })
  }

  /** Of a market that looks at nothing any more. */
  decideAll(at: InstrumentId): void {
    for (const [tradeOrderId, it] of this.#undecided) if (it.at === at) this.decided(tradeOrderId)
  }

  decided(tradeOrderId: TradeOrderId): void {
    const found = this.#undecided.get(tradeOrderId)
    this.#undecided.delete(tradeOrderId)
    for (const run of found?.waiting ?? []) run()
  }

  /** Once the journal says what became of a submit. */
  whenDecided(tradeOrderId: TradeOrderId): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const found = this.#undecided.get(tradeOrderId)
      if (found === undefined) resume(Effect.void)
      else found.waiting.push(() => resume(Effect.void))
    })
  }

  balances(account: TradingAccountId, walletId: WalletId): Effect.Effect<VenueBalances, VenueUnavailable> {
    const calm = Effect.async<void>((resume) => this.#ledger.after(() => resume(Effect.void)))
    const read = (left: number): Effect.Effect<VenueBalances, StorageUnavailable> =>
      Effect.gen(this, function* () {
        yield* calm
        const before = this.#stirs.get(account) ?? 0
        const movedTo = this.#moves
        const at = this.#now()
        const found = yield* this.#ledger.balances(walletId)
        if ((this.#stirs.get(account) ?? 0) !== before && left > 0) return yield* read(left - 1)
        const balances = found.map(({ asset, available, held }) => ({
          asset,
          available: available.toString(),
          locked: held.toString(),
        }))
        return { complete: true, balances, at, movedTo }
      })
    return Effect.mapError(read(READS_MAX), () => new VenueUnavailable({ reason: "the ledger cannot be read" }))
  }

  movedTo(account: TradingAccountId): number {
    return this.#open.get(account)?.movedTo ?? 0
  }

  /** Wallets moved from elsewhere: deposits, transfers, quotes. Known before the client that asked hears that it is done. */
  moved(wallets: Iterable<WalletId>): void {
    this.#moves++
    for (const walletId of wallets) {
      const account = this.#byWallet.get(walletId)
      const open = account === undefined ? undefined : this.#open.get(account)
      if (open !== undefined) open.movedTo = this.#moves
    }
  }

  /** Their accounts are told, once for all that comes close together. */
  tell(wallets: Iterable<WalletId>): Effect.Effect<void> {
    const accounts = new Set<TradingAccountId>()
    for (const walletId of wallets) {
      const account = this.#byWallet.get(walletId)
      if (account !== undefined) accounts.add(account)
    }
    return Effect.forEach(
      accounts,
      (account) => {
        const open = this.#open.get(account)
        if (open === undefined) return Effect.void
        return this.balances(account, open.walletId).pipe(
          Effect.map((balances) => this.report(account, { _tag: "BalancesSeen", balances })),
          // The next audit asks again.
          Effect.ignore,
        )
      },
      { discard: true },
    ).pipe(Effect.delay(TELL_MILLIS))
  }
}
