/**
 * One shard of a venue as the rest of the gateway sees it: the desired state (streams and sessions, repeated to every new worker),
 * what is in flight, and what a worker's death means for it. Streams are lost, sessions are down, a submit that the worker may
 * have read is in doubt, and a call is unavailable; nobody is left waiting.
 */
import { Effect } from "effect"
import type { VenueSecrets } from "../domain/credential.ts"
import { VenueUnavailable } from "../domain/errors.ts"
import type { InstrumentId, TradeOrderId } from "../domain/ids.ts"
import type { MarketSink, MarketStream, SessionReport, VenueOrder, VenueOrderRef } from "../ports/venue-port.ts"
import { Shard, type ShardState, type ShardTimes } from "./shard.ts"
import type { CallName, CallRequest, Calls, Command, ShardSettings, VenueFailure, WorkerRecord } from "./wire.ts"

interface Session {
  readonly secrets: VenueSecrets
  readonly report: (report: SessionReport) => void
  readonly submits: Set<TradeOrderId>
  readonly cancels: Set<TradeOrderId>
}

interface Waiting {
  readonly answer: (value: unknown) => void
  readonly fail: (failure: VenueFailure) => void
}

const LOST: VenueFailure = { category: "VENUE_UNAVAILABLE", code: null, text: "the connector was lost" }

/** Failures, by category, that say nothing but that the venue is not there. */
const OUT_OF_REACH = /^VENUE_(UNREACHABLE|NETWORK|TIMEOUT|UNAVAILABLE)\b/

export interface SupervisorOptions {
  readonly settings: ShardSettings
  readonly times: ShardTimes
  /** Words for the operator: worker deaths, stray rejections. Clean of secrets. */
  readonly notice: (what: string) => void
}

export class Supervisor {
  readonly #shard: Shard
  readonly #notice: (what: string) => void
  readonly #streams = new Map<string, { readonly stream: MarketStream; readonly instrumentId: InstrumentId }>()
  readonly #sessions = new Map<string, Session>()
  readonly #calls = new Map<number, Waiting>()
  #sink: MarketSink | undefined
  #call = 0
  /** Whether the venue could be reached the last time somebody looked; undefined: nobody has. */
  #reached: boolean | undefined
  #reason: string | null = null

