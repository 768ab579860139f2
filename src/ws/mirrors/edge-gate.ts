/**
 * An edge's side of who speaks on its sockets: nothing is judged here, the owner is asked, and what it said holds for as long as it says nothing else. The one thing to know:
 * once a second the owner is told of all speakers here, and says which of them are to be identified anew; so a word of an end that was lost is made up for.
 */
import { readPrincipal } from "../../domain/user/principal-text.ts"
import { addressKey } from "../../domain/user/rate-limits.ts"
import { type Principal, type SpeakerId, speakerOf } from "../../domain/user/user.ts"
import { LeanSet } from "../../foundation/lean.ts"
import { SharedRoom } from "../../foundation/shared-room.ts"
import { type CableService, isTooLate, LAST_WORDS_MILLIS, type Peer } from "../../ports/cable.ts"
import type { Rpc, RpcAnswer } from "../../ports/rpc.ts"
import {
  type Access,
  type Authority,
  type Credentials,
  denied,
  type SubscriptionRequest,
} from "../channels/authority.ts"
import { PATIENCE_MILLIS } from "../fanout/recovery.ts"
import type { Served } from "../fanout/stream.ts"
import { ERRORS } from "../protocol/error-codes.ts"
import {
  type AccessAnswer,
  type AccessAsk,
  GATE_SERVICE,
  GATE_SUBJECT,
  type GateWord,
  type IdentifyAnswer,
  type IdentifyAsk,
  type KeepSpeakersAnswer,
  type KeepSpeakersAsk,
  type RpcOutcome,
  rpcAskText,
  wordsOf,
} from "./gate-words.ts"

const KEEP_MILLIS = 1_000
const KEPT_AT_ONCE = 2_000
/** Of one ask. */
const ASK_MILLIS = 2_000
const AGAIN_MILLIS = 100
/** As long as the operations have over HTTP (contract C5). */
const RPC_MILLIS = 5_000
/** Held and asked, so that what a node keeps for one that is away is bounded: messages have 64 KiB at most. */
export const CALLS_MAX = 5_000
/** What was granted is asked for again after it, if it was not used. */
const GRANT_MILLIS = 4_000
/** Without a socket. */
const IDLE_MILLIS = 10_000

export interface EdgeGateParts {
  readonly cable: CableService
  readonly owner: () => Peer | undefined
  readonly onOwner: (listener: () => void) => void
  /** As the channel is served here; undefined: no edge serves it. */
  readonly servedOf: (canonical: string, type: number) => Served | undefined
  /** Of each socket here. */
  readonly speakers: () => Iterable<Speaking>
  /** Whether a method changes nothing: it may be done twice. */
  readonly isRead: (method: string) => boolean
  readonly refusals: RpcRefusals
  readonly monotonic: () => number
  readonly after: (millis: number, work: () => void) => void
}

export interface Speaking {
  readonly speaker: SpeakerId
  /** The client's address. */
  readonly ip: string
}

/** What a call is answered that the owner did not answer. */
export interface RpcRefusals {
  /** Nothing was done. */
  readonly busy: (method: string) => RpcAnswer
  /** It may have been done. */
  readonly unknown: (method: string) => RpcAnswer
}

interface Known {
  principal: Principal
  revision: string
  /** The newest. */
  token: string
  /** Where its sockets come from. */
  readonly ips: Map<string, From>
  isOver: boolean
  isAsked: boolean
  /** How often it was to be identified anew: what was asked before the last time may be answered by what it could do then. */
  doubts: number
  usedAt: number
}

interface From {
  /** They may not any more. */
  isRefused: boolean
  usedAt: number
}

/** A call that is with an owner. */
interface Calling {
  readonly term: number
  readonly isRead: boolean
  /** Another owner is known: that one answers no more. */
  readonly giveUp: () => void
}

interface Granted {
  readonly answer: AccessAnswer
  readonly speaker: SpeakerId
  readonly until: number
}

