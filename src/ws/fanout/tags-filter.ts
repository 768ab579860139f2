/**
 * The tags filter of a subscription (realtime A.11): selects publications by their tags. Read from the `tf` parameter and compiled once; equal
 * filters have equal canonical text, so that their subscribers can share one topic.
 */
import { Decimal } from "../../domain/decimal.ts"

/** Of a tag with one value: the last four as numbers, the others as text. */
const VALUE_COMPARISONS = ["eq", "neq", "sw", "ew", "ct", "lt", "lte", "gt", "gte"] as const
type ValueComparison = (typeof VALUE_COMPARISONS)[number]

/** A filter that has passed all checks. */
export type TagsFilter =
  | { readonly cmp: ValueComparison; readonly key: string; readonly val: string }
  | { readonly cmp: "in" | "nin"; readonly key: string; readonly vals: ReadonlyArray<string> }
  | { readonly cmp: "ex" | "nex"; readonly key: string }
  | { readonly op: "and" | "or"; readonly nodes: ReadonlyArray<TagsFilter> }
  | { readonly op: "not"; readonly nodes: readonly [TagsFilter] }

export type Tags = Readonly<Record<string, string>>

export interface ParsedFilter {
  /** Equal for filters that differ only in the order or repetition of values and of the nodes of `and` and `or`. */
  readonly canonical: string
  /** Whether a publication with these tags is wanted. */
  readonly matches: (tags: Tags | undefined) => boolean
}

/** A filter beyond any of these is malformed. */
export const FILTER_LIMITS = {
  /** Nodes from the root to a leaf, both counted. */
  depth: 16,
  /** Of the whole tree: each costs every publication of the channel. */
  nodes: 32,
  /** Entries of `vals`, of the whole tree. */
  values: 128,
  /** UTF-16 units of one key or value. */
  text: 256,
} as const

const FIELDS: ReadonlySet<string> = new Set(["op", "key", "cmp", "val", "vals", "nodes"])

/** Undefined when the value is no filter by the protocol's rules: the subscription is refused with 107. */
export const parseTagsFilter = (value: unknown): ParsedFilter | undefined => {
  const filter = new FilterReader().node(value, 1)
  return filter && { canonical: canonical(filter), matches: compile(filter) }
}

/** Reads one tree and counts what it holds against the limits. */
class FilterReader {
  private nodesLeft: number = FILTER_LIMITS.nodes
  private valuesLeft: number = FILTER_LIMITS.values

  node(value: unknown, depth: number): TagsFilter | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
    if (depth > FILTER_LIMITS.depth || --this.nodesLeft < 0) return undefined
    // An unknown one is misspelt: its condition would be ignored.
    if (!Object.keys(value).every((name) => FIELDS.has(name))) return undefined
    // Fields of no meaning for the node are read all the same: one of a wrong type is malformed wherever it stands.
    const fields = value as Readonly<Record<string, unknown>>
    const op = text(fields["op"])
    const key = text(fields["key"])
    const cmp = text(fields["cmp"])
    const val = text(fields["val"])
    const vals = this.texts(fields["vals"])
    const nodes = list(fields["nodes"])
    if (op === undefined || key === undefined || cmp === undefined || val === undefined || !vals || !nodes)
      return undefined
    return op === "" ? leaf(cmp, key, val, vals) : this.branch(op, nodes, depth)
  }

  private branch(op: string, values: ReadonlyArray<unknown>, depth: number): TagsFilter | undefined {
    const nodes: Array<TagsFilter> = []
    for (const value of values) {
      const node = this.node(value, depth + 1)
      if (node === undefined) return undefined
      nodes.push(node)
    }
    const [first] = nodes
    if (first === undefined) return undefined
    if (op === "and" || op === "or") return { op, nodes }
    return op === "not" && nodes.length === 1 ? { op, nodes: [first] } : undefined
  }

  private texts(value: unknown): ReadonlyArray<string> | undefined {
    const values = list(value)
    if (values === undefined) return undefined
    this.valuesLeft -= values.length
    return this.valuesLeft >= 0 && values.every(isText) ? values : undefined
  }
}

