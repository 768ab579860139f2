/**
 * Checks compiled from schemas when first used: JSONSchema.make, then ajv, 0.2 µs a body against Schema's 3.6. Schema only words the errors of patterns
 * and unknown fields. Only pure schemas are accepted: the compiled check cannot express classes, defaults and codecs (order-path 6).
 */

import { Ajv, type ErrorObject, type ValidateFunction } from "ajv"
import { SchemaAST as AST, Either, JSONSchema, ParseResult, Schema } from "effect"
import { InvalidParameter, InvalidRequest, MissingParameter, UnknownField } from "../domain/errors/request.ts"
import { nearestName } from "../foundation/nearest-name.ts"

// What the patterns of the wire's texts mean, in words: a caller is told what would be right, never a regular expression.

const DECIMAL =
  'in a JSON string, for example "0.01": digits, at most 36 before the decimal point and 18 after it, no exponent'

/** By the pattern's source, as JSON Schema has it. A test holds it to the OpenAPI document: each pattern there has its words. */
const FORMS: ReadonlyMap<string, string> = new Map([
  [
    "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
    "a UUID, for example 0190b4a3-5a9c-7c1e-9d2f-3b8e6f4a1c70",
  ],
  ["^-?(0|[1-9]\\d{0,35})(\\.\\d{1,18})?$", `a decimal number ${DECIMAL}`],
  ["^(0|[1-9]\\d{0,35})(\\.\\d{1,18})?$", `a decimal number without a minus sign ${DECIMAL}`],
  ["^[A-Za-z0-9._:-]{1,64}$", "1 to 64 of letters, digits and . _ : -"],
  ["^[A-Za-z0-9._-]{1,64}$", "1 to 64 of letters, digits and . _ -"],
  ["^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "1 to 64 of letters, digits and . _ -, the first a letter or digit"],
  ["^[A-Z0-9.]{1,30}$", "an asset, for example USDT: 1 to 30 of upper-case letters, digits and ."],
  ["^[A-Z0-9][A-Z0-9.]{0,29}$", "an asset, for example USDT: 1 to 30 of upper-case letters, digits and ."],
  ["^[A-Z0-9][A-Z0-9._-]{0,31}$", "an asset, for example USDT: 1 to 32 of upper-case letters, digits and . _ -"],
  ["^[A-Z0-9.]{1,30}\\/[A-Z0-9.]{1,30}$", "a pair <BASE>/<QUOTE> in upper case, for example BTC/USDT"],
])

/** Undefined: not declared. */
export const formInWords = (pattern: string): string | undefined => FORMS.get(pattern)

// The fields of a request that its schema does not know, with the nearest that it does. Nothing here runs for a good request: that one has
// none is what the compiled check says.

interface Stray {
  readonly field: string
  readonly nearest: string | null
  /** What may stand where it stands. */
  readonly known: ReadonlyArray<string>
}

/** A name is the client's own, of any length. */
const NAME_MAX = 64
const STRAYS_MAX = 10
/** Of the first alone it is said what was meant: to look for that is the dear part, and who sees three of them knows. */
const NEAREST_MAX = 3

const clipped = (name: string): string => (name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name)

/** The parts of a union, without refinements: what a value may be. */
const partsOf = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  if (ast._tag === "Refinement") return partsOf(ast.from)
  return ast._tag === "Union" ? ast.types.flatMap(partsOf) : [ast]
}

const walk = (asts: ReadonlyArray<AST.AST>, value: unknown, path: string, found: Array<Stray>): void => {
  if (value === null || typeof value !== "object" || found.length >= STRAYS_MAX) return
  const parts = asts.flatMap(partsOf)
  if (Array.isArray(value)) {
    const items = parts.flatMap((it) => (it._tag === "TupleType" ? it.rest.map((rest) => rest.type) : []))
    for (let i = 0; i < value.length; i++) walk(items, value[i], `${path}${i}.`, found)
    return
  }
  const structs = parts.filter((it) => it._tag === "TypeLiteral")
  const fields = structs.flatMap((it) => it.propertySignatures)
  const others = structs.flatMap((it) => it.indexSignatures)
  // `Schema.Unknown` and the like: whatever stands there is theirs.
  if (fields.length === 0 && others.length === 0) return
  const known = [...new Set(fields.map((field) => String(field.name)))]
  for (const [name, item] of Object.entries(value)) {
    const types = fields.filter((field) => field.name === name).map((field) => field.type)
    if (types.length > 0) walk(types, item, `${path}${name}.`, found)
    else if (others.length > 0)
      walk(
        others.map((other) => other.type),
        item,
        `${path}${clipped(name)}.`,
        found,
      )
    else found.push(stray(name, known, found.length, path))
    if (found.length >= STRAYS_MAX) return
  }
}

