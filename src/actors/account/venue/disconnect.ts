/**
 * Disconnect in its exact order (contract C11): lock, cancel everything, confirm at the venue, and only then delete credentials. While an order
 * may be working nothing is deleted: the account stays LOCKED and retries in the background, also after a restart. Without force no disconnect
 * starts while a dealer's hedge is working.
 */
import { Effect, Exit } from "effect"
import type { Credential } from "../../../domain/account/credential.ts"
import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import { accountChannel, accountOrdersChannel, accountPositionsChannel } from "../../../domain/channel.ts"
import { AccountHasHedges } from "../../../domain/errors/dealer.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { DisconnectIncomplete } from "../../../domain/errors/trading-account.ts"
import type { TradeOrderId } from "../../../domain/ids.ts"
import { doubtWhenLost } from "../../../domain/order/evidence/doubt.ts"
import { cancelWayOf, isAsked } from "../../../domain/order/evidence/law.ts"
import { noted } from "../../../domain/order/evidence/progress.ts"
import { isHedge } from "../../../domain/order/trade-order.ts"
import type { Reply } from "../../../domain/reply.ts"
import type { FoundNames, Row } from "../../../ports/account-store.ts"
import type { VenueFill } from "../../../ports/venue-session.ts"
import type { AccountCore, OpenAndFills } from "../core.ts"
import type { DisconnectAccount } from "../messages.ts"
import { requestCancel } from "../orders/cancel.ts"
import { stopAsking, type WorkingOrder } from "../working-order.ts"
import { applyFill, closeOwed, isPriced } from "./evidence.ts"
import { strayFill, withStray } from "./foreign.ts"
import { askNames, namesOf, ownersOf } from "./names.ts"
import { attempt } from "./quarantine.ts"
import type { SessionKeeper } from "./session.ts"

const DEADLINE_MILLIS = 30_000
const STEP_MILLIS = 250
const BACKGROUND_MILLIS = 5_000

export interface Disconnector {
  readonly disconnect: (message: DisconnectAccount) => void
  /** A LOCKED account after a restart: goes on where it was. */
  readonly resume: () => void
}