/** The protocol does not tell an empty field from an absent one: an empty `val` is none, and an empty key is only good for `ex` and `nex`. */
const leaf = (cmp: string, key: string, val: string, vals: ReadonlyArray<string>): TagsFilter | undefined => {
  if (cmp === "ex" || cmp === "nex") return val === "" && vals.length === 0 ? { cmp, key } : undefined
  if (key === "") return undefined
  if (cmp === "in" || cmp === "nin") return val === "" && vals.length > 0 ? { cmp, key, vals } : undefined
  return isValueComparison(cmp) && val !== "" && vals.length === 0 ? { cmp, key, val } : undefined
}

const isValueComparison = (cmp: string): cmp is ValueComparison => VALUE_COMPARISONS.some((known) => known === cmp)

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= FILTER_LIMITS.text

/** Empty when the field is absent; undefined when it is no text. */
const text = (field: unknown = ""): string | undefined => (field === null ? "" : isText(field) ? field : undefined)

/** Empty when the field is absent; undefined when it is no list. */
const list = (field: unknown = []): ReadonlyArray<unknown> | undefined =>
  field === null ? [] : Array.isArray(field) ? field : undefined

/** No leaf's first item is `and`, `or` or `not`, and each item is JSON: two filters with one text would be the same. */
const canonical = (filter: TagsFilter): string => {
  if ("op" in filter) return `["${filter.op}",${sorted(filter.nodes.map(canonical)).join(",")}]`
  const { cmp, key } = filter
  if ("vals" in filter) return JSON.stringify([cmp, key, ...sorted(filter.vals)])
  return JSON.stringify("val" in filter ? [cmp, key, filter.val] : [cmp, key])
}

const sorted = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)].sort()

const compile = (filter: TagsFilter): ParsedFilter["matches"] => {
  if ("op" in filter) {
    const nodes = filter.nodes.map(compile)
    if (filter.op === "and") return (tags) => nodes.every((matches) => matches(tags))
    if (filter.op === "or") return (tags) => nodes.some((matches) => matches(tags))
    return (tags) => !nodes.some((matches) => matches(tags))
  }
  const { key } = filter
  const wants = compileLeaf(filter)
  // Only own properties are tags: an object inherits a `constructor`.
  return (tags) => wants(tags !== undefined && Object.hasOwn(tags, key) ? tags[key] : undefined)
}

/** What a leaf says to the value of its tag, or to its absence. */
const compileLeaf = (leaf: Exclude<TagsFilter, { readonly op: unknown }>): ((tag: string | undefined) => boolean) => {
  switch (leaf.cmp) {
    case "ex":
      return (tag) => tag !== undefined
    case "nex":
      return (tag) => tag === undefined
    case "in":
    case "nin": {
      const values = new Set<string | undefined>(leaf.vals)
      return leaf.cmp === "in" ? (tag) => values.has(tag) : (tag) => !values.has(tag)
    }
    case "eq":
      return (tag) => tag === leaf.val
    case "neq":
      return (tag) => tag !== leaf.val
    case "sw":
      return (tag) => tag?.startsWith(leaf.val) === true
    case "ew":
      return (tag) => tag?.endsWith(leaf.val) === true
    case "ct":
      return (tag) => tag?.includes(leaf.val) === true
    case "lt":
      return compared(leaf.val, (order) => order < 0)
    case "lte":
      return compared(leaf.val, (order) => order <= 0)
    case "gt":
      return compared(leaf.val, (order) => order > 0)
    case "gte":
      return compared(leaf.val, (order) => order >= 0)
  }
}

/** Never true unless both sides are numbers. */
const compared = (val: string, holds: (order: number) => boolean): ((tag: string | undefined) => boolean) => {
  const bound = decimal(val)
  if (bound === undefined) return () => false
  return (tag) => {
    const number = tag === undefined ? undefined : decimal(tag)
    return number !== undefined && holds(number.compare(bound))
  }
}

/** As the reference server reads a number: digits with or without a fraction, no exponent, 200 characters at most. */
const decimal = (number: string): Decimal | undefined =>
  number.length <= 200 && /^[+-]?\d+(\.\d+)?$/.test(number) ? Decimal.fromVenue(number) : undefined
