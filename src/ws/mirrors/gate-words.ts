/** What an edge asks of the owner about who speaks on its sockets, and what they may. */
import type { SpeakerId } from "../../domain/user/user.ts"
import type { RpcAnswer } from "../../ports/rpc.ts"
import type { Close, ProtocolError } from "../protocol/error-codes.ts"

/** Under which edges ask an owner. */
export const GATE_SERVICE = "gate"
/** Where the owner tells what becomes of them. */
export const GATE_SUBJECT = "gate"

export interface IdentifyAsk {
  readonly token: string
  readonly ip: string
}

export type IdentifyAnswer =
  | { readonly _tag: "Refused"; readonly why: "expired" | "invalid" | "closed" | "forbidden" | "unknown" }
  | {
      readonly _tag: "Identified"
      readonly user: string
      /** Of a principal. */
      readonly principal: string
      /** Seconds since the Unix epoch; null: never. */
      readonly expiresAt: number | null
      /** Another one: what it may do has changed since, or from where; or another owner says so. No two are alike for ever. */
      readonly revision: string
    }

export interface AccessAsk {
  readonly speaker: SpeakerId
  readonly channel: string
  readonly type: number
}

export type AccessAnswer =
  | { readonly _tag: "Granted"; readonly canonical: string }
  | { readonly _tag: "Denied"; readonly error: ProtocolError }
  | { readonly _tag: "Closed"; readonly close: Close }
  /** The venue could not be asked. */
  | { readonly _tag: "Unknown" }
  /** The owner has not heard of the speaker: it is identified first. */
  | { readonly _tag: "Stranger" }

export interface RpcAsk {
  readonly speaker: SpeakerId
  readonly method: string
  readonly data: unknown
  readonly isMalformed: boolean
  readonly ip: string
}

/** What is nested deeper than the stack goes as malformed: JSON.parse reads it from a client's message, and JSON.stringify throws. */
export const rpcAskText = (ask: RpcAsk): string => {
  try {
    return JSON.stringify(ask)
  } catch {
    return JSON.stringify({ ...ask, data: undefined, isMalformed: true } satisfies RpcAsk)
  }
}

/** What an owner has answered. Words that are no JSON are thrown, for the cable to tell of, after `unread`: the client that asked is answered all the same. */
export const wordsOf = <A>(payload: Buffer, unread: () => void): A => {
  try {
    return JSON.parse(payload.toString()) as A
  } catch (error) {
    unread()
    throw error
  }
}

export type RpcOutcome = RpcAnswer | "unknown method" | "stranger"

/** Speakers with sockets at the edge, as they are known there. */
export type KeepSpeakersAsk = ReadonlyArray<readonly [speaker: SpeakerId, revision: string]>

/** Those that are to be identified anew: they are over, may do something else, or were never heard of by this owner. */
export type KeepSpeakersAnswer = ReadonlyArray<SpeakerId>

export interface GateWord {
  readonly term: number
  readonly speaker: SpeakerId
  readonly isOver: boolean
}
