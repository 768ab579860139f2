/** Tags filters: what every comparison and operation says, what is no filter, and which filters have one canonical text. */
import { describe, expect, it } from "vitest"
import { FILTER_LIMITS, parseTagsFilter, type Tags } from "../../../src/ws/fanout/tags-filter.ts"

const matches = (filter: unknown, tags: Tags | undefined): boolean | undefined => parseTagsFilter(filter)?.matches(tags)
const canonical = (filter: unknown): string | undefined => parseTagsFilter(filter)?.canonical

const absent = undefined
type Row = readonly [cmp: string, operand: unknown, tag: string | undefined, wanted: boolean]

describe("a leaf of a tags filter", () => {
  const rows: ReadonlyArray<Row> = [
    ["eq", "BTC", "BTC", true],
    ["eq", "BTC", "btc", false],
    ["eq", "BTC", absent, false],
    ["eq", "1", "1.0", false],
    ["neq", "BTC", "BTC", false],
    ["neq", "BTC", "ETH", true],
    ["neq", "BTC", absent, true],
    ["in", ["BTC", "ETH"], "ETH", true],
    ["in", ["BTC", "ETH"], "SOL", false],
    ["in", ["BTC", "ETH"], absent, false],
    ["in", [""], "", true],
    ["in", [""], absent, false],
    ["nin", ["BTC", "ETH"], "ETH", false],
    ["nin", ["BTC", "ETH"], "SOL", true],
    ["nin", ["BTC", "ETH"], absent, true],
    ["nin", [""], "", false],
    ["nin", [""], absent, true],
    ["ex", absent, "", true],
    ["ex", absent, "BTC", true],
    ["ex", absent, absent, false],
    ["nex", absent, "", false],
    ["nex", absent, "BTC", false],
    ["nex", absent, absent, true],
    ["sw", "BT", "BTC", true],
    ["sw", "TC", "BTC", false],
    ["sw", "BT", absent, false],
    ["ew", "TC", "BTC", true],
    ["ew", "BT", "BTC", false],
    ["ew", "TC", absent, false],
    ["ct", "T", "BTC", true],
    ["ct", "X", "BTC", false],
    ["ct", "T", absent, false],
    ["lt", "10", "9.99", true],
    ["lt", "10", "10.0", false],
    ["lt", "10", "10.01", false],
    ["lt", "10", absent, false],
    ["lte", "10", "9", true],
    ["lte", "10", "10.0", true],
    ["lte", "10", "10.01", false],
    ["lte", "10", absent, false],
    ["gt", "10", "10.01", true],
    ["gt", "10", "10.0", false],
    ["gt", "10", "9.99", false],
    ["gt", "10", absent, false],
    ["gte", "10", "11", true],
    ["gte", "10", "10.0", true],
    ["gte", "10", "9.99", false],
    ["gte", "10", absent, false],
  ]
  it.each(rows)("%s %j says of the tag %j: %j", (cmp, operand, tag, wanted) => {
    const filter = { key: "ticker", cmp, [Array.isArray(operand) ? "vals" : "val"]: operand }
    expect(matches(filter, tag === absent ? { other: "BTC" } : { ticker: tag })).toBe(wanted)
    if (tag === absent) expect(matches(filter, undefined)).toBe(wanted)
  })

  const numbers: ReadonlyArray<readonly [lesser: string, greater: string]> = [
    ["9007199254740992", "9007199254740993"],
    ["0.1234567890123456788", "0.1234567890123456789"],
    ["-2", "-1"],
    ["-0.5", "0.4"],
    ["2", "+10"],
    ["007", "8"],
    ["1".repeat(199), "1".repeat(200)],
  ]
  it.each(numbers)("compares every digit of %s and %s", (lesser, greater) => {
    const says = (val: string, price: string): ReadonlyArray<boolean | undefined> =>
      ["lt", "lte", "gt", "gte"].map((cmp) => matches({ key: "price", cmp, val }, { price }))
    expect(says(greater, lesser)).toEqual([true, true, false, false])
    expect(says(lesser, greater)).toEqual([false, false, true, true])
    expect(says(lesser, lesser)).toEqual([false, true, false, true])
  })

  it.each(["", "x", "1e3", "0x10", " 1", "1 ", "1,5", ".5", "1.", "-", "+", "--1", "NaN", "Infinity", "1".repeat(201)])(
    "takes %j for no number: nothing is less, equal or greater",
    (text) => {
      for (const cmp of ["lt", "lte", "gt", "gte"]) {
        expect(matches({ key: "price", cmp, val: "0" }, { price: text })).toBe(false)
        if (text !== "") expect(matches({ key: "price", cmp, val: text }, { price: "0" })).toBe(false)
        if (text !== "") expect(matches({ key: "price", cmp, val: text }, { price: text })).toBe(false)
      }
    },
  )
})

