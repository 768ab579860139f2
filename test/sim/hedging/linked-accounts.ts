/**
 * Linked accounts of a hedging world: they take hedges as the contract says of submits (one order per key, whoever asks how often), hear of
 * them what their venues show, and come and go. The one thing to know: an order is stored before its dealer is told of it.
 */
import type { AccountCommand, SubmitOrder } from "../../../src/actors/account/messages.ts"
import type { HedgeDesk } from "../../../src/actors/dealer/hedging/courier.ts"
import type { TradingAccount, TradingAccountStatus } from "../../../src/domain/account/trading-account.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import { InstrumentDelisted } from "../../../src/domain/errors/market.ts"
import { TradingHalted } from "../../../src/domain/errors/risk.ts"
import { IdempotencyConflict, OrderNotFound, OutcomeUnknown } from "../../../src/domain/errors/trade-order.ts"
import {
  AccountDisconnected,
  AccountNotActive,
  AccountReconciling,
} from "../../../src/domain/errors/trading-account.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../../src/domain/ids.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import { doubtWhenLost } from "../../../src/domain/order/evidence/doubt.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import { fingerprint } from "../../../src/domain/order/submit-request.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { hedgeOrder } from "../../kit/records/hedges.ts"
import type { Cause, HedgingDatabase } from "./database.ts"
import { imageAt, type VenueHedge } from "./venue-hedge.ts"
import { isLost } from "./view.ts"

export interface LinkedHost {
  readonly database: HedgingDatabase
  readonly now: () => number
  readonly isAlive: () => boolean
  /** After a moment of this process. */
  readonly later: (cause: Cause, run: () => void, millis?: number) => void
  /** Durable after a moment, or never where the process dies before. */
  readonly write: (run: () => void, cause?: Cause) => void
  /** At an instant of the venue's, whichever process lives then. */
  readonly at: (millis: number, run: () => void) => void
  /** In this event. */
  readonly happens: (cause: Cause) => void
  readonly desk: () => HedgeDesk
  readonly directory: () => { readonly put: (account: TradingAccount) => void }
  readonly instrument: (id: InstrumentId) => Instrument | undefined
  /** What this submit runs into; LOST: stored, and its answer lost. */
  readonly refusal: (order: SubmitOrder["request"]) => DomainError | "LOST" | null
  /** What becomes of an order at its venue. */
  readonly fate: (order: TradeOrder) => VenueHedge
  readonly isHalted: () => boolean
  readonly note: (what: string) => void
  /** A dealer hands a hedge over, for the first time or again. */
  readonly asked: (account: TradingAccountId, message: SubmitOrder) => void
  /** What came of an attempt, as its dealer is told. */
  readonly answered: (account: TradingAccountId, message: SubmitOrder, error: DomainError | null) => void
  /** `before`: the image that it takes the place of. */
  readonly told: (order: TradeOrder, before: TradeOrder | undefined) => void
  readonly alert: (account: TradingAccountId, alert: Extract<AccountCommand, { _tag: "RaiseAlert" }>["alert"]) => void
}

interface Known {
  readonly tradeOrderId: TradeOrderId
  readonly print: string
}

export class LinkedAccounts {
  /** By account and key. */
  readonly #keys = new Map<string, Known>()
  /** What its venue has of each hedge. */
  readonly atVenue = new Map<TradeOrderId, VenueHedge>()
  /** Of which more may be heard. */
  readonly #awaited = new Set<TradeOrderId>()
  #count = 0

  constructor(private readonly host: LinkedHost) {}

