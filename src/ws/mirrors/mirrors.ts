/**
 * The edge's side: its hub's sources are mirrors of the owner's channels, one for each channel that has subscribers here. The one thing to know: a last publication
 * that was lost is followed by nothing that would show it; so once a second the owner is told where all mirrors stand, which renews their leases, and says
 * which of them should stand elsewhere.
 */
import type { ChannelKind } from "../../domain/channel.ts"
import type { AskOutcome, CableService, Peer } from "../../ports/cable.ts"
import type { ChannelSource, ChannelState } from "../../ports/channel-port.ts"
import type { MirrorStats } from "../../ports/cluster.ts"
import type { Hub } from "../fanout/hub.ts"
import { Mirror, type MirrorParts } from "./mirror.ts"
import {
  type FillAsk,
  type KeepAnswer,
  type KeepAsk,
  MIRROR_SERVICE,
  OF_STATE,
  readFillAnswer,
  readStateAnswer,
} from "./words.ts"

const KEEP_MILLIS = 1_000
/** Channels in one ask: a frame of 1 MiB holds them under the longest of names. */
const KEPT_AT_ONCE = 1_000
/** The lease of an owner is over by then. Of books and tickers readers know before. */
const OUT_OF_TOUCH_MILLIS = 5_000
/** Between two looks at whether the owner is heard. */
const LOOK_MILLIS = 250
/** Storage is read for it; one try, and all of them. */
const TRY_MILLIS = 1_500
const READ_MILLIS = 3_500
const AGAIN_MILLIS = 50

export interface MirrorsParts {
  readonly hub: Hub
  readonly cable: CableService
  readonly owner: () => Peer | undefined
  /** Another owner is known, or none any more. */
  readonly onOwner: (listener: () => void) => void
  /** Its subscriptions were ended for good. */
  readonly onEnded: (channel: string) => void
  readonly monotonic: () => number
  readonly after: (millis: number, work: () => void) => void
}

type Answered = Extract<AskOutcome, { readonly _tag: "Answered" }>

export class Mirrors {
  private readonly mirrors = new Map<string, Mirror>()
  /** Maps whose entries were read → their epoch. */
  private readonly states = new Map<string, string>()
  private readonly figures = { words: 0, repairs: 0, recalls: 0 }
  private readonly mirrorParts: MirrorParts
  private willKeep = false
  private willLook = false
  /** Monotonic ms: when the owner last answered. */
  private inTouchAt: number
  private isOutOfTouch = false

  constructor(private readonly parts: MirrorsParts) {
    this.inTouchAt = parts.monotonic()
    let term = 0
    const termNow = (): number => {
      term = parts.owner()?.term ?? term
      return term
    }
    const ended = (mirror: Mirror): void => {
      this.drop(mirror)
      parts.onEnded(mirror.channel)
    }
    this.mirrorParts = { ...parts, term: termNow, figures: this.figures, ended }
    parts.onOwner(() => {
      for (const mirror of [...this.mirrors.values()]) mirror.lose()
    })
    parts.cable.onUp(() => this.keep())
  }

  /** Of the channels of one kind, for the edge's hub. */
  source(kind: ChannelKind): ChannelSource {
    return {
      opened: (channel) => this.open(channel, kind),
      // It lives for as long as the hub remembers the channel.
      closed: () => undefined,
      position: (channel) => this.mirrors.get(channel)?.position ?? { epoch: "", offset: 0, snapshot: null },
      present: (channel, withState, until, done) => {
        const mirror = this.mirrors.get(channel)
        if (mirror === undefined) done(false)
        else mirror.present(withState, until, done)
      },
      replay: (channel, after, upTo, done) => {
        const epoch = this.mirrors.get(channel)?.standsAt?.epoch
        if (epoch === undefined) return done(null)
        const ask: FillAsk = { channel, epoch, after, upTo }
        const read = ({ head, payload }: Answered) => readFillAnswer(epoch, head, payload.toString())
        this.ask("fill", ask, READ_MILLIS, (answer) => answered(answer, read, done), true)
      },
      state: (channel, done) => this.read(channel, done),
    }
  }

  stats(): MirrorStats {
    return { mirrors: this.mirrors.size, ...this.figures }
  }

  private open(channel: string, kind: ChannelKind): void {
    const stream = this.parts.hub.find(channel)
    const known = this.mirrors.get(channel)
    if (stream === undefined || known?.stream === stream) return
    known?.close()
    this.mirrors.set(channel, new Mirror(channel, stream, kind, this.mirrorParts))
    this.keepLater()
    this.lookLater()
  }

