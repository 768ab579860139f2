/**
 * The behaviour of one trading account's actor: what each message does. Everything is decided synchronously in the turn that takes
 * the message; what leaves, leaves from the commit callback of its unit (order-path 3).
 */
import { Effect, Exit, type Scope } from "effect"
import { accountChannel } from "../domain/channel.ts"
import type { DomainError } from "../domain/errors/domain-error.ts"
import { AccountDisconnected, PortfolioUnavailable } from "../domain/errors/trading-account.ts"
import type { TradingAccountId } from "../domain/ids.ts"
import type { Reply } from "../domain/reply.ts"
import { placeOf } from "../domain/trade-order.ts"
import type { Position, TradingAccount } from "../domain/trading-account.ts"
import type { Behaviour, Built, Self } from "../kernel/behaviour.ts"
import type { SessionReport } from "../ports/venue-session.ts"
import type { AccountCommand, CredentialGone, ReadPortfolio, UpdateAccount } from "./account-messages.ts"
import { cancelOrder, readOrder } from "./trading-account-cancel.ts"
import { cancelAllOrders } from "./trading-account-cancel-all.ts"
import { replaceOrder } from "./trading-account-change.ts"
import { AccountCore } from "./trading-account-core.ts"
import { keepDeadMan } from "./trading-account-dead-man.ts"
import { makeDisconnector } from "./trading-account-disconnect.ts"
import { startDoubt, watchAgain } from "./trading-account-doubt.ts"
import { keepExpiries } from "./trading-account-expiry.ts"
import { keepLists } from "./trading-account-list.ts"
import type { AccountParts } from "./trading-account-parts.ts"
import { eventOf, moved } from "./trading-account-progress.ts"
import { resumeQuoted, tellQuote } from "./trading-account-quoted.ts"
import { keepReadingAgain } from "./trading-account-read-again.ts"
import { Refusals } from "./trading-account-refusals.ts"
import { keepSession } from "./trading-account-session.ts"
import { readState } from "./trading-account-state.ts"
import { submitOrder } from "./trading-account-submit.ts"
import { doubtFired, keepTriggers, type TriggerKeeper } from "./trading-account-trigger.ts"

/** A word of the private session; never refused. */
export interface ApplyReport {
  readonly _tag: "ApplyReport"
  readonly report: SessionReport
  /** Who says it: see `keepSession`. */
  readonly session: object
}

/** Answers once the first reconciliation is over, whatever came of it. */
export interface AwaitSettled {
  readonly _tag: "AwaitSettled"
  readonly reply: Reply<TradingAccount, DomainError>
}

export interface AskOpenOrders {
  readonly _tag: "AskOpenOrders"
  readonly reply: Reply<boolean, DomainError>
}

export type AccountMessage = AccountCommand | ApplyReport | AwaitSettled | AskOpenOrders

/** Commands from the edges that may be refused as Busy; cancels, reports and reads of the gateway itself are not. */
export const isRefusable = (message: AccountMessage): boolean =>
  message._tag === "SubmitOrder" ||
  message._tag === "ReplaceOrder" ||
  message._tag === "ReadOrder" ||
  message._tag === "ReadPortfolio" ||
  message._tag === "ReadState"