  readonly post = (id: TradingAccountId, command: AccountCommand): void => {
    const { host } = this
    if (!host.isAlive()) return
    if (command._tag === "RaiseAlert") host.alert(id, command.alert)
    else if (command._tag === "SubmitOrder") {
      host.asked(id, command)
      host.later("ORDER", () => this.#submit(id, command))
    } else if (command._tag === "ReadOrder") {
      const { by, reply } = command
      host.later("ORDER", () => {
        const order = "tradeOrderId" in by ? host.database.orders.get(by.tradeOrderId) : undefined
        if (order === undefined) reply.fail(new OrderNotFound())
        else reply.ok(order)
      })
    } else if (command._tag !== "TellQuote") throw new Error(`an account was told ${command._tag}`)
  }

  /** A process begins: accounts that can ask their venues do. */
  begin(): void {
    for (const id of this.#awaited) this.host.later("NONE", () => this.#hear(id), 5)
  }

  account(id: TradingAccountId): TradingAccount {
    return this.host.database.accounts.get(id)!
  }

  // What becomes of accounts

  /** Its session is gone for a while: what works there is unreachable. */
  down(id: TradingAccountId): void {
    if (this.account(id).status !== "ACTIVE") return
    this.#become(id, "UNAVAILABLE")
    this.#lose(id)
  }

  up(id: TradingAccountId): void {
    const { status } = this.account(id)
    if (status !== "UNAVAILABLE" && status !== "INACTIVE") return
    this.#become(id, "ACTIVE")
    for (const order of this.#awaited) this.host.later("NONE", () => this.#hear(order), 5)
  }

  /** Its last credential is revoked: nobody can ask there any more, until it has another one. */
  revoke(id: TradingAccountId): void {
    const { status } = this.account(id)
    if (status !== "ACTIVE" && status !== "UNAVAILABLE") return
    this.#lose(id)
    this.#become(id, "INACTIVE")
  }

  /** By force, or only where no hedge is at work there. */
  disconnect(id: TradingAccountId, force: boolean): boolean {
    const { status } = this.account(id)
    if (status === "DISCONNECTED") return false
    const open = [...this.host.database.orders.values()].some(
      (it) => it.tradingAccountId === id && !isTerminal(it.orderStatus),
    )
    if (open && !force) return false
    this.#lose(id)
    this.#become(id, "DISCONNECTED")
    return true
  }

  #become(id: TradingAccountId, status: TradingAccountStatus): void {
    const before = this.account(id)
    const next = { ...before, status, version: before.version + 1 }
    this.host.note(`account ${id.slice(-2)} at ${before.venue} is ${status}`)
    this.host.database.accounts.set(id, next)
    if (!this.host.isAlive()) return
    this.host.directory().put(next)
    if (isLost(status)) this.host.desk().lost(id)
    else if (isLost(before.status)) this.host.desk().found(id)
  }

  /** What is at work there is in doubt from now on. */
  #lose(id: TradingAccountId): void {
    for (const order of [...this.host.database.orders.values()]) {
      if (order.tradingAccountId !== id || isTerminal(order.orderStatus)) continue
      const doubt = doubtWhenLost(order)
      if (doubt !== order.doubt) this.#store({ ...order, doubt, version: order.version + 1 })
    }
  }

  // What becomes of hedges

  #submit(id: TradingAccountId, message: SubmitOrder): void {
    const { host } = this
    const { request, reply } = message
    const fail = (error: DomainError): void => {
      host.answered(id, message, error)
      reply.fail(error)
    }
    const name = `${id} ${request.idempotencyKey}`
    const print = fingerprint(request)
    const known = this.#keys.get(name)
    if (known !== undefined) {
      const order = host.database.orders.get(known.tradeOrderId)
      // It is on its way to the store.
      if (order === undefined) host.later("ORDER", () => this.#submit(id, message), 5)
      else if (known.print !== print) fail(new IdempotencyConflict({ tradeOrderId: known.tradeOrderId }))
      else {
        host.answered(id, message, null)
        reply.ok({ order, replayed: true })
      }
      return
    }
    const refusal = this.#refusal(id, request)
    if (refusal !== null) {
      fail(refusal)
      return
    }
    const drawn = host.refusal(request)
    if (drawn !== null && drawn !== "LOST") {
      fail(drawn)
      return
    }
    const order = this.#orderOf(id, message)
    const { tradeOrderId } = order
    this.#keys.set(name, { tradeOrderId, print })
    let isStored = false
    host.write(() => {
      isStored = true
      host.note(`hedge ${short(order)} is stored`)
      host.database.orders.set(tradeOrderId, order)
      this.#place(order)
      if (!host.isAlive()) return
      if (drawn === "LOST") {
        this.#tell(order)
        fail(new OutcomeUnknown({ tradeOrderId: null }))
        return
      }
      host.answered(id, message, null)
      reply.ok({ order, replayed: false })
      this.#tell(order)
    }, "ORDER")
    this.#forgetUnless(name, () => isStored)
  }

  readonly #unstored = new Map<string, () => boolean>()
  #forgetUnless(name: string, isStored: () => boolean): void {
    this.#unstored.set(name, isStored)
  }

