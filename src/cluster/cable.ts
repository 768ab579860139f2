/**
 * Asks and answers over a wire. All that is said to a process in one loop turn is one frame: most of what a message costs is the frame's. The one thing to
 * know: an ask is given back as not taken only where that is certain, for it may then be sent to another process; and it is never sent twice here.
 */
import { LeanMap } from "../foundation/lean.ts"
import { TurnShare } from "../foundation/turn-share.ts"
import type { Ask, Asked, AskOutcome, CableService, NotTakenReason, Service } from "../ports/cable.ts"
import { PeerClocks } from "./clocks.ts"
import { ANSWER, ASK, type Frame, frameBytes, type Message, NEWS, REFUSAL, readFrame, roomOf } from "./frames.ts"
import { KEPT_MILLIS, SeenAsks } from "./seen.ts"
import type { Wire } from "./wire.ts"

/** Of one frame, as far as messages can be told apart; brokers take 1 MiB unless they are told otherwise. */
const FRAME_BYTES_MAX = 262_144
/** A longer answer goes in pieces, each in a frame of its own. */
const PIECE_BYTES = 196_608
/** How often asks are looked through for deadlines that are over, in ms. */
const LOOK_MILLIS = 100
/** What waits for a broker that is away: answers, for those who may still hear them. */
const WAITING_BYTES_MAX = 67_108_864
/** For so long after the broker is back some processes are not: an answer without a listener is said again. */
const RETURN_MILLIS = 2_000
const AGAIN_MILLIS = 100

interface Pending {
  readonly ask: Ask
  /** Of the frame that it left in; 0: it is in a queue. */
  frame: number
  pieces: Array<Buffer | undefined> | undefined
  head: string
}

interface Queued extends Message {
  /** By this process's clock: later it says nothing to anyone. */
  readonly until: number
}

export interface CableParts {
  readonly wire: Wire
  /** Letters, digits and `-`: of this life of the process alone. */
  readonly inbox: string
  /** Before each subject: of one installation on a broker that may have several. */
  readonly prefix: string
  readonly monotonic: () => number
  /** Runs the work at the end of this loop turn. */
  readonly soon: (work: () => void) => void
  readonly after: (millis: number, work: () => void) => void
  /** A defect in what was called. */
  readonly onDefect: (error: unknown) => void
}

export class Cable implements CableService {
  private readonly queues = new LeanMap<string, Array<Queued>>()
  private readonly pending = new LeanMap<number, Pending>()
  private readonly clocks = new PeerClocks()
  private readonly seen = new SeenAsks()
  private readonly services = new Map<string, Service>()
  private readonly upListeners = new Set<() => void>()
  private asked = 0
  private frames = 0
  private waitingBytes = 0
  private willFlush = false
  private willLook = false
  /**
   * Asks of services that take them in turns, not looked at yet: what was held while there was no owner comes to the next one all at once, and would keep
   * its loop from the answers, so that what it has begun looks late.
   */
  private arrived: Array<readonly [from: string, ask: Message & { readonly payload: Buffer }]> = []
  private willTake = false
  private readonly share: TurnShare
  /** While some may not be back at the broker: frames with answers, by number. */
  private returning: Map<number, readonly [inbox: string, answers: ReadonlyArray<Queued>]> | undefined = undefined

  constructor(private readonly parts: CableParts) {
    const { wire, monotonic } = parts
    this.share = new TurnShare(monotonic)
    wire.tell({ up: () => this.resume(), undelivered: (number) => this.undelivered(number) })
    wire.listen(this.subjectOf(parts.inbox), (bytes) => this.take(bytes))
  }

  get inbox(): string {
    return this.parts.inbox
  }

  readonly isUp = (): boolean => this.parts.wire.isUp()

  readonly serve: CableService["serve"] = (name, service) => {
    this.services.set(name, service)
    return () => {
      if (this.services.get(name) === service) this.services.delete(name)
    }
  }

  readonly onUp = (listener: () => void): (() => void) => {
    this.upListeners.add(listener)
    return () => this.upListeners.delete(listener)
  }

  readonly ask = (ask: Ask): void => {
    const { wire, monotonic } = this.parts
    const now = monotonic()
    const lead = this.clocks.leadOf(ask.to.inbox, now)
    const why = !wire.isUp() ? "down" : lead === undefined ? "unheard" : ask.deadline <= now ? "late" : undefined
    if (why !== undefined) return this.end(ask, { _tag: "NotTaken", reason: why })
    const id = ++this.asked
    this.pending.set(id, { ask, frame: 0, pieces: undefined, head: "" })
    this.lookLater()
    const { to, service, head, payload, deadline } = ask
    const message = {
      kind: ASK,
      id,
      deadline: deadline + lead!,
      term: to.term,
      part: 0,
      parts: 1,
      service,
      head,
      payload,
    }
    this.queue(to.inbox, { ...message, until: deadline })
  }