export const makeDisconnector = (core: AccountCore, keeper: SessionKeeper): Disconnector => {
  const { parts, self } = core
  const replies: Array<Reply<TradingAccount, DisconnectIncomplete | DomainError>> = []
  let running = false
  let forced = false
  let deadlineAt = 0
  let over = false

  const disconnect = ({ force, act, reply }: DisconnectAccount): void => {
    const { account } = core
    if (account.status === "DISCONNECTED") {
      core.whenDurable(() => reply.ok(account))
      return
    }
    const isLocked = account.status === "LOCKED"
    const hedges = core.orders.openLives().filter(({ order }) => isHedge(order))
    // Left in doubt they would be a dealer's, who can neither repeat nor forget them.
    if (!force && !running && !isLocked && hedges.length > 0) {
      const tradeOrderIds = hedges.map(({ order }) => order.tradeOrderId)
      core.whenDurable(() => reply.fail(new AccountHasHedges({ tradeOrderIds })))
      return
    }
    replies.push(reply)
    const isMore = force && !forced
    forced = forced || force
    deadlineAt = parts.clock.monotonic() + DEADLINE_MILLIS
    const audited: Row = { _tag: "Audited", act, at: parts.clock.now() }
    // A repeat changes nothing, unless it adds the force.
    if ((running || isLocked) && isMore) core.outlet.commit([audited], [])
    if (running) return
    running = true
    if (isLocked) start()
    else core.saveAccount({ status: "LOCKED" }, { rows: [audited], published: start })
  }

  /** What never reached the venue is revoked first, so that nothing new can leave while the rest is cancelled. */
  const cancelEverything = (): void => {
    const stored = core.orders.openLives().filter((working) => working.stored)
    for (const working of stored)
      if (cancelWayOf(working.order) === "WITHDRAW") requestCancel(core, working, "ACCOUNT_DISCONNECTED")
    for (const working of stored) requestCancel(core, working, "ACCOUNT_DISCONNECTED")
  }

  const start = (): void => {
    cancelEverything()
    parts.failpoint.hit("disconnect.halfway")
    step()
  }

  const step = (): void => {
    if (over) return
    const late = parts.clock.monotonic() >= deadlineAt
    if (late && forced) {
      wipe()
      return
    }
    if (late && replies.length > 0) {
      const error = new DisconnectIncomplete({ tradeOrderIds: [...new Set([...core.orders.open, ...owedIds()])] })
      for (const reply of replies.splice(0)) core.whenDurable(() => reply.fail(error))
    }
    const next = (): void => void self.later(late ? BACKGROUND_MILLIS : STEP_MILLIS, step)
    if (core.orders.open.size > 0) {
      cancelEverything()
      next()
      return
    }
    const { session } = core.connection
    // Without a usable credential nothing can be queried or cancelled.
    if (session === null) {
      if (keeper.isHopeless() && !isUnpriced()) wipe()
      else next()
      return
    }
    const since = core.trades.newestAt - BACKGROUND_MILLIS
    const confirm = Effect.all({
      open: session.fetchOpenOrders,
      fills: session.fetchFills(since, core.orders.instruments()),
    }).pipe(
      (question) => core.connection.budget(question),
      Effect.flatMap(({ open, fills }) =>
        Effect.map(askNames(core, namesOf(fills)), (names): OpenAndFills => ({ open, fills, names })),
      ),
    )
    self.fork(confirm, (exit) => {
      if (over) return
      if (Exit.isFailure(exit)) return next()
      if (confirmed(exit.value) && (late ? !isUnpriced() : owedIds().length === 0)) wipe()
      else next()
    })
  }

  /** The venue has named an execution whose trade is still to come: that is waited for until the deadline. */
  const owedIds = (): ReadonlyArray<TradeOrderId> =>
    [...core.orders.values()].flatMap(({ order, owed }) => (owed === null ? [] : order.tradeOrderId))

  /** Of some of it no price is known that it could be counted at: without force that is waited for as well. */
  const isUnpriced = (): boolean => [...core.orders.values()].filter((working) => !isPriced(core, working)).length > 0

  /** Nothing rests at the venue, foreign orders included; the last fills are applied. */
  const confirmed = ({ open, fills, names }: OpenAndFills): boolean => {
    let isComplete = open.length === 0
    for (const fill of fills) {
      const working = core.orders.findAtVenue(fill)
      if (working !== undefined) attempt(core, working, fill, () => applyFill(core, working, fill))
      else if (isMissing(core, fill, names)) {
        isComplete = false
        strayFill(core, fill)
      }
    }
    for (const state of open) {
      const { tradeOrderId, externalOrderId, instrumentId } = state
      if (core.orders.findAtVenue(state) === undefined)
        withStray(core, { tradeOrderId, externalOrderId, instrumentId, state }, () => undefined)
    }
    return isComplete && core.orders.open.size === 0
  }

  /** Steps 6 to 9: one transaction, then the last event, then the end of every subscription. */
  const wipe = (): void => {
    over = true
    // The account's end is its last event: what the venue tells while that is stored comes too late.
    keeper.close()
    const at = parts.clock.now()
    for (const working of core.orders.values()) if (!closeOwed(core, working)) leaveUncounted(core, working, at)
    for (const working of core.orders.openLives()) leaveBehind(core, working, at)
    const shared = sharedCredentials(core)
    const own = core.account.credentials.filter((it) => !shared.has(it.credentialId))
    const credentials = own.map(
      (it): Credential => (it.status === "REVOKED" ? it : { ...it, status: "REVOKED", updatedAt: at, revokedAt: at }),
    )
    core.saveAccount(
      { status: "DISCONNECTED", disconnectedAt: at, credentials, cancelAllAt: null },
      {
        rows: [
          { _tag: "CredentialsWiped", credentialIds: own.map((it) => it.credentialId), at },
          { _tag: "SubscriptionsEnded", tradingAccountId: core.id, at },
        ],
        published: () => {
          const channels = [accountChannel(core.id), accountOrdersChannel(core.id), accountPositionsChannel(core.id)]
          for (const channel of channels) parts.channels.terminate(channel)
          for (const reply of replies.splice(0)) reply.ok(core.account)
        },
      },
    )
  }

  const resume = (): void => {
    if (core.account.status !== "LOCKED") return
    running = true
    self.later(STEP_MILLIS, start)
  }

  return { disconnect, resume }
}

/** A trade that is not counted yet, of an order of ours that is not in memory. */
const isMissing = (core: AccountCore, fill: VenueFill, names: FoundNames): boolean => {
  const { counted, named } = ownersOf(core.orders, fill, names)
  if (counted !== undefined || named === undefined) return false
  return fill.tradeOrderId === null || names.tradeOrderIds.has(named)
}

/** The venue may still have it: it stays in doubt for good, and is told so. */
const leaveBehind = (core: AccountCore, working: WorkingOrder, at: number): void => {
  const { order } = working
  stopAsking(working)
  working.expiry?.()
  working.expiry = null
  if (!isAsked(order)) return
  const { tradeOrderId } = order
  const message = "the account was force-disconnected, and the order may still be working at the venue"
  core.change(
    working,
    noted({ ...order, doubt: doubtWhenLost(order) }, at, "the account was force-disconnected"),
    null,
    {
      alerts: [{ code: "ORDER_LEFT_IN_DOUBT", severity: "CRITICAL", message, tradeOrderId }],
    },
  )
}

/** By force, and of what the venue has named of it neither a trade nor a price is known. */
const leaveUncounted = (core: AccountCore, working: WorkingOrder, at: number): void => {
  // It is left in doubt, and told, as what may still work at the venue.
  if (isAsked(working.order)) return
  const { tradeOrderId } = working.order
  const message =
    "the account was disconnected, and an execution reported by the venue is not counted: its price is not known"
  core.change(working, noted(working.order, at, "an execution reported by the venue is not counted"), null, {
    alerts: [{ code: "ORDER_LEFT_IN_DOUBT", severity: "CRITICAL", message, tradeOrderId }],
  })
}

/** Credentials that another live account uses: detached here, never wiped. */
const sharedCredentials = (core: AccountCore): ReadonlySet<string> => {
  const used = new Set<string>()
  for (const account of core.parts.accounts.all())
    if (account.tradingAccountId !== core.id && account.status !== "DISCONNECTED")
      for (const credential of account.credentials) used.add(credential.credentialId)
  return used
}
