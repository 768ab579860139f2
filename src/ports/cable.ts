/**
 * What nodes say to each other: questions with one answer at most. The one thing to know: whatever is said may be lost, so that each question ends in
 * one of three ways, and only `NotTaken` says that nothing was done.
 */

/** A life of another process, and the term under which it is spoken to; asks of other terms are not taken there. */
export interface Peer {
  readonly inbox: string
  readonly term: number
}

/**
 * down: there is no broker. unheard: nothing was heard of the peer for some seconds, so that it cannot be told a deadline. absent: no process listens there. late: its
 * deadline is over, or would be before it is done. term: the peer is spoken to under another. Anything else: in the peer's own words.
 */
export type NotTakenReason = "down" | "unheard" | "absent" | "late" | "term" | (string & {})

export type AskOutcome =
  | { readonly _tag: "Answered"; readonly head: string; readonly payload: Buffer }
  /** Nothing was done, and nothing will be. */
  | { readonly _tag: "NotTaken"; readonly reason: NotTakenReason }
  /** It was sent, and not answered until its deadline: it may have been done, or be done still. */
  | { readonly _tag: "Unanswered" }

/** What a node has said or refused may still be on its way when the next one is heard, for so long, in ms: the two come over lines of their own. */
export const LAST_WORDS_MILLIS = 250

/** Of the time of a change, for the way of its answer back to the node that asks, and for the looks at the deadlines of both. */
const BACK_MILLIS = 150
/** With less than this nothing is begun. */
const LEAST_MILLIS = 50

/** How long a change may take that is to be answered by then, in ms, whichever node has asked for it. */
export const millisLeft = (deadline: number, now: number): number => deadline - now - BACK_MILLIS

/** Whether it is not worth beginning, nor asking another node for: it would end as unknown. */
export const isTooLate = (deadline: number, now: number): boolean => millisLeft(deadline, now) < LEAST_MILLIS

export interface Ask {
  readonly to: Peer
  /** Which of the peer's services is asked. */
  readonly service: string
  readonly head: string
  /** Bytes are sent later in the turn: they must stay as they are. */
  readonly payload: string | Uint8Array
  /** By this process's monotonic clock, in ms. */
  readonly deadline: number
  /** Called once; may be called before `ask` returns. */
  readonly done: (outcome: AskOutcome) => void
}

/** A question that came in, before its deadline and once. */
export interface Asked {
  /** The inbox of the asking process. */
  readonly from: string
  readonly head: string
  readonly payload: Buffer
  /** By this process's monotonic clock, in ms: never later than the asking process means, and earlier by the time on the way. */
  readonly deadline: number
  readonly answer: (head: string, payload: string) => void
}

/** Why it is not taken: nothing of it may be done, for the asking process may send it elsewhere. Undefined: it is taken. */
export type TakeAsked = (asked: Asked) => NotTakenReason | undefined

export interface Service {
  readonly term: number
  /** Many may come at once, and each is work: they are taken for some ms of a loop turn, and what is asked of other services goes before the rest. */
  readonly isInTurns?: boolean
  readonly take: TakeAsked
}

/** What is registered stays until what was answered is called. */
export interface CableService {
  readonly inbox: string
  /** Whether there is a broker. */
  readonly isUp: () => boolean
  /** The broker is back, after it was away: what was told in between is lost. */
  readonly onUp: (listener: () => void) => () => void
  readonly ask: (ask: Ask) => void
  /** One of a name: the newest counts. */
  readonly serve: (name: string, service: Service) => () => void
  /** A word to all processes that listen on the subject; lost where none does, or the broker is away. */
  readonly tell: (subject: string, text: string) => void
  readonly hear: (subject: string, take: (text: string, from: string) => void) => () => void
}
