/**
 * One account's session as this side of the connector knows it: its requests in flight, and what its account is told when no connector runs, or
 * when it was lost: a submit or a change that the worker may have read is in doubt.
 */
import type { VenueSecrets } from "../../domain/account/credential.ts"
import type { TradeOrderId } from "../../domain/ids.ts"
import { LeanMap } from "../../foundation/lean.ts"
import type { SessionReport, VenueOrder } from "../../ports/venue-session.ts"
import type { VenueMeters } from "../venue-meters.ts"

const NOBODY = "no connector is running"

/** A change without an answer: which, and since when (monotonic ms). */
interface Amending {
  readonly askedAt: number
  readonly since: number
}

type AmendReport = Extract<SessionReport, { readonly _tag: "AmendAccepted" | "AmendRefused" | "AmendInDoubt" }>

export class OpenSession {
  readonly secrets: VenueSecrets
  readonly #report: (report: SessionReport) => void
  readonly #meters: VenueMeters | undefined
  /** What has no answer yet, since when: monotonic ms. */
  readonly #submits = new LeanMap<TradeOrderId, number>()
  readonly #cancels = new LeanMap<TradeOrderId, number>()
  readonly #amends = new LeanMap<TradeOrderId, Amending>()

  constructor(secrets: VenueSecrets, report: (report: SessionReport) => void, meters: VenueMeters | undefined) {
    this.secrets = secrets
    this.#report = report
    this.#meters = meters
  }

  submitting(order: VenueOrder): void {
    for (const id of submittedIn(order)) this.#submits.set(id, performance.now())
  }

  /** There was no connector to take it. */
  notSubmitted(order: VenueOrder): void {
    const ids = submittedIn(order)
    for (const id of ids) this.#submits.delete(id)
    // After the caller's turn: a report never comes out of the call that asked for it.
    queueMicrotask(() => {
      for (const tradeOrderId of ids) this.#report({ _tag: "NotSent", tradeOrderId, reason: NOBODY, at: Date.now() })
    })
  }

  cancelling(id: TradeOrderId): void {
    this.#cancels.set(id, performance.now())
  }

  notCancelled(tradeOrderId: TradeOrderId): void {
    this.#cancels.delete(tradeOrderId)
    queueMicrotask(() => this.#report({ _tag: "CancelInDoubt", tradeOrderId, reason: NOBODY, at: Date.now() }))
  }

  amending(id: TradeOrderId, askedAt: number): void {
    this.#amends.set(id, { askedAt, since: performance.now() })
  }

  notAmended(id: TradeOrderId, askedAt: number): void {
    this.#amends.delete(id)
    queueMicrotask(() => this.#report(unamended(id, askedAt, NOBODY, Date.now())))
  }

  /** The connector's word, on its way to the account. */
  reported(report: SessionReport): void {
    // A cancel that took the order back has no answer of its own.
    if (report._tag === "NotSent") this.#cancels.delete(report.tradeOrderId)
    switch (report._tag) {
      case "Accepted":
      case "Refused":
      case "NotSent":
      case "InDoubt":
        this.#answered(report._tag, this.#submits, report.tradeOrderId)
        break
      case "CancelAccepted":
      case "CancelRefused":
      case "CancelInDoubt":
        this.#answered(report._tag, this.#cancels, report.tradeOrderId)
        break
      case "AmendAccepted":
      case "AmendRefused":
      case "AmendInDoubt":
        this.#amended(report)
        break
    }
    this.#report(report)
  }

  /** The connector is gone. One that never began has read nothing; one that did may have signed and sent. */
  lost(reason: string, began: boolean): void {
    const at = Date.now()
    this.#report({ _tag: "StreamDown", reason })
    for (const tradeOrderId of this.#submits.keys())
      this.#report({ _tag: began ? "InDoubt" : "NotSent", tradeOrderId, reason, at })
    this.#submits.clear()
    for (const tradeOrderId of this.#cancels.keys()) this.#report({ _tag: "CancelInDoubt", tradeOrderId, reason, at })
    this.#cancels.clear()
    for (const [tradeOrderId, { askedAt }] of this.#amends)
      this.#report(
        began
          ? { _tag: "AmendInDoubt", tradeOrderId, askedAt, reason, at }
          : unamended(tradeOrderId, askedAt, reason, at),
      )
    this.#amends.clear()
  }

  #answered(tag: Parameters<VenueMeters["reported"]>[0], out: LeanMap<TradeOrderId, number>, id: TradeOrderId): void {
    this.#meters?.reported(tag, out.get(id))
    out.delete(id)
  }

  /** The answer to an earlier change leaves the one that is under way without an answer. */
  #amended({ _tag, tradeOrderId, askedAt }: AmendReport): void {
    const out = this.#amends.get(tradeOrderId)
    const isIt = out?.askedAt === askedAt
    this.#meters?.reported(_tag, isIt ? out.since : undefined)
    if (isIt) this.#amends.delete(tradeOrderId)
  }
}

/** One, or the two of a list. */
const submittedIn = ({ tradeOrderId, pairedWith }: VenueOrder): ReadonlyArray<TradeOrderId> =>
  pairedWith === undefined ? [tradeOrderId] : [tradeOrderId, pairedWith.tradeOrderId]

/** It never left this process: the order is as it was. */
const unamended = (tradeOrderId: TradeOrderId, askedAt: number, text: string, at: number): SessionReport => ({
  _tag: "AmendRefused",
  tradeOrderId,
  askedAt,
  unknownOrder: false,
  text,
  at,
})
