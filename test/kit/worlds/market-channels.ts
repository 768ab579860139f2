/**
 * A ChannelPort that remembers: first and last subscribers open and close the attached sources as the hub's do, publications go
 * to those who listen, and a publisher that breaks the offset rule (+1 within an epoch) fails the test at once.
 */
import { type Context, Layer } from "effect"
import type { ChannelKind } from "../../../src/domain/channel.ts"
import { parseChannel } from "../../../src/domain/channel.ts"
import {
  ChannelPort,
  type ChannelSource,
  type Publication,
  type StreamPosition,
} from "../../../src/ports/channel-port.ts"

export type Listener = (publication: Publication) => void

export class RecordingChannels {
  readonly publications: Array<Publication> = []
  /** Channels whose subscribers were told to start over, with the number of publications before that. */
  readonly invalidated: Array<readonly [string, number]> = []
  /** Channels that ended for good, and how. */
  readonly ended: Array<string> = []
  readonly #sources = new Map<ChannelKind, ChannelSource>()
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #last = new Map<string, { readonly epoch: string; readonly offset: number }>()

  readonly port: Context.Tag.Service<typeof ChannelPort> = {
    publish: (publication) => this.#publish(publication),
    isHeard: (channel) => (this.#listeners.get(channel)?.size ?? 0) > 0,
    invalidate: (channel) => void this.invalidated.push([channel, this.publications.length]),
    terminate: (channel, how = "terminated") => {
      if (this.port.isHeard(channel)) this.ended.push(`${channel} ${how}`)
    },
    attach: (kind, source) => void this.#sources.set(kind, source),
  }

  readonly layer = Layer.sync(ChannelPort, () => this.port)

  /** Joins a channel; answers where its stream stands, read in the same turn. */
  subscribe(channel: string, listener: Listener): StreamPosition {
    const source = this.#source(channel)
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners)
    if (listeners.size === 0) source.opened(channel)
    const position = source.position(channel)
    const last = this.#last.get(channel)
    if (last !== undefined && last.epoch === position.epoch && last.offset !== position.offset)
      throw new Error(`${channel}: a position may recover from ${last.offset} to ${position.offset}, never published`)
    listeners.add(listener)
    return position
  }

  unsubscribe(channel: string, listener: Listener): void {
    const listeners = this.#listeners.get(channel)
    if (listeners?.delete(listener) === true && listeners.size === 0) this.#source(channel).closed(channel)
  }

  of(channel: string): ReadonlyArray<Publication> {
    return this.publications.filter((publication) => publication.channel === channel)
  }

  #source(channel: string): ChannelSource {
    const kind = parseChannel(channel)?.kind
    const source = kind === undefined ? undefined : this.#sources.get(kind)
    if (source === undefined) throw new Error(`nothing stands behind ${channel}`)
    return source
  }

  #publish(publication: Publication): void {
    const { channel, epoch, offset, json } = publication
    if (json.includes("\n")) throw new Error(`${channel}: raw newline`)
    const last = this.#last.get(channel)
    if (last !== undefined && last.epoch === epoch && offset !== last.offset + 1)
      throw new Error(`${channel}: offset ${offset} after ${last.offset}`)
    this.#last.set(channel, { epoch, offset })
    this.publications.push(publication)
    for (const listener of this.#listeners.get(channel) ?? []) listener(publication)
  }
}
