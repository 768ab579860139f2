/**
 * Keeps the ledger's mirrors of linked accounts: every stored fill becomes transfers, and other changes at the venue are classified and booked as
 * announced money (decision 60) or as unexplained (decision 52). The one thing to know: one check of an account runs at a time, and a mirror is
 * compared only once it has every fill.
 */
import { Effect, Option } from "effect"
import type { Position, TradingAccount } from "../../../domain/account/trading-account.ts"
import type { Dealer } from "../../../domain/dealer/dealer.ts"
import type { Funding } from "../../../domain/dealer/funding.ts"
import { leastOrder, type ShortfallTerms } from "../../../domain/dealer/shortfall.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import type { StorageUnavailable } from "../../../domain/errors/service.ts"
import type { TradingAccountId, VenueId } from "../../../domain/ids.ts"
import { isSpot } from "../../../domain/instrument/venue.ts"
import { dealerBook } from "../../../domain/wallet/wallet.ts"
import { roundOfMany } from "../../../kernel/loop.ts"
import { Clock } from "../../../ports/clock.ts"
import { Ids } from "../../../ports/ids.ts"
import {
  LEDGER_TRANSFERS_MAX,
  type LedgerFact,
  LedgerPort,
  type Movement,
  type Transfer,
} from "../../../ports/ledger-port.ts"
import { Meters } from "../../../ports/meters.ts"
import { type MirrorState, MirrorStore, type StoredFill } from "../../../ports/mirror-store.ts"
import { VenuePort } from "../../../ports/venue-port.ts"
import { AccountDirectory } from "../../account/directory.ts"
import { TradingAccounts } from "../../account/messages.ts"
import { InstrumentDirectory } from "../../market/instrument-directory.ts"
import { Markets } from "../../market/messages.ts"
import { DealerDirectory } from "../directory.ts"
import { Doubts, recentFrom, ShortfallAlarms } from "./differences.ts"
import { arrearsFact, arrearsStep, FrozenMirrors, type Reached } from "./frozen.ts"
import {
  type Awaited,
  correctionsOf,
  type Difference,
  differencesOf,
  type Funded,
  fillTransfers,
  fundedOf,
  lackOf,
  type MirrorBalances,
  type MirroredAccount,
  mirrorWallet,
  mirrorWalletId,
  openingOf,
  renamed,
  unexplainedOf,
  unlinkedOf,
} from "./transfers.ts"

const FILLS_AT_ONCE = 50
/** Of each comes a transfer of what was told of, one that makes a loss good, and one of the rest. */
const ASSETS_AT_ONCE = LEDGER_TRANSFERS_MAX / 3
/** What was posted as unexplained within this time may come to light, or come back; people are told for as long. */
const RECENT_MILLIS = 86_400_000
/** The mirror was frozen or closed within the look, or others had moved what is in it: a later look books what this one could not. */
const PASSING: ReadonlySet<DomainError["_tag"]> = new Set([
  "WalletFrozen",
  "WalletClosed",
  "OnlyFullWithdrawal",
  "InsufficientBalance",
])
const mayPass = ({ _tag }: DomainError): boolean => PASSING.has(_tag)

interface Mirrored {
  readonly account: TradingAccount
  /** That it is linked to: its keeper where that one is among several. Null: not linked. */
  readonly linked: Dealer | null
  /** Null: it has none, or none that goes on. */
  readonly state: MirrorState | null
  /** The oldest first. */
  readonly awaited: ReadonlyArray<Awaited>
}

