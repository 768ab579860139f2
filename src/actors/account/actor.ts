/**
 * The behaviour of one trading account's actor: what each message does. Everything is decided synchronously in the turn that takes the message;
 * whatever is sent or published is sent from the commit callback of its unit (order-path 3), but what goes to a venue that follows the journal.
 */
import { Effect } from "effect"
import { isNothing, type Position, type TradingAccount } from "../../domain/account/trading-account.ts"
import { accountChannel } from "../../domain/channel.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { AccountDisconnected, PortfolioUnavailable } from "../../domain/errors/trading-account.ts"
import type { TradingAccountId } from "../../domain/ids.ts"
import { placeOf } from "../../domain/order/trade-order.ts"
import type { Reply } from "../../domain/reply.ts"
import type { Behaviour, Built, Self } from "../../kernel/behaviour.ts"
import type { SessionReport } from "../../ports/venue-session.ts"
import { watchExpiry } from "./contingent/expiry.ts"
import { isOfList, listsOf } from "./contingent/list.ts"
import { resumeTrigger } from "./contingent/trigger.ts"
import { AccountCore, type Sequels } from "./core.ts"
import type {
  AccountCommand,
  CancelAllAfter,
  CancelAllOrders,
  CancelOrder,
  CredentialGone,
  DisconnectAccount,
  RaiseAlert,
  ReadOrder,
  ReadPortfolio,
  ReadState,
  ReplaceOrder,
  SubmitOrder,
  TellQuote,
  UpdateAccount,
} from "./messages.ts"
import { cancelAllOrders, cancelOrder, type DeadMan, keepDeadMan, readOrder } from "./orders/cancel.ts"
import { resumeQuoted, tellQuote } from "./orders/quoted.ts"
import { replaceOrder } from "./orders/replace.ts"
import { submitOrder } from "./orders/submit.ts"
import type { AccountParts } from "./parts.ts"
import { askBalances, whenCurrent } from "./venue/balances.ts"
import { type Disconnector, makeDisconnector } from "./venue/disconnect.ts"
import { ask, watchAgain } from "./venue/doubt.ts"
import { take } from "./venue/evidence.ts"
import { recallAppeared } from "./venue/lingering.ts"
import { readAgain } from "./venue/reconcile.ts"
import { Refusals } from "./venue/refusals.ts"
import { keepSession, type SessionKeeper } from "./venue/session.ts"

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

/** What each message does. */
class AccountHandlers implements Behaviour<AccountMessage> {
  #disconnector: Disconnector | null = null
  #deadMan: DeadMan | null = null

  constructor(
    private readonly core: AccountCore,
    readonly session: SessionKeeper,
  ) {}

  SubmitOrder(message: SubmitOrder): void {
    submitOrder(this.core, message)
  }
  CancelOrder(message: CancelOrder): void {
    cancelOrder(this.core, message)
  }
  ReplaceOrder(message: ReplaceOrder): void {
    replaceOrder(this.core, message)
  }
  CancelAllOrders(message: CancelAllOrders): void {
    cancelAllOrders(this.core, message)
  }
  CancelAllAfter(message: CancelAllAfter): void {
    this.deadMan.set(message)
  }
  ReadOrder(message: ReadOrder): void {
    readOrder(this.core, message)
  }
  ReadPortfolio(message: ReadPortfolio): void {
    whenCurrent(this.core, () => readPortfolio(this.core, message), message.reply.fail)
  }
  ReadState(message: ReadState): void {
    readState(this.core, message)
  }
  UpdateAccount(message: UpdateAccount): void {
    updateAccount(this.core, message, this.session.open)
  }
  CredentialGone(message: CredentialGone): void {
    credentialGone(this.core, message, this.session)
  }
  DisconnectAccount(message: DisconnectAccount): void {
    this.disconnector.disconnect(message)
  }
  TellQuote(message: TellQuote): void {
    tellQuote(this.core, message)
  }
  RaiseAlert({ alert }: RaiseAlert): void {
    this.core.outlet.alert(alert)
  }
  ApplyReport({ report, session }: ApplyReport): void {
    this.session.report(report, session)
  }
  AwaitSettled({ reply }: AwaitSettled): void {
    const { core } = this
    const answer = (): void => {
      const { account } = core
      core.whenDurable(() => reply.ok(account))
    }
    if (core.account.status === "CREATED" || core.account.status === "NEW") core.connection.whenReady(answer)
    else answer()
  }
  AskOpenOrders({ reply }: AskOpenOrders): void {
    const hasOpenOrders = this.core.orders.open.size > 0
    this.core.whenDurable(() => reply.ok(hasOpenOrders))
  }

  get disconnector(): Disconnector {
    this.#disconnector ??= makeDisconnector(this.core, this.session)
    return this.#disconnector
  }

  get deadMan(): DeadMan {
    this.#deadMan ??= keepDeadMan(this.core)
    return this.#deadMan
  }
}

class BuiltAccount implements Built<AccountMessage> {
  readonly handlers: AccountHandlers

  constructor(
    private readonly core: AccountCore,
    session: SessionKeeper,
  ) {
    this.handlers = new AccountHandlers(core, session)
  }

