/** A body's bytes become the value that their text is, or are refused: whether it is UTF-8, and what it says, is what Node and JSON say of it. */
import { isUtf8 } from "node:buffer"
import fc from "fast-check"
import { expect, it } from "vitest"
import { MalformedJson } from "../../../src/domain/errors/request.ts"
import { parseBody } from "../../../src/http/edge/request-body.ts"

/** Undefined: refused. */
const expected = (bytes: Buffer): { readonly value: unknown } | undefined => {
  if (!isUtf8(bytes)) return undefined
  try {
    return { value: JSON.parse(bytes.toString("utf8")) }
  } catch {
    return undefined
  }
}

const MARK = Buffer.from("\ufeff")
const json = fc.json({ maxDepth: 3 }).map((text) => Buffer.from(text))
/** Right, but for some bytes that are another's. */
const spoilt = fc
  .tuple(json, fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 }))
  .map(([bytes, changes]) => {
    const copy = Buffer.from(bytes)
    for (const [place, byte] of changes) copy[place % copy.length] = byte
    return copy
  })
const marked = json.map((bytes) => Buffer.concat([MARK, bytes]))
const any = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))

it("is read as Node and JSON read it, as a buffer and as uWebSockets gives it", () => {
  void fc.assert(
    fc.property(fc.oneof(json, spoilt, marked, any), (bytes) => {
      const wanted = expected(bytes)
      const given = [bytes, new Uint8Array(bytes).buffer].map(parseBody)
      for (const parsed of given) {
        if (wanted === undefined) expect(parsed).toBeInstanceOf(MalformedJson)
        // Its text may hold what is refused later on: a NUL, a lone surrogate.
        else if ("value" in parsed) expect(parsed.value).toEqual(wanted.value)
        else expect(parsed).not.toBeInstanceOf(MalformedJson)
      }
    }),
    { numRuns: 2_000 },
  )
})