  /** A process has died: keys that did not reach the store were never used. */
  died(): void {
    for (const [name, isStored] of this.#unstored) if (!isStored()) this.#keys.delete(name)
    this.#unstored.clear()
  }

  #refusal(id: TradingAccountId, { instrumentId }: SubmitOrder["request"]): DomainError | null {
    const { status } = this.account(id)
    if (this.host.isHalted()) return new TradingHalted({ tradingMode: "maintenance" })
    if (status === "DISCONNECTED") return new AccountDisconnected()
    if (status === "INACTIVE") return new AccountNotActive({ status })
    if (status !== "ACTIVE") return new AccountReconciling({ reason: "RECONCILING" })
    const listed = this.host.instrument(instrumentId as InstrumentId)
    return listed?.status === "ACTIVE" ? null : new InstrumentDelisted({ instrumentId: `${instrumentId}` })
  }

  #orderOf(id: TradingAccountId, message: SubmitOrder): TradeOrder {
    const { venue, tenantId } = this.account(id)
    const tradeOrderId = `0eeeeeee-0000-4000-8000-${(++this.#count).toString(16).padStart(12, "0")}` as TradeOrderId
    return hedgeOrder(id, message, { tradeOrderId, createdAt: this.host.now(), tenantId, venue })
  }

  #place(order: TradeOrder): void {
    const { tradeOrderId } = order
    const hedge = this.host.fate(order)
    this.atVenue.set(tradeOrderId, hedge)
    this.#awaited.add(tradeOrderId)
    this.listen(tradeOrderId, hedge)
  }

  /** Heard whenever its venue has something new to show. */
  listen(id: TradeOrderId, { fills, endAt, mutedUntil }: VenueHedge): void {
    const { host } = this
    const silence = host.now() + 300
    for (const at of new Set([...fills.map(({ shownAt }) => shownAt), endAt, mutedUntil, silence]))
      if (Number.isFinite(at)) host.at(at, () => this.#hear(id))
  }

  /** What its venue shows sooner than was planned is heard. */
  listenAgain(): void {
    for (const id of this.#awaited) this.listen(id, this.atVenue.get(id)!)
  }

  #hear(id: TradeOrderId): void {
    const { host } = this
    if (!this.#awaited.has(id)) return
    const order = host.database.orders.get(id)!
    if (!host.isAlive() || this.account(order.tradingAccountId).status !== "ACTIVE") return
    const hedge = this.atVenue.get(id)!
    const next = imageAt(order, hedge, host.now())
    if (next !== null) this.#store(next)
    const newest = next ?? order
    const isAll = hedge.fills.every(({ shownAt }) => shownAt <= host.now())
    if (isTerminal(newest.orderStatus) && newest.doubt === null && isAll) this.#awaited.delete(id)
  }

  #store(order: TradeOrder): void {
    const { database } = this.host
    this.host.note(`hedge ${short(order)}`)
    this.host.happens("ORDER")
    const before = database.changed(order)
    if (this.host.isAlive()) this.#tell(order, before)
  }

  #tell(order: TradeOrder, before?: TradeOrder): void {
    this.host.told(order, before)
    this.host.desk().tell(order)
  }
}

export const short = (order: TradeOrder): string =>
  `${order.tradeOrderId.slice(-4)} v${order.version} of ${order.dealerAccountId?.slice(-2)}, ${order.orderSide} ${order.baseQuantity} ${order.instrumentId} @ ${order.limitPrice ?? "market"}: ${order.orderStatus}, ${order.executedQuantity} executed${order.doubt === null ? "" : `, in doubt (${order.doubt.kind})`}${order.rejectReason === null ? "" : ` ${order.rejectReason}`}`
