/**
 * Requests of this node's clients on their way to the node that does them. The one thing to know: what was certainly not taken is held and asked again, of
 * whichever node does them by then, until its time is over; what may have been done is asked again only if it changes nothing.
 */
import { LeanSet } from "../../foundation/lean.ts"
import { SharedRoom } from "../../foundation/shared-room.ts"
import {
  type AskOutcome,
  type CableService,
  isTooLate,
  LAST_WORDS_MILLIS,
  type NotTakenReason,
  type Peer,
} from "../../ports/cable.ts"
import type { HomeService } from "../../ports/cluster.ts"
import type { Counter, HistogramSeries, MeterBoard } from "../../ports/meters.ts"

/** The name under which they are asked. */
export const PEER_CALLS = "call"

/** Between two looks at what is held, while something is. */
const AGAIN_MILLIS = 100
/** They say something of one request, and nothing of the node. */
const OF_ONE: ReadonlySet<NotTakenReason> = new Set(["late", "unknown"])
/** Held and asked, so that what a node keeps for one that is away is bounded: bodies have 64 KB at most. */
export const ERRANDS_MAX = 5_000

export interface Errand {
  /** Whose share of them it takes: the client's address, as limits count it. */
  readonly from: string
  readonly head: string
  readonly body: Uint8Array | string
  /** It changes nothing. */
  readonly isRead: boolean
  /** By this process's monotonic clock, in ms. */
  readonly deadline: number
  /** Its client has an answer, or is gone. */
  readonly isOver: () => boolean
  /** Called once at most. */
  readonly answered: (head: string, payload: Buffer) => void
  /** It was not answered until its deadline, or until its last words after a later owner was heard, and may have been done. */
  readonly unanswered: () => void
}

export interface ForwarderParts {
  readonly cable: Pick<CableService, "ask" | "isUp" | "onUp">
  readonly home: HomeService
  readonly monotonic: () => number
  readonly after: (millis: number, work: () => void) => void
  readonly meters: MeterBoard
}

interface Shunned {
  readonly peer: Peer
  /** Monotonic ms. */
  readonly until: number
}

const isFor = (shunned: Shunned | undefined, peer: Peer | undefined, now: number): boolean =>
  shunned !== undefined && shunned.until > now && isSame(shunned.peer, peer)

class Running {
  /** Of asks that were sent and have no outcome yet. */
  asked = 0
  term = 0
  constructor(
    readonly errand: Errand,
    readonly beganAt: number,
  ) {}

  /** At some moment it was with a node: whether it was done is known from an answer only. */
  get isOut(): boolean {
    return this.asked > 0
  }
}

export interface Passing {
  /** Whether it may have been done: while it is, or was not, answered. */
  readonly isOut: boolean
}

export class Forwarder {
  private readonly running = new LeanSet<Running>()
  private readonly held = new LeanSet<Running>()
  private readonly room = new SharedRoom(ERRANDS_MAX)
  private willLook = false
  /** It takes nothing just now: neither will it take the next. */
  private shunned: Shunned | undefined = undefined
  /** It takes no more changes just now, and answers what changes nothing. */
  private crowded: Shunned | undefined = undefined
  private readonly outcomes: Counter<"peer_asks_total">
  private readonly seconds: HistogramSeries

  constructor(private readonly parts: ForwarderParts) {
    const { meters, cable, home } = parts
    this.outcomes = meters.counter("peer_asks_total")
    this.seconds = meters.histogram("peer_call_duration_seconds").of()
    meters.read("peer_calls_held", () => this.held.size)
    cable.onUp(() => this.askHeld())
    home.onPeer(() => this.follow())
  }

  /** Undefined: there is no room. */
  pass(errand: Errand): Passing | undefined {
    if (!this.room.take(errand.from)) return undefined
    const one = new Running(errand, this.parts.monotonic())
    this.running.add(one)
    this.ask(one)
    return one
  }

  private ask(one: Running): void {
    const { cable, home, monotonic } = this.parts
    const { errand } = one
    const now = monotonic()
    if (errand.isOver() || errand.deadline <= now) return this.end(one)
    const to = home.peer()
    const isShunned = isFor(this.shunned, to, now) || (!errand.isRead && isFor(this.crowded, to, now))
    // Its word that it is late may come too late itself, and then nothing would be known.
    if (to === undefined || isShunned || !cable.isUp() || isTooLate(errand.deadline, now)) return this.hold(one)
    this.held.delete(one)
    one.asked++
    one.term = to.term
    const { head, body: payload, deadline } = errand
    cable.ask({ to, service: PEER_CALLS, head, payload, deadline, done: (outcome) => this.ended(one, to, outcome) })
  }

  private ended(one: Running, peer: Peer, outcome: AskOutcome): void {
    const { errand } = one
    this.outcomes.add(outcome._tag === "NotTaken" ? outcome.reason : outcome._tag.toLowerCase())
    if (!this.running.has(one)) return
    if (errand.isOver()) return this.end(one)
    switch (outcome._tag) {
      case "Answered":
        this.end(one)
        this.seconds.observe((this.parts.monotonic() - one.beganAt) / 1_000)
        return errand.answered(outcome.head, outcome.payload)
      case "Unanswered":
        // What was asked meanwhile of the next one may still be answered; its deadline is the same.
        this.end(one)
        return errand.unanswered()
      case "NotTaken":
        one.asked--
        this.shun(peer, outcome.reason)
        return one.isOut ? undefined : this.hold(one)
    }
  }

  private shun(peer: Peer, reason: NotTakenReason): void {
    if (OF_ONE.has(reason)) return
    const shunned = { peer, until: this.parts.monotonic() + AGAIN_MILLIS / 2 }
    if (reason === "crowded") this.crowded = shunned
    else this.shunned = shunned
  }

  private end(one: Running): void {
    if (!this.running.delete(one)) return
    this.held.delete(one)
    this.room.leave(one.errand.from)
  }

  private hold(one: Running): void {
    this.held.add(one)
    if (this.willLook) return
    this.willLook = true
    this.parts.after(AGAIN_MILLIS, () => {
      this.willLook = false
      this.askHeld()
    })
  }

  private askHeld(): void {
    for (const one of [...this.held]) this.ask(one)
  }

  /**
   * Another node does them: what was held, and what was asked of the one before and changes nothing. A change that was asked of the one before is answered no more,
   * but for its last words: its database is another's. What it did not take is held by then.
   */
  private follow(): void {
    const to = this.parts.home.peer()
    this.askHeld()
    if (to === undefined) return
    const isOutdated = (one: Running): boolean => one.isOut && one.term < to.term && !this.held.has(one)
    const changes: Array<Running> = []
    for (const one of [...this.running]) {
      if (!isOutdated(one)) continue
      if (one.errand.isRead) this.ask(one)
      else changes.push(one)
    }
    if (changes.length === 0) return
    this.parts.after(LAST_WORDS_MILLIS, () => {
      for (const one of changes) if (this.running.has(one) && isOutdated(one)) this.giveUp(one)
    })
  }

  private giveUp(one: Running): void {
    this.end(one)
    if (!one.errand.isOver()) one.errand.unanswered()
  }
}

const isSame = (one: Peer, other: Peer | undefined): boolean => one.inbox === other?.inbox && one.term === other.term
