/** The official client's own decoders of deltas, called as its subscriptions call them. */
import { Centrifuge } from "centrifuge"
import { Centrifuge as CentrifugeProtobuf } from "centrifuge/build/protobuf"

interface DeltaCodec<Wire> {
  readonly applyDeltaIfNeeded: (
    publication: { readonly data: Wire; readonly delta?: boolean },
    previous?: Uint8Array,
  ) => { readonly newData: unknown; readonly newPrevValue: Uint8Array }
}

// The package does not export its decoder: a client that never connects has it.
const jsonCodec: DeltaCodec<string> = Reflect.get(new Centrifuge("ws://127.0.0.1:1"), "_codec")
const bytesCodec: DeltaCodec<Uint8Array> = Reflect.get(new CentrifugeProtobuf("ws://127.0.0.1:1"), "_codec")

/** What a Protobuf client holds after the delta. */
export const appliedToBytes = (base: Uint8Array, delta: Uint8Array): Uint8Array =>
  bytesCodec.applyDeltaIfNeeded({ data: delta, delta: true }, base).newPrevValue

/** What a JSON client gives its application after the delta: the base came as a full payload, the delta as text in a JSON frame. */
export const appliedToJson = (base: string, delta: Uint8Array): unknown => {
  const frame = JSON.stringify({ data: Buffer.from(delta).toString("utf8"), delta: true })
  const previous = jsonCodec.applyDeltaIfNeeded({ data: base }).newPrevValue
  return jsonCodec.applyDeltaIfNeeded(JSON.parse(frame), previous).newData
}

interface WirePublication {
  readonly data: never
  readonly delta?: boolean
}

/** A subscription that negotiated deltas: what its application gets, publication by publication. */
export const deltaReader = (format: "json" | "protobuf"): ((publication: WirePublication) => unknown) => {
  const codec = format === "json" ? jsonCodec : bytesCodec
  let previous: Uint8Array | undefined
  return (publication) => {
    const { newData, newPrevValue } = codec.applyDeltaIfNeeded(publication, previous)
    previous = newPrevValue
    return newData instanceof Uint8Array ? JSON.parse(Buffer.from(newData).toString("utf8")) : newData
  }
}
