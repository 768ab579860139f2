/** CRC-32 (ISO 3309, as in zip and PNG) of texts of plain characters, one after the other without joining them. */

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

export class Crc32 {
  #state = 0xffffffff

  add(text: string): this {
    let state = this.#state
    for (let at = 0; at < text.length; at++) state = (state >>> 8) ^ (TABLE[(state ^ text.charCodeAt(at)) & 0xff] ?? 0)
    this.#state = state
    return this
  }

  /** Unsigned. */
  get value(): number {
    return (this.#state ^ 0xffffffff) >>> 0
  }
}
