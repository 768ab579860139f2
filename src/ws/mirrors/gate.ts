/**
 * The owner's side of who speaks on the sockets of edges: it identifies them, judges each access and each call by their live session or key, and tells edges what becomes of
 * them. The one thing to know: an edge names the speaker and never its rights, so that nothing that it knows too late lets anyone do anything.
 */
import { principalText } from "../../domain/user/principal-text.ts"
import { type SpeakerId, speakerOf } from "../../domain/user/user.ts"
import { type Asked, type CableService, isTooLate, millisLeft, type NotTakenReason } from "../../ports/cable.ts"
import type { Rpc } from "../../ports/rpc.ts"
import type { Access, Authority, Credentials } from "../channels/authority.ts"
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
  type RpcAsk,
  type RpcOutcome,
} from "./gate-words.ts"

/** Edges tell once a second whom they have. */
const LEASE_MILLIS = 10_000
const SWEEP_MILLIS = 2_000

export interface GateParts {
  readonly cable: CableService
  readonly authority: Authority
  readonly rpc: Rpc
  /** Its lease runs: what it judges by is of now. */
  readonly mayAct: () => boolean
  /** Why no call is begun now that has so many ms left: the edge holds it, and asks again. */
  readonly holdsBack: (leftMillis: number) => NotTakenReason | undefined
  /** While the writer of orders is behind. */
  readonly waitsForOrders: (method: string, data: unknown) => boolean
  readonly onSpeakerEnded: (listener: (speaker: SpeakerId) => void) => void
  readonly onSpeakerRenewed: (listener: (speaker: SpeakerId) => void) => void
  readonly onOperatorGone: (listener: (user: string) => void) => void
  readonly monotonic: () => number
  readonly after: (millis: number, work: () => void) => void
}

interface Known {
  /** Live: its principal is that of now. */
  readonly credentials: Credentials
  revision: string
  until: number
}

export class Gate {
  private readonly known = new Map<SpeakerId, Known>()
  private willSweep = false
  private stop: (() => void) | undefined
  private term = 0
  private revisions = 0

  constructor(private readonly parts: GateParts) {
    parts.onSpeakerEnded((speaker) => {
      if (this.known.delete(speaker)) this.tell(speaker, true)
    })
    parts.onSpeakerRenewed((speaker) => this.renewed(speaker))
    parts.onOperatorGone((user) => {
      for (const [speaker, { credentials }] of this.known) if (credentials.user === user) this.renewed(speaker)
    })
  }

  begin(term: number): void {
    this.term = term
    this.stop = this.parts.cable.serve(GATE_SERVICE, {
      term,
      take: (asked) => {
        const { mayAct, holdsBack, monotonic } = this.parts
        if (!mayAct()) return "lease"
        if (asked.head === "rpc") {
          const now = monotonic()
          if (isTooLate(asked.deadline, now)) return "late"
          const why = holdsBack(millisLeft(asked.deadline, now))
          // One that is behind with storing orders does all else, as over HTTP.
          if (why !== undefined && (why !== "crowded" || this.waits(asked))) return why
        }
        this.take(asked)
        return undefined
      },
    })
  }

  end(): void {
    this.stop?.()
    this.stop = undefined
    this.known.clear()
  }

  private renewed(speaker: SpeakerId): void {
    const known = this.known.get(speaker)
    if (known === undefined) return
    known.revision = this.newRevision()
    this.tell(speaker, false)
  }

  private waits({ payload }: Asked): boolean {
    const { method, data } = JSON.parse(payload.toString()) as RpcAsk
    return this.parts.waitsForOrders(method, data)
  }

  /** Of this owner alone: what was changed at the one before may be what the edge has not heard of. */
  private newRevision(): string {
    return `${this.term}.${++this.revisions}`
  }

  private tell(speaker: SpeakerId, isOver: boolean): void {
    const word: GateWord = { term: this.term, speaker, isOver }
    if (this.stop !== undefined) this.parts.cable.tell(GATE_SUBJECT, JSON.stringify(word))
  }

