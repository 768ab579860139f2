/**
 * One connector as the rest of the gateway sees it: the desired state (streams and sessions, repeated to every new worker), requests in flight,
 * and what its crash means for them. Streams are lost, sessions are down (open-session.ts), and a call fails as unavailable; no caller is left
 * waiting.
 */
import { Effect } from "effect"
import type { VenueSecrets } from "../../domain/account/credential.ts"
import { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { InstrumentId, TradeOrderId } from "../../domain/ids.ts"
import { LeanMap } from "../../foundation/lean.ts"
import {
  BOOK_DIFFERS,
  BOOK_OUTRUN,
  BOOK_SILENT,
  type MarketSink,
  type MarketStream,
  type MarketTrade,
} from "../../ports/market-source.ts"
import type { VenueHealth } from "../../ports/venue-port.ts"
import type { SessionReport, VenueAmend, VenueOrder, VenueOrderRef } from "../../ports/venue-session.ts"
import { type ConnectorStats, RESYNC_REASONS, type ResyncReason } from "../../ports/venue-stats.ts"
import { TradeMemory } from "../trade-ids.ts"
import type { VenueMeters } from "../venue-meters.ts"
import { ConnectorLink, type LinkState } from "./connector-link.ts"
import { OpenSession } from "./open-session.ts"
import type { Placement } from "./placement.ts"
import { type Health, Reach } from "./reach.ts"
import type { ShardTimes } from "./shard.ts"
import type {
  BreakHow,
  CallName,
  CallRequest,
  Calls,
  Command,
  ConnectorSettings,
  VenueFailure,
  WorkerRecord,
} from "./wire.ts"

/** What fails here fails for all: the others ask with an account's key, and with what its owner says. */
const MARKET_CALLS: ReadonlySet<CallName> = new Set(["instruments", "klines", "confirm"])

interface Waiting {
  readonly name: CallName
  readonly answer: (value: unknown) => void
  readonly fail: (failure: VenueFailure) => void
}

const LOST: VenueFailure = { category: "VENUE_UNAVAILABLE", code: null, text: "the connector was lost" }

export interface SupervisorOptions {
  readonly settings: ConnectorSettings
  readonly times: ShardTimes
  readonly placement: Placement
  /** Words for the operator: worker deaths, stray rejections. Clean of secrets. */
  readonly notice: (what: string) => void
  readonly meters?: VenueMeters | undefined
}

export class Supervisor {
  readonly #settings: ConnectorSettings
  readonly #link: ConnectorLink
  readonly #notice: (what: string) => void
  readonly #meters: VenueMeters | undefined
  readonly #streams = new Map<string, { readonly stream: MarketStream; readonly instrumentId: InstrumentId }>()
  readonly #sessions = new Map<string, OpenSession>()
  readonly #calls = new LeanMap<number, Waiting>()
  readonly #trades = new TradeMemory()
  readonly #reach = new Reach()
  #sink: MarketSink | undefined
  #call = 0
  #shareOf = 1
  #gaps = 0
  #losses = 0
  #resyncs = 0
  readonly #resyncsBy = Object.fromEntries(RESYNC_REASONS.map((reason) => [reason, 0])) as Record<ResyncReason, number>

  constructor({ settings, times, placement, notice, meters }: SupervisorOptions) {
    this.#meters = meters
    this.#settings = settings
    this.#notice = notice
    this.#link = new ConnectorLink(settings, times, placement, {
      replay: () => this.#desired(),
      record: (record) => this.#onRecord(record),
      lost: (reason, began) => this.#onLost(reason, began),
    })
  }

  get state(): LinkState {
    return this.#link.state
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  health(): Health {
    const { state } = this.#link
    return this.#reach.health(state === "idle" || state === "stopped")
  }

  outage(): VenueHealth["outage"] {
    const { state } = this.#link
    return this.#reach.outage(state === "idle" || state === "stopped")
  }

  stats(): ConnectorStats {
    const { figures } = this.#link
    return {
      connector: this.#settings.connector,
      venue: this.#settings.profile.venue,
      shard: this.#link.shardName,
      state: this.#link.state,
      restarts: this.#link.restarts,
      streams: this.#streams.size,
      sessions: this.#sessions.size,
      callsInFlight: this.#calls.size,
      gaps: this.#gaps,
      losses: this.#losses,
      resyncs: this.#resyncs,
      resyncsBy: { ...this.#resyncsBy },
      figures: figures ?? null,
    }
  }

  listen(sink: MarketSink): void {
    this.#sink = sink
  }

  open(stream: MarketStream, instrumentId: InstrumentId): void {
    const key = `${stream} ${instrumentId}`
    if (this.#streams.has(key)) return
    this.#streams.set(key, { stream, instrumentId })
    this.#tell({ _tag: "Open", stream, instrumentId, told: null })
  }

  close(stream: MarketStream, instrumentId: InstrumentId): void {
    if (!this.#streams.delete(`${stream} ${instrumentId}`)) return
    if (stream === "trade") this.#trades.forget(instrumentId)
    this.#tell({ _tag: "Close", stream, instrumentId })
  }

  /** A worker that is not there will begin with a snapshot anyway. */
  resync(instrumentId: InstrumentId, reason: ResyncReason = "reader"): void {
    this.#resyncs += 1
    this.#resyncsBy[reason] += 1
    this.#link.post({ _tag: "Resync", instrumentId })
  }

  openSession(session: string, secrets: VenueSecrets, report: (report: SessionReport) => void): void {
    this.#sessions.set(session, new OpenSession(secrets, report, this.#meters))
    this.#tell({ _tag: "OpenSession", session, secrets })
  }

  closeSession(session: string): void {
    if (this.#sessions.delete(session)) this.#link.post({ _tag: "CloseSession", session })
  }

  /** No answer is owed: where it is lost with its worker, or there is none, `submit` begins anew. */
  prepare(session: string, order: VenueOrder): void {
    if (this.#sessions.has(session)) this.#link.post({ _tag: "Prepare", session, order })
  }

  forgo(session: string, tradeOrderId: TradeOrderId): void {
    if (this.#sessions.has(session)) this.#link.post({ _tag: "Forgo", session, tradeOrderId })
  }

  submit(session: string, order: VenueOrder): void {
    const open = this.#sessions.get(session)
    if (open === undefined) return
    open.submitting(order)
    if (!this.#link.post({ _tag: "Submit", session, order })) open.notSubmitted(order)
  }

  cancel(session: string, order: VenueOrderRef): void {
    const open = this.#sessions.get(session)
    if (open === undefined) return
    open.cancelling(order.tradeOrderId)
    if (!this.#link.post({ _tag: "Cancel", session, order })) open.notCancelled(order.tradeOrderId)
  }

  amend(session: string, order: VenueOrderRef, to: VenueAmend): void {
    const open = this.#sessions.get(session)
    if (open === undefined) return
    open.amending(order.tradeOrderId, to.askedAt)
    if (!this.#link.post({ _tag: "Amend", session, order, to })) open.notAmended(order.tradeOrderId, to.askedAt)
  }

  /** Asks the worker; fails with what the venue said, or at the deadline. */
  call<N extends CallName>(
    name: N,
    ask: Calls[N]["ask"],
    deadlineMillis: number,
  ): Effect.Effect<Calls[N]["answer"], VenueFailure> {
    let since = 0
    return Effect.async<Calls[N]["answer"], VenueFailure>((resume) => {
      since = performance.now()
      const call = ++this.#call
      // `Calls` ties the name to what is asked and to what is answered; the types of a union cannot follow it through a map.
      const request = { name, ...ask } as unknown as CallRequest
      this.#calls.set(call, {
        name,
        answer: (value) => resume(Effect.succeed(value as Calls[N]["answer"])),
        fail: (failure) => resume(Effect.fail(failure)),
      })
      this.#link.start()
      if (!this.#link.post({ _tag: "Call", call, request, deadlineMillis })) this.#settle(call)?.fail(LOST)
      return Effect.sync(() => this.#calls.delete(call))
    }).pipe(
      Effect.timeoutFail({
        duration: deadlineMillis,
        onTimeout: (): VenueFailure => ({
          category: "VENUE_TIMEOUT",
          code: null,
          text: `no answer within ${deadlineMillis} ms`,
        }),
      }),
      Effect.tapBoth({
        onSuccess: () => Effect.sync(() => this.#meters?.answered(name, null, since)),
        onFailure: (failure) => Effect.sync(() => this.#meters?.answered(name, failure, since)),
      }),
    )
  }

  /** So many connectors share the venue's request budget. */
  share(of: number): void {
    this.#shareOf = of
    this.#link.post({ _tag: "Share", of })
  }

  /** Fails the thread on purpose; only a breakable connector obeys. */
  break(how: BreakHow): void {
    this.#link.post({ _tag: "Break", how })
  }

  async stop(): Promise<void> {
    await this.#link.stop()
    for (const call of [...this.#calls.keys()]) this.#settle(call)?.fail(LOST)
  }

  /** For what is part of the desired state: a worker that is not there learns it when it starts. */
  #tell(command: Command): void {
    if (this.#link.state === "idle") this.#link.start()
    else this.#link.post(command)
  }

  *#desired(): Iterable<Command> {
    yield { _tag: "Share", of: this.#shareOf }
    for (const [session, { secrets }] of this.#sessions) yield { _tag: "OpenSession", session, secrets }
    for (const { stream, instrumentId } of this.#streams.values()) {
      const told = stream === "trade" ? this.#trades.recall(instrumentId) : null
      yield { _tag: "Open", stream, instrumentId, told }
    }
  }

  #settle(call: number): Waiting | undefined {
    const waiting = this.#calls.get(call)
    this.#calls.delete(call)
    return waiting
  }

  #onRecord(record: WorkerRecord): void {
    switch (record._tag) {
      case "Depth":
        this.#reach.seen()
        if (this.#streams.has(`book ${record.update.instrumentId}`)) this.#sink?.depth(record.update)
        return
      case "Trades":
        this.#reach.seen()
        this.#onTrades(record.trades)
        return
      case "TradesMissed":
        if (this.#streams.has(`trade ${record.instrumentId}`)) this.#sink?.tradesMissed(record.instrumentId)
        return
      case "Ticker":
        this.#reach.seen()
        this.#sink?.ticker(record.update)
        return
      case "Kline":
        this.#reach.seen()
        this.#sink?.kline(record.update)
        return
      case "Unstreamed":
        this.#sink?.unstreamed(record.stream, record.instrumentId)
        return
      case "StreamLost":
        this.#losses += 1
        if (record.reason.startsWith("STREAM_GAP")) this.#gaps += 1
        if (record.reason.startsWith(BOOK_DIFFERS)) this.#resyncsBy.differs += 1
        if (record.reason.startsWith(BOOK_SILENT)) this.#resyncsBy.silent += 1
        if (record.reason.startsWith(BOOK_OUTRUN)) this.#resyncsBy.outrun += 1
        this.#reach.failed(record.reason, "MARKET")
        if (this.#streams.has(`${record.stream} ${record.instrumentId}`)) {
          this.#sink?.down(record.stream, record.instrumentId, record.reason)
        }
        return
      case "Report":
        this.#onReport(record.session, record.report)
        return
      case "Answer":
        this.#reach.seen()
        this.#settle(record.call)?.answer(record.value)
        return
      case "Failed":
        this.#onFailed(record.call, record.failure)
        return
      case "Reachable":
        if (record.reason === null) this.#reach.seen()
        else this.#reach.lost(record.reason)
        return
      case "Noticed":
        this.#notice(record.what)
        return
      case "Hello":
      case "Blamed":
        return
    }
  }

  #onFailed(call: number, failure: VenueFailure): void {
    const waiting = this.#settle(call)
    const isOfAll = waiting !== undefined && MARKET_CALLS.has(waiting.name)
    this.#reach.failed(`${failure.category}: ${failure.text}`, isOfAll ? "MARKET" : "ACCOUNT")
    waiting?.fail(failure)
  }

  /** One frame's, of one instrument. */
  #onTrades(trades: ReadonlyArray<MarketTrade>): void {
    const [first] = trades
    if (first === undefined || !this.#streams.has(`trade ${first.instrumentId}`)) return
    const fresh = this.#trades.take(trades)
    if (fresh.length > 0) this.#sink?.trades(fresh)
  }

  #onReport(session: string, report: SessionReport): void {
    const open = this.#sessions.get(session)
    if (open === undefined) return
    if (report._tag === "StreamUp") this.#reach.seen()
    else if (report._tag === "StreamDown") this.#reach.failed(report.reason, "ACCOUNT")
    open.reported(report)
  }

  #onLost(cause: string, began: boolean): void {
    const reason = `the connector was lost: ${cause.slice(0, 150)}`
    this.#notice(reason)
    this.#reach.lost(reason)
    for (const { stream, instrumentId } of this.#streams.values()) this.#sink?.down(stream, instrumentId, reason)
    for (const session of this.#sessions.values()) session.lost(reason, began)
    for (const call of [...this.#calls.keys()]) this.#settle(call)?.fail(LOST)
  }
}

/** What a caller is told: the category, and the venue's own code. Texts of ours or of ccxt are for the operator. */
export const unavailable = ({ category, code }: VenueFailure): VenueUnavailable =>
  new VenueUnavailable({ reason: code === null ? category : `${category} (${code})` })
