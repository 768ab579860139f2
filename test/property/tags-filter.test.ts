/** Tags filters against a second reading of the protocol's words: any filter, any tags, and any order of its parts. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FILTER_LIMITS, parseTagsFilter, type Tags } from "../../src/ws/fanout/tags-filter.ts"

interface Node {
  readonly op?: string
  readonly key?: string
  readonly cmp?: string
  readonly val?: string
  readonly vals?: ReadonlyArray<string>
  readonly nodes?: ReadonlyArray<Node>
}

const sizeOf = ({ nodes = [] }: Node): number => nodes.reduce((sum, node) => sum + sizeOf(node), 1)

/** Sign, whole digits and fraction digits; undefined for what is no number. */
const digits = (text: string): readonly [boolean, string, string] | undefined => {
  const unsigned = text.startsWith("-") || text.startsWith("+") ? text.slice(1) : text
  const parts = unsigned.split(".")
  if (parts.length > 2 || parts.some((part) => part === "" || [...part].some((c) => c < "0" || c > "9")))
    return undefined
  return [text.startsWith("-"), parts[0] ?? "", parts[1] ?? ""]
}

/** Digit by digit, as on paper. */
const order = (left: string, right: string): number | undefined => {
  const [a, b] = [digits(left), digits(right)]
  if (a === undefined || b === undefined) return undefined
  const [whole, fraction] = [Math.max(a[1].length, b[1].length), Math.max(a[2].length, b[2].length)]
  const written = (n: readonly [boolean, string, string]): string =>
    n[1].padStart(whole, "0") + n[2].padEnd(fraction, "0")
  const [x, y] = [written(a), written(b)]
  const isZero = (text: string): boolean => /^0*$/.test(text)
  const [aMinus, bMinus] = [a[0] && !isZero(x), b[0] && !isZero(y)]
  if (aMinus !== bMinus) return aMinus ? -1 : 1
  const size = x < y ? -1 : x > y ? 1 : 0
  return aMinus ? -size : size
}

const naive = (node: Node, tags: ReadonlyMap<string, string>): boolean => {
  const { op = "", key = "", cmp = "", val = "", vals = [], nodes = [] } = node
  if (op === "and") return !nodes.some((child) => !naive(child, tags))
  if (op === "or") return !nodes.every((child) => !naive(child, tags))
  if (op === "not") return nodes.every((child) => !naive(child, tags))
  const has = tags.has(key)
  const tag = tags.get(key) ?? ""
  const sign = has ? order(tag, val) : undefined
  const says: Readonly<Record<string, boolean>> = {
    eq: has && tag === val,
    neq: !(has && tag === val),
    in: has && vals.indexOf(tag) >= 0,
    nin: !(has && vals.indexOf(tag) >= 0),
    ex: has,
    nex: !has,
    sw: has && tag.slice(0, val.length) === val,
    ew: has && tag.length >= val.length && tag.slice(tag.length - val.length) === val,
    ct: has && tag.split(val).length > 1,
    lt: sign === -1,
    lte: sign === -1 || sign === 0,
    gt: sign === 1,
    gte: sign === 1 || sign === 0,
  }
  return says[cmp] ?? false
}

