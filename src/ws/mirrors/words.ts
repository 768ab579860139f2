/**
 * What owner and edges say to each other of channels, as texts. The one thing to know: a publication's JSON has no raw newline, so that two lines are one
 * publication (its number, and what else is known of it; its JSON) and nothing is quoted twice.
 */
import type { ChannelState, Tags } from "../../ports/channel-port.ts"
import type { StreamMemory } from "../fanout/stream.ts"
import type { EncodedPublication } from "../fanout/topic.ts"

/** Under which edges ask an owner. */
export const MIRROR_SERVICE = "mirror"

/** Where the words of a channel are told: dots and stars have a meaning of their own there. */
export const subjectOf = (channel: string): string =>
  `word.${encodeURIComponent(channel).replaceAll(".", "%2E").replaceAll("*", "%2A")}`

export type WordEnding = "terminated" | "delisted" | "invalidated"

/** Told to all edges that follow the channel. */
export type Word = { readonly term: number; readonly epoch: string } & (
  | { readonly _tag: "Published"; readonly publications: ReadonlyArray<EncodedPublication> }
  /** There is something up to `offset` that is too long for a word. */
  | { readonly _tag: "Behind"; readonly offset: number }
  /** The subscriptions ended, after the publication of this offset. */
  | { readonly _tag: "Ended"; readonly offset: number; readonly how: WordEnding }
)

/** Of a word; at 3 bytes each it is less than what every broker takes (cluster/broker.ts). */
const WORD_CHARS_MAX = 131_072

interface More {
  readonly tags?: Tags
  readonly subject?: string
  readonly isFinal?: true
}

const lineOf = ({ offset, tags, subject, isFinal }: EncodedPublication): string => {
  if (tags === undefined && subject === undefined && isFinal !== true) return `${offset}`
  return `${offset} ${JSON.stringify({ tags, subject, ...(isFinal === true ? { isFinal } : {}) })}`
}

const twoLines = (publication: EncodedPublication): string => `${lineOf(publication)}\n${publication.json}`

const textOf = (publications: ReadonlyArray<EncodedPublication>): string => publications.map(twoLines).join("\n")

const read = (epoch: string, line: string, json: string): EncodedPublication => {
  const space = line.indexOf(" ")
  if (space < 0) return { epoch, offset: Number(line), json }
  return { epoch, offset: Number(line.slice(0, space)), json, ...(JSON.parse(line.slice(space + 1)) as More) }
}

/** `lines` from `from` on. */
const readAll = (
  epoch: string,
  lines: ReadonlyArray<string>,
  from: number,
  count: number,
): Array<EncodedPublication> => {
  const found: Array<EncodedPublication> = []
  for (let i = from; i < from + 2 * count; i += 2) found.push(read(epoch, lines[i]!, lines[i + 1]!))
  return found
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split("\n"))

export const wordText = (word: Exclude<Word, { readonly _tag: "Published" }>): string => JSON.stringify(word)

/** What one turn published, in as few words as may be. */
export const publishedTexts = (
  term: number,
  publications: ReadonlyArray<EncodedPublication>,
): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let text = ""
  let epoch: string | undefined
  const close = (): void => {
    if (text !== "") texts.push(text)
    text = ""
    epoch = undefined
  }
  for (const publication of publications) {
    const more = twoLines(publication)
    if (more.length > WORD_CHARS_MAX) {
      close()
      texts.push(wordText({ _tag: "Behind", term, epoch: publication.epoch, offset: publication.offset }))
      continue
    }
    if (publication.epoch !== epoch || text.length + more.length > WORD_CHARS_MAX) {
      close()
      epoch = publication.epoch
      text = JSON.stringify({ _tag: "Published", term, epoch })
    }
    text += `\n${more}`
  }
  close()
  return texts
}

export const readWord = (text: string): Word => {
  const end = text.indexOf("\n")
  if (end < 0) return JSON.parse(text) as Word
  const head = JSON.parse(text.slice(0, end)) as Word
  if (head._tag !== "Published") return head
  const lines = linesOf(text.slice(end + 1))
  return { ...head, publications: readAll(head.epoch, lines, 0, lines.length / 2) }
}

// Asks and answers.

export interface Position {
  readonly epoch: string
  readonly offset: number
}