export class EdgeGate {
  private readonly known = new Map<SpeakerId, Known>()
  /** What was just learnt, for the question that follows in the same turn. */
  private readonly identified = new Map<string, IdentifyAnswer>()
  private readonly granted = new Map<string, Granted>()
  private readonly calling = new LeanSet<Calling>()
  /** Of calls, by the client's address, as limits count it. */
  private readonly room = new SharedRoom(CALLS_MAX)
  private readonly endListeners: Array<(speaker: SpeakerId) => void> = []
  private readonly renewListeners: Array<(speaker: SpeakerId) => void> = []

  constructor(private readonly parts: EdgeGateParts) {
    const { cable, onOwner, after } = parts
    cable.hear(GATE_SUBJECT, (text) => this.hear(JSON.parse(text) as GateWord))
    cable.onUp(() => this.keep())
    onOwner(() => {
      this.keep()
      this.follow()
    })
    const tick = (): void => {
      this.sweep()
      this.keep()
      after(KEEP_MILLIS, tick)
    }
    after(KEEP_MILLIS, tick)
  }

  readonly onEnded = (listener: (speaker: SpeakerId) => void): void => void this.endListeners.push(listener)
  readonly onRenewed = (listener: (speaker: SpeakerId) => void): void => void this.renewListeners.push(listener)

  /** Its subscriptions were ended: no subscriber joins by what was granted before. */
  forgetChannel(canonical: string): void {
    for (const [key, { answer }] of this.granted)
      if (answer._tag === "Granted" && answer.canonical === canonical) this.granted.delete(key)
  }

  readonly authority: Authority = {
    identify: (token, { ip }) => {
      if (token === "") return "closed"
      const key = `${ip}\n${token}`
      const answer = this.identified.get(key)
      this.identified.delete(key)
      if (answer === undefined)
        return {
          unseen: "invalid",
          learn: (done) =>
            this.identify({ token, ip }, (found) => {
              if (found === undefined) return done(false)
              this.identified.set(key, found)
              done(true)
              this.identified.delete(key)
            }),
        }
      if (answer._tag === "Refused") return answer.why === "unknown" ? "invalid" : answer.why
      return this.credentialsOf(answer)
    },
    isWelcome: ({ principal }, { ip }) =>
      principal === null || this.known.get(speakerOf(principal))?.ips.get(ip)?.isRefused !== true,
    access: (credentials, request) => this.access(credentials, request),
    // Subscriptions of the gateway end with the connection's own token, or its key; this one is there, or it were not renewed.
    refreshSubscription: () => ({ expiresAt: null }),
  }

  /** Judged by the owner, by the live session or key. What may have been done is not asked again, unless it changes nothing. */
  readonly rpc: Rpc = ({ method, data, isMalformed, principal, ip, isOver }, answered) => {
    const { cable, owner, monotonic, after, refusals, isRead } = this.parts
    const speaker = speakerOf(principal)
    const payload = rpcAskText({ speaker, method, data, isMalformed, ip })
    const from = addressKey(ip)
    if (!this.room.take(from)) return answered(refusals.busy(method))
    const done: typeof answered = (answer) => {
      this.room.leave(from)
      answered(answer)
    }
    const deadline = monotonic() + RPC_MILLIS
    const once = (): void => {
      if (isOver?.() === true) return this.room.leave(from)
      const to = owner()
      // With less an owner does not begin it, and its word of that may come too late.
      if (isTooLate(deadline, monotonic())) return done(refusals.busy(method))
      if (to === undefined) return after(AGAIN_MILLIS, once)
      const calling: Calling = {
        term: to.term,
        isRead: isRead(method),
        giveUp: () => {
          if (!this.calling.delete(calling)) return
          if (calling.isRead) once()
          else done(refusals.unknown(method))
        },
      }
      this.calling.add(calling)
      cable.ask({
        to,
        service: GATE_SERVICE,
        head: "rpc",
        payload,
        deadline,
        done: (outcome) => {
          if (!this.calling.delete(calling)) return
          if (outcome._tag === "Unanswered") return done(refusals.unknown(method))
          if (outcome._tag === "Answered") {
            const answer = wordsOf<RpcOutcome>(outcome.payload, () => done(refusals.unknown(method)))
            if (answer !== "stranger") return done(answer)
            this.identifyAnew(speaker)
          }
          after(AGAIN_MILLIS, once)
        },
      })
    }
    once()
  }