/** `before`: so many were found before it in the same request. */
const stray = (name: string, known: ReadonlyArray<string>, before: number, path = ""): Stray => {
  const nearest = before < NEAREST_MAX ? nearestName(name, known) : null
  return {
    field: `${path}${clipped(name)}`,
    nearest: nearest === null ? null : `${path}${nearest}`,
    known: known.map((it) => `${path}${it}`),
  }
}

const failureOf = (found: ReadonlyArray<Stray>): UnknownField | undefined => {
  const [first] = found
  if (first === undefined) return undefined
  return new UnknownField({ fields: found.map(({ field, nearest }) => ({ field, nearest })), known: first.known })
}

/** Undefined: the schema knows all fields of the value, at every depth. */
export const unknownFields = (ast: AST.AST, value: unknown): UnknownField | undefined => {
  const found: Array<Stray> = []
  walk([ast], value, "", found)
  return failureOf(found)
}

/** Of names that stand in no record of a schema: keys of a query. */
export const unknownNames = (names: ReadonlyArray<string>, known: Iterable<string>): UnknownField | undefined => {
  const all = [...known]
  return failureOf(names.slice(0, STRAYS_MAX).map((name, before) => stray(name, all, before)))
}

/** The check of a body where none is read. */
export const noFields = (value: unknown): UnknownField | InvalidRequest | undefined =>
  value === null || typeof value !== "object" || Array.isArray(value)
    ? new InvalidRequest({ reason: "a JSON object is expected" })
    : unknownNames(Object.keys(value), [])

/** Undefined: the value has the declared shape, and its uuids are in lower case now, which is how they are stored. */
export type Check = (value: unknown) => CheckFault | undefined
type CheckFault = UnknownField | MissingParameter | InvalidParameter | InvalidRequest

/** Why a schema cannot be compiled; undefined when it can. */
const impurity = (ast: AST.AST): string | undefined => {
  switch (ast._tag) {
    case "Transformation":
      return "a transformation, class or default"
    case "Declaration":
    case "Suspend":
      return `a ${ast._tag.toLowerCase()}`
    case "Refinement":
      return ast.annotations[AST.JSONSchemaAnnotationId] === undefined
        ? "a filter that JSON Schema cannot say"
        : impurity(ast.from)
    case "Union":
      return first(ast.types)
    case "TypeLiteral":
      return first([...ast.propertySignatures, ...ast.indexSignatures].map((it) => it.type))
    case "TupleType":
      return first([...ast.elements, ...ast.rest].map((it) => it.type))
    default:
      return undefined
  }
}

const first = (asts: ReadonlyArray<AST.AST>): string | undefined => {
  for (const ast of asts) {
    const found = impurity(ast)
    if (found !== undefined) return found
  }
  return undefined
}

/** JSON Schema's integer reaches to 1e300, Schema.Int ends at the safe integers. */
const asSchemaMeans = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(asSchemaMeans)
  if (node === null || typeof node !== "object") return node
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) copy[key] = asSchemaMeans(value)
  if (copy["type"] === "integer") {
    copy["minimum"] ??= Number.MIN_SAFE_INTEGER
    copy["maximum"] ??= Number.MAX_SAFE_INTEGER
  }
  return copy
}

