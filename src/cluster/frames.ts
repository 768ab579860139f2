/**
 * Frames as bytes: who sends, by which clock, and the messages of one loop turn to one process. The one thing to know: a frame that cannot be read, or is
 * of another version, is as good as lost.
 */

export const ASK = 1
export const ANSWER = 2
export const REFUSAL = 3
export const NEWS = 4

export interface Message {
  readonly kind: number
  /** Of the asking process; of an answer and a refusal that of the ask. */
  readonly id: number
  /** Of an ask: monotonic ms of the one that reads it. */
  readonly deadline: number
  /** Of an ask: under which it is spoken to. */
  readonly term: number
  /** Of an answer that one frame cannot hold: which piece this is, and of how many. */
  readonly part: number
  readonly parts: number
  /** Of an ask: which it is for; Latin 1, up to 255. */
  readonly service: string
  /** UTF-8. Of a refusal the reason. */
  readonly head: string
  readonly payload: string | Uint8Array
}

export interface Frame {
  readonly from: string
  /** Monotonic ms of the sender as it wrote this. */
  readonly stamp: number
  readonly messages: ReadonlyArray<Message & { readonly payload: Buffer }>
}

const VERSION = 1
/** Version, length of the sender's name, stamp. */
const FRAME_BYTES = 1 + 1 + 8
/** Kind, length of the service's name, id, deadline, term, part, parts, lengths of head and payload. */
const MESSAGE_BYTES = 1 + 1 + 8 + 8 + 8 + 2 + 2 + 4 + 4

/** UTF-8 of a text is 3 bytes for each of its units at most; of a short one that is sooner said than counted. */
const roomOfText = (text: string): number => (text.length < 512 ? 3 * text.length : Buffer.byteLength(text))

/** At least what the message takes in a frame. */
export const roomOf = ({ service, head, payload }: Message): number =>
  MESSAGE_BYTES +
  service.length +
  roomOfText(head) +
  (typeof payload === "string" ? roomOfText(payload) : payload.length)

export const frameBytes = (from: string, stamp: number, messages: ReadonlyArray<Message>): Buffer => {
  let room = FRAME_BYTES + from.length
  for (const message of messages) room += roomOf(message)
  const bytes = Buffer.allocUnsafe(room)
  bytes[0] = VERSION
  bytes[1] = from.length
  bytes.writeDoubleLE(stamp, 2)
  let at = FRAME_BYTES + bytes.write(from, FRAME_BYTES, "latin1")
  for (const { kind, id, deadline, term, part, parts, service, head, payload } of messages) {
    bytes[at] = kind
    bytes[at + 1] = service.length
    bytes.writeDoubleLE(id, at + 2)
    bytes.writeDoubleLE(deadline, at + 10)
    bytes.writeDoubleLE(term, at + 18)
    bytes.writeUInt16LE(part, at + 26)
    bytes.writeUInt16LE(parts, at + 28)
    const headAt = at + MESSAGE_BYTES + bytes.write(service, at + MESSAGE_BYTES, "latin1")
    const headBytes = bytes.write(head, headAt)
    const payloadAt = headAt + headBytes
    let payloadBytes = payload.length
    if (typeof payload === "string") payloadBytes = bytes.write(payload, payloadAt)
    else bytes.set(payload, payloadAt)
    bytes.writeUInt32LE(headBytes, at + 30)
    bytes.writeUInt32LE(payloadBytes, at + 34)
    at = payloadAt + payloadBytes
  }
  return bytes.subarray(0, at)
}

/** Undefined: it is no frame of this version, or was cut off. Payloads are parts of `data`. */
export const readFrame = (data: Uint8Array): Frame | undefined => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  if (bytes.length < FRAME_BYTES || bytes[0] !== VERSION) return undefined
  let at = FRAME_BYTES + bytes[1]!
  if (bytes.length < at) return undefined
  const messages: Array<Message & { readonly payload: Buffer }> = []
  while (at < bytes.length) {
    if (bytes.length < at + MESSAGE_BYTES) return undefined
    const headAt = at + MESSAGE_BYTES + bytes[at + 1]!
    const payloadAt = headAt + bytes.readUInt32LE(at + 30)
    const end = payloadAt + bytes.readUInt32LE(at + 34)
    if (bytes.length < end) return undefined
    messages.push({
      kind: bytes[at]!,
      id: bytes.readDoubleLE(at + 2),
      deadline: bytes.readDoubleLE(at + 10),
      term: bytes.readDoubleLE(at + 18),
      part: bytes.readUInt16LE(at + 26),
      parts: bytes.readUInt16LE(at + 28),
      service: bytes.toString("latin1", at + MESSAGE_BYTES, headAt),
      head: bytes.toString("utf8", headAt, payloadAt),
      payload: bytes.subarray(payloadAt, end),
    })
    at = end
  }
  return {
    from: bytes.toString("latin1", FRAME_BYTES, FRAME_BYTES + bytes[1]!),
    stamp: bytes.readDoubleLE(2),
    messages,
  }
}