  readonly tell = (subject: string, text: string): void => {
    const { wire, inbox, monotonic } = this.parts
    if (!wire.isUp()) return
    const news = { kind: NEWS, id: 0, deadline: 0, term: 0, part: 0, parts: 1, service: "", head: text, payload: "" }
    wire.send(this.subjectOf(subject), frameBytes(inbox, monotonic(), [news]))
  }

  readonly hear: CableService["hear"] = (subject, take) =>
    this.parts.wire.listen(this.subjectOf(subject), (bytes) => {
      const frame = this.read(bytes)
      for (const { kind, head } of frame?.messages ?? []) if (kind === NEWS) this.guarded(() => take(head, frame!.from))
    })

  /** What was asked ends as unanswered. */
  close(): void {
    this.services.clear()
    for (const id of [...this.pending.keys()]) this.settle(id, { _tag: "Unanswered" })
  }

  private subjectOf(name: string): string {
    return `${this.parts.prefix}.${name}`
  }

  private guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.parts.onDefect(error)
    }
  }

  private end(ask: Ask, outcome: AskOutcome): void {
    this.guarded(() => ask.done(outcome))
  }

  private settle(id: number, outcome: AskOutcome): void {
    const pending = this.pending.get(id)
    if (pending === undefined) return
    this.pending.delete(id)
    this.end(pending.ask, outcome)
  }

  /** The frame had no listener: none of its asks was read. */
  private undelivered(frame: number): void {
    const again = this.returning?.get(frame)
    if (again !== undefined) {
      const [inbox, answers] = again
      this.parts.after(AGAIN_MILLIS, () => {
        for (const answer of answers) this.queue(inbox, answer)
      })
    }
    for (const [id, pending] of this.pending)
      if (pending.frame === frame) this.settle(id, { _tag: "NotTaken", reason: "absent" })
  }

  private lookLater(): void {
    if (this.willLook || this.pending.size === 0) return
    this.willLook = true
    this.parts.after(LOOK_MILLIS, () => {
      this.willLook = false
      this.look()
      this.lookLater()
    })
  }

  private look(): void {
    const now = this.parts.monotonic()
    for (const [id, { ask, frame }] of this.pending)
      if (ask.deadline <= now)
        this.settle(id, frame === 0 ? { _tag: "NotTaken", reason: "late" } : { _tag: "Unanswered" })
    this.clocks.forgetSilent(now)
  }

  // Sending.

  private queue(inbox: string, message: Queued): void {
    const queue = this.queues.get(inbox)
    if (queue === undefined) this.queues.set(inbox, [message])
    else queue.push(message)
    this.flushSoon()
  }

  private flushSoon(): void {
    if (this.willFlush) return
    this.willFlush = true
    this.parts.soon(() => {
      this.willFlush = false
      this.flush()
    })
  }

  private flush(): void {
    const isUp = this.parts.wire.isUp()
    const queues = [...this.queues]
    this.queues.clear()
    this.waitingBytes = 0
    for (const [inbox, queue] of queues)
      if (isUp) this.sendAll(inbox, queue)
      else this.keep(inbox, queue)
  }

  private resume(): void {
    const returning = new Map<number, readonly [string, ReadonlyArray<Queued>]>()
    this.returning = returning
    this.parts.after(RETURN_MILLIS, () => {
      if (this.returning === returning) this.returning = undefined
    })
    this.flushSoon()
    for (const listener of this.upListeners) this.guarded(listener)
  }

  /** Asks that have not left go back; answers wait for the broker. */
  private keep(inbox: string, queue: ReadonlyArray<Queued>): void {
    const kept: Array<Queued> = []
    for (const message of queue)
      if (message.kind === ASK) this.settle(message.id, { _tag: "NotTaken", reason: "down" })
      else if (this.waitingBytes < WAITING_BYTES_MAX) {
        this.waitingBytes += roomOf(message)
        kept.push(message)
      }
    if (kept.length > 0) this.queues.set(inbox, kept)
  }

  private sendAll(inbox: string, queue: ReadonlyArray<Queued>): void {
    const now = this.parts.monotonic()
    let frame: Array<Queued> = []
    let room = 0
    for (const message of queue) {
      if (message.until <= now) {
        if (message.kind === ASK) this.settle(message.id, { _tag: "NotTaken", reason: "late" })
        continue
      }
      const more = roomOf(message)
      if (room > 0 && room + more > FRAME_BYTES_MAX) {
        this.send(inbox, frame)
        frame = []
        room = 0
      }
      frame.push(message)
      room += more
    }
    if (frame.length > 0) this.send(inbox, frame)
  }

  private send(inbox: string, messages: ReadonlyArray<Queued>): void {
    const { wire, monotonic } = this.parts
    const number = ++this.frames
    let asks = 0
    for (const { kind, id } of messages)
      if (kind === ASK) {
        asks++
        const pending = this.pending.get(id)
        if (pending !== undefined) pending.frame = number
      }
    const { returning } = this
    if (returning !== undefined && asks < messages.length)
      returning.set(number, [inbox, messages.filter(({ kind }) => kind !== ASK)])
    const bytes = frameBytes(this.parts.inbox, monotonic(), messages)
    const isMissed = asks > 0 || returning !== undefined
    this.guarded(() => wire.send(this.subjectOf(inbox), bytes, isMissed ? number : undefined))
  }

  private say(inbox: string, until: number, kind: number, id: number, head: string, payload: string): void {
    const rest = { deadline: 0, term: 0, service: "", until: until + KEPT_MILLIS }
    if (payload.length < PIECE_BYTES / 3 || Buffer.byteLength(payload) <= PIECE_BYTES)
      return this.queue(inbox, { kind, id, part: 0, parts: 1, head, payload, ...rest })
    const bytes = Buffer.from(payload)
    const parts = Math.ceil(bytes.length / PIECE_BYTES)
    for (let part = 0; part < parts; part++) {
      const piece = bytes.subarray(part * PIECE_BYTES, (part + 1) * PIECE_BYTES)
      this.queue(inbox, { kind, id, part, parts, head: part === 0 ? head : "", payload: piece, ...rest })
    }
  }

  // Receiving.

  private read(bytes: Uint8Array): Frame | undefined {
    const frame = readFrame(bytes)
    if (frame !== undefined) this.clocks.heard(frame.from, frame.stamp, this.parts.monotonic())
    return frame
  }

  private take(bytes: Uint8Array): void {
    const frame = this.read(bytes)
    if (frame === undefined) return
    for (const message of frame.messages)
      if (message.kind === ASK) {
        if (this.services.get(message.service)?.isInTurns === true) this.arrived.push([frame.from, message])
        else this.takeAsk(frame.from, message)
      } else if (message.kind === ANSWER) this.takeAnswer(message)
      else if (message.kind === REFUSAL) this.settle(message.id, { _tag: "NotTaken", reason: message.head })
    if (this.willTake || this.arrived.length === 0) return
    this.share.leave()
    this.takeSome()
  }

  private takeSome(): void {
    this.willTake = true
    this.arrived = this.share.some(this.arrived, (arrived) => this.takeAsk(...arrived))
    this.willTake = this.arrived.length > 0
    if (this.willTake) this.parts.soon(() => this.takeSome())
  }

  private takeAnswer({ id, head, payload, part, parts }: Message & { readonly payload: Buffer }): void {
    if (parts === 1) return this.settle(id, { _tag: "Answered", head, payload })
    const pending = this.pending.get(id)
    if (pending === undefined) return
    pending.pieces ??= new Array<Buffer | undefined>(parts).fill(undefined)
    pending.pieces[part] = payload
    if (part === 0) pending.head = head
    const pieces = pending.pieces.filter((it) => it !== undefined)
    if (pieces.length === parts)
      this.settle(id, { _tag: "Answered", head: pending.head, payload: Buffer.concat(pieces) })
  }

  private takeAsk(from: string, message: Message & { readonly payload: Buffer }): void {
    const { id, deadline, term, service: name, head, payload } = message
    const now = this.parts.monotonic()
    // Not even refused: whether it was read before is not known any more.
    if (deadline + KEPT_MILLIS / 2 <= now || !this.seen.add(from, id, deadline, now)) return
    const refuse = (reason: NotTakenReason): void => this.say(from, deadline, REFUSAL, id, reason, "")
    const service = this.services.get(name)
    if (deadline <= now) return refuse("late")
    if (service === undefined || service.term !== term) return refuse("term")
    let isAnswered = false
    const asked: Asked = {
      from,
      head,
      payload,
      deadline,
      answer: (answerHead, answerPayload) => {
        if (isAnswered) return
        isAnswered = true
        this.say(from, deadline, ANSWER, id, answerHead, answerPayload)
      },
    }
    // What throws may have begun: it is taken, and not answered.
    this.guarded(() => {
      const reason = service.take(asked)
      if (reason !== undefined) refuse(reason)
    })
  }
}
