/**
 * All trading accounts' actors behind one tag: waking, sleeping, and the position of each account's channel. The directory must be filled before
 * this layer is built: every account in it that may have open orders is woken and reconciled with its venue.
 */
import { Effect, Layer } from "effect"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import { TradingModeInForce } from "../../domain/account/trading-mode.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { Busy, ShuttingDown } from "../../domain/errors/service.ts"
import { OutcomeUnknown } from "../../domain/errors/trade-order.ts"
import { AccountReconciling, TradingAccountNotFound } from "../../domain/errors/trading-account.ts"
import type { TradingAccountId, VenueId } from "../../domain/ids.ts"
import { orderRates } from "../../domain/order/rates.ts"
import type { Reply } from "../../domain/reply.ts"
import { type Actor, create } from "../../kernel/actor.ts"
import { makeFork } from "../../kernel/fork.ts"
import * as Registry from "../../kernel/registry.ts"
import { AccountStore } from "../../ports/account-store.ts"
import { ChannelPort } from "../../ports/channel-port.ts"
import { Clock } from "../../ports/clock.ts"
import { CredentialVault } from "../../ports/credential-vault.ts"
import { Failpoint } from "../../ports/failpoint.ts"
import { Ids } from "../../ports/ids.ts"
import { Meters } from "../../ports/meters.ts"
import { Telemetry } from "../../ports/telemetry.ts"
import { VenuePort } from "../../ports/venue-port.ts"
import { canBeAsked, HedgeDeskInForce } from "../dealer/hedging/courier.ts"
import { QuoteDeskInForce } from "../dealer/messages.ts"
import { InstrumentDirectory } from "../market/instrument-directory.ts"
import { KnownPrices, LastPrices } from "../market/last-prices.ts"
import { Markets } from "../market/messages.ts"
import { TriggerBoard } from "../market/triggers/board.ts"
import { type AccountMessage, behaviour, isRefusable } from "./actor.ts"
import { attachAccountChannels } from "./channel/channels.ts"
import { AccountDirectory } from "./directory.ts"
import { type AccountEntries, type AuditKind, TradingAccounts } from "./messages.ts"
import { storedAtOnce, UserShares } from "./orders/waiting-submits.ts"
import { type AccountParts, OrderMeters, WholeOrders } from "./parts.ts"
import { RestingAccounts } from "./resting-accounts.ts"
import { NamePlaces } from "./used-names.ts"
import { SessionOpenings } from "./venue/session-openings.ts"

const IDLE_MILLIS = 300_000
const SWEEP_MILLIS = 30_000
/** The store reads a hundred of them together, while the next hundred gather. */
const LOADED_AT_ONCE = 400

type AuditPeriods = Partial<Record<AuditKind, number>>