export const makeExchangeMirror = (terms: ShortfallTerms) =>
  Effect.gen(function* () {
    const store = yield* MirrorStore
    const ledger = yield* LedgerPort
    const directory = yield* AccountDirectory
    const dealers = yield* DealerDirectory
    const accounts = yield* TradingAccounts
    const venues = yield* VenuePort
    const instruments = yield* InstrumentDirectory
    const markets = yield* Markets
    const clock = yield* Clock
    const ids = yield* Ids
    const meters = yield* Meters
    const counted = meters.counter("exchange_differences_total")
    const leastOf = (venue: VenueId, asset: string): Decimal =>
      leastOrder(
        asset,
        instruments.everyTenants(venue).filter(({ status }) => status === "ACTIVE"),
        ({ instrumentId }) => {
          const price = markets.lastPrice(instrumentId)
          return price === null ? null : Decimal.of(price)
        },
      )
    const alarms = new ShortfallAlarms(accounts, dealers, clock.monotonic, terms, leastOf)
    meters.read("exchange_shortfalls_open", () => alarms.open())
    meters.read("exchange_shortfall_alerts_total", () => alarms.alerts)
    const frozen = new FrozenMirrors(accounts, clock.monotonic)
    meters.read("exchange_mirrors_frozen", () => frozen.size)
    const doubts = new Map<TradingAccountId, Doubts>()

    const post = (
      transfers: ReadonlyArray<Transfer>,
      facts: ReadonlyArray<LedgerFact>,
    ): Effect.Effect<void, DomainError> =>
      Effect.async((resume) =>
        ledger.post({
          requestId: ids.uuid(),
          transfers,
          facts,
          settled: (outcome) => resume(outcome._tag === "Applied" ? Effect.void : Effect.fail(outcome.failure)),
        }),
      )

    const factOf =
      ({ tradingAccountId }: MirroredAccount, at = clock.now()) =>
      ({ transfer, asset, change, code, loser }: Difference): LedgerFact => ({
        tag: "exchange_difference",
        row: {
          transfer_id: transfer.transferId,
          trading_account_id: tradingAccountId,
          asset,
          change: change.toString(),
          dealer_account_id: loser,
          code,
          at,
        },
      })

    const fundingFact = ({ fundingId, settled }: Funded): LedgerFact => ({
      tag: "exchange_funding",
      row: { funding_id: fundingId, settled: settled.toString() },
    })

    /** One fill, what was told of and is unexplained beside it, and how far the mirror has come then. False: it can never be booked. */
    const book = (
      account: TradingAccount,
      fill: StoredFill,
      funded: ReadonlyArray<Funded>,
      differences: ReadonlyArray<Difference>,
      moves: ReadonlyArray<Movement>,
    ): Effect.Effect<boolean, DomainError> => {
      const row = { trading_account_id: account.tradingAccountId, last_number: fill.number }
      const posted = (some: ReadonlyArray<Difference>, all: ReadonlyArray<Movement>) =>
        post(
          [...some.map(({ transfer }) => transfer), ...all],
          [...some.map((it) => factOf(account)(it)), ...funded.map(fundingFact), { tag: "exchange_mirror", row }],
        )
      const fundings = funded.map(({ transfer }) => transfer)
      const name = ids.uuid()
      return posted(differences, [...fundings, ...moves]).pipe(
        // A transfer that was refused once is refused for ever, although it was a freeze that is over: another is asked for.
        Effect.catchIf(mayPass, () =>
          posted(
            differences.map((it) => ({ ...it, transfer: renamed(it.transfer, name) })),
            [...fundings, ...moves].map((it) => renamed(it, name)),
          ),
        ),
        Effect.map(() => {
          count(differences)
          countFunded(funded)
          return true
        }),
        Effect.catchIf(
          (failure) => !mayPass(failure),
          () => Effect.succeed(false),
        ),
      )
    }

    const count = (differences: ReadonlyArray<Difference>): void => {
      for (const { code } of differences) counted.add(code.toLowerCase())
    }

    const countFunded = (funded: ReadonlyArray<Funded>): void => {
      for (let n = 0; n < funded.length; n++) counted.add("funding")
    }

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

    const lossOf = (dealer: Dealer) => dealerBook(dealer, "LOSS", clock.now())

    const begin = (account: TradingAccount, dealer: Dealer): Effect.Effect<MirrorState, StorageUnavailable> => {
      const { tradingAccountId } = account
      doubts.delete(tradingAccountId)
      return store.begin(tradingAccountId, mirrorWallet(account, clock.now()), lossOf(dealer), dealer.dealerAccountId)
    }

    /** What the one before has lost is settled. */
    const pass = (id: TradingAccountId, linked: Dealer | null): Effect.Effect<void, StorageUnavailable> =>
      store.pass(id, linked && { keeper: linked.dealerAccountId, loss: lossOf(linked) })

    /** It is frozen no longer: what was found meanwhile is booked before whatever came since. */
    const catchUp = (account: TradingAccount, { arrears, last }: MirrorState): Effect.Effect<void, DomainError> =>
      Effect.gen(function* () {
        const id = account.tradingAccountId
        for (let due = arrears; due !== null; ) {
          const { transfers, differences, left } = arrearsStep(account, due, yield* mirrored(id), ids.uuid())
          const facts = differences.map((it) => factOf(account, it.at)(it))
          yield* post(transfers, [...facts, arrearsFact(id, { arrears: left, opened: false, last })])
          count(differences)
          due = left
        }
      })

    const follow = ({ account, linked, state: known, awaited }: Mirrored): Effect.Effect<void, DomainError> =>
      Effect.gen(function* () {
        const id = account.tradingAccountId
        // What an account loses while it is not linked belongs to no dealer: the next dealer starts with what it has then.
        const state = linked !== null && (known?.keeper ?? null) === null ? yield* begin(account, linked) : known!
        const { keeper } = state
        // What would be refused is not asked for.
        const isFrozen = (yield* ledger.wallet(mirrorWalletId(id)))?.status !== "ACTIVE"
        if (!isFrozen) {
          frozen.thawed(id)
          yield* catchUp(account, state)
        }
        const owed = isFrozen ? (state.arrears?.differences ?? []) : []
        const reached: Reached = frozen.find(id) ?? {
          last: state.last,
          balances: isFrozen && state.arrears !== null ? new Map(state.arrears.balances) : yield* mirrored(id),
          differences: [],
        }
        /** It goes on from what it has now, in whatever process. */
        const setAside = (
          balances: MirrorBalances,
          more: ReadonlyArray<Difference>,
          funded: ReadonlyArray<Funded> = [],
        ): Effect.Effect<void, DomainError> => {
          const found = more.map((it) => ({ ...it, at: clock.now() }))
          const arrears = { balances, differences: [...owed, ...reached.differences, ...found] }
          const opened = keeper !== null
          return Effect.map(
            post([], [...funded.map(fundingFact), arrearsFact(id, { arrears, opened, last: reached.last })]),
            () => {
              reached.balances = balances
              reached.differences = []
              doubts.delete(id)
            },
          )
        }
        const explain = (
          funded: ReadonlyArray<Funded>,
          differences: ReadonlyArray<Difference>,
          more: ReadonlyArray<LedgerFact>,
        ): Effect.Effect<void, DomainError> =>
          post(
            [...funded, ...differences].map(({ transfer }) => transfer),
            [...funded.map(fundingFact), ...differences.map((it) => factOf(account)(it)), ...more],
          ).pipe(
            Effect.tapError(() => Effect.sync(() => doubts.delete(id))),
            Effect.zipRight(
              Effect.sync(() => {
                count(differences)
                countFunded(funded)
              }),
            ),
          )
        if (isFrozen) {
          const owner = keeper === null ? undefined : dealers.find(keeper)
          // It stays with its keeper for a few looks: the dealer that is linked by now has to know.
          const concerned = new Set([owner, linked ?? undefined].filter((dealer) => dealer !== undefined))
          if (concerned.size > 0) frozen.look(account, [...concerned], reached)
        }
        const { balances } = reached
        const since = clock.now() - RECENT_MILLIS
        const recent = recentFrom(
          [...(yield* store.differences(id, since - RECENT_MILLIS)), ...owed, ...reached.differences],
          since,
        )
        for (;;) {
          const fills = yield* store.fills(id, reached.last, FILLS_AT_ONCE)
          for (const fill of fills) {
            const { executionId } = fill.execution
            const corrections = correctionsOf(account, fill, balances, recent, executionId)
            // What it begins with is found later: what a fill lacks before is in that.
            const { funded, lacks } =
              isFrozen && !state.opened
                ? { funded: [], lacks: [] }
                : lackOf(account, fill, isFrozen ? [] : awaited, balances, executionId)
            const differences = [...corrections, ...lacks]
            const moves = fillTransfers(account, fill, balances)
            reached.last = fill.number
            if (isFrozen) reached.differences.push(...differences.map((it) => ({ ...it, at: clock.now() })))
            else if (moves.length > 0 && !(yield* book(account, fill, funded, differences, moves))) {
              // What no later look could book, either, is missing until the venue's balances are looked at: the next look goes on behind it.
              return yield* store.advance(id, fill.number)
            }
          }
          if (fills.length > 0 && !isFrozen) yield* store.advance(id, reached.last)
          if (fills.length < FILLS_AT_ONCE) break
        }
        if (keeper === null) {
          alarms.check(account, null, recent, balances, !isFrozen)
          // It is not checked for more than a day.
          return yield* isFrozen && reached.differences.length > 0 ? setAside(balances, []) : Effect.void
        }
        const isLeft = linked?.dealerAccountId !== keeper
        const shown = yield* Effect.option(positions(id))
        // While it reconciles its fills are on their way, and once it is disconnected it shows nothing: what was seen before counts no more.
        if (Option.isNone(shown) || directory.find(id)?.status !== "ACTIVE") {
          doubts.delete(id)
          return
        }
        // A fill that came meanwhile is in what was shown, and not in the mirror: the next look sees both.
        if ((yield* store.fills(id, reached.last, 1)).length > 0) return
        const venue = new Map(shown.value.map(({ currency, available, locked }) => [currency, available.add(locked)]))
        const now = isFrozen ? new Map(balances) : yield* mirrored(id)
        const found = differencesOf(venue, now)
        const look = ids.uuid()
        if (!state.opened && isLeft) return yield* pass(id, linked)
        if (!state.opened && !state.wasOpened) {
          const transfers = openingOf(account, found, now, look)
          // What is missing from now on is lost, although nothing can be posted.
          if (isFrozen) return yield* setAside(now, [])
          const isAll = transfers.length <= LEDGER_TRANSFERS_MAX
          const fact = arrearsFact(id, { arrears: null, opened: true, last: reached.last })
          return yield* post(transfers.slice(0, LEDGER_TRANSFERS_MAX), isAll ? [fact] : [])
        }
        const doubt = doubts.get(id) ?? new Doubts()
        doubts.set(id, doubt)
        const all = [...doubt.settled(found, !isFrozen)]
        const settled = new Map(all.slice(0, ASSETS_AT_ONCE))
        const { funded, rest } = fundedOf(account, settled, awaited, now, look)
        if (!state.opened) {
          if (!doubt.hasLookedBack(true)) return
          const differences = unlinkedOf(account, rest, now, recent, look)
          if (isFrozen) yield* setAside(now, differences, funded)
          else {
            const opening = arrearsFact(id, { arrears: null, opened: all.length === settled.size, last: reached.last })
            yield* explain(funded, differences, [opening])
          }
          return alarms.check(account, linked, recent, venue, !isFrozen)
        }
        const differences = unexplainedOf(account, keeper, rest, now, recent, look)
        if (settled.size > 0 && !isFrozen) yield* explain(funded, differences, [])
        alarms.check(account, linked, recent, venue, !isFrozen)
        if (!doubt.hasLookedBack(isLeft)) return
        if (isFrozen) yield* setAside(now, differences, funded)
        yield* pass(id, linked)
      })

    /** By account, in order of creation. */
    const linking = (): ReadonlyMap<TradingAccountId, ReadonlyArray<Dealer>> => {
      const found = new Map<TradingAccountId, Array<Dealer>>()
      for (const dealer of dealers.all()) {
        // It keeps its links for ever: what is lost now is no loss of a desk that is closed.
        if (dealer.status === "ARCHIVED") continue
        for (const id of dealer.linkedAccountIds) found.set(id, [...(found.get(id) ?? []), dealer])
      }
      return found
    }

    const mirroredOf = (
      id: TradingAccountId,
      linkedTo: ReadonlyArray<Dealer>,
      state: MirrorState | null,
      awaited: ReadonlyArray<Awaited>,
    ): ReadonlyArray<Mirrored> => {
      const account = directory.find(id)
      const venue = account && venues.find(account.venue)
      // Of a derivative venue positions are no balances; the internal venue is the ledger itself.
      if (account === undefined || venue === undefined || account.walletId !== null || !isSpot(venue)) return []
      const linked = linkedTo.find(({ dealerAccountId }) => dealerAccountId === state?.keeper) ?? linkedTo[0] ?? null
      // Nothing comes of it any more.
      return linked === null && account.status === "DISCONNECTED" && !state?.arrears
        ? []
        : [{ account, linked, state, awaited }]
    }

    /**
     * What was told of and did not show in its time. Where its mirror was frozen, its venue or this process away, it may have come in its time:
     * it ends once looks could have booked it. `linked`: what a dealer links is looked at again.
     */
    const expire = (
      told: ReadonlyArray<Funding>,
      linked: ReadonlySet<TradingAccountId>,
    ): Effect.Effect<void, DomainError> =>
      Effect.forEach(
        told.filter((it) => it.expireAt <= clock.now() && it.settled.lessThan(it.amount)),
        (it) => {
          const id = it.tradingAccountId
          if (frozen.find(id) !== undefined || (linked.has(id) && !doubts.get(id)?.haveSeenAll)) return Effect.void
          const left = it.amount.subtract(it.settled)
          const message = `${left} of the announced ${it.direction} of ${it.amount} ${it.asset} at account ${id} did not appear within a day: if it still arrives, it counts as unexplained`
          const alert = { code: "FUNDING_EXPIRED", severity: "WARNING", message, tradeOrderId: null } as const
          const dealer = dealers.find(it.dealerAccountId)
          // Before its row: told twice rather than never.
          if (dealer !== undefined) accounts.post(dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
          return store.endFunding(it.fundingId)
        },
        { discard: true },
      )

    /** One look at every mirrored account. What goes wrong with one is told, and tried again by the next look. */
    return (trouble: (account: TradingAccountId, error: DomainError) => void): Effect.Effect<void, DomainError> =>
      Effect.gen(function* () {
        const links = linking()
        const kept = yield* store.all(clock.now() - RECENT_MILLIS)
        const told = (yield* store.fundings).map((it) => ({ ...it }))
        const all = [...new Set([...links.keys(), ...kept.keys()])].flatMap((id) => {
          const awaited = told.filter((it) => it.tradingAccountId === id).slice(0, ASSETS_AT_ONCE)
          return mirroredOf(id, links.get(id) ?? [], kept.get(id) ?? null, awaited)
        })
        const known = new Set(all.map(({ account }) => account.tradingAccountId))
        alarms.keep(known)
        frozen.keep(known)
        for (const id of doubts.keys()) if (!known.has(id)) doubts.delete(id)
        const round = roundOfMany(all, follow, ({ account }, error) => trouble(account.tradingAccountId, error))
        // Whatever became of the looks at other accounts.
        const ended = yield* Effect.exit(round)
        const linked = all.flatMap((it) => (it.linked === null ? [] : [it.account.tradingAccountId]))
        yield* expire(told, new Set(linked))
        yield* ended
      })
  })