  constructor({ settings, times, notice }: SupervisorOptions) {
    this.#notice = notice
    this.#shard = new Shard(settings, times, {
      replay: () => this.#desired(),
      record: (record) => this.#onRecord(record),
      lost: (reason, began) => this.#onLost(reason, began),
    })
  }

  get state(): ShardState {
    return this.#shard.state
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  health(): { readonly status: "idle" | "up" | "down"; readonly reason: string | null } {
    if (this.#shard.state === "idle" || this.#shard.state === "stopped") return { status: "idle", reason: null }
    if (this.#shard.state === "waiting") return { status: "down", reason: this.#reason }
    if (this.#reached === undefined) return { status: "idle", reason: null }
    return this.#reached ? { status: "up", reason: null } : { status: "down", reason: this.#reason }
  }

  listen(sink: MarketSink): void {
    this.#sink = sink
  }

  open(stream: MarketStream, instrumentId: InstrumentId): void {
    const key = `${stream} ${instrumentId}`
    if (this.#streams.has(key)) return
    this.#streams.set(key, { stream, instrumentId })
    this.#tell({ _tag: "Open", stream, instrumentId })
  }

  close(stream: MarketStream, instrumentId: InstrumentId): void {
    if (this.#streams.delete(`${stream} ${instrumentId}`)) this.#tell({ _tag: "Close", stream, instrumentId })
  }

  /** A worker that is not there will begin with a snapshot anyway. */
  resync(instrumentId: InstrumentId): void {
    this.#shard.post({ _tag: "Resync", instrumentId })
  }

  openSession(session: string, secrets: VenueSecrets, report: (report: SessionReport) => void): void {
    this.#sessions.set(session, { secrets, report, submits: new Set(), cancels: new Set() })
    this.#tell({ _tag: "OpenSession", session, secrets })
  }

  closeSession(session: string): void {
    if (this.#sessions.delete(session)) this.#shard.post({ _tag: "CloseSession", session })
  }

  submit(session: string, order: VenueOrder): void {
    const { tradeOrderId } = order
    const open = this.#sessions.get(session)
    if (open === undefined) return
    open.submits.add(tradeOrderId)
    if (this.#shard.post({ _tag: "Submit", session, order })) return
    open.submits.delete(tradeOrderId)
    // After the caller's turn: a report never comes out of the call that asked for it.
    queueMicrotask(() =>
      open.report({ _tag: "NotSent", tradeOrderId, reason: "no connector is running", at: Date.now() }),
    )
  }

  cancel(session: string, order: VenueOrderRef): void {
    const { tradeOrderId } = order
    const open = this.#sessions.get(session)
    if (open === undefined) return
    open.cancels.add(tradeOrderId)
    if (this.#shard.post({ _tag: "Cancel", session, order })) return
    open.cancels.delete(tradeOrderId)
    queueMicrotask(() =>
      open.report({ _tag: "CancelInDoubt", tradeOrderId, reason: "no connector is running", at: Date.now() }),
    )
  }

  /** Asks the worker; fails with what the venue said, or at the deadline. */
  call<N extends CallName>(
    name: N,
    ask: Calls[N]["ask"],
    deadlineMillis: number,
  ): Effect.Effect<Calls[N]["answer"], VenueFailure> {
    return Effect.async<Calls[N]["answer"], VenueFailure>((resume) => {
      const call = ++this.#call
      // `Calls` ties the name to what is asked and to what is answered; the types of a union cannot follow it through a map.
      const request = { name, ...ask } as unknown as CallRequest
      this.#calls.set(call, {
        answer: (value) => resume(Effect.succeed(value as Calls[N]["answer"])),
        fail: (failure) => resume(Effect.fail(failure)),
      })
      this.#shard.start()
      if (!this.#shard.post({ _tag: "Call", call, request })) this.#settle(call)?.fail(LOST)
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
    )
  }

  /** Fails the thread on purpose; only a breakable shard obeys. */
  break(how: Extract<Command, { readonly _tag: "Break" }>["how"]): void {
    this.#shard.post({ _tag: "Break", how })
  }

  async stop(): Promise<void> {
    await this.#shard.stop()
    for (const call of [...this.#calls.keys()]) this.#settle(call)?.fail(LOST)
  }

  /** For what is part of the desired state: a worker that is not there learns it when it starts. */
  #tell(command: Command): void {
    if (this.#shard.state === "idle") this.#shard.start()
    else this.#shard.post(command)
  }

  *#desired(): Iterable<Command> {
    for (const [session, { secrets }] of this.#sessions) yield { _tag: "OpenSession", session, secrets }
    for (const { stream, instrumentId } of this.#streams.values()) yield { _tag: "Open", stream, instrumentId }
  }

  #settle(call: number): Waiting | undefined {
    const waiting = this.#calls.get(call)
    this.#calls.delete(call)
    return waiting
  }

  #onRecord(record: WorkerRecord): void {
    switch (record._tag) {
      case "Depth":
        this.#reached = true
        if (this.#streams.has(`book ${record.update.instrumentId}`)) this.#sink?.depth(record.update)
        return
      case "Trades":
        this.#reached = true
        this.#sink?.trades(record.trades)
        return
      case "Ticker":
        this.#reached = true
        this.#sink?.ticker(record.update)
        return
      case "StreamLost":
        this.#wentWrong(record.reason)
        if (this.#streams.has(`${record.stream} ${record.instrumentId}`)) {
          this.#sink?.down(record.stream, record.instrumentId, record.reason)
        }
        return
      case "Report":
        this.#onReport(record.session, record.report)
        return
      case "Answer":
        this.#reached = true
        this.#settle(record.call)?.answer(record.value)
        return
      case "Failed":
        this.#wentWrong(`${record.failure.category}: ${record.failure.text}`)
        this.#settle(record.call)?.fail(record.failure)
        return
      case "Reachable":
        this.#reached = record.reason === null
        this.#reason = record.reason
        return
      case "Noticed":
        this.#notice(record.what)
        return
      case "Hello":
      case "Pong":
        return
    }
  }

  #onReport(name: string, report: SessionReport): void {
    const session = this.#sessions.get(name)
    if (session === undefined) return
    switch (report._tag) {
      case "Accepted":
      case "Refused":
      case "NotSent":
      case "InDoubt":
        session.submits.delete(report.tradeOrderId)
        break
      case "CancelAccepted":
      case "CancelRefused":
      case "CancelInDoubt":
        session.cancels.delete(report.tradeOrderId)
        break
      case "StreamUp":
        this.#reached = true
        break
      case "StreamDown":
        this.#wentWrong(report.reason)
        break
    }
    session.report(report)
  }

  /** Only what means that the venue is not there counts against its health: a refused order does not, a gap does not. */
  #wentWrong(reason: string): void {
    if (!OUT_OF_REACH.test(reason)) return
    this.#reached = false
    this.#reason = reason
  }

  #onLost(cause: string, began: boolean): void {
    const reason = `the connector was lost: ${cause.slice(0, 150)}`
    this.#notice(reason)
    this.#reached = false
    this.#reason = reason
    for (const { stream, instrumentId } of this.#streams.values()) this.#sink?.down(stream, instrumentId, reason)
    const at = Date.now()
    for (const { report, submits, cancels } of this.#sessions.values()) {
      report({ _tag: "StreamDown", reason })
      for (const tradeOrderId of submits) {
        // A worker that never began has read nothing. One that did may have signed and sent.
        report(began ? { _tag: "InDoubt", tradeOrderId, reason, at } : { _tag: "NotSent", tradeOrderId, reason, at })
      }
      submits.clear()
      for (const tradeOrderId of cancels) report({ _tag: "CancelInDoubt", tradeOrderId, reason, at })
      cancels.clear()
    }
    for (const call of [...this.#calls.keys()]) this.#settle(call)?.fail(LOST)
  }
}

/** What a caller is told: the category, and the venue's own code. Texts of ours or of ccxt are for the operator. */
export const unavailable = ({ category, code }: VenueFailure): VenueUnavailable =>
  new VenueUnavailable({ reason: code === null ? category : `${category} (${code})` })