describe("an operation of a tags filter", () => {
  const isBtc = { key: "ticker", cmp: "eq", val: "BTC" }
  const isDear = { key: "price", cmp: "gt", val: "50000" }
  const cases: ReadonlyArray<Tags> = [
    { ticker: "BTC", price: "60000" },
    { ticker: "BTC", price: "40000" },
    { ticker: "ETH", price: "60000" },
    { ticker: "ETH", price: "40000" },
  ]
  it.each([
    ["and", [isBtc, isDear], [true, false, false, false]],
    ["and", [isBtc], [true, true, false, false]],
    ["or", [isBtc, isDear], [true, true, true, false]],
    ["or", [isDear], [true, false, true, false]],
    ["not", [isBtc], [false, false, true, true]],
    ["not", [{ op: "and", nodes: [isBtc, { op: "not", nodes: [isDear] }] }], [true, false, true, true]],
  ])("%s %j", (op, nodes, wanted) => {
    expect(cases.map((tags) => matches({ op, nodes }, tags))).toEqual(wanted)
  })
})

describe("a tags filter as it arrives", () => {
  const leaf = { key: "ticker", cmp: "eq", val: "BTC" }

  it.each([
    ["an empty op", { op: "", ...leaf }],
    ["all fields of Protobuf", { op: "", ...leaf, vals: [], nodes: [] }],
    ["nulls for absent fields", { op: null, ...leaf, vals: null, nodes: null }],
    ["fields that an operation does not use", { op: "and", key: "x", cmp: "y", val: "z", vals: ["v"], nodes: [leaf] }],
    ["existence of a tag without a name", { cmp: "ex" }],
  ])("may have %s", (_, filter) => {
    expect(parseTagsFilter(filter)).toBeDefined()
  })

  it.each<readonly [string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "ticker == BTC"],
    ["a field that nobody knows", { ...leaf, comment: 1 }],
    ["a misspelt field", { ...leaf, Vals: [] }],
    ["a misspelt field inside", { op: "not", nodes: [{ ...leaf, node: [leaf] }] }],
    ["a number", 1],
    ["a list", [leaf]],
    ["an empty object", {}],
    ["a leaf without a comparison", { key: "ticker", val: "BTC" }],
    ["a leaf with an unknown comparison", { ...leaf, cmp: "like" }],
    ["a comparison in capitals", { ...leaf, cmp: "EQ" }],
    ["a comparison of the prototype", { ...leaf, cmp: "constructor" }],
    ["an operation of the prototype", { op: "__proto__", nodes: [leaf] }],
    ["a leaf without a key", { cmp: "eq", val: "BTC" }],
    ["a leaf with an empty key", { ...leaf, key: "" }],
    ["eq without a value", { key: "ticker", cmp: "eq" }],
    ["eq with an empty value", { ...leaf, val: "" }],
    ["eq with values", { ...leaf, vals: ["BTC"] }],
    ["gt without a value", { key: "price", cmp: "gt" }],
    ["in without values", { key: "ticker", cmp: "in" }],
    ["in with no value", { key: "ticker", cmp: "in", vals: [] }],
    ["in with a value", { key: "ticker", cmp: "in", vals: ["BTC"], val: "BTC" }],
    ["in with a number", { key: "ticker", cmp: "in", vals: ["BTC", 1] }],
    ["in with null", { key: "ticker", cmp: "in", vals: [null] }],
    ["nin with no value", { key: "ticker", cmp: "nin", vals: [] }],
    ["ex with a value", { key: "ticker", cmp: "ex", val: "BTC" }],
    ["nex with values", { key: "ticker", cmp: "nex", vals: ["BTC"] }],
    ["a key that is no text", { ...leaf, key: 1 }],
    ["a value that is no text", { ...leaf, val: 1 }],
    ["values that are no list", { key: "ticker", cmp: "in", vals: { 0: "BTC", length: 1 } }],
    ["an operation that is no text", { op: ["and"], nodes: [leaf] }],
    ["an unknown operation", { op: "xor", nodes: [leaf] }],
    ["and without nodes", { op: "and" }],
    ["and with no node", { op: "and", nodes: [] }],
    ["or with no node", { op: "or", nodes: [] }],
    ["or with nodes that are no list", { op: "or", nodes: leaf }],
    ["not with no node", { op: "not", nodes: [] }],
    ["not with two nodes", { op: "not", nodes: [leaf, leaf] }],
    ["and with null", { op: "and", nodes: [leaf, null] }],
    ["and with a malformed node", { op: "and", nodes: [leaf, { ...leaf, cmp: "" }] }],
    ["a malformed field that an operation does not use", { op: "and", nodes: [leaf], key: 1 }],
    ["malformed nodes at a leaf", { ...leaf, nodes: "none" }],
  ])("is no filter when it is %s", (_, filter) => {
    expect(parseTagsFilter(filter)).toBeUndefined()
  })

  it.each<readonly [string, number, (size: number) => unknown]>([
    [
      "depth",
      FILTER_LIMITS.depth,
      (depth) => {
        let filter: unknown = leaf
        for (let i = 1; i < depth; i++) filter = { op: "not", nodes: [filter] }
        return filter
      },
    ],
    ["nodes", FILTER_LIMITS.nodes, (nodes) => ({ op: "or", nodes: Array.from({ length: nodes - 1 }, () => leaf) })],
    [
      "values in one leaf",
      FILTER_LIMITS.values,
      (values) => ({ key: "ticker", cmp: "in", vals: Array.from({ length: values }, (_, i) => `${i}`) }),
    ],
    [
      "values in two leaves",
      FILTER_LIMITS.values,
      (values) => ({
        op: "and",
        nodes: [1, values - 1].map((length) => ({ key: "k", cmp: "nin", vals: Array.from({ length }, () => "v") })),
      }),
    ],
    ["length of a key", FILTER_LIMITS.text, (length) => ({ ...leaf, key: "k".repeat(length) })],
    ["length of a value", FILTER_LIMITS.text, (length) => ({ ...leaf, val: "v".repeat(length) })],
    [
      "length of one of the values",
      FILTER_LIMITS.text,
      (length) => ({ key: "k", cmp: "in", vals: ["v".repeat(length)] }),
    ],
  ])("is bounded in its %s", (_, limit, filterOf) => {
    expect(parseTagsFilter(filterOf(limit))).toBeDefined()
    expect(parseTagsFilter(filterOf(limit + 1))).toBeUndefined()
  })

  it("of hostile depth is refused without an overflow of the stack", () => {
    let filter: unknown = leaf
    for (let i = 0; i < 100_000; i++) filter = { op: "not", nodes: [filter] }
    expect(parseTagsFilter(filter)).toBeUndefined()
  })
})

