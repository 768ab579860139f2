/**
 * One channel of the owner's at an edge: the same epoch and offsets, by words that may be lost. What does not follow is asked for; what cannot be had any more is told to
 * the subscribers, who start over (2500). The one thing to know: while it is asked, words are held, so that what was answered is of the moment in which waiting
 * subscribers join.
 */
import type { ChannelKind } from "../../domain/channel.ts"
import type { AskOutcome, CableService, Peer } from "../../ports/cable.ts"
import type { StreamPosition } from "../../ports/channel-port.ts"
import type { Hub } from "../fanout/hub.ts"
import type { Stream } from "../fanout/stream.ts"
import type { EncodedPublication } from "../fanout/topic.ts"
import { staleWords } from "./stale.ts"
import {
  type KeepAnswer,
  MIRROR_SERVICE,
  type OpenAnswer,
  type OpenAsk,
  type Position,
  readOpenAnswer,
  readWord,
  subjectOf,
  type Word,
} from "./words.ts"

const ASK_MILLIS = 1_000
const RETRY_FIRST_MILLIS = 20
const RETRY_MAX_MILLIS = 500
/** For so long subscribers who have all that went before wait for the sake of one who needs a snapshot. */
const HOLD_MILLIS = 100
/** Held publications; more than these are asked for again. */
const HELD_MAX = 10_000

export interface MirrorParts {
  readonly hub: Hub
  readonly cable: CableService
  /** Undefined: none is known. */
  readonly owner: () => Peer | undefined
  /** Of the owner that was known last: words of others are not for here. */
  readonly term: () => number
  readonly monotonic: () => number
  readonly after: (millis: number, work: () => void) => void
  /** The subscriptions ended for good, by the owner's word. */
  readonly ended: (mirror: Mirror) => void
  /** Words, asks that were repeated, and times that subscribers had to start over. */
  readonly figures: { words: number; repairs: number; recalls: number }
}

interface Waiter {
  readonly withState: boolean
  /** Monotonic ms. */
  readonly until: number
  readonly done: (isPresent: boolean) => void
}

export class Mirror {
  /** Undefined: it stands nowhere yet. */
  private at: Position | undefined
  private snapshot: (Position & { readonly json: string | null }) | undefined
  /** Something is missing, or may be. */
  private isInDoubt = true
  private isOver = false
  /** The number of the ask under way; undefined: none is. */
  private asking: number | undefined
  private asks = 0
  private asked: Peer | undefined
  /** What was asked before the doubt does not end it. */
  private isLostMeanwhile = false
  private retries = 0
  private isHolding = false
  private held: Array<Exclude<Word, { readonly _tag: "Behind" }>> = []
  private heldCount = 0
  private waiters = new Set<Waiter>()
  /** Of a book: its newest record. */
  private record: EncodedPublication | undefined
  /** By subject: what was told as outdated, as it was before. */
  private readonly outdated = new Map<string, EncodedPublication>()
  private readonly stop: () => void

  constructor(
    readonly channel: string,
    /** Of the hub: it ends with this. */
    readonly stream: Stream,
    private readonly kind: ChannelKind,
    private readonly parts: MirrorParts,
  ) {
    this.stop = parts.cable.hear(subjectOf(channel), (text) => this.hear(text))
    this.ask()
  }

  get position(): StreamPosition {
    const { at } = this
    // As the hub has it, until it is known.
    return at === undefined
      ? { ...this.stream.at, snapshot: null }
      : { ...at, snapshot: this.hasSnapshot ? this.snapshot!.json : null }
  }

  /** A snapshot is of one offset, and newcomers need one. */
  private get hasSnapshots(): boolean {
    return this.kind === "orderbook"
  }

  /** As it is known; undefined: not at all. */
  get standsAt(): Position | undefined {
    return this.at
  }

  get isWaitedFor(): boolean {
    return this.waiters.size > 0
  }

  present(withState: boolean, until: number, done: (isPresent: boolean) => void): void {
    if (this.isPresent(withState)) return done(true)
    const left = until - this.parts.monotonic()
    if (left <= 0) return done(false)
    const waiter: Waiter = { withState, until, done }
    this.waiters.add(waiter)
    this.parts.after(left, () => {
      if (this.waiters.delete(waiter)) done(false)
    })
    if (!this.isInDoubt) this.ask()
  }