// Lengths in UTF-16 units and patterns without the u flag, as Schema has them: over-long emoji strings passed otherwise.
// ajv calls `unicode: false` deprecated on stderr; there is no other way to the same lengths.
// Its optimiser of code takes as long as the rest of the compilation, at each start, and V8 needs none: 0.2 µs a body with and without.
const ajv = new Ajv({
  strict: false,
  unicode: false,
  unicodeRegExp: false,
  validateFormats: false,
  logger: false,
  // A failure knows the pattern that it stands for.
  verbose: true,
  code: { optimize: false },
})

/** Of what is taken without a word: shorter, and twice as fast. */
const leanAjv = new Ajv({
  strict: false,
  unicode: false,
  unicodeRegExp: false,
  validateFormats: false,
  logger: false,
  messages: false,
  code: { optimize: false },
})

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => value !== null && typeof value === "object" && !Array.isArray(value)

const DEFINITIONS = "#/$defs/"
/** Of more than one part, or of one value: whether null is taken is not for its type alone to say. */
const COMBINED = ["anyOf", "oneOf", "allOf", "not", "const", "$ref"] as const

/** `X or null` in one: all other words of X are about values of its type. */
const withNull = (parts: ReadonlyArray<unknown>): Node | undefined => {
  const isNull = (part: unknown): boolean => isNode(part) && part["type"] === "null"
  const others = parts.filter((part) => !isNull(part))
  const [one] = others
  if (parts.length !== 2 || others.length !== 1 || !isNode(one)) return undefined
  if (typeof one["type"] !== "string" || COMBINED.some((word) => word in one)) return undefined
  const words = Array.isArray(one["enum"]) ? { enum: [...one["enum"], null] } : {}
  return { ...one, ...words, type: [one["type"], "null"] }
}

/** For readers of the document alone. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["$schema", "$defs", "title", "description", "examples"])

/** The same schema without references and with fewer parts. There are none that contain themselves: they are not pure. */
const leanOf = (node: unknown, definitions: Node): unknown => {
  if (Array.isArray(node)) return node.map((each) => leanOf(each, definitions))
  if (!isNode(node)) return node
  const { $ref: reference, ...beside } = node
  if (typeof reference === "string" && reference.startsWith(DEFINITIONS)) {
    const meant = leanOf(definitions[reference.slice(DEFINITIONS.length)], definitions)
    const narrower = leanOf(beside, definitions) as Node
    return Object.keys(narrower).length === 0 ? meant : { allOf: [meant, narrower] }
  }
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) {
    if (ANNOTATIONS.has(key)) continue
    // Their keys are names of fields, whatever they are like.
    const isOfNames = key === "properties" && isNode(value)
    copy[key] = isOfNames ? fieldsOf(value, definitions) : leanOf(value, definitions)
  }
  const { anyOf } = copy
  return (Array.isArray(anyOf) && Object.keys(copy).length === 1 && withNull(anyOf)) || copy
}

const fieldsOf = (fields: Node, definitions: Node): Node =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, leanOf(field, definitions)]))

/**
 * Whether a value is good; where it says no, the full check has the last word. Names that the schema does not know are looked for here: ajv asks
 * for each name of a value in a way that costs as much as all else.
 */
const compileLean = (schema: unknown): ((value: unknown) => boolean) => {
  const lean = leanOf(schema, (isNode(schema) && isNode(schema["$defs"]) && schema["$defs"]) || {})
  const { additionalProperties, ...open } = isNode(lean) ? lean : {}
  if (additionalProperties !== false || !isNode(open["properties"])) return leanAjv.compile(lean as object)
  const names = new Set(Object.keys(open["properties"]))
  const takes = leanAjv.compile(open)
  return (value) => {
    if (!takes(value)) return false
    for (const name in value as object) if (!names.has(name)) return false
    return true
  }
}

const TYPES: Readonly<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  string: "a JSON string",
  array: "a list",
  object: "a JSON object",
  boolean: "true or false",
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/** What the rule is, in words, where ajv has its own for it: undefined where those are good. */
const ruled = ({ keyword, params, schema }: ErrorObject): string | undefined => {
  const { limit = 0 } = params as { readonly limit?: number }
  if (keyword === "type") return typeof schema === "string" && schema in TYPES ? `must be ${TYPES[schema]}` : undefined
  if (keyword === "minItems") return `must have at least ${limit === 1 ? "1 entry" : `${limit} entries`}`
  if (keyword === "maxItems") return `must have at most ${limit === 1 ? "1 entry" : `${limit} entries`}`
  if (keyword === "minLength")
    return limit === 1 ? "must not be empty" : `must have at least ${counted(limit, "character")}`
  if (keyword === "maxLength") return `must have at most ${counted(limit, "character")}`
  return undefined
}