  started(): void {
    const { core, handlers } = this
    if (core.orders.openLives().some(isOfList)) recallAppeared(core)
    recover(core)
    handlers.session.open()
    if (core.account.status === "LOCKED") handlers.disconnector.resume()
    if (core.account.cancelAllAt !== null) handlers.deadMan.resume()
  }

  /** A private session of a venue outside this process keeps its actor: reports must find it. So does a subscriber. */
  isIdle(): boolean {
    const { core, handlers } = this
    return (
      !core.parts.channels.isHeard(accountChannel(core.id)) &&
      (core.orders.open.size === 0 || core.account.status === "DISCONNECTED") &&
      core.late.isEmpty &&
      (core.connection.session === null
        ? !handlers.session.isTrying()
        : core.venue.inProcess && core.connection.phase === "ready")
    )
  }

  /** After a defect memory may be ahead of what its units say: only an orderly end stores more. */
  ended(isOrderly: boolean): void {
    this.core.keepers.triggers?.close(isOrderly)
    this.core.usedNames?.close()
  }
}

const SEQUELS: Sequels = {
  consequences: (core, working, before) => (isOfList(working) ? listsOf(core).consequences(working, before) : []),
  isSpent: (core, working) => isOfList(working) && listsOf(core).isSpent(working),
  ask,
  askBalances,
  readAgain,
}

export const behaviour = (id: TradingAccountId, parts: AccountParts, post: (message: AccountMessage) => void) => {
  const refusals = new Refusals(parts.clock.monotonic)
  return (self: Self<never>): Effect.Effect<Built<AccountMessage>> =>
    Effect.map(parts.store.load(id), (state) => {
      const venue = parts.venues.find(state.account.venue)
      if (venue === undefined) throw new Error(`account ${id} of venue ${state.account.venue}, which does not exist`)
      const core = new AccountCore(parts, self, state, venue, refusals, SEQUELS)
      const session = keepSession(core, (report, by) => post({ _tag: "ApplyReport", report, session: by }))
      watchAgain(core, state)
      return new BuiltAccount(core, session)
    })
}

/** CREATED means that the bytes may have left: such an order is in doubt and never sent again (order-path 3). */
const recover = (core: AccountCore): void => {
  if (core.account.status === "DISCONNECTED") return
  for (const working of core.orders.openLives()) {
    const { order } = working
    watchExpiry(core, working)
    if (placeOf(order) === "ARMED") resumeTrigger(core, working)
    if (placeOf(order) === "DEALER") resumeQuoted(core, working)
    take(core, working, { _tag: "Restarted" })
  }
}

const readPortfolio = (core: AccountCore, message: ReadPortfolio): void => {
  const { currency, reply } = message
  if (core.account.status === "DISCONNECTED") {
    core.whenDurable(() => reply.ok([]))
    return
  }
  // It has just woken, and agrees with its venue in a moment.
  if (core.connection.waitsAwake(() => readPortfolio(core, message))) return
  if (!core.positions.portfolio.isKnown) {
    reply.fail(new PortfolioUnavailable({}))
    return
  }
  const assets = currency === null ? core.positions.assets() : [currency]
  const positions = assets.map((asset): Position => core.positions.positionOf(asset))
  const shown = positions.filter((it) => currency !== null || !isNothing(it))
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

/**
 * Nothing is signed with it any more. Without its last credential the account is INACTIVE; its open orders stay as last known, in doubt
 * (contract C11a).
 */
const credentialGone = (
  core: AccountCore,
  { credentialId, reply }: CredentialGone,
  session: Pick<SessionKeeper, "refused" | "withdrawn">,
): void => {
  const at = core.parts.clock.now()
  const credentials = core.account.credentials.map((it) =>
    it.credentialId === credentialId && it.status !== "REVOKED"
      ? { ...it, status: "REVOKED" as const, updatedAt: at, revokedAt: at }
      : it,
  )
  core.saveAccount({ status: core.account.status, credentials })
  if (credentials.some((it) => it.status === "ACTIVE")) session.withdrawn(credentialId)
  else session.refused("the account's last credential was revoked")
  const { account } = core
  core.whenDurable(() => reply.ok(account))
}

// What a map of the account begins with

/** An actor that has just woken learns its positions from its venue in a moment. */
const POSITIONS_MILLIS = 2_000

export const readState = (core: AccountCore, { of, reply }: ReadState): void => {
  const { self } = core
  const { image } = core.outlet
  const answer = (): void => {
    const { sequence, awakeSince } = image
    reply.ok({ sequence, awakeSince, entries: of === "orders" ? image.orders() : image.positions() })
  }
  if (of === "orders" || image.hasPositions) return answer()
  let isOver = false
  const look = (): void => {
    if (isOver) return
    isOver = true
    callOff()
    // Known, but perhaps not told yet.
    if (core.positions.portfolio.isKnown) core.whenDurable(answer)
    else reply.fail(new PortfolioUnavailable({}))
  }
  const callOff = self.later(POSITIONS_MILLIS, look)
  if (core.positions.portfolio.isKnown) look()
  else core.connection.whenReady(look)
}