describe("keys of the prototype", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s is a tag only where it is given", (key) => {
    const given = JSON.parse(`{${JSON.stringify(key)}:"mine"}`) as Tags
    expect(matches({ key, cmp: "ex" }, {})).toBe(false)
    expect(matches({ key, cmp: "nex" }, {})).toBe(true)
    expect(matches({ key, cmp: "neq", val: "mine" }, {})).toBe(true)
    expect(matches({ key, cmp: "ct", val: "n" }, {})).toBe(false)
    expect(matches({ key, cmp: "ex" }, given)).toBe(true)
    expect(matches({ key, cmp: "eq", val: "mine" }, given)).toBe(true)
    expect(matches({ key, cmp: "in", vals: ["mine"] }, given)).toBe(true)
  })

  it("change nothing when they are fields of the filter", () => {
    const filter: unknown = JSON.parse('{"__proto__":{"op":"or"},"constructor":1,"key":"a","cmp":"eq","val":"1"}')
    expect(parseTagsFilter(filter)).toBeUndefined()
    expect(Reflect.get({}, "op")).toBeUndefined()
  })

  it("work on tags without a prototype", () => {
    const tags: Record<string, string> = Object.create(null)
    tags["a"] = "1"
    expect(matches({ key: "a", cmp: "eq", val: "1" }, tags)).toBe(true)
    expect(matches({ key: "constructor", cmp: "ex" }, tags)).toBe(false)
  })
})

