/** The parts of any JSON text are found where JSON.parse finds them, as they are written. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isDeeperThan, JsonSource } from "../../../src/ws/protocol/json-source.ts"
import { jsonTexts } from "./json-texts.ts"

const depthOf = (value: unknown): number => {
  if (value === null || typeof value !== "object") return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe("a JSON text", () => {
  it("has the members and items that JSON.parse finds, each as it is written", () => {
    let parts = 0
    void fc.assert(
      fc.property(jsonTexts, (text) => {
        const walk = (source: JsonSource): void => {
          expect(text).toContain(source.text)
          const value: unknown = JSON.parse(source.text)
          const items = source.items()
          expect(items.map((item) => JSON.parse(item.text))).toEqual(Array.isArray(value) ? value : [])
          for (const item of items) walk(item)
          parts += items.length
          if (value === null || typeof value !== "object" || Array.isArray(value)) {
            expect(source.member("a")).toBeUndefined()
            return
          }
          expect(source.member("none of these")).toBeUndefined()
          for (const [name, wanted] of Object.entries(value)) {
            const found = source.member(name)
            expect(found === undefined ? undefined : JSON.parse(found.text)).toEqual(wanted)
            parts++
            if (found !== undefined) walk(found)
          }
        }
        walk(new JsonSource(text))
      }),
      { numRuns: 400 },
    )
    expect(parts).toBeGreaterThan(500)
  })

  it("is as deep as what JSON.parse makes of it, but for what a duplicate hides", () => {
    void fc.assert(
      fc.property(jsonTexts, (text) => {
        const depth = depthOf(JSON.parse(text))
        if (depth > 0) expect(isDeeperThan(text, depth - 1)).toBe(true)
        let written = 0
        while (isDeeperThan(text, written)) written++
        expect(written).toBeGreaterThanOrEqual(depth)
        expect(isDeeperThan(`[${text}]`, written)).toBe(true)
      }),
      { numRuns: 400 },
    )
  })
})