const make = Effect.gen(function* () {
  const clock = yield* Clock
  const channels = yield* ChannelPort
  const accounts = yield* AccountDirectory
  const store = yield* AccountStore
  const run = yield* makeFork
  const markets = yield* Markets
  const inDoubt = new Map<TradingAccountId, number>()
  const audits = new Map<TradingAccountId, AuditPeriods>()
  /** Accounts whose state is being read for the first time, and who waits for it. */
  const loading = new Map<TradingAccountId, () => void>()

  const rates = yield* orderRates
  const parts: AccountParts = {
    store,
    venues: yield* VenuePort,
    channels,
    clock,
    ids: yield* Ids,
    failpoint: yield* Failpoint,
    vault: yield* CredentialVault,
    markets,
    triggers: new TriggerBoard(markets.follow),
    hedges: yield* HedgeDeskInForce,
    quotes: yield* QuoteDeskInForce,
    prices: new KnownPrices(),
    lastPrices: new LastPrices(markets, clock.monotonic),
    accounts,
    instruments: yield* InstrumentDirectory,
    rates,
    shares: rates === null ? null : new UserShares(storedAtOnce(rates.limits.orderSubmitUser)),
    wholeOrders: yield* WholeOrders,
    mode: yield* TradingModeInForce,
    meters: new OrderMeters(yield* Meters, yield* Telemetry),
    resting: new RestingAccounts(),
    namePlaces: new NamePlaces(),
    openings: new SessionOpenings(),
    loaded: ({ tradingAccountId }, sequence, awakeSince) => loaded(tradingAccountId, sequence, awakeSince),
    published: ({ tradingAccountId }, sequence) => standings.published(tradingAccountId, sequence),
    doubts: (account, count) => {
      if (count === 0) inDoubt.delete(account.tradingAccountId)
      else inDoubt.set(account.tradingAccountId, count)
    },
    audited: ({ tradingAccountId }, kind, periodMillis) => {
      audits.set(tradingAccountId, { ...audits.get(tradingAccountId), [kind]: Math.round(periodMillis) })
    },
    accountChanged: (account) => {
      const before = accounts.find(account.tradingAccountId)
      accounts.put(account)
      if (canBeAsked(account.status)) {
        if (before !== undefined && !canBeAsked(before.status)) parts.hedges.found(account.tradingAccountId)
        return
      }
      audits.delete(account.tradingAccountId)
      parts.hedges.lost(account.tradingAccountId)
    },
  }

  const answers = {
    busy: () => new Busy({ retryAfterSeconds: 1 }),
    lost: () => new OutcomeUnknown({ tradeOrderId: null }),
    parked: () => new AccountReconciling({ reason: "STOPPED" }),
    ended: () => new ShuttingDown({}),
  }

  const spawn = (id: TradingAccountId): Actor<AccountMessage> =>
    create<AccountMessage, DomainError>({
      name: `TradingAccount ${id}`,
      behaviour: behaviour(id, parts, (message) => registry.post(id, message)),
      refusable: isRefusable,
      answers,
      monotonic: clock.monotonic,
      onParked: () => {
        const account = accounts.find(id)
        if (account !== undefined) accounts.put({ ...account, status: "UNAVAILABLE" })
        // It never got as far as its channel: where that stands is asked apart.
        if (!standings.isKnown(id))
          run(Effect.map(store.lastSequence(id), (sequence) => loaded(id, sequence, sequence)))
      },
    })

  const registry: Registry.Registry<TradingAccountId, AccountMessage> = yield* Registry.make({
    of: "accounts",
    create: spawn,
    idleMillis: IDLE_MILLIS,
    sweepMillis: SWEEP_MILLIS,
    monotonic: clock.monotonic,
    slept: (id) => parts.resting.slept(id),
  })

  const ask = <A>(id: TradingAccountId, message: (reply: Reply<A, DomainError>) => AccountMessage) =>
    Effect.async<A, DomainError>((resume) => {
      registry.post(
        id,
        message({ ok: (answer) => resume(Effect.succeed(answer)), fail: (error) => resume(Effect.fail(error)) }),
      )
    })

  const standings = attachAccountChannels({
    channels,
    accounts,
    store,
    wake: registry.wake,
    readState: (id, of) => ask<AccountEntries>(id, (reply) => ({ _tag: "ReadState", of, reply })),
    run,
  })

  const loaded = (id: TradingAccountId, sequence: number, awakeSince: number): void => {
    standings.loaded(id, sequence, awakeSince)
    loading.get(id)?.()
  }

  /** Wakes the account and waits until its state is in memory, not until it agrees with its venue. */
  const load = (id: TradingAccountId): Effect.Effect<void> =>
    Effect.async((resume) => {
      loading.set(id, () => {
        loading.delete(id)
        resume(Effect.void)
      })
      registry.wake(id)
    })

  // INACTIVE ones go back to sleep, but their first subscriber must be told where the channel stands.
  yield* Effect.forEach(
    accounts.all().filter((account) => account.status !== "DISCONNECTED"),
    (account) => load(account.tradingAccountId),
    { concurrency: LOADED_AT_ONCE, discard: true },
  )

  return TradingAccounts.of({
    post: (id, command) => {
      if (accounts.find(id) === undefined) command.reply?.fail(new TradingAccountNotFound({}))
      else registry.post(id, command)
    },
    start: (account, timeoutMillis) =>
      Effect.suspend(() => {
        accounts.put(account)
        const id = account.tradingAccountId
        return ask<TradingAccount>(id, (reply) => ({ _tag: "AwaitSettled", reply })).pipe(
          Effect.timeout(timeoutMillis),
          Effect.orElseSucceed(() => accounts.find(id) ?? account),
        )
      }),
    hasOpenOrders: (id) =>
      ask<boolean>(id, (reply) => ({ _tag: "AskOpenOrders", reply })).pipe(
        // Who cannot be asked may have some: the safe answer.
        Effect.orElseSucceed(() => true),
      ),
    stats: () => {
      let orders = 0
      for (const count of inDoubt.values()) orders += count
      return { ...registry.stats(), inDoubt: orders }
    },
    auditPeriods: () => {
      const longest = new Map<VenueId, AuditPeriods>()
      for (const [id, periods] of audits) {
        const venue = accounts.find(id)?.venue
        if (venue === undefined) continue
        const known = longest.get(venue) ?? {}
        const merged = { ...known }
        for (const kind of ["openOrders", "fills", "balances"] as const) {
          const period = Math.max(known[kind] ?? 0, periods[kind] ?? 0)
          if (period > 0) merged[kind] = period
        }
        longest.set(venue, merged)
      }
      return longest
    },
  })
})

export const TradingAccountsLive = Layer.scoped(TradingAccounts, make)
