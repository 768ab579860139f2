/** What the replayer and the oracle must know of one recorded venue. Streams are named as the venue names them. */
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import type { Capture } from "./capture.ts"
import type { Spelled } from "./spelled-json.ts"

/** [price, quantity] as spelled; any zero deletes. */
export type Level = readonly [price: string, quantity: string]

export interface RecordedBook {
  readonly isSnapshot: boolean
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
  /** The venue's own number of this change, where a REST snapshot is joined by it. */
  readonly sequence?: bigint
}

export interface RecordedTrade {
  readonly id: string
  readonly price: string
  readonly quantity: string
}

export interface RecordedInstrument {
  readonly instrumentId: InstrumentId
  readonly bookStream: string
  readonly tradeStream: string
  /** Where the venue's book begins by REST. */
  readonly restBook?: RecordedBook
}

/** What a client's message asks for. */
export interface Asked {
  readonly streams: ReadonlyArray<string>
  readonly replies: ReadonlyArray<string>
}

export interface Recording {
  /** The connector that the capture is played to, and where it differs from the one that is shipped. */
  readonly profile: VenueProfile
  /** The public instance has keys: ccxt signs what is public elsewhere. */
  readonly keys?: Readonly<Record<string, string>>
  readonly instruments: ReadonlyArray<RecordedInstrument>
  /** The body for a REST path with its query; undefined where the capture has nothing like it. */
  readonly rest: (pathAndQuery: string) => string | undefined
  readonly asked: (message: Spelled) => Asked
  /** The stream that a frame belongs to; undefined for what is only about the connection. */
  readonly streamOf: (frame: Spelled) => string | undefined
  /** The frame as the venue sends it for today's subscription. */
  readonly dressed?: (text: string) => string
  /** Whatever goes out as the nth message of its socket, from 0. */
  readonly numbered?: (text: string, nth: number) => string
  /** Of frames of a book stream; undefined: not about the book. */
  readonly book: (frame: Spelled) => RecordedBook | undefined
  /** Of frames of a trade stream. */
  readonly trades: (frame: Spelled) => ReadonlyArray<RecordedTrade>
}

export type Recorded = (capture: Capture) => Recording
