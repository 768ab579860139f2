/** Fossil deltas: their text, their size and what the official client makes of them, at the edges and with whole characters. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { fossilDelta } from "../../../src/ws/fanout/fossil.ts"
import { appliedToBytes, appliedToJson } from "../../kit/readers/client-deltas.ts"

const MIB = 1 << 20
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const raw = { alignUtf8: false }
const whole = { alignUtf8: true }

/** Bytes that nothing compresses, the same in every run. */
const noise = (length: number, seed: string): Uint8Array => {
  const parts: Array<Buffer> = []
  for (let at = 0; at < length; at += 32) parts.push(createHash("sha256").update(`${seed}${at}`).digest())
  return new Uint8Array(Buffer.concat(parts).subarray(0, length))
}

/** What is wrong with the delta that the client applies; also compares 1 MiB quickly. */
const wrong = (base: Uint8Array, target: Uint8Array): ReadonlyArray<string> =>
  [raw, whole].flatMap((options) => {
    const applied = appliedToBytes(base, fossilDelta(base, target, options))
    return Buffer.compare(applied, target) === 0 ? [] : [`alignUtf8 ${options.alignUtf8}`]
  })

describe("a fossil delta", () => {
  it("has the text that the reference server sends for the same change", () => {
    const rest = `,"symbol":"BTC/USDT","bid":"61234.10","ask":"61234.20","last":"61234.15","open":"62000.00","v":"9"}`
    const [base, target] = [bytes(`{"i":1${rest.slice(-96)}`), bytes(`{"i":2${rest.slice(-96)}`)]
    const text = new TextDecoder().decode(fossilDelta(base, target, whole))
    expect(text).toMatch(/^1b\n6:\{"i":21W@6,[0-9A-Z_a-z~]+;$/)
    expect(wrong(base, target)).toEqual([])
  })

  // The byte of "7" is 0x37: as the upper byte of a 32-bit sum that is `s0000` in base 64.
  it.each([
    ["nothing to nothing", "", "", "0\n0;"],
    ["nothing to something", "", "7", "1\n1:7s0000;"],
    ["something to nothing", "a long payload of an object", "", "0\n0;"],
  ])("of %s is exact", (_, base, target, text) => {
    expect(new TextDecoder().decode(fossilDelta(bytes(base), bytes(target), whole))).toBe(text)
    expect(wrong(bytes(base), bytes(target))).toEqual([])
  })

  it("applies whatever the lengths around a block are, for equal, shortened, lengthened and different payloads", () => {
    for (let length = 0; length <= 50; length++) {
      const base = noise(length, "base")
      for (const target of [
        base,
        base.subarray(1),
        base.subarray(0, -1),
        base.subarray(3, -3),
        noise(length, "other"),
      ]) {
        expect([length, ...wrong(base, target)]).toEqual([length])
        expect([length, ...wrong(target, base)]).toEqual([length])
      }
    }
  })

  it("of equal payloads is one copy", () => {
    const payload = noise(1000, "same")
    expect(fossilDelta(payload, payload, raw).length).toBeLessThan(20)
  })

  it("of different payloads is the payload and a few bytes", () => {
    const [base, target] = [noise(1000, "one"), noise(1000, "two")]
    expect(fossilDelta(base, target, raw).length).toBeLessThan(1020)
    expect(wrong(base, target)).toEqual([])
  })

  it("of a record with new digits in three places holds little more than the digits", () => {
    const record = (bid: string, ask: string, at: number): string =>
      JSON.stringify({
        symbol: "BTC/USDT",
        bid,
        bidQuantity: "0.25000000",
        ask,
        askQuantity: "1.75000000",
        venueTime: at,
      })
    const base = bytes(record("61234.10", "61234.20", 1790000000123))
    const target = bytes(record("61234.70", "61235.90", 1790000000456))
    expect(fossilDelta(base, target, whole).length).toBeLessThan(60)
    expect(wrong(base, target)).toEqual([])
  })

  it("goes on at the shifted place after a number with one digit more", () => {
    const record = (first: number, rest: ReadonlyArray<number>): Uint8Array =>
      bytes(
        `{"sequence":${first},"symbol":"BTC/USDT","venue":"BINANCE",${rest.map((n) => `"quantity":${n}`).join(",")}}`,
      )
    const [base, target] = [record(99, [21, 31, 41, 51, 61]), record(100, [22, 32, 42, 52, 62])]
    // Twelve equal bytes between two numbers hold no whole block, and yet each is a copy: 5 bytes in place of 12, with 2 for a literal.
    expect(fossilDelta(base, target, whole).length).toBeLessThan(75)
    expect(wrong(base, target)).toEqual([])
  })

  it("copies rows that have moved", () => {
    const rows = Array.from({ length: 60 }, (_, i) => `["${61000 + i * 7}.${i % 10}0","0.${1234 + i * 77}"]`)
    const [head, left, right, tail] = [rows.slice(0, 10), rows.slice(10, 30), rows.slice(30, 50), rows.slice(50)]
    const base = bytes(JSON.stringify([...head, ...left, ...right, ...tail]))
    const target = bytes(JSON.stringify([...head, ...right, ...left, ...tail]))
    expect(fossilDelta(base, target, whole).length).toBeLessThan(50)
    expect(wrong(base, target)).toEqual([])
  })

  it("copies Russian words that have moved, wherever the blocks begin inside a letter", () => {
    for (let shift = 0; shift < 16; shift++) {
      const [base, target] = [
        bytes(`${"-".repeat(shift)}жёлтая звезда над морем`),
        bytes("есть жёлтая звезда над морем!"),
      ]
      expect(fossilDelta(base, target, whole).length).toBeLessThan(target.length - 15)
      expect(wrong(base, target)).toEqual([])
    }
  })

  it("is its own: later deltas do not change it, and the payloads stay as they were", () => {
    const [base, target] = [noise(500, "base"), noise(400, "target")]
    const [baseBefore, targetBefore] = [base.slice(), target.slice()]
    const delta = fossilDelta(base, target, raw)
    const kept = delta.slice()
    fossilDelta(noise(500, "as large"), noise(400, "as large too"), raw)
    fossilDelta(noise(5000, "larger"), noise(6000, "larger still"), raw)
    expect(delta).toEqual(kept)
    expect([base, target]).toEqual([baseBefore, targetBefore])
    expect(appliedToBytes(base, delta)).toEqual(target)
  })
})

describe("a fossil delta of 1 MiB", () => {
  const large = noise(MIB, "large")

  it("is small for equal, exchanged and lengthened payloads", () => {
    const exchanged = new Uint8Array(Buffer.concat([large.subarray(MIB / 2 + 5), large.subarray(0, MIB / 2 + 5)]))
    const lengthened = new Uint8Array(
      Buffer.concat([large.subarray(0, 777_777), noise(9, "in"), large.subarray(777_777)]),
    )
    for (const target of [large, exchanged, lengthened]) {
      // The size, two copies, the bytes put in and the checksum.
      expect(fossilDelta(large, target, raw).length).toBeLessThan(48)
      expect(wrong(large, target)).toEqual([])
    }
  })

  it("of other noise is hardly larger than the payload", () => {
    const target = noise(MIB, "other")
    expect(fossilDelta(large, target, raw).length).toBeLessThan(MIB + 200)
    expect(wrong(large, target)).toEqual([])
  })

  // Each of these would take minutes if every place were compared with every block.
  it.each([
    ["one letter with flaws", () => 97, (i: number) => (i % 1000 === 0 ? 98 : 97)],
    ["one block with flaws", (i: number) => i % 16, (i: number) => (i % 999 === 0 ? 200 : i % 16)],
    ["only bytes that continue a character", () => 0x80, (i: number) => (i % 50 === 0 ? 0xc2 : 0x80)],
    ["characters that never end", (i: number) => (i % 40 ? 0x80 : 0xc2), (i: number) => (i % 39 ? 0x80 : 0xc2)],
  ])("of %s is made in bounded time", (_, ofBase, ofTarget) => {
    const base = new Uint8Array(MIB).map((_byte, i) => ofBase(i))
    const target = new Uint8Array(MIB).map((_byte, i) => ofTarget(i))
    expect(wrong(base, target)).toEqual([])
  })
})

describe("a fossil delta in JSON", () => {
  // р and с are D1 80 and D1 81, which begin with the same byte; Р and Ѡ are D0 A0 and D1 A0, which end with the same byte.
  it.each([
    ["a Russian letter", "Заявка исполнена на бирже, рубли зачислены", "Заявка исполнена на бирже, субли зачислены"],
    ["a letter with the same last byte", "Сделка закрыта, баланс Р обновлён", "Сделка закрыта, баланс Ѡ обновлён"],
    ["an emoji", "to the moon and back again 😀 in one night", "to the moon and back again 😁 in one night"],
    ["an ideograph", "市場の板情報が更新されました(東京)", "市場の板情報が更新されました(東亭)"],
  ])("never cuts %s, which the client would not survive", (_, before, after) => {
    const [base, target] = [JSON.stringify({ before }), JSON.stringify({ before: after })]
    const cut = fossilDelta(bytes(base), bytes(target), raw)
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(cut)).toThrow(TypeError)
    expect(() => appliedToJson(base, cut)).toThrow()

    const delta = fossilDelta(bytes(base), bytes(target), whole)
    expect(new TextDecoder("utf-8", { fatal: true }).decode(delta)).not.toContain("\ufffd")
    expect(appliedToJson(base, delta)).toEqual({ before: after })
    expect(delta.length).toBeLessThan(bytes(target).length)
  })
})