  /** What was asked of an owner before the one that is known now; of what changes something its last words are waited for. */
  private follow(): void {
    const { owner, after } = this.parts
    const to = owner()
    if (to === undefined) return
    const outdated = [...this.calling].filter(({ term }) => term < to.term)
    const changes = outdated.filter(({ isRead }) => !isRead)
    for (const one of outdated) if (one.isRead) one.giveUp()
    if (changes.length === 0) return
    after(LAST_WORDS_MILLIS, () => {
      for (const one of changes) one.giveUp()
    })
  }

  private credentialsOf({ user, expiresAt, principal }: Extract<IdentifyAnswer, { readonly _tag: "Identified" }>) {
    const first = readPrincipal(principal)
    const speaker = speakerOf(first)
    const { known } = this
    const credentials: Credentials = {
      user,
      get principal() {
        return known.get(speaker)?.principal ?? first
      },
      isOver: () => known.get(speaker)?.isOver ?? false,
      expiresAt,
      info: null,
      channels: [],
    }
    return credentials
  }

  // Asking.

  /** Again and again until its time is over; undefined: the owner could not be asked. Whatever is asked here changes nothing. */
  private ask(head: string, question: unknown, done: (answer: unknown) => void, until = this.patience()): void {
    const { cable, owner, monotonic, after } = this.parts
    const once = (): void => {
      const to = owner()
      const now = monotonic()
      if (now >= until) return done(undefined)
      if (to === undefined) return after(AGAIN_MILLIS, once)
      const deadline = Math.min(until, now + ASK_MILLIS)
      cable.ask({
        to,
        service: GATE_SERVICE,
        head,
        payload: JSON.stringify(question),
        deadline,
        done: (outcome) => {
          if (outcome._tag === "Answered") done(wordsOf(outcome.payload, () => done(undefined)))
          else after(AGAIN_MILLIS, once)
        },
      })
    }
    once()
  }

  private patience(): number {
    return this.parts.monotonic() + PATIENCE_MILLIS
  }

  private identify(question: IdentifyAsk, done: (answer: IdentifyAnswer | undefined) => void): void {
    this.ask("identify", question, (found) => {
      const answer = found as IdentifyAnswer | undefined
      if (answer?._tag === "Identified") this.note(question, answer)
      done(answer?._tag === "Refused" && answer.why === "unknown" ? undefined : answer)
    })
  }

  private note(
    { token, ip }: IdentifyAsk,
    { principal, revision }: Extract<IdentifyAnswer, { readonly _tag: "Identified" }>,
  ): void {
    const told = readPrincipal(principal)
    const speaker = speakerOf(told)
    const usedAt = this.parts.monotonic()
    const known = this.known.get(speaker)
    const from: From = { isRefused: false, usedAt }
    if (known === undefined) {
      const ips = new Map([[ip, from]])
      this.known.set(speaker, {
        principal: told,
        revision,
        token,
        ips,
        isOver: false,
        isAsked: false,
        doubts: 0,
        usedAt,
      })
      return
    }
    Object.assign(known, { principal: told, revision, token, isOver: false, usedAt })
    known.ips.set(ip, from)
  }

  private access({ principal }: Credentials, { channel, type }: SubscriptionRequest): Access {
    if (principal === null) return denied(ERRORS.permissionDenied)
    const speaker = speakerOf(principal)
    const key = `${speaker}\n${type}\n${channel}`
    const known = this.granted.get(key)
    if (known !== undefined && known.until > this.parts.monotonic()) return this.accessOf(known.answer, type)
    return {
      _tag: "Later",
      isElsewhere: true,
      learn: (done) => this.learnAccess(key, { speaker, channel, type }, done),
    }
  }