export const behaviour = (id: TradingAccountId, parts: AccountParts, post: (message: AccountMessage) => void) => {
  const refusals = new Refusals(parts.clock.monotonic)
  return (self: Self<never>): Effect.Effect<Built<AccountMessage>, never, Scope.Scope> =>
    Effect.flatMap(parts.store.load(id), (state) => {
      const venue = parts.venues.find(state.account.venue)
      if (venue === undefined) throw new Error(`account ${id} of venue ${state.account.venue}, which is not there`)
      const core = new AccountCore(parts, self, state, venue, refusals)
      core.look = (live, why) => startDoubt(core, live, why)
      keepReadingAgain(core)
      keepExpiries(core)
      const triggers = keepTriggers(core)
      const lists = keepLists(core)
      const keeper = keepSession(core, (report, session) => post({ _tag: "ApplyReport", report, session }))
      const disconnector = makeDisconnector(core, keeper)
      const deadMan = keepDeadMan(core)
      const handlers: Behaviour<AccountMessage> = {
        SubmitOrder: (message) => submitOrder(core, message),
        CancelOrder: (message) => cancelOrder(core, message),
        ReplaceOrder: (message) => replaceOrder(core, message),
        CancelAllOrders: (message) => cancelAllOrders(core, message),
        CancelAllAfter: deadMan.set,
        ReadOrder: (message) => readOrder(core, message),
        ReadPortfolio: (message) => readPortfolio(core, message),
        ReadState: (message) => readState(core, message),
        UpdateAccount: (message) => updateAccount(core, message, keeper.open),
        CredentialGone: (message) => credentialGone(core, message, keeper.refused),
        DisconnectAccount: disconnector.disconnect,
        TellQuote: (message) => tellQuote(core, message),
        RaiseAlert: ({ alert }) => core.alert(alert),
        ApplyReport: ({ report, session }) => keeper.report(report, session),
        AwaitSettled: ({ reply }) => {
          const answer = (): void => {
            const { account } = core
            core.whenDurable(() => reply.ok(account))
          }
          if (core.account.status === "CREATED" || core.account.status === "NEW") core.whenReady.push(answer)
          else answer()
        },
        AskOpenOrders: ({ reply }) => {
          const hasOpenOrders = core.open.size > 0
          core.whenDurable(() => reply.ok(hasOpenOrders))
        },
      }
      const built: Built<AccountMessage> = {
        handlers,
        started: () => {
          lists.resume()
          recover(core, triggers)
          keeper.open()
          disconnector.resume()
          deadMan.resume()
          watchAgain(core, state)
        },
        // A private session of a venue outside this process keeps its actor: reports must find it. So does a subscriber.
        isIdle: () =>
          !parts.channels.isHeard(accountChannel(id)) &&
          core.open.size === 0 &&
          core.watched.size === 0 &&
          (core.session === null ? !keeper.isTrying() : venue.inProcess && core.phase === "ready"),
      }
      // After a defect memory may be ahead of what its units say: only an orderly end stores more.
      return Effect.as(
        Effect.addFinalizer((exit) => Effect.sync(() => triggers.close(Exit.isInterrupted(exit)))),
        built,
      )
    })
}

/** CREATED means that the bytes may have left: such an order is in doubt and never sent again (order-path 3). */
const recover = (core: AccountCore, triggers: TriggerKeeper): void => {
  for (const live of core.openLives()) {
    const { order } = live
    if (order.expireAt !== null) core.watchExpiry(live)
    if (placeOf(order) === "ARMED") triggers.resume(live)
    if (placeOf(order) === "DEALER") resumeQuoted(core, live)
    if (placeOf(order) !== "VENUE") continue
    doubtFired(core, live)
    if (order.orderStatus === "CREATED" || order.orderStatus === "SUBMITTED") {
      const next = moved(order, "UNKNOWN", { inDoubt: true })
      core.change(live, next, eventOf(next))
    }
    if (live.order.orderStatus === "UNKNOWN" || live.order.inDoubt)
      core.look(live, "the process ended before an answer")
  }
}

const readPortfolio = (core: AccountCore, { currency, reply }: ReadPortfolio): void => {
  if (core.account.status === "DISCONNECTED") {
    reply.ok([])
    return
  }
  if (!core.portfolio.isKnown) {
    reply.fail(new PortfolioUnavailable({}))
    return
  }
  const assets = currency === null ? core.portfolio.assets() : [currency]
  const positions = assets.map((asset): Position => core.positionOf(asset))
  const shown = positions.filter((it) => currency !== null || !it.available.add(it.locked).isZero())
  core.whenDurable(() => reply.ok(shown))
}

/** Connect again: another name, further credentials. An INACTIVE account gets a new life with them. */
const updateAccount = (core: AccountCore, { nickname, attach, reply }: UpdateAccount, open: () => void): void => {
  const { status } = core.account
  if (status === "DISCONNECTED") {
    reply.fail(new AccountDisconnected({}))
    return
  }
  const known = core.account.credentials
  const added = attach.filter((one) => !known.some((it) => it.credentialId === one.credentialId))
  const revived = status === "INACTIVE" && attach.length > 0
  core.saveAccount(
    {
      status: revived ? "CREATED" : status,
      nickname: nickname ?? core.account.nickname,
      credentials: [...known, ...added],
    },
    {
      committed: (account) => reply.ok(account),
      published: () => {
        if (revived) open()
      },
    },
  )
}

/** Without its last credential the account is INACTIVE; its open orders stay as last known, in doubt (contract C11a). */
const credentialGone = (
  core: AccountCore,
  { credentialId, reply }: CredentialGone,
  refused: (reason: string) => void,
): void => {
  const at = core.parts.clock.now()
  const credentials = core.account.credentials.map((it) =>
    it.credentialId === credentialId && it.status !== "REVOKED"
      ? { ...it, status: "REVOKED" as const, updatedAt: at, revokedAt: at }
      : it,
  )
  core.saveAccount({ status: core.account.status, credentials })
  if (!credentials.some((it) => it.status === "ACTIVE")) refused("the account's last credential was revoked")
  const { account } = core
  core.whenDurable(() => reply.ok(account))
}
