/**
 * The private sessions at the simulated venue and the way of each event to them: lost while the stream is down, else delivered, dropped,
 * repeated and delayed as fates and traits say.
 */
import type { SessionReport, VenueFill } from "../../../src/ports/venue-session.ts"
import type { Exchange } from "./exchange.ts"

export interface OpenSession {
  /** The exchange account that it is for. */
  readonly account: string
  readonly report: (report: SessionReport) => void
  /** Orders whose client id it has heard, by the venue's id: as the connectors remember them. */
  readonly known: Set<string>
  streamUp: boolean
  closed: boolean
  /** The credential does not work: no call is made any more. */
  isRefused: boolean
  /** Counts the sockets of its private stream. */
  socket: number
  /** Trades that it was told when it asked for them. */
  readonly toldTrades: Set<VenueFill>
  /** It will ask for its balances, or must not yet. */
  balancesAskedAt: number
}

const REPEATED_WITHIN_MILLIS = 60_000
const DELAY = 20

export class VenueSessions {
  /** Oldest first. */
  private readonly all = new Set<OpenSession>()
  /** Exchange accounts whose credentials the venue refuses. */
  private readonly revoked = new Set<string>()

  constructor(private readonly exchange: Exchange) {}

  open(account: string, report: OpenSession["report"], streamUp: boolean): OpenSession {
    const session = {
      account,
      report,
      known: new Set<string>(),
      streamUp,
      closed: false,
      isRefused: false,
      socket: 0,
      toldTrades: new Set<VenueFill>(),
      balancesAskedAt: Number.NEGATIVE_INFINITY,
    }
    this.all.add(session)
    if (!streamUp) report({ _tag: "StreamDown", reason: "simulated" })
    if (this.revoked.has(account)) this.refuse(session)
    return session
  }

  close(session: OpenSession): void {
    session.closed = true
    this.all.delete(session)
  }

  /** The process that held them is gone. */
  closeAll(): void {
    for (const session of [...this.all]) this.close(session)
  }

  newest(account: string): OpenSession | null {
    return [...this.all].findLast((it) => it.account === account) ?? null
  }

  of(account?: string): ReadonlyArray<OpenSession> {
    return [...this.all].filter((it) => (account ?? it.account) === it.account)
  }

  /** An event of the private stream, to every session of the exchange account. */
  tell(report: SessionReport, account: string, session?: OpenSession): void {
    const { fates, random, traits } = this.exchange
    for (const open of session === undefined ? this.of(account) : [session]) {
      if (!open.streamUp || open.isRefused) continue
      const fate = fates.stream(report)
      if (fate === "drop") continue
      const spread = traits.eventSpreadMillis === 0 ? 0 : random.between(0, traits.eventSpreadMillis)
      const latency = fates.latencyMillis() * (fate === "delay" ? DELAY : 1) + spread
      this.deliver(open, report, latency)
      if (fate === "twice") this.deliver(open, report, latency + fates.latencyMillis() * 3)
      if (traits.eventRepeats > 0 && random.chance(traits.eventRepeats))
        this.deliver(open, report, latency + random.between(0, REPEATED_WITHIN_MILLIS))
    }
  }

  /** What a session does with an event, at its arrival. */
  uponEvent(event: SessionReport, open: OpenSession, run: () => void): void {
    const { fates, time } = this.exchange
    if (!open.streamUp || open.isRefused || fates.stream(event) === "drop") return
    time.schedule(() => {
      if (!open.closed) run()
    }, fates.latencyMillis())
  }

  /** The answer to a request. */
  answer(session: OpenSession, report: SessionReport): void {
    this.deliver(session, report, this.exchange.fates.latencyMillis())
  }

  deliver(session: OpenSession, report: SessionReport, latency: number): void {
    this.exchange.time.schedule(() => {
      if (!session.closed) session.report(report)
    }, latency)
  }

  streamDown(account?: string): void {
    for (const session of this.of(account)) {
      if (!session.streamUp || session.isRefused) continue
      this.exchange.note(`private stream of ${session.account} down`)
      session.streamUp = false
      session.socket++
      this.deliver(session, { _tag: "StreamDown", reason: "simulated" }, 0)
    }
  }

  streamUp(account?: string): void {
    for (const session of this.of(account)) {
      if (session.streamUp || session.isRefused) continue
      this.exchange.note(`private stream of ${session.account} up`)
      session.streamUp = true
      this.deliver(session, { _tag: "StreamUp" }, 0)
    }
  }

  /** The venue takes the account's credential no more, or again. Sessions that were refused stay so. */
  revoke(account: string): void {
    this.exchange.note(`credential of ${account} revoked`)
    this.revoked.add(account)
    for (const session of this.of(account)) this.refuse(session)
  }

  accept(account: string): void {
    this.exchange.note(`credential of ${account} accepted`)
    this.revoked.delete(account)
  }

  private refuse(session: OpenSession): void {
    if (session.isRefused) return
    session.isRefused = true
    this.answer(session, { _tag: "SessionRefused", reason: "simulated" })
  }
}
