/** Closed bars in memory, in chunks of neighbours; the chunks that nobody read for the longest time go first. */
import { type Bar, barIndex, type KlineInterval } from "../../../domain/market/kline.ts"

/** Bars of one chunk. */
const CHUNK = 64
/** Of a bar beside its texts: the object, the number, five references and headers of strings, in bytes. */
const BAR_BYTES = 200
const CHUNK_BYTES = 8 * CHUNK

interface Chunk {
  readonly bars: Array<Bar | undefined>
  bytes: number
}

export class KlineCache {
  readonly #bytesMax: number
  /** In the order of their last use. */
  readonly #chunks = new Map<string, Chunk>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** An estimate of the memory that the bars take. */
  get bytes(): number {
    return this.#bytes
  }

  /** The bars of a series with numbers from `first` to `last` that are known, by number. */
  find(series: string, first: number, last: number): Map<number, Bar> {
    const found = new Map<number, Bar>()
    for (let at = Math.floor(first / CHUNK); at <= Math.floor(last / CHUNK); at++) {
      const chunk = this.#use(`${series} ${at}`)
      if (chunk === undefined) continue
      const end = Math.min(last, at * CHUNK + CHUNK - 1)
      for (let index = Math.max(first, at * CHUNK); index <= end; index++) {
        const bar = chunk.bars[index - at * CHUNK]
        if (bar !== undefined) found.set(index, bar)
      }
    }
    return found
  }

  /** Only bars that never change any more. */
  keep(series: string, interval: KlineInterval, bars: ReadonlyArray<Bar>): void {
    for (const bar of bars) {
      const index = barIndex(interval, bar.openAt)
      const at = Math.floor(index / CHUNK)
      const chunk = this.#use(`${series} ${at}`) ?? this.#add(`${series} ${at}`)
      const place = index - at * CHUNK
      if (chunk.bars[place] !== undefined) continue
      const bytes =
        BAR_BYTES + bar.open.length + bar.high.length + bar.low.length + bar.close.length + bar.volume.length
      chunk.bars[place] = bar
      chunk.bytes += bytes
      this.#bytes += bytes
    }
    for (const [key, chunk] of this.#chunks) {
      if (this.#bytes <= this.#bytesMax) return
      this.#chunks.delete(key)
      this.#bytes -= chunk.bytes
    }
  }

  #use(key: string): Chunk | undefined {
    const chunk = this.#chunks.get(key)
    if (chunk === undefined) return undefined
    this.#chunks.delete(key)
    this.#chunks.set(key, chunk)
    return chunk
  }

  #add(key: string): Chunk {
    const chunk: Chunk = { bars: new Array<Bar | undefined>(CHUNK).fill(undefined), bytes: CHUNK_BYTES }
    this.#chunks.set(key, chunk)
    this.#bytes += CHUNK_BYTES
    return chunk
  }
}