  /** What was answered before a doubt is asked for again, in the time that is left. */
  private learnAccess(key: string, question: AccessAsk, done: (known: boolean) => void, until = this.patience()): void {
    const { speaker } = question
    const doubts = this.known.get(speaker)?.doubts
    const answered = (found: unknown): void => {
      const answer = found as AccessAnswer | undefined
      if (answer?._tag === "Stranger") {
        this.identifyAnew(speaker)
        return done(false)
      }
      if (answer === undefined || answer._tag === "Unknown") return done(false)
      if (this.known.get(speaker)?.doubts !== doubts) return this.learnAccess(key, question, done, until)
      this.granted.set(key, { answer, speaker, until: this.parts.monotonic() + GRANT_MILLIS })
      done(true)
    }
    this.ask("access", question, answered, until)
  }

  private accessOf(answer: AccessAnswer, type: number): Access {
    if (answer._tag === "Denied" || answer._tag === "Closed") return answer
    const served = answer._tag === "Granted" ? this.parts.servedOf(answer.canonical, type) : undefined
    if (served === undefined) return denied(ERRORS.unknownChannel)
    return { _tag: "Granted", served, expiresAt: null, info: null }
  }

  // Being told.

  private hear({ term, speaker, isOver }: GateWord): void {
    const owner = this.parts.owner()
    if (owner !== undefined && term < owner.term) return
    if (isOver) this.over(speaker)
    else this.identifyAnew(speaker)
  }

  private over(speaker: SpeakerId): void {
    const known = this.known.get(speaker)
    if (known === undefined) return
    known.isOver = true
    this.forgetGranted(speaker)
    for (const listener of this.endListeners) listener(speaker)
  }

  private forgetGranted(speaker: SpeakerId): void {
    for (const [key, granted] of this.granted) if (granted.speaker === speaker) this.granted.delete(key)
  }

  private identifyAnew(speaker: SpeakerId): void {
    const known = this.known.get(speaker)
    if (known === undefined || known.isOver) return
    const doubts = ++known.doubts
    this.forgetGranted(speaker)
    if (known.isAsked) return
    known.isAsked = true
    const { token } = known
    let left = known.ips.size
    for (const [ip, { usedAt }] of known.ips)
      this.identify({ token, ip }, (answer) => {
        left--
        if (answer?._tag === "Refused" && answer.why === "forbidden") known.ips.set(ip, { isRefused: true, usedAt })
        // A token that has run out says nothing of its session: the connection ends by its own time.
        else if (answer?._tag === "Refused" && answer.why !== "expired") this.over(speaker)
        if (left > 0) return
        known.isAsked = false
        if (known.isOver || answer === undefined) return
        if (known.doubts !== doubts) return this.identifyAnew(speaker)
        for (const listener of this.renewListeners) listener(speaker)
      })
  }

  private keep(): void {
    const kept: Array<KeepSpeakersAsk[number]> = []
    for (const [speaker, { revision, isOver }] of this.known) if (!isOver) kept.push([speaker, revision])
    for (let i = 0; i < kept.length; i += KEPT_AT_ONCE)
      this.ask(
        "keep",
        kept.slice(i, i + KEPT_AT_ONCE),
        (changed) => {
          for (const speaker of (changed ?? []) as KeepSpeakersAnswer) this.identifyAnew(speaker)
        },
        this.parts.monotonic() + KEEP_MILLIS,
      )
  }

  private sweep(): void {
    const now = this.parts.monotonic()
    for (const { speaker, ip } of this.parts.speakers()) {
      const known = this.known.get(speaker)
      if (known === undefined) continue
      known.usedAt = now
      const from = known.ips.get(ip)
      if (from !== undefined) from.usedAt = now
    }
    for (const [speaker, { usedAt, ips }] of this.known) {
      if (now - usedAt > IDLE_MILLIS) this.known.delete(speaker)
      else for (const [ip, from] of ips) if (now - from.usedAt > IDLE_MILLIS) ips.delete(ip)
    }
    for (const [key, { until }] of this.granted) if (until <= now) this.granted.delete(key)
  }
}