/** The first word of an edge about a channel, and each that it needs to be right again. */
export interface OpenAsk {
  readonly channel: string
  /** Where its mirror stands; null: nowhere yet. */
  readonly has: Position | null
  /** It needs the snapshot. */
  readonly state: boolean
}

export interface OpenAnswer extends Position {
  /** Everything after what it has, up to `offset`; null: part of that is not there any more, or is of another epoch. */
  readonly missed: ReadonlyArray<EncodedPublication> | null
  /** Of this offset; undefined: was not asked for. */
  readonly snapshot: string | null | undefined
  /** Of a channel in cache mode; its `missed` is empty or null. */
  readonly memory: StreamMemory | undefined
}

interface OpenHead extends Position {
  readonly missed: number | null
  readonly hasSnapshot: boolean
  readonly snapshots: number
  readonly memory: { readonly values: number; readonly finals: number; readonly forgottenTo: number } | null
}

export const openAnswer = (answer: OpenAnswer): readonly [head: string, payload: string] => {
  const { epoch, offset, missed, snapshot, memory } = answer
  const head: OpenHead = {
    epoch,
    offset,
    missed: missed === null ? null : missed.length,
    hasSnapshot: snapshot !== undefined,
    snapshots: typeof snapshot === "string" ? 1 : 0,
    memory:
      memory === undefined
        ? null
        : { values: memory.values.length, finals: memory.finals.length, forgottenTo: memory.forgottenTo },
  }
  const state = typeof snapshot === "string" ? [{ epoch, offset, json: snapshot }] : []
  return [
    JSON.stringify(head),
    textOf([...state, ...(memory?.values ?? []), ...(memory?.finals ?? []), ...(missed ?? [])]),
  ]
}

export const readOpenAnswer = (head: string, payload: string): OpenAnswer => {
  const { epoch, offset, missed, hasSnapshot, snapshots, memory } = JSON.parse(head) as OpenHead
  const lines = linesOf(payload)
  let at = 0
  const next = (count: number): Array<EncodedPublication> => {
    const found = readAll(epoch, lines, at, count)
    at += 2 * count
    return found
  }
  const snapshot = next(snapshots)[0]?.json ?? null
  const values = next(memory?.values ?? 0)
  const finals = next(memory?.finals ?? 0)
  return {
    epoch,
    offset,
    missed: missed === null ? null : next(missed),
    snapshot: hasSnapshot ? snapshot : undefined,
    memory: memory === null ? undefined : { values, finals, forgottenTo: memory.forgottenTo },
  }
}

/** What a subscriber missed that comes back; `epoch`: of the mirror that it comes back to. */
export interface FillAsk {
  readonly channel: string
  readonly epoch: string
  readonly after: number
  readonly upTo: number
}

/** Null: not all of it is there. */
export const fillAnswer = (rows: ReadonlyArray<EncodedPublication> | null): readonly [head: string, payload: string] =>
  rows === null ? ["null", ""] : ["", textOf(rows)]

export const readFillAnswer = (epoch: string, head: string, payload: string): Array<EncodedPublication> | null => {
  if (head === "null") return null
  const lines = linesOf(payload)
  return readAll(epoch, lines, 0, lines.length / 2)
}

/** The entries of a map, as `ChannelSource.state` has them. */
export const stateAnswer = (state: ChannelState | null): readonly [head: string, payload: string] => {
  if (state === null) return ["null", ""]
  const { epoch, offset, entries } = state
  return [JSON.stringify({ epoch, offset }), entries.map(({ key, json }) => `${key}\n${json}`).join("\n")]
}

export const readStateAnswer = (head: string, payload: string): ChannelState | null => {
  if (head === "null") return null
  const lines = linesOf(payload)
  const entries: Array<ChannelState["entries"][number]> = []
  for (let i = 0; i < lines.length; i += 2) entries.push({ key: lines[i]!, json: lines[i + 1]! })
  return { ...(JSON.parse(head) as Position), entries }
}

/** In the place of an offset: entries were read of it, and the epoch is theirs. */
export const OF_STATE = -1

/** An edge still follows these, and stands there. */
export type KeepAsk = ReadonlyArray<readonly [channel: string, epoch: string, offset: number]>

/** Those that stand elsewhere, or have ended; epoch null: the owner has forgotten that they are followed. */
export type KeepAnswer = ReadonlyArray<
  readonly [channel: string, epoch: string | null, offset: number, ended: WordEnding | null]
>
