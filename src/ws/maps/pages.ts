/**
 * How a subscriber loads a map, step by step (realtime A.14): pages of its state as it was at the first of them, then what has changed
 * since, in pages too if it is much, then live. One command is one step; a small map takes one.
 */

import type { EncodedPublication } from "../fanout/topic.ts"
import { CLOSES, type Close, ERRORS, type ProtocolError } from "../protocol/error-codes.ts"
import type { CommandOf, PublicationBody, SubscribeResult } from "../protocol/protocol.ts"
import type { MapReading } from "./entries.ts"

/** Of a subscribe: `type` of a map, and its `phase`. */
export const MAP_TYPE = 1
const PHASES = { live: 0, changes: 1, state: 2 } as const

const PAGE_MIN = 100
/** Also for a client that names no limit: fewer journeys. */
const PAGE_MAX = 1000
/** Between two commands of one reader: one that takes longer is closed, and starts over. */
const PAUSE_MAX_MILLIS = 5000

/** A page makes no subscription yet. */
export type MapStep =
  | { readonly _tag: "Page" | "Live"; readonly result: SubscribeResult }
  | { readonly _tag: "Refused"; readonly error: ProtocolError }
  | { readonly _tag: "Closed"; readonly close: Close }

/** The map as one reader wants to see it. */
export interface MapView {
  readonly entries: MapReading
  readonly wants: (publication: EncodedPublication) => boolean
  readonly body: (publication: EncodedPublication) => PublicationBody
  /** More changes than this are not recovered. */
  readonly recoveryMax: number
}

interface Asked {
  readonly channel: string
  readonly isFirst: boolean
  readonly isRecovery: boolean
  readonly phase: number
  /** The last entry of the page before; 0: none. */
  readonly after: number
  readonly limit: number
  readonly epoch: string
  readonly offset: number
}

/** Undefined when the request makes no sense. */
const read = ({ parameters }: CommandOf<"subscribe">): Asked | undefined => {
  const { channel = "", phase = PHASES.live, cursor = "", epoch = "", limit = 0, recover, offset = 0 } = parameters
  const after = Number(cursor)
  if (phase < PHASES.live || phase > PHASES.state || !Number.isSafeInteger(after) || after < 0) return undefined
  return {
    channel,
    // A request without a phase or position gets the whole map.
    isFirst: cursor === "" && (phase === PHASES.state || (phase === PHASES.live && epoch === "")),
    isRecovery: recover === true && phase !== PHASES.state,
    phase,
    after,
    limit: limit <= 0 ? PAGE_MAX : Math.min(Math.max(limit, PAGE_MIN), PAGE_MAX),
    epoch,
    offset,
  }
}

const refused = (error: ProtocolError): MapStep => ({ _tag: "Refused", error })

/** A page of the state as it was at `from`; the last one comes with what has changed since, unless that is too much for one reply. */
const statePage = (view: MapView, from: number, { after, limit }: Asked): MapStep => {
  const { entries, wants, body } = view
  const page = entries.page(after, from, limit, wants)
  const state = page.entries.map(body)
  const changes = page.next === undefined ? entries.since(from)?.filter(wants) : []
  if (changes === undefined) return refused(ERRORS.unrecoverablePosition)
  const head = { type: MAP_TYPE, epoch: entries.epoch, state }
  if (page.next !== undefined || changes.length > limit) {
    const cursor = page.next === undefined ? undefined : { cursor: String(page.next) }
    return { _tag: "Page", result: { ...head, ...cursor, phase: PHASES.state, offset: from } }
  }
  return live({ ...head, offset: entries.offset, publications: changes.map(body) })
}

const changesPage = (view: MapView, { offset, limit, isRecovery }: Asked): MapStep => {
  const { entries, wants, body, recoveryMax } = view
  const changes = entries.since(offset)?.filter(wants)
  if (changes === undefined || (isRecovery && changes.length > recoveryMax))
    return refused(ERRORS.unrecoverablePosition)
  const publications = changes.slice(0, limit).map(body)
  const head = { type: MAP_TYPE, epoch: entries.epoch, publications }
  if (changes.length > limit)
    return { _tag: "Page", result: { ...head, phase: PHASES.changes, offset: changes[limit - 1]?.offset ?? offset } }
  return live({ ...head, offset: entries.offset, recovered: isRecovery, was_recovering: isRecovery })
}

const live = (result: SubscribeResult): MapStep => ({ _tag: "Live", result: { ...result, recoverable: true } })

interface Flow {
  /** Of the map, at the first page. */
  readonly from: number
  /** Monotonic ms of the newest command. */
  at: number
}

/** Of one connection: the maps that it is on its way to, by the client's names of their channels. */
export class MapFlows {
  private readonly flows = new Map<string, Flow>()

  constructor(private readonly monotonic: () => number) {}

  /** All but the one to `channel`. */
  besides(channel: string): number {
    return this.flows.size - (this.flows.has(channel) ? 1 : 0)
  }

  forget(channel: string): void {
    this.flows.delete(channel)
  }

  step(command: CommandOf<"subscribe">, view: MapView): MapStep {
    const asked = read(command)
    if (asked === undefined) return refused(ERRORS.badRequest)
    const step = this.take(asked, view)
    if (step._tag !== "Page") this.forget(asked.channel)
    return step
  }

  private take(asked: Asked, view: MapView): MapStep {
    const { entries } = view
    const now = this.monotonic()
    if (asked.isFirst) {
      // Those that clients gave up.
      for (const [channel, { at }] of this.flows) if (now - at > PAUSE_MAX_MILLIS) this.forget(channel)
      this.flows.set(asked.channel, { from: entries.offset, at: now })
      return statePage(view, entries.offset, asked)
    }
    const flow = this.flows.get(asked.channel)
    if (flow === undefined && !asked.isRecovery) return refused(ERRORS.permissionDenied)
    if (flow !== undefined && now - flow.at > PAUSE_MAX_MILLIS) return { _tag: "Closed", close: CLOSES.slow }
    if (asked.epoch !== entries.epoch) return refused(ERRORS.unrecoverablePosition)
    if (flow === undefined || asked.phase !== PHASES.state) {
      if (flow !== undefined) flow.at = now
      return changesPage(view, asked)
    }
    flow.at = now
    return statePage(view, flow.from, asked)
  }
}
