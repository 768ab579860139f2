/** What a tags filter may be, written from the specification (realtime A.11). */
import { isAbsent, isFields } from "./fuzz-fields.ts"

const COMPARISONS = ["eq", "neq", "sw", "ew", "ct", "lt", "lte", "gt", "gte"]

/** Whether a filter keeps to A.11. "unclear": it may have more nodes or longer texts than a server must take. */
export const filterIs = (tf: unknown, depth = 0): "valid" | "malformed" | "unclear" => {
  if (!isFields(tf)) return "malformed"
  if (depth > 8) return "unclear"
  const field = (name: string): unknown => (Object.hasOwn(tf, name) && !isAbsent(tf[name]) ? tf[name] : undefined)
  const {
    op = "",
    key = "",
    cmp = "",
    val = "",
  } = Object.fromEntries(["op", "key", "cmp", "val"].map((name) => [name, field(name)]))
  const vals = field("vals") ?? []
  const nodes = field("nodes") ?? []
  if (![op, key, cmp, val].every((each) => typeof each === "string")) return "malformed"
  if (!Array.isArray(vals) || !vals.every((each) => typeof each === "string") || !Array.isArray(nodes))
    return "malformed"
  const isLong = [key, val, ...vals].some((each) => String(each).length > 200) || vals.length > 100
  if (op !== "") {
    if (!["and", "or", "not"].includes(String(op))) return "malformed"
    if (nodes.length === 0 || (op === "not" && nodes.length !== 1)) return "malformed"
    const inner = nodes.map((node) => filterIs(node, depth + 1))
    if (inner.includes("malformed")) return "malformed"
    // Fields that mean nothing for a branch: nobody says whether they may stand there.
    const hasMore = key !== "" || cmp !== "" || val !== "" || vals.length > 0
    return inner.includes("unclear") || isLong || hasMore || nodes.length > 50 ? "unclear" : "valid"
  }
  if (cmp === "ex" || cmp === "nex")
    return val !== "" || vals.length > 0 ? "malformed" : key === "" || isLong ? "unclear" : "valid"
  const isList = cmp === "in" || cmp === "nin"
  if (!isList && !COMPARISONS.includes(String(cmp))) return "malformed"
  if (key === "") return "malformed"
  if (isList ? vals.length === 0 || val !== "" : val === "" || vals.length > 0) return "malformed"
  return isLong || nodes.length > 0 ? "unclear" : "valid"
}
