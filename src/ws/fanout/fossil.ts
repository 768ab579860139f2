/**
 * The encoder of fossil deltas (realtime A.10): what turns the payload a subscriber has into the next one, as Centrifuge clients read it.
 *
 * A delta is `<size>\n`, then copies out of the base `<count>@<offset>,` and literals `<count>:<bytes>`, then `<checksum>;`, the numbers
 * in fossil's base 64. Copies are found in three ways: the common beginning and end; the same place again after a replaced part, as when
 * digits change; and a table of the base's blocks for what has moved. The work is linear in the sizes, whatever the bytes are.
 */

/** Bytes of the base behind one entry of the table: what has moved holds a whole block for sure only when it is twice as long. */
const BLOCK = 16
/** A shorter copy could cost more than its bytes as a literal: count, offset, two signs, and the header of one literal more. */
const COPY_MIN = 10
/** A copy that goes on this far is taken at once, without looking for a longer one. */
const COPY_ENOUGH = 128
/** Blocks of one bucket that are tried: a payload that repeats itself, or was made to collide, costs no more. */
const TRIES_MAX = 16

const DIGITS = new TextEncoder().encode("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~")
const NEWLINE = 0x0a
const COMMA = 0x2c
const COLON = 0x3a
const SEMICOLON = 0x3b
const AT = 0x40

/** The rolling hash of Rabin and Karp modulo 2^32. */
const FACTOR = 0x01000193
/** FACTOR to the power of BLOCK: what the byte that leaves the window has been multiplied with. */
const FACTOR_OUT = Array.from({ length: BLOCK }).reduce<number>((power) => Math.imul(power, FACTOR), 1)
/** 2^32 by the golden ratio: spreads a hash into its upper bits, which number the bucket. */
const SPREAD = 0x9e3779b1

export interface FossilOptions {
  /** Copies and literals begin and end at whole UTF-8 characters: the delta of two texts is a text. For deltas inside JSON. */
  readonly alignUtf8: boolean
}

/**
 * The delta that makes `target` out of `base`. It always applies; it is not always shorter than the target. Neither argument is kept,
 * but the table and the output buffer are: they stay as large as the largest payload so far asked for.
 */
export const fossilDelta = (base: Uint8Array, target: Uint8Array, { alignUtf8 }: FossilOptions): Uint8Array => {
  output.start(target)
  output.number(target.length, NEWLINE)
  new Encoding(base, target, alignUtf8).write()
  output.number(checksum(target), SEMICOLON)
  return output.end()
}

/** One delta in the making. Places are byte numbers in the target, unless they are called `from`: those are in the base. */
class Encoding {
  /** Where the literal begins that is not written yet. */
  private literal = 0
  /** Where the part ends that copies are searched for: at the common end. */
  private end: number
  /** From a place to the same place in the base, by the last copy. */
  private drift = 0
  /** What the base has at `drift` before this place is too short for a copy. */
  private dull = 0

  /** The best copy for the place looked at: `before` bytes up to it and `after` from it on, around `from`. None while `after` is 0. */
  private from = 0
  private before = 0
  private after = 0

  constructor(
    private readonly base: Uint8Array,
    private readonly target: Uint8Array,
    private readonly alignUtf8: boolean,
  ) {
    this.end = target.length
  }

  write(): void {
    const { base, target } = this
    const prefix = this.sameFrom(0, 0)
    if (prefix >= COPY_MIN) {
      output.copy(0, prefix)
      this.literal = prefix
    }
    const suffix = this.sameBefore(base.length, target.length, Math.min(base.length, target.length) - this.literal)
    if (suffix >= COPY_MIN) this.end -= suffix
    this.writeMiddle()
    output.literal(this.literal, this.end)
    if (this.end < target.length) output.copy(base.length - suffix, suffix)
  }

  /** Copies, and the literals between them, from `literal` on; what is left of it at the end is the caller's to write. */
  private writeMiddle(): void {
    const { target, end } = this
    const lastBlock = this.base.length < BLOCK ? -1 : end - BLOCK
    let at = this.literal
    if (at <= lastBlock) blocks.index(this.base, this.alignUtf8)
    let hash = at <= lastBlock ? hashOf(target, at) : 0
    while (at + COPY_MIN <= end) {
      this.after = 0
      if (this.mayCutAt(at)) {
        if (at >= this.dull) this.trySamePlace(at)
        if (at <= lastBlock && this.after < COPY_ENOUGH) this.tryBlocks(at, hash)
      }
      if (this.after > 0) {
        at = this.writeCopy(at)
        if (at <= lastBlock) hash = hashOf(target, at)
      } else {
        if (at < lastBlock) hash = rolled(hash, target[at]!, target[at + BLOCK]!)
        at++
      }
    }
  }

  private trySamePlace(at: number): void {
    const from = at + this.drift
    const same = from < 0 ? 0 : this.sameFrom(from, at)
    this.dull = at + same
    if (same >= COPY_MIN) this.take(from, 0, same)
  }

  private tryBlocks(at: number, hash: number): void {
    let from = blocks.first(hash)
    for (let tries = 0; from >= 0 && tries < TRIES_MAX && this.after < COPY_ENOUGH; tries++) {
      const after = this.sameFrom(from, at)
      if (after >= COPY_MIN) {
        const before = this.sameBefore(from, at, Math.min(from, at - this.literal))
        if (this.after === 0 || before + after > this.before + this.after) this.take(from, before, after)
      }
      from = blocks.next(from)
    }
  }

  private take(from: number, before: number, after: number): void {
    this.from = from
    this.before = before
    this.after = after
  }