  private drop(mirror: Mirror): void {
    mirror.close()
    if (this.mirrors.get(mirror.channel) === mirror) this.mirrors.delete(mirror.channel)
  }

  private read(channel: string, done: (state: ChannelState | null) => void): void {
    const found = (state: ChannelState | null): void => {
      if (state !== null) this.states.set(channel, state.epoch)
      this.keepLater()
      done(state)
    }
    const read = ({ head, payload }: Answered) => readStateAnswer(head, payload.toString())
    this.ask("state", channel, READ_MILLIS, (answer) => answered(answer, read, found), true)
  }

  /** Once, or, with `again`, until its time is over; null: the owner could not be asked. */
  private ask(
    head: string,
    question: unknown,
    millis: number,
    done: (answer: Answered | null) => void,
    again = false,
  ): void {
    const { cable, monotonic, after, owner } = this.parts
    const deadline = monotonic() + millis
    const payload = JSON.stringify(question)
    const failed = (): void => {
      if (again && monotonic() + AGAIN_MILLIS < deadline) after(AGAIN_MILLIS, once)
      else done(null)
    }
    const once = (): void => {
      const to = owner()
      if (to === undefined) return failed()
      const ended = (outcome: AskOutcome): void => (outcome._tag === "Answered" ? done(outcome) : failed())
      const until = again ? Math.min(deadline, monotonic() + TRY_MILLIS) : deadline
      cable.ask({ to, service: MIRROR_SERVICE, head, payload, deadline: until, done: ended })
    }
    once()
  }

  private lookLater(): void {
    if (this.willLook || this.mirrors.size === 0) return
    this.willLook = true
    this.parts.after(LOOK_MILLIS, () => {
      this.willLook = false
      if (this.parts.owner() === undefined) for (const mirror of this.mirrors.values()) mirror.goStale()
      this.lookLater()
    })
  }

  private keepLater(): void {
    if (this.willKeep) return
    this.willKeep = true
    // Nothing was followed, so nothing was to be heard.
    this.inTouch()
    this.parts.after(KEEP_MILLIS, () => this.tick())
  }

  private tick(): void {
    this.willKeep = false
    this.sweep()
    if (this.mirrors.size === 0 && this.states.size === 0) return
    this.keep()
    if (this.parts.monotonic() - this.inTouchAt > OUT_OF_TOUCH_MILLIS) {
      const isFirst = !this.isOutOfTouch
      this.isOutOfTouch = true
      for (const mirror of [...this.mirrors.values()])
        if (isFirst) mirror.outOfTouch()
        else mirror.goStale()
    }
    this.willKeep = true
    this.parts.after(KEEP_MILLIS, () => this.tick())
  }

  /** The hub has forgotten these channels. */
  private sweep(): void {
    const { hub } = this.parts
    for (const mirror of [...this.mirrors.values()])
      if (hub.find(mirror.channel) !== mirror.stream && !mirror.isWaitedFor) this.drop(mirror)
    for (const channel of [...this.states.keys()]) if (!hub.isHeard(channel)) this.states.delete(channel)
  }

  private inTouch(): void {
    this.inTouchAt = this.parts.monotonic()
    this.isOutOfTouch = false
  }

  private keep(): void {
    const kept: Array<KeepAsk[number]> = []
    for (const { channel, standsAt } of this.mirrors.values())
      if (standsAt !== undefined) kept.push([channel, standsAt.epoch, standsAt.offset])
    for (const [channel, epoch] of this.states) kept.push([channel, epoch, OF_STATE])
    for (let i = 0; i === 0 || i < kept.length; i += KEPT_AT_ONCE)
      this.ask("keep", kept.slice(i, i + KEPT_AT_ONCE), KEEP_MILLIS, (answer) => {
        if (answer === null) return
        this.inTouch()
        for (const one of JSON.parse(answer.payload.toString()) as KeepAnswer) this.told(one)
      })
  }

  private told(one: KeepAnswer[number]): void {
    const [channel, , offset] = one
    if (offset !== OF_STATE) return this.mirrors.get(channel)?.told(one)
    // Read anew by its map, if there is still one.
    this.states.delete(channel)
    this.parts.hub.invalidate(channel)
  }
}

/** What cannot be read, as words of another version, is no answer; who waits is told so, and the operator. */
const answered = <A>(
  answer: Answered | null,
  read: (answer: Answered) => A | null,
  done: (found: A | null) => void,
): void => {
  let found: A | null = null
  try {
    if (answer !== null) found = read(answer)
  } finally {
    done(found)
  }
}
