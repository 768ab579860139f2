/**
 * Buffers log lines until they are written. The one thing to know: they are bytes from the start. A text that waits keeps every piece it
 * was joined of, and is walked through twice when it leaves: that cost more than all else of an access line.
 */

const BLOCK_BYTES = 262_144
/** UTF-16 unit to UTF-8. */
const UNIT_BYTES_MAX = 3
const LINE_FEED = 0x0a

export class GatheredLines {
  /** Written to behind `end` only: what was taken is still on its way to the file. */
  private block = Buffer.allocUnsafe(BLOCK_BYTES)
  private start = 0
  private end = 0
  private readonly full: Array<Buffer> = []

  /** As much as is worth a write of its own. */
  get isMuch(): boolean {
    return this.full.length > 0
  }

  /** One line without its line break. */
  add(line: string): void {
    const mostBytes = UNIT_BYTES_MAX * line.length + 1
    if (this.end + mostBytes > this.block.length) this.turn(Math.max(BLOCK_BYTES, mostBytes))
    this.end += this.block.write(line, this.end)
    this.block[this.end++] = LINE_FEED
  }

  /** Everything since the last time, in order. */
  take(): ReadonlyArray<Buffer> {
    if (this.end > this.start) this.full.push(this.block.subarray(this.start, this.end))
    this.start = this.end
    return this.full.splice(0)
  }

  private turn(bytes: number): void {
    if (this.end > this.start) this.full.push(this.block.subarray(this.start, this.end))
    this.block = Buffer.allocUnsafe(bytes)
    this.start = 0
    this.end = 0
  }
}