  /** The place behind the copy. */
  private writeCopy(at: number): number {
    output.literal(this.literal, at - this.before)
    output.copy(this.from - this.before, this.before + this.after)
    this.drift = this.from - at
    this.literal = at + this.after
    this.dull = this.literal
    return this.literal
  }

  /** How many bytes are the same in the base from `from` and in the target from `at`. */
  private sameFrom(from: number, at: number): number {
    const { base, target } = this
    const limit = Math.min(base.length - from, this.end - at)
    let length = 0
    while (length < limit && base[from + length] === target[at + length]) length++
    while (length > 0 && !this.mayCutAt(at + length)) length--
    return length
  }

  /** How many bytes are the same in the base before `from` and in the target before `at`, at most `limit`. */
  private sameBefore(from: number, at: number, limit: number): number {
    const { base, target } = this
    let length = 0
    while (length < limit && base[from - length - 1] === target[at - length - 1]) length++
    while (length > 0 && !this.mayCutAt(at - length)) length--
    return length
  }

  private mayCutAt(at: number): boolean {
    return !this.alignUtf8 || startsCharacter(this.target, at)
  }
}

/** Where blocks of the base begin, by their hash. Of one bucket the lowest comes first: its offset is the shortest to write. */
class BlockTable {
  /** The lowest block of each bucket, plus one; zero for none. */
  private firsts = new Int32Array(128)
  /** By block number: the next block of its bucket, plus one; zero for none. */
  private nexts = new Int32Array(128)
  /** How many bits of a hash are not in the number of its bucket. */
  private shift = 31

  /** The base has at least one block. */
  index(base: Uint8Array, alignUtf8: boolean): void {
    const count = Math.floor(base.length / BLOCK)
    this.shift = Math.clz32(count)
    const buckets = 2 ** (32 - this.shift)
    if (this.firsts.length < buckets) {
      this.firsts = new Int32Array(buckets)
      this.nexts = new Int32Array(buckets)
    } else this.firsts.fill(0, 0, buckets)
    for (let number = count - 1; number >= 0; number--) {
      let start = number * BLOCK
      // A character has at most three bytes after its first.
      if (alignUtf8) for (let i = 0; i < 3 && !startsCharacter(base, start); i++) start++
      if (start + BLOCK > base.length) continue
      const bucket = this.bucketOf(hashOf(base, start))
      this.nexts[number] = this.firsts[bucket]!
      this.firsts[bucket] = start + 1
    }
  }

  /** The first block that may have this hash; -1 for none. */
  first(hash: number): number {
    return this.firsts[this.bucketOf(hash)]! - 1
  }

  /** The block after this one in the same bucket; -1 for none. */
  next(block: number): number {
    return this.nexts[Math.floor(block / BLOCK)]! - 1
  }

  private bucketOf(hash: number): number {
    return Math.imul(hash, SPREAD) >>> this.shift
  }
}

class DeltaWriter {
  private target: Uint8Array = new Uint8Array(0)
  private bytes = new Uint8Array(1024)
  private length = 0

  start(target: Uint8Array): void {
    // The worst is ten bytes of the target as a copy of nine, again and again, each with a literal whose header is at most seven.
    const most = 2 * target.length + 64
    if (this.bytes.length < most) this.bytes = new Uint8Array(most)
    this.target = target
    this.length = 0
  }

  end(): Uint8Array {
    this.target = new Uint8Array(0)
    return this.bytes.slice(0, this.length)
  }

  copy(from: number, count: number): void {
    this.number(count, AT)
    this.number(from, COMMA)
  }

  /** The target from `start` to `end`; nothing when that is empty. */
  literal(start: number, end: number): void {
    if (start === end) return
    this.number(end - start, COLON)
    for (let i = start; i < end; i++) this.bytes[this.length++] = this.target[i]!
  }

  /** An unsigned 32-bit number and the sign after it. */
  number(value: number, sign: number): void {
    let shift = 0
    while (shift < 30 && value >>> (shift + 6) > 0) shift += 6
    for (; shift >= 0; shift -= 6) this.bytes[this.length++] = DIGITS[(value >>> shift) & 63]!
    this.bytes[this.length++] = sign
  }
}

const hashOf = (bytes: Uint8Array, start: number): number => {
  let hash = 0
  for (let i = start; i < start + BLOCK; i++) hash = (Math.imul(hash, FACTOR) + bytes[i]!) | 0
  return hash
}

/** The hash of the window one byte further: without its first byte `out`, with the byte `into` after it. */
const rolled = (hash: number, out: number, into: number): number =>
  (Math.imul(hash, FACTOR) + into - Math.imul(out, FACTOR_OUT)) | 0

/** The sum of the bytes as big-endian 32-bit numbers, modulo 2^32. */
const checksum = (bytes: Uint8Array): number => {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  let at = 0
  for (; at + 4 <= bytes.length; at += 4) {
    first += bytes[at]!
    second += bytes[at + 1]!
    third += bytes[at + 2]!
    fourth += bytes[at + 3]!
  }
  let sum = (first << 24) + (second << 16) + (third << 8) + fourth
  for (let shift = 24; at < bytes.length; at++, shift -= 8) sum += bytes[at]! << shift
  return sum >>> 0
}

/** Whether no character of valid UTF-8 goes on at this place; so it is behind the last byte. */
const startsCharacter = (bytes: Uint8Array, at: number): boolean => at >= bytes.length || (bytes[at]! & 0xc0) !== 0x80

const blocks = new BlockTable()
const output = new DeltaWriter()
