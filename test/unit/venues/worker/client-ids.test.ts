/** Our id of an order in each venue's spelling, and back. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isSameId, readBack, spelled } from "../../../../src/venues/worker/session/client-ids.ts"

const hexes = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString("hex"))

describe("a client id", () => {
  it.each([
    ["hex", /^[0-9a-f]{32}$/],
    ["uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    ["gate", /^t-[0-9a-z]{25}$/],
  ] as const)("as %s says all of our id", (spelling, form) => {
    void fc.assert(
      fc.property(hexes, (hex) => {
        const text = spelled(hex, spelling)
        expect(text).toMatch(form)
        expect(readBack(text)).toBe(hex)
        expect(isSameId(hex, text)).toBe(true)
      }),
    )
  })

  it("as a number fits 45 bits, and is known again by comparison", () => {
    void fc.assert(
      fc.property(hexes, (hex) => {
        const text = spelled(hex, "number")
        expect(Number(text)).toBeLessThan(2 ** 45)
        expect([isSameId(hex, text), isSameId(hex, Number(text)), readBack(text)]).toEqual([true, true, null])
      }),
    )
  })

  it.each(["web_1", "", "t-zzz", `t-${"z".repeat(25)}`, "ABCDEF0123456789ABCDEF0123456789", null, undefined])(
    "of somebody else is not ours: %s",
    (text) => {
      expect(readBack(text)).toBeNull()
    },
  )
})
