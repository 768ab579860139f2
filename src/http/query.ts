/**
 * The fields of reads. Query strings: repeatable keys (`a=1&a=2`, `a[]=1`, and comma lists for instrumentIds) and the words of numbers and booleans.
 * Ours instead of ajv's `coerceTypes`, which takes `0x10`, `1e3` and ` 5` for integers.
 */
import type { SchemaAST as AST } from "effect"
import { InvalidParameter, InvalidRequest, UnknownField } from "../domain/errors/request.ts"
import { secondsFault } from "../foundation/time.ts"
import { unknownNames } from "./checks.ts"
import { faultOfText } from "./edge/request-body.ts"

export type QueryField = "text" | "integer" | "boolean" | "list"

/** Of each key that the schema names, what its text is turned into. */
export type QueryPlan = ReadonlyMap<string, QueryField>

/** Of a route that takes no query. */
export const NO_FIELDS: QueryPlan = new Map()

export type QueryFault = InvalidParameter | InvalidRequest | UnknownField

export const isQueryFault = (parsed: Record<string, unknown> | QueryFault): parsed is QueryFault =>
  parsed instanceof UnknownField || parsed instanceof InvalidParameter || parsed instanceof InvalidRequest

const kindOf = (ast: AST.AST): QueryField => {
  switch (ast._tag) {
    case "Refinement":
      return kindOf(ast.from)
    case "Union": {
      const kinds = ast.types.filter((type) => type._tag !== "UndefinedKeyword").map(kindOf)
      return kinds[0] ?? "text"
    }
    case "TupleType":
      return "list"
    case "NumberKeyword":
      return "integer"
    case "BooleanKeyword":
      return "boolean"
    default:
      return "text"
  }
}

export const queryPlan = (ast: AST.AST): QueryPlan => {
  if (ast._tag !== "TypeLiteral") throw new Error("a query schema must be a struct")
  return new Map(ast.propertySignatures.map((field) => [String(field.name), kindOf(field.type)]))
}

const INTEGER = /^-?(0|[1-9]\d{0,15})$/

const typed = (text: string, kind: QueryField): unknown => {
  if (kind === "integer") return INTEGER.test(text) ? Number(text) : text
  if (kind === "boolean") return text === "true" ? true : text === "false" ? false : text
  return text
}

/** Of the times that a read is bounded by, the first that was meant in seconds. */
export const instantFault = (instants: Readonly<Record<string, number | undefined>>): InvalidParameter | undefined => {
  for (const [parameter, at] of Object.entries(instants)) {
    const reason = secondsFault(at)
    if (reason !== undefined) return new InvalidParameter({ parameter, reason })
  }
  return undefined
}

const itemsOf = (text: string): ReadonlyArray<string> => text.split(",").filter((item) => item !== "")

const decode = (text: string): string | undefined => {
  if (!text.includes("%") && !text.includes("+")) return text
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/** The fields that the plan names. What cannot be turned stays text, and the check refuses it. */
export const parseQuery = (query: string, plan: QueryPlan): Record<string, unknown> | QueryFault => {
  const fields: Record<string, unknown> = Object.create(null)
  if (query === "") return fields
  const unknown: Array<string> = []
  for (const pair of query.split("&")) {
    if (pair === "") continue
    const equals = pair.indexOf("=")
    const givenKey = equals < 0 ? pair : pair.slice(0, equals)
    const rawKey = decode(givenKey) ?? givenKey
    const key = rawKey.endsWith("[]") ? rawKey.slice(0, -2) : rawKey
    const kind = plan.get(key)
    if (kind === undefined) {
      unknown.push(key)
      continue
    }
    const text = decode(equals < 0 ? "" : pair.slice(equals + 1))
    const fault = text === undefined ? "is not percent-encoded UTF-8" : faultOfText(text)
    if (text === undefined || fault !== undefined)
      return new InvalidParameter({ parameter: key, reason: fault ?? "is not percent-encoded UTF-8" })
    if (kind === "list") {
      fields[key] = [...((fields[key] as ReadonlyArray<string> | undefined) ?? []), ...itemsOf(text)]
    } else if (fields[key] === undefined) {
      fields[key] = typed(text, kind)
    } else {
      return new InvalidParameter({ parameter: key, reason: "is given more than once" })
    }
  }
  return unknownNames(unknown, plan.keys()) ?? fields
}

/**
 * The same fields from a JSON object, as calls over a socket have them: of their own types, or as text that is read like a query
 * string's. Null is absent, so that a `pagination.cursor` can be given back as it came.
 */
export const queryOfJson = (given: unknown, plan: QueryPlan): Record<string, unknown> | QueryFault => {
  const fields: Record<string, unknown> = Object.create(null)
  const unknown: Array<string> = []
  if (given === undefined || given === null) return fields
  if (typeof given !== "object" || Array.isArray(given))
    return new InvalidRequest({ reason: "a JSON object is expected" })
  for (const [key, value] of Object.entries(given)) {
    const kind = plan.get(key)
    if (kind === undefined) unknown.push(key)
    else if (value === null) continue
    else if (typeof value !== "string") fields[key] = value
    else fields[key] = kind === "list" ? itemsOf(value) : typed(value, kind)
  }
  return unknownNames(unknown, plan.keys()) ?? fields
}