  private take(asked: Asked): void {
    const ask: unknown = JSON.parse(asked.payload.toString())
    switch (asked.head) {
      case "identify":
        return this.identify(ask as IdentifyAsk, (answer) => asked.answer("", JSON.stringify(answer)))
      case "access":
        return this.access(ask as AccessAsk, (answer) => asked.answer("", JSON.stringify(answer)))
      case "rpc":
        return this.call(ask as RpcAsk, asked.deadline, (answer) => asked.answer("", JSON.stringify(answer)))
      case "keep":
        return asked.answer("", JSON.stringify(this.keep(ask as KeepSpeakersAsk)))
    }
  }

  private identify({ token, ip }: IdentifyAsk, done: (answer: IdentifyAnswer) => void): void {
    const { authority } = this.parts
    const found = authority.identify(token, { ip })
    if (typeof found === "string") return done({ _tag: "Refused", why: found })
    if (!("unseen" in found)) return done(this.admitted(found))
    found.learn((isLearnt) => {
      if (!isLearnt) return done({ _tag: "Refused", why: "unknown" })
      const again = authority.identify(token, { ip })
      if (typeof again === "string") done({ _tag: "Refused", why: again })
      else done("unseen" in again ? { _tag: "Refused", why: again.unseen } : this.admitted(again))
    })
  }

  private admitted(credentials: Credentials): IdentifyAnswer {
    const { principal, user, expiresAt } = credentials
    if (principal === null) return { _tag: "Refused", why: "invalid" }
    const speaker = speakerOf(principal)
    const revision = this.known.get(speaker)?.revision ?? this.newRevision()
    this.known.set(speaker, { credentials, revision, until: this.parts.monotonic() + LEASE_MILLIS })
    this.sweepLater()
    return { _tag: "Identified", user, principal: principalText(principal), expiresAt, revision }
  }

  /** Undefined: it is not known, or is over. */
  private speaker(id: SpeakerId): Credentials | undefined {
    const credentials = this.known.get(id)?.credentials
    return credentials?.isOver?.() === true ? undefined : credentials
  }

  private access({ speaker, channel, type }: AccessAsk, done: (answer: AccessAnswer) => void, learnt = false): void {
    const credentials = this.speaker(speaker)
    if (credentials === undefined) return done({ _tag: "Stranger" })
    const found: Access = this.parts.authority.access(credentials, { channel, type, token: "", client: "" })
    if (found._tag === "Granted") return done({ _tag: "Granted", canonical: found.served.canonical })
    if (found._tag !== "Later") return done(found)
    if (learnt) return done({ _tag: "Unknown" })
    found.learn((known) => {
      if (known) this.access({ speaker, channel, type }, done, true)
      else done({ _tag: "Unknown" })
    })
  }

  /** A stranger is also who may not come from there any more: identified anew, its sockets end. */
  private call({ speaker, ...request }: RpcAsk, deadline: number, done: (answer: RpcOutcome) => void): void {
    const credentials = this.speaker(speaker)
    const principal = credentials?.principal
    if (credentials === undefined || principal == null) return done("stranger")
    if (this.parts.authority.isWelcome?.(credentials, request) === false) return done("stranger")
    this.parts.rpc({ ...request, principal, deadline }, done)
  }

  private keep(kept: KeepSpeakersAsk): KeepSpeakersAnswer {
    const until = this.parts.monotonic() + LEASE_MILLIS
    const changed: Array<SpeakerId> = []
    for (const [id, revision] of kept) {
      const known = this.known.get(id)
      if (known !== undefined) known.until = until
      if (known?.revision !== revision || known.credentials.isOver?.() === true) changed.push(id)
    }
    return changed
  }

  private sweepLater(): void {
    if (this.willSweep) return
    this.willSweep = true
    this.parts.after(SWEEP_MILLIS, () => {
      this.willSweep = false
      const now = this.parts.monotonic()
      for (const [id, { until }] of this.known) if (until <= now) this.known.delete(id)
      if (this.known.size > 0) this.sweepLater()
    })
  }
}
