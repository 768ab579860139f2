/** A client at one edge or another, as the connection of one would have it: begins with its position, is told to start over, and holds each publication against the one before. */
import { beginAny, PATIENCE_MILLIS } from "../../../src/ws/fanout/recovery.ts"
import type { Ending, Stream } from "../../../src/ws/fanout/stream.ts"
import type { Topic } from "../../../src/ws/fanout/topic.ts"
import { jsonCodec } from "../../../src/ws/protocol/codec-json.ts"
import { BARS, BOOK, type Data, type ReaderAt, type TestChannel, type TestEdge, TICKER } from "./mirror-world.ts"

const VARIANT = { codec: jsonCodec, delta: false, filter: undefined, compact: undefined }

export class TestReader implements ReaderAt {
  /** What it has; undefined: nothing yet. */
  position: { readonly epoch: string; readonly offset: number } | undefined
  /** The last value, and of bars the last closed one. */
  value: Data | undefined
  finals = 0
  /** What it was told of the present: a book or a ticker that is not of now. */
  isStale = false
  readonly faults: Array<string> = []
  readonly seen: Array<string> = []
  topicKey = ""
  told = 0
  recovered = 0
  startedOver = 0
  refused = 0
  private topic: Topic | undefined
  private stream: Stream | undefined
  private attempt = 0

  constructor(
    readonly channel: TestChannel,
    public edge: TestEdge,
    private readonly after: (millis: number, work: () => void) => void,
    /** As the pace of the sockets there. */
    private readonly inTurn = (work: () => void): void => work(),
  ) {}

  get isSubscribed(): boolean {
    return this.topic !== undefined
  }

  subscribe(): void {
    const { edge, channel, position } = this
    const attempt = ++this.attempt
    const request = { recover: position !== undefined, epoch: position?.epoch ?? "", offset: position?.offset ?? 0 }
    const stream = edge.hub.open(edge.served(channel))
    stream.holds++
    const atOnce = (work: () => void): void => work()
    const until = edge.hub.monotonic() + PATIENCE_MILLIS
    beginAny(edge.hub, stream, request, { guarded: atOnce, inTurn: this.inTurn }, until, (beginning) => {
      stream.holds--
      if (attempt !== this.attempt || beginning === undefined) {
        edge.hub.release(stream)
        if (attempt !== this.attempt) return
        this.refused++
        return this.after(200, () => attempt === this.attempt && this.subscribe())
      }
      const topic = edge.hub.enter(stream, channel, VARIANT)
      this.topic = topic
      this.stream = stream
      this.topicKey = topic.key
      edge.readers.add(this)
      this.seen.push(`at ${stream.at.epoch} ${beginning.offset} ${beginning.recovered ? "recovered" : "anew"}`)
      const at = { epoch: stream.at.epoch, offset: beginning.offset }
      if (beginning.recovered) this.recovered++
      else {
        if (request.recover) this.startedOver++
        // What is forgotten of bars is told as well.
        this.finals = -1
      }
      this.isStale = false
      if (channel === BARS || channel === TICKER) {
        for (const { json } of beginning.publications) this.bar(JSON.parse(json) as Data)
        this.position = at
        return
      }
      if (beginning.recovered && at.epoch !== request.epoch) this.faults.push(`recovered in another epoch`)
      this.position = at
      if (beginning.isSnapshot) {
        const json = beginning.publications[0]?.json
        const value = json === undefined ? undefined : (JSON.parse(json) as Data)
        if (channel === BOOK && (value?.n !== at.offset || value.e !== at.epoch))
          this.faults.push(`a snapshot of ${value?.e} ${value?.n} at ${at.epoch} ${at.offset}`)
      } else for (const { json, offset } of beginning.publications) this.take(offset, JSON.parse(json) as Data)
    })
  }

  frame(text: string): void {
    for (const line of text.split("\n")) {
      const { pub } = (JSON.parse(line) as { push: { pub: { data: Data; offset?: number } } }).push
      if (pub.offset === undefined) this.hear(pub.data)
      else this.publication(pub.data, pub.offset)
    }
  }

  private publication(data: Data, offset: number): void {
    this.isStale = false
    if (this.channel !== BARS && this.channel !== TICKER) return this.take(offset, data)
    this.bar(data)
    this.position = { epoch: data.e, offset }
  }

  /** What an edge says by itself: of the record that the reader has. */
  private hear(data: Data): void {
    const { position, channel } = this
    this.isStale = data.quality === "STALE" || data.isStale === true
    this.seen.push(this.isStale ? "stale" : "of now")
    const { sequence = data.n, previousSequence = data.n } = data
    const isOfMine = [data.n, sequence, previousSequence].every((n) => n === position?.offset)
    if (!isOfMine || data.e !== position?.epoch || (channel !== BOOK && channel !== TICKER))
      this.faults.push(`${data.e} ${data.n} from the edge at ${position?.epoch} ${position?.offset}`)
  }

  ended(how: Ending): void {
    this.told++
    this.seen.push(`ended ${how}`)
    this.leave()
    if (how === "invalidated") this.after(20, () => this.subscribe())
  }

  /** As a connection that is lost. */
  cut(to: TestEdge): void {
    this.attempt++
    this.leave()
    this.edge = to
    this.after(5, () => this.subscribe())
  }

  leave(): void {
    const { topic, stream, edge } = this
    if (topic === undefined || stream === undefined) return
    this.topic = undefined
    edge.readers.delete(this)
    edge.hub.leave(stream, topic, {} as never)
  }

  private take(offset: number, data: Data): void {
    const { position } = this
    this.seen.push(`${data.e} ${offset}`)
    if (data.n !== offset) this.faults.push(`${data.n} as ${offset}`)
    if (position === undefined || offset !== position.offset + 1 || data.e !== position.epoch)
      this.faults.push(`${data.e} ${offset} after ${position?.epoch} ${position?.offset}`)
    this.position = { epoch: data.e, offset }
    this.value = data
  }

  private bar(data: Data): void {
    this.value = data
    if (data.f === undefined) return
    if (this.finals >= 0 && data.f !== this.finals + 1 && data.f !== this.finals)
      this.faults.push(`bar ${data.f} after ${this.finals}`)
    this.finals = data.f
  }
}
