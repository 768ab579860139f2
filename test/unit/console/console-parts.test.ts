/** What the console's pages reckon with, without a browser: how they wait, how they read, and how they take numbers. */
import { describe, expect, it } from "vitest"
import { basisPoints, clockOfDay, misreading, neededDigits, withoutZeros } from "../../../console/src/format.ts"
import { endsSession, pauseAfter, renewalAfter, retryAfterOf } from "../../../console/src/pace.ts"
import { Column } from "../../../console/src/parts/column.ts"
import { newId } from "../../../console/src/parts/new-id.ts"
import { oneAtATime } from "../../../console/src/parts/one-at-a-time.ts"

const token = (claims: object): string => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`

describe("the console's session", () => {
  it("is renewed by the token's own lifetime, two minutes before its end, whatever the clock shows", () => {
    expect(renewalAfter(token({ iat: 1, exp: 3_601 }))).toBe(3_480_000)
    // Of a short one half is left.
    expect(renewalAfter(token({ iat: 1, exp: 61 }))).toBe(30_000)
    expect(renewalAfter(token({ iat: 1, exp: 2 }))).toBe(5_000)
    for (const untold of ["", "opaque", "a.%.c", token({ exp: 5 })]) expect(renewalAfter(untold)).toBe(480_000)
  })

  it("ends with a refusal of the session itself, and with no other one", () => {
    expect([401, 403, 404].map(endsSession)).toEqual([true, true, true])
    expect([0, 400, 408, 429, 500, 502, 503, 504].some(endsSession)).toBe(false)
  })

  it("waits longer after each trouble, up to half a minute, and never less than it is asked to", () => {
    expect([0, 1, 2, 10].map((nth) => pauseAfter(nth, null, 0))).toEqual([1_000, 2_000, 4_000, 30_000])
    expect(pauseAfter(0, 60_000, 0)).toBe(60_000)
    expect(pauseAfter(0, 86_400_000, 0)).toBe(600_000)
    expect(pauseAfter(0, null, 1)).toBe(1_250)
    expect(retryAfterOf("7", 0)).toBe(7_000)
    expect(retryAfterOf("Thu, 01 Jan 1970 00:00:09 GMT", 4_000)).toBe(5_000)
    expect([null, "soon"].map((text) => retryAfterOf(text, 0))).toEqual([null, null])
  })
})

describe("the console's reads", () => {
  it("go one at a time, once more for all that was asked meanwhile, and to their end however often that is", async () => {
    const begun: Array<() => void> = []
    const reads = oneAtATime(
      () => new Promise<void>((done) => begun.push(done)),
      () => Promise.resolve(),
    )
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    for (let nth = 0; nth < 5; nth++) reads.ask()
    await turn()
    expect(begun).toHaveLength(1)
    begun[0]?.()
    await turn()
    expect(begun).toHaveLength(2)
    begun[1]?.()
    await turn()
    expect(begun).toHaveLength(2)
    reads.ask()
    reads.ask()
    reads.stop()
    begun[2]?.()
    await turn()
    expect(begun).toHaveLength(3)
  })
})

describe("the console's columns", () => {
  it("leave out zeros that no row needs, and no other digit", () => {
    expect(["60000.45000000", "60000", "0.00000010", "1.0"].map(neededDigits)).toEqual([2, 0, 7, 0])
    expect(withoutZeros("60000.40000000", 2)).toBe("60000.40")
    expect(withoutZeros("100.00000000", 0)).toBe("100")
    expect(withoutZeros("0.5", 4)).toBe("0.5")
    expect(withoutZeros("7000", 0)).toBe("7000")
  })

  it("that are lines of text have their points below each other, and never become narrower", () => {
    const column = new Column()
    for (const text of ["60000.4500", "9.5", "100"]) column.see(text)
    expect(["60000.4500", "9.5", "100", ""].map((text) => column.padded(text))).toEqual([
      "60000.45",
      "    9.5 ",
      "  100   ",
      "        ",
    ])
    expect(column.width).toBe(8)
  })
})

describe("the console's times", () => {
  it("have their day where it is not today's", () => {
    const noon = new Date(2026, 10, 28, 12).getTime()
    expect([0, 86_400_000, 366 * 86_400_000].map((before) => clockOfDay(noon - before, noon))).toEqual([
      "12:00:00",
      "11-27 12:00:00",
      "2025-11-27 12:00:00",
    ])
  })
})

describe("the console's spreads", () => {
  it("are told in basis points of the middle, however tight", () => {
    expect(
      [
        ["99.95", "100.05"],
        ["59999.95", "60000.05"],
        ["100", "100"],
        ["101", "100"],
      ].map(([bid, ask]) => basisPoints(bid!, ask!)),
    ).toEqual(["10.0 bp", "0.017 bp", "0 bp", "-99.5 bp"])
  })
})

describe("the console's forms", () => {
  it("take no comma for a point, and make ids without crypto.randomUUID", () => {
    expect(misreading("60,000")).toBe("60,000: write a decimal with a point, and nothing between thousands.")
    expect(misreading("60000.5")).toBeNull()
    const ids = new Set(Array.from({ length: 100 }, newId))
    expect(ids.size).toBe(100)
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  })
})
