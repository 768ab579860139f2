/**
 * What a subscriber receives first: nothing, the current state, or everything it missed (realtime A.9, B). Only complete answers are called
 * recovered: with a gap the client starts over from the current state.
 */
import type { StoredPublication, StreamPosition } from "../../ports/channel-port.ts"
import type { Hub } from "./hub.ts"
import type { Replayed } from "./replays.ts"
import type { Stream } from "./stream.ts"
import type { EncodedPublication } from "./topic.ts"

/** What is asked of storage or of another process for one that subscribes has so long, however often it is asked: clients give up after 5 s. */
export const PATIENCE_MILLIS = 4_000

/** Below the limit at which a slow reader is closed, with room for a thousand account events. */
const RECOVERED_BYTES_MAX = 917_504

export interface RecoveryRequest {
  /** The client comes back with a position. */
  readonly recover: boolean
  readonly epoch: string
  readonly offset: number
}

export interface Beginning {
  /** Oldest first. */
  readonly publications: ReadonlyArray<EncodedPublication>
  readonly recovered: boolean
  /** The position from which `publications` go on; that of the stream when they are a state. */
  readonly offset: number
  /** The publications are one present state, included in `offset`: they carry no offsets of their own. */
  readonly isSnapshot: boolean
}

/** The current state, for a client without a usable position. */
export const present = (stream: Stream, position: StreamPosition): Beginning => {
  const { epoch, offset, snapshot } = position
  const publications = snapshot === null ? [] : [{ epoch, offset, json: snapshot }]
  const isSnapshot = stream.served.settings.recovery !== "cache"
  return { publications, recovered: false, offset, isSnapshot }
}

const cached = (stream: Stream, position: StreamPosition, request: RecoveryRequest): Beginning => {
  const values = stream.values()
  const beginning =
    values.length === 0 ? present(stream, position) : { ...present(stream, position), publications: values }
  if (!request.recover || beginning.publications.length === 0) return beginning
  const isSameEpoch = request.epoch === position.epoch
  if (isSameEpoch && request.offset === position.offset) return { ...beginning, recovered: true, publications: [] }
  const isAnywhere = request.epoch === "" && request.offset === 0
  if (stream.served.settings.finalsMax === 0 || isAnywhere) return { ...beginning, recovered: true }
  // A reader that has more than a node that lags would hear closed bars again.
  const isAhead = request.offset > position.offset
  const finals = isSameEpoch && !isAhead ? stream.finalsSince(request.offset) : undefined
  // A bar closed meanwhile that is no longer in the history: the client is told that it missed it.
  if (finals === undefined) return beginning
  const publications = finals.length === 0 ? beginning.publications : [...finals, ...values]
  return { ...beginning, recovered: true, publications }
}

/** "replay": memory does not reach back far enough, but the source's storage may. */
export const begin = (stream: Stream, position: StreamPosition, request: RecoveryRequest): Beginning | "replay" => {
  const { recovery, recoveryMax } = stream.served.settings
  if (recovery === "cache") return cached(stream, position, request)
  if (!canRecover(stream, position, request)) return present(stream, position)
  const missed = stream.since(request.offset)
  if (missed !== undefined)
    return missed.length > recoveryMax || isTooLong(missed)
      ? present(stream, position)
      : { publications: missed, recovered: true, offset: request.offset, isSnapshot: false }
  return stream.served.source.replay === undefined ? present(stream, position) : "replay"
}

/** After a replay: `rows` up to `replayedTo`, and what the stream has heard since. */
export const beginReplayed = (
  stream: Stream,
  position: StreamPosition,
  request: RecoveryRequest,
  rows: ReadonlyArray<StoredPublication> | null,
  replayedTo: number,
): Beginning => {
  const since = stream.since(replayedTo)
  if (rows === null || since === undefined || !canRecover(stream, position, request)) return present(stream, position)
  const publications = [...rows.map((row) => ({ ...row, epoch: position.epoch })), ...since]
  if (publications.length !== position.offset - request.offset || isTooLong(publications))
    return present(stream, position)
  return { publications, recovered: true, offset: request.offset, isSnapshot: false }
}

/** Calls back once, at once where no other process is asked for it: whether the stream stands where its source says. */
export const whenPresent = (
  hub: Hub,
  { served }: Stream,
  withState: boolean,
  done: (isPresent: boolean) => void,
): void => {
  const { source, canonical } = served
  if (source.present === undefined) done(true)
  else source.present(canonical, withState, hub.monotonic() + PATIENCE_MILLIS, done)
}

type Later = (work: () => void) => void

/**
 * Calls back once, in the turn of which what it says holds: at once, unless storage or another process is asked. Undefined: it could not be told by `until`, and the client
 * asks again. The caller holds the stream meanwhile. `guarded` is where a defect that is met later ends; what was read or asked for many at once each of them takes `inTurn`.
 */
export const beginAny = (
  hub: Hub,
  stream: Stream,
  request: RecoveryRequest,
  { guarded, inTurn }: { readonly guarded: Later; readonly inTurn: Later },
  until: number,
  done: (beginning: Beginning | undefined) => void,
): void => {
  const { source, canonical } = stream.served
  const settle = (beginning: Beginning): void => {
    if (beginning.recovered || !beginning.isSnapshot || source.present === undefined) return done(beginning)
    source.present(canonical, true, until, (isPresent) =>
      guarded(() => done(isPresent ? present(stream, hub.position(stream)) : undefined)),
    )
  }
  const start = (): void => {
    const position = hub.position(stream)
    const beginning = begin(stream, position, request)
    if (beginning !== "replay") return settle(beginning)
    const answered = (rows: Replayed): void =>
      inTurn(() => guarded(() => settle(beginReplayed(stream, hub.position(stream), request, rows, position.offset))))
    stream.replays.read(request.offset, position.offset, until, answered)
  }
  const { present: whenHere } = source
  if (whenHere === undefined) return start()
  /** Many may have waited for one answer: each begins in a turn of its own, if it is still so then. */
  const enter = (): void => {
    let isAtOnce = true
    whenHere(canonical, false, until, (isPresent) => {
      if (!isPresent) guarded(() => done(undefined))
      else if (isAtOnce) guarded(start)
      else inTurn(() => guarded(enter))
    })
    isAtOnce = false
  }
  enter()
}

/** A reply that fills the socket's buffer would have its reader closed by the next publication, and come back for the same again. */
const isTooLong = (publications: ReadonlyArray<{ readonly json: string }>): boolean => {
  let bytes = 0
  for (const { json } of publications) bytes += json.length
  return bytes > RECOVERED_BYTES_MAX
}

const canRecover = (stream: Stream, position: StreamPosition, request: RecoveryRequest): boolean => {
  const { recovery, recoveryMax } = stream.served.settings
  const isSameEpoch = request.epoch === "" || request.epoch === position.epoch
  const missed = position.offset - request.offset
  return request.recover && recovery === "stream" && isSameEpoch && missed >= 0 && missed <= recoveryMax
}