describe("the canonical text of a filter", () => {
  const a = { key: "a", cmp: "eq", val: "1" }
  const b = { key: "b", cmp: "in", vals: ["x", "y"] }

  it.each<readonly [string, unknown, unknown]>([
    ["order of fields", a, { val: "1", cmp: "eq", key: "a" }],
    ["empty and absent fields", a, { op: "", ...a, vals: [], nodes: null }],
    ["fields without a meaning", { op: "or", nodes: [a] }, { op: "or", nodes: [a], key: "k", val: "v" }],
    ["order of values", b, { ...b, vals: ["y", "x"] }],
    ["repeated values", b, { ...b, vals: ["y", "x", "y"] }],
    ["order of nodes", { op: "and", nodes: [a, b] }, { op: "and", nodes: [b, a] }],
    ["repeated nodes", { op: "or", nodes: [a, b] }, { op: "or", nodes: [a, { ...b, vals: ["y", "x"] }, b, a] }],
  ])("does not depend on the %s", (_, one, other) => {
    expect(canonical(one)).toBeDefined()
    expect(canonical(one)).toBe(canonical(other))
  })

  it("is another for every other filter", () => {
    const filters: ReadonlyArray<unknown> = [
      ...["eq", "neq", "sw", "ew", "ct", "lt", "lte", "gt", "gte"].map((cmp) => ({ key: "a", cmp, val: "1" })),
      ...["in", "nin"].map((cmp) => ({ key: "a", cmp, vals: ["1"] })),
      ...["ex", "nex"].map((cmp) => ({ key: "a", cmp })),
      ...["and", "or", "not"].map((op) => ({ op, nodes: [a] })),
      { op: "not", nodes: [{ op: "not", nodes: [a] }] },
      { ...a, key: "A" },
      { ...a, val: "1.0" },
      { ...a, val: '1","x' },
      { key: "and", cmp: "eq", val: "1" },
      { key: "a", cmp: "in", vals: ["1", ""] },
      { key: "a", cmp: "in", vals: ["1,"] },
      { key: "a", cmp: "in", vals: ["1", "2"] },
      { key: "a", cmp: "in", vals: ["1,2"] },
      { key: "a", cmp: "eq", val: "\ud800" },
      { key: "a", cmp: "eq", val: "\ufffd" },
    ]
    const texts = filters.map(canonical)
    expect(texts).not.toContain(undefined)
    expect(new Set(texts).size).toBe(filters.length)
  })
})