  /** Words may have been lost, or come from another owner now. */
  lose(): void {
    if (this.isOver) return
    this.isInDoubt = true
    const owner = this.parts.owner()
    // What the owner before has been asked is never answered.
    if (this.asked?.inbox !== owner?.inbox || this.asked?.term !== owner?.term) this.asking = undefined
    if (this.asking === undefined) this.ask()
    else this.isLostMeanwhile = true
  }

  /** Nothing is heard of the owner: readers of a book or ticker are told that it is not of now, and newcomers wait. False: there is no word for that here. */
  goStale(): boolean {
    if (this.isOver) return false
    for (const newest of this.newest()) {
      const subject = newest.subject ?? ""
      const words = this.outdated.has(subject) ? undefined : staleWords(this.kind, newest)
      if (words === undefined) continue
      this.outdated.set(subject, words.again)
      this.parts.hub.publish(this.channel, words.stale)
    }
    if (this.outdated.size === 0) return false
    if (!this.isInDoubt) this.lose()
    return true
  }

  /** Nothing was heard of the owner for long: the subscribers know it, or are told to start over and wait for it as newcomers do. */
  outOfTouch(): void {
    if (this.goStale()) return
    this.isInDoubt = true
    this.recall()
    this.lose()
  }

  /** The owner says that it stands elsewhere. */
  told([, epoch, offset, ended]: KeepAnswer[number]): void {
    const { at } = this
    if (this.isOver || at === undefined || this.asking !== undefined) return
    if (ended === null && epoch === at.epoch && offset <= at.offset) return
    if (ended !== null && epoch === at.epoch && offset <= at.offset) return this.end(ended)
    this.parts.figures.repairs++
    if (ended !== null && epoch !== null) this.hold({ _tag: "Ended", term: 0, epoch, offset, how: ended })
    this.lose()
  }

  close(): void {
    this.isOver = true
    this.stop()
    for (const { done } of this.taken(() => true)) done(false)
  }

  private isPresent(withState: boolean): boolean {
    if (this.at === undefined || this.isInDoubt) return false
    return !withState || !this.hasSnapshots || this.hasSnapshot
  }

  private newest(): ReadonlyArray<EncodedPublication> {
    if (!this.hasSnapshots) return this.stream.values()
    return this.record === undefined ? [] : [this.record]
  }

  private get hasSnapshot(): boolean {
    const { at, snapshot } = this
    return snapshot !== undefined && snapshot.offset === at?.offset && snapshot.epoch === at.epoch
  }

  private taken(which: (waiter: Waiter) => boolean): ReadonlyArray<Waiter> {
    const taken = [...this.waiters].filter(which)
    for (const waiter of taken) this.waiters.delete(waiter)
    return taken
  }

  // Asking.

  private ask(): void {
    if (this.isOver || this.asking !== undefined) return
    const owner = this.parts.owner()
    if (owner === undefined) return this.askLater()
    const number = ++this.asks
    this.asking = number
    this.asked = owner
    this.isLostMeanwhile = false
    this.isHolding = true
    this.parts.after(HOLD_MILLIS, () => {
      if (this.asking === number && !this.isInDoubt) this.letGo()
    })
    const state = this.hasSnapshots && [...this.waiters].some(({ withState }) => withState)
    const isFirst = this.at === undefined
    const ask: OpenAsk = { channel: this.channel, has: this.at ?? null, state: state || isFirst }
    this.parts.cable.ask({
      to: owner,
      service: MIRROR_SERVICE,
      head: "open",
      payload: JSON.stringify(ask),
      deadline: this.parts.monotonic() + ASK_MILLIS,
      done: (outcome) => {
        if (this.asking === number) this.answered(outcome)
      },
    })
  }

  private askLater(): void {
    const wait = Math.min(RETRY_FIRST_MILLIS * 2 ** this.retries, RETRY_MAX_MILLIS)
    this.retries++
    this.parts.after(wait, () => {
      if (this.isInDoubt || this.waiters.size > 0) this.ask()
    })
  }

  private answered(outcome: AskOutcome): void {
    this.asking = undefined
    if (this.isOver) return
    if (outcome._tag !== "Answered") return this.unanswered()
    const { retries } = this
    this.retries = 0
    if (this.isLostMeanwhile) return this.ask()
    // There is no such channel, by the owner's table: newcomers are told so by their patience.
    if (outcome.head === "null") return this.askLater()
    let answer: OpenAnswer
    try {
      answer = readOpenAnswer(outcome.head, outcome.payload.toString())
    } catch (defect) {
      // Words of another version: less and less often, until there is an owner whose words are known.
      this.retries = retries
      this.unanswered()
      throw defect
    }
    this.take(answer)
  }

