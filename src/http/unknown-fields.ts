/**
 * The fields of a request that its schema does not know, with the nearest that it does. Nothing here runs for a good request: that one has
 * none is what the compiled check says.
 */
import type { SchemaAST as AST } from "effect"
import { InvalidRequest, UnknownField } from "../domain/errors/request.ts"
import { nearestName } from "../foundation/nearest-name.ts"

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
