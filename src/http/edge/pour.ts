/**
 * Writes a long response as fast as the client reads it, within a time limit. `end` would copy all that does not fit into the kernel's
 * buffer into the socket's own, for as long as the reader likes: 500 readers of a page who take a byte a second would hold all its
 * copies.
 */
interface Pourable {
  tryEnd(body: Uint8Array, totalBytes: number, closeConnection?: boolean): [boolean, boolean]
  onWritable(more: (offset: number) => boolean): unknown
  close(): unknown
}

/** Below this an answer fits into the kernel's buffer. */
export const POUR_BYTES_MIN = 65_536
/** How long a reader may take over a long answer, in ms. Whoever takes a page in that time reads 150 kB a second. */
const POUR_MILLIS = 12_000

/** Begins inside `cork`, after the headers. `isGone`: the wire must not be touched any more. */
export const pour = (wire: Pourable, body: Uint8Array, closeConnection: boolean, isGone: () => boolean): void => {
  const [, isDone] = wire.tryEnd(body, body.length, closeConnection)
  if (isDone) return
  const late = setTimeout(() => {
    if (!isGone()) wire.close()
  }, POUR_MILLIS)
  late.unref()
  wire.onWritable((offset) => {
    const [taken, isOver] = wire.tryEnd(body.subarray(offset), body.length, closeConnection)
    if (isOver) clearTimeout(late)
    return taken
  })
}