/** What was expected. Never the value: it may be a secret. */
const worded = (error: ErrorObject): string => {
  const allowed = error.keyword === "enum" ? (error.params as { readonly allowedValues: ReadonlyArray<unknown> }) : null
  const { pattern } = (error.parentSchema ?? {}) as { readonly pattern?: string }
  const form = pattern === undefined ? undefined : formInWords(pattern)
  if (form !== undefined && (error.keyword === "pattern" || error.keyword === "type")) return `must be ${form}`
  const message =
    error.keyword === "pattern" ? "has the wrong format" : (ruled(error) ?? error.message ?? "has the wrong shape")
  return allowed === null ? message : `must be one of ${allowed.allowedValues.join(", ")}`
}

/** `/symbols/0` as `symbols.0`. */
const dotted = (instancePath: string): string => instancePath.slice(1).replaceAll("/", ".")

const isUuid = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "Refinement": {
      const words = ast.annotations[AST.JSONSchemaAnnotationId] as { readonly format?: string } | undefined
      return words?.format === "uuid" || isUuid(ast.from)
    }
    case "Union":
      return ast.types.some(isUuid)
    case "TupleType":
      return ast.rest.some((it) => isUuid(it.type))
    default:
      return false
  }
}

const lowerCase = (value: unknown): unknown =>
  typeof value === "string" ? value.toLowerCase() : Array.isArray(value) ? value.map(lowerCase) : value

/**
 * Throws, at start, when the schema is not pure. `where` names it in that error. Compiled with its first value: all 120 of them took 0.25 s of
 * processor time at each start, a sixth of it, and a pure one always compiles (test/property/http/checks.test.ts compiles each).
 */
export const compileCheck = (ast: AST.AST, where: string): Check => {
  const fault = impurity(ast)
  if (fault !== undefined) throw new Error(`${where}: the schema has ${fault}; wire schemas must be pure`)
  const schema = Schema.make<unknown>(ast)
  const inJson = (): unknown => asSchemaMeans(JSONSchema.make(schema))
  let isGood: ((value: unknown) => boolean) | undefined
  let compiled: ValidateFunction | undefined
  const fields = ast._tag === "TypeLiteral" ? ast.propertySignatures : []
  const uuids = fields.filter((field) => isUuid(field.type)).map((field) => String(field.name))
  return (value) => {
    isGood ??= compileLean(inJson())
    let errors: ValidateFunction["errors"]
    if (!isGood(value)) {
      compiled ??= ajv.compile(inJson() as object)
      // It says no as well: this one says why.
      if (!compiled(value)) errors = compiled.errors
    }
    if (errors === undefined) {
      const record = value as Record<string, unknown>
      for (const name of uuids) if (record[name] !== undefined) record[name] = lowerCase(record[name])
      return undefined
    }
    if (value === null || typeof value !== "object" || Array.isArray(value))
      return new InvalidRequest({ reason: "a JSON object is expected" })
    // Before what is missing: the name that is missing may be the one that was misspelt.
    const unknown = unknownFields(ast, value)
    if (unknown !== undefined) return unknown
    const error = errors?.[0]
    const explained = ParseResult.validateEither(schema, { errors: "all" })(value)
    const issues = Either.isLeft(explained) ? ParseResult.ArrayFormatter.formatIssueSync(explained.left) : []
    const missing = issues.find((issue) => issue._tag === "Missing")
    if (missing !== undefined) return new MissingParameter({ parameter: missing.path.map(String).join(".") })
    return error === undefined
      ? new InvalidRequest({ reason: "has the wrong shape" })
      : new InvalidParameter({ parameter: dotted(error.instancePath), reason: worded(error) })
  }
}