const key = fc.constantFrom("ticker", "price", "__proto__", "constructor", "toString", "ключ")
const number = fc.oneof(
  fc.constantFrom(
    "0",
    "-0",
    "+0",
    "0.0",
    "1",
    "1.0",
    "01",
    "+1",
    "-1",
    "9007199254740992",
    "9007199254740993",
    "1e0",
    "1.",
  ),
  fc
    .tuple(fc.constantFrom("", "-", "+"), fc.bigInt(0n, 10n ** 30n), fc.option(fc.nat(9999).map(String)))
    .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? "" : `.${fraction}`}`),
)
const value = fc.oneof(
  number,
  fc.constantFrom("", "B", "BT", "BTC", "TC", "ETH", "é", "😀"),
  fc.string({ maxLength: 3 }),
)
const filled = value.filter((text) => text !== "")

const leaf: fc.Arbitrary<Node> = fc.oneof(
  fc.record({ key, cmp: fc.constantFrom("eq", "neq", "sw", "ew", "ct"), val: filled }),
  fc.record({ key, cmp: fc.constantFrom("lt", "lte", "gt", "gte"), val: fc.oneof(number, filled) }),
  fc.record({ key, cmp: fc.constantFrom("in", "nin"), vals: fc.array(value, { minLength: 1, maxLength: 4 }) }),
  fc.record({ key, cmp: fc.constantFrom("ex", "nex") }),
)
const anySize = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    leaf,
    fc.record({ op: fc.constantFrom("and", "or"), nodes: fc.array(tie("node"), { minLength: 1, maxLength: 4 }) }),
    fc.record({ op: fc.constant("not"), nodes: fc.tuple(tie("node")) }),
  ),
})).node
const filter = anySize.filter((node) => sizeOf(node) <= FILTER_LIMITS.nodes)

const tagList = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name })
const tagsOf = (list: ReadonlyArray<readonly [string, string]>): Tags => Object.fromEntries(list)

/** The same filter, its nodes and values and fields the other way round and some twice. */
const turned = (node: Node): Node => {
  const fields = Object.entries(node).reverse()
  const again = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => [...list].reverse().concat(list.slice(0, 1))
  const { vals, nodes } = node
  return {
    ...Object.fromEntries(fields),
    ...(vals && { vals: again(vals) }),
    ...(nodes && { nodes: node.op === "not" ? nodes.map(turned) : again(nodes.map(turned)) }),
  }
}

describe("a tags filter", () => {
  it("wants what the words of the protocol say", () => {
    void fc.assert(
      fc.property(filter, fc.array(tagList, { minLength: 1, maxLength: 5 }), (node, lists) => {
        const parsed = parseTagsFilter(JSON.parse(JSON.stringify(node)))
        expect(parsed).toBeDefined()
        for (const list of lists) expect(parsed?.matches(tagsOf(list))).toBe(naive(node, new Map(list)))
        expect(parsed?.matches(undefined)).toBe(naive(node, new Map()))
      }),
      { numRuns: 1000 },
    )
  })

  it("compares numbers as on paper", () => {
    const cmp = fc.constantFrom("lt", "lte", "gt", "gte")
    void fc.assert(
      fc.property(cmp, number, number, (name, val, tag) => {
        const node = { key: "price", cmp: name, val }
        expect(parseTagsFilter(node)?.matches({ price: tag })).toBe(naive(node, new Map([["price", tag]])))
      }),
      { numRuns: 500 },
    )
  })

  it("has one canonical text in whatever order its parts stand", () => {
    void fc.assert(
      fc.property(filter, (node) => {
        const parsed = parseTagsFilter(node)
        expect(parsed).toBeDefined()
        // Turning repeats parts, and a filter holds only so many.
        fc.pre(sizeOf(turned(node)) <= FILTER_LIMITS.nodes)
        expect(parseTagsFilter(turned(node))?.canonical).toBe(parsed?.canonical)
      }),
      { numRuns: 300 },
    )
  })

  it("shares its canonical text only with filters that want the same", () => {
    const few = fc.constantFrom("a", "b", "a,b", '"', "1")
    const small: fc.Arbitrary<Node> = fc.oneof(
      fc.record({ key: few, cmp: fc.constantFrom("eq", "ct"), val: few }),
      fc.record({ key: few, cmp: fc.constant("in"), vals: fc.array(few, { minLength: 1, maxLength: 2 }) }),
    )
    const pair = fc.record({ op: fc.constantFrom("and", "or"), nodes: fc.array(small, { minLength: 1, maxLength: 2 }) })
    const tags = fc.uniqueArray(fc.tuple(few, few), { selector: ([name]) => name })
    void fc.assert(
      fc.property(fc.oneof(small, pair), fc.oneof(small, pair), tags, (one, other, list) => {
        const [first, second] = [parseTagsFilter(one), parseTagsFilter(other)]
        if (first?.canonical !== second?.canonical) return
        expect(second?.matches(tagsOf(list))).toBe(naive(one, new Map(list)))
      }),
      { numRuns: 3000 },
    )
  })
})