  private unanswered(): void {
    // It was asked for a newcomer's sake: subscribers that are there do not wait for the next try.
    if (!this.isInDoubt) this.letGo()
    this.askLater()
  }

  private take(answer: OpenAnswer): void {
    const { epoch, offset, missed, snapshot } = answer
    if (this.at !== undefined && epoch === this.at.epoch) {
      for (const one of missed ?? []) this.publish(one)
      this.catchUp()
    }
    const { at } = this
    if (at === undefined) this.begin(answer)
    else if (epoch !== at.epoch || offset > at.offset || (offset < at.offset && missed === null)) {
      this.begin(answer)
      this.recall()
    }
    if (snapshot !== undefined) this.snapshot = { epoch, offset, json: snapshot }
    if (typeof snapshot === "string") this.record = { epoch, offset, json: snapshot }
    this.isInDoubt = false
    for (const again of this.outdated.values()) this.parts.hub.publish(this.channel, again)
    this.outdated.clear()
    for (const { done, withState, until } of this.taken((waiter) => this.isPresent(waiter.withState))) {
      // One of them may have had all told to start over.
      if (this.isPresent(withState)) done(true)
      else this.present(withState, until, done)
    }
    this.letGo()
    if (this.waiters.size > 0) this.ask()
  }

  /** By what is held, as far as it follows. */
  private catchUp(): void {
    for (const word of this.held)
      if (word._tag === "Published" && word.epoch === this.at?.epoch)
        for (const publication of word.publications)
          if (publication.offset === this.at.offset + 1) this.publish(publication)
  }

  private begin({ epoch, offset, memory }: OpenAnswer): void {
    this.at = { epoch, offset }
    this.record = undefined
    this.outdated.clear()
    this.stream.adopt(this.at, memory)
  }

  private recall(): void {
    this.parts.figures.recalls++
    this.parts.hub.recall(this.channel)
  }

  // Hearing.

  private hear(text: string): void {
    const word = readWord(text)
    if (this.isOver || word.term !== this.parts.term()) return
    this.parts.figures.words++
    if (word._tag === "Behind") {
      if (this.at === undefined || word.epoch !== this.at.epoch || word.offset > this.at.offset) this.miss()
    } else if (word._tag === "Ended" && word.how === "invalidated") this.invalidated()
    else if (this.isHolding) this.hold(word)
    else this.apply(word)
  }

  private hold(word: Exclude<Word, { readonly _tag: "Behind" }>): void {
    this.held.push(word)
    if (word._tag === "Published") this.heldCount += word.publications.length
    if (this.heldCount <= HELD_MAX) return
    this.held = []
    this.heldCount = 0
    this.isLostMeanwhile = true
  }

  private letGo(): void {
    this.isHolding = false
    this.heldCount = 0
    const { held } = this
    this.held = []
    for (const word of held)
      if (this.isHolding) this.hold(word)
      else this.apply(word)
  }

  private apply(word: Exclude<Word, { readonly _tag: "Behind" }>): void {
    const { at } = this
    if (this.isOver || at === undefined) return
    if (word._tag === "Ended") {
      if (word.epoch !== at.epoch) return this.miss()
      if (word.offset <= at.offset) return this.end(word.how)
      this.miss()
      return this.hold(word)
    }
    if (word.epoch !== at.epoch) return this.miss()
    for (const publication of word.publications) {
      if (publication.offset > this.at!.offset + 1) return this.miss()
      this.publish(publication)
      // A reader of it may have had all told to start over.
      if (this.isHolding || this.at === undefined) return
    }
  }

  private publish(publication: EncodedPublication): void {
    const { at } = this
    if (at === undefined || publication.offset <= at.offset) return
    this.at = { epoch: at.epoch, offset: publication.offset }
    if (this.hasSnapshots) this.record = publication
    this.outdated.delete(publication.subject ?? "")
    this.parts.hub.publish(this.channel, publication)
  }

  /** Something is missing. What is asked from here on has it all, the word that shows it included. */
  private miss(): void {
    this.parts.figures.repairs++
    this.lose()
  }

  /** The owner has told all its subscribers to start over. What they have is still worth something where the owner goes on from there. */
  private invalidated(): void {
    this.held = []
    this.heldCount = 0
    this.isInDoubt = true
    this.recall()
    this.lose()
  }

  private end(how: "terminated" | "delisted" | "invalidated"): void {
    if (how === "invalidated") return this.invalidated()
    this.parts.hub.terminate(this.channel, how)
    this.parts.ended(this)
  }
}
