/** Which name was meant, and that looking for it costs little: whoever may send a request may send many with names that nobody knows. */
import { Schema } from "effect"
import { describe, expect, it, vi } from "vitest"
import { nearestName } from "../../../src/foundation/nearest-name.ts"
import { unknownFields, unknownNames } from "../../../src/http/checks.ts"

const KNOWN = ["stopLossPrice", "takeProfitPrice", "quantity", "orderSide", "markupBps"]

/** How many texts were put in small letters: once for each name that is looked at. */
const looksOf = (run: () => void): number => {
  const lowered = vi.spyOn(String.prototype, "toLowerCase")
  try {
    run()
    return lowered.mock.calls.length
  } finally {
    lowered.mockRestore()
  }
}

describe("the nearest name", () => {
  it.each([
    ["stop_loss_price", "stopLossPrice"],
    ["stopLossprice", "stopLossPrice"],
    ["quantiyt", "quantity"],
    ["quant", "quantity"],
    ["side", "orderSide"],
    ["markup", "markupBps"],
    ["theOrderSideOfIt", null],
    ["myOwnOrderSide", "orderSide"],
    ["colour", null],
    ["", null],
  ])("of %s is %s", (given, nearest) => {
    expect(nearestName(given, KNOWN)).toBe(nearest)
  })

  it("is looked for up to 32 letters", () => {
    expect(nearestName(`${"x".repeat(23)}orderSide`, KNOWN)).toBe("orderSide")
    expect(nearestName(`${"x".repeat(24)}orderSide`, KNOWN)).toBeNull()
  })

  it("looks at the one that is given alone, once it has seen those that are known", () => {
    nearestName("quantiyt", KNOWN)
    expect(looksOf(() => nearestName("quantiyu", KNOWN))).toBe(1)
    expect(looksOf(() => nearestName("x".repeat(64), KNOWN))).toBe(0)
  })
})

describe("a request with many names that nobody knows", () => {
  const given = ["quantiyt", "orderSid", "markup", "stopLossprice", "takeprofitPrice"]
  const told = ["quantity", "orderSide", "markupBps", null, null]

  it("is told all of them, and what was meant of the first three", () => {
    const fields = given.map((field, n) => ({ field, nearest: told[n] }))
    expect(unknownNames(given, KNOWN)?.fields).toEqual(fields)
    const schema = Schema.Struct({ markupBps: Schema.String, orderSide: Schema.String, quantity: Schema.String })
    const body = Object.fromEntries(given.map((name) => [name, ""]))
    expect(unknownFields(schema.ast, body)?.fields).toEqual(fields)
    // At any depth: they are three of the request, not of each record in it.
    const nested = Schema.Struct({ list: Schema.Array(schema) })
    const deep = unknownFields(nested.ast, { list: given.map((name) => ({ [name]: "" })) })
    expect(deep?.fields.map(({ nearest }) => nearest)).toEqual(
      told.map((name, n) => (name === null ? null : `list.${n}.${name}`)),
    )
  })
})
