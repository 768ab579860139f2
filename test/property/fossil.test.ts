/** Fossil deltas of anything into anything: the official client's decoder gives the target, and texts are never cut in a character. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fossilDelta } from "../../src/ws/fanout/fossil.ts"
import { appliedToBytes, appliedToJson } from "../kit/readers/client-deltas.ts"

/** A change of a sequence: a part replaced, taken out, put in, repeated or moved. Places are fractions of its length. */
const edits = <A>(parts: fc.Arbitrary<ReadonlyArray<A>>) =>
  fc.array(
    fc.record({
      from: fc.double({ min: 0, max: 1, noNaN: true }),
      count: fc.integer({ min: 0, max: 60 }),
      to: fc.double({ min: 0, max: 1, noNaN: true }),
      put: parts,
      moves: fc.boolean(),
    }),
    { maxLength: 5 },
  )

const edited = <A>(
  sequence: ReadonlyArray<A>,
  changes: ReadonlyArray<{ from: number; count: number; to: number; put: ReadonlyArray<A>; moves: boolean }>,
): ReadonlyArray<A> => {
  let now = [...sequence]
  for (const { from, count, to, put, moves } of changes) {
    const taken = now.splice(Math.floor(from * now.length), count, ...put)
    const place = Math.floor(to * now.length)
    if (moves) now = [...now.slice(0, place), ...taken, ...now.slice(place)]
  }
  return now
}

/** Mostly few values, so that unrelated places look alike; and mostly long enough for copies. */
const someBytes = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 400 }),
  fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 400 }),
  fc.array(fc.constantFrom(0xd0, 0xd1, 0x80, 0x81, 0x41), { maxLength: 400 }),
  fc
    .tuple(fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 40 }), fc.integer({ max: 40, min: 1 }))
    .map(([part, times]) => Array.from({ length: times }, () => part).flat()),
)
const bytePairs = fc.oneof(
  { weight: 1, arbitrary: fc.tuple(someBytes, someBytes) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(someBytes, edits(fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 20 })))
      .map(([base, changes]) => [base, edited(base, changes)] as const),
  },
)

/** Characters of one to four bytes, many of which begin or end with the same bytes. */
const character = fc.oneof(
  fc.constantFrom(..."абвгдежзийклмнопрстуфхцчшщъыьэюяАБВРСТЁёѠѡ"),
  fc.constantFrom(...'0123456789.,"\\\n{}[]ab é€市場東京亭😀😁😂🚀🛰'),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
)
const characters = fc.array(character, { maxLength: 300 })
const textPairs = fc.oneof(
  { weight: 1, arbitrary: fc.tuple(characters, characters) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(characters, edits(fc.array(character, { maxLength: 5 })))
      .map(([base, changes]) => [base, edited(base, changes)] as const),
  },
)

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"

/** The bytes that each copy and each literal of a delta stands for. */
const pieces = (base: Uint8Array, delta: Uint8Array): ReadonlyArray<Uint8Array> => {
  let at = 0
  const number = (): number => {
    let value = 0
    for (; DIGITS.includes(String.fromCharCode(delta[at]!)); at++) {
      value = value * 64 + DIGITS.indexOf(String.fromCharCode(delta[at]!))
    }
    return value
  }
  const found: Array<Uint8Array> = []
  number()
  for (at++; at < delta.length; ) {
    const count = number()
    const sign = String.fromCharCode(delta[at++]!)
    if (sign === ";") break
    if (sign === "@") {
      const from = number()
      found.push(base.subarray(from, from + count))
      at++
    } else {
      found.push(delta.subarray(at, at + count))
      at += count
    }
  }
  return found
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
/** Fails on bytes that are no text; keeps a byte order mark. */
const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)

describe("a fossil delta", () => {
  it("of any bytes gives the target back", () => {
    void fc.assert(
      fc.property(bytePairs, fc.boolean(), ([base, target], alignUtf8) => {
        const [from, to] = [Uint8Array.from(base), Uint8Array.from(target)]
        const delta = fossilDelta(from, to, { alignUtf8 })
        expect(appliedToBytes(from, delta)).toEqual(to)
        expect(delta.length).toBeLessThanOrEqual(to.length + 24)
      }),
      { numRuns: 600 },
    )
  })

  it("of any texts is made of whole characters, and gives the target back in JSON", () => {
    void fc.assert(
      fc.property(textPairs, ([base, target]) => {
        const [before, after] = [JSON.stringify({ text: base.join("") }), JSON.stringify({ text: target.join("") })]
        const delta = fossilDelta(bytesOf(before), bytesOf(after), { alignUtf8: true })
        expect(bytesOf(textOf(delta))).toEqual(delta)
        expect(pieces(bytesOf(before), delta).map(textOf).join("")).toBe(after)
        expect(appliedToJson(before, delta)).toEqual(JSON.parse(after))
      }),
      { numRuns: 600 },
    )
  })

  it("of a text with one letter replaced by a look-alike in bytes is whole, and shorter than the text", () => {
    const letter = fc.constantFrom(..."прстРСТѠѡАБаб😀😁🀀🁀")
    void fc.assert(
      fc.property(fc.array(letter, { minLength: 40, maxLength: 200 }), fc.nat(), letter, (base, place, other) => {
        const target = base.with(place % base.length, other)
        const [before, after] = [JSON.stringify(base.join("")), JSON.stringify(target.join(""))]
        const delta = fossilDelta(bytesOf(before), bytesOf(after), { alignUtf8: true })
        expect(pieces(bytesOf(before), delta).map(textOf).join("")).toBe(after)
        expect(delta.length).toBeLessThan(bytesOf(after).length / 2)
        expect(appliedToJson(before, delta)).toBe(target.join(""))
      }),
      { numRuns: 300 },
    )
  })
})
