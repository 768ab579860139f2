/** JSON Schema (draft 7) for the AsyncAPI document: the code's own Effect schemas, and the protocol's objects field by field. */
import { JSONSchema, type Schema } from "effect"

export type JsonSchema = Readonly<Record<string, unknown>>

const COMPONENTS = "#/components/schemas/"

export const component = (name: string): JsonSchema => ({ $ref: `${COMPONENTS}${name}` })

/** Without what only repeats a default, and without the names that filters give themselves (`int`). */
const cleaned = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(cleaned)
  if (node === null || typeof node !== "object") return node
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) {
    if (key === "additionalProperties" && value === true) continue
    if (key === "title" && typeof value === "string" && /^[a-z]\w*(\(.*\))?$/.test(value)) continue
    copy[key] = cleaned(value)
  }
  return copy
}

/** Turns Effect schemas into JSON Schema; those with an identifier become components, which it collects. */
export class Components {
  readonly #definitions: Record<string, JSONSchema.JsonSchema7> = {}

  of(schema: Schema.Schema.AnyNoContext): JsonSchema {
    const made = JSONSchema.fromAST(schema.ast, {
      definitions: this.#definitions,
      definitionPath: COMPONENTS,
      additionalPropertiesStrategy: "allow",
    })
    return cleaned(made) as JsonSchema
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return cleaned(this.#definitions) as Readonly<Record<string, JsonSchema>>
  }
}

export const text: JsonSchema = { type: "string" }
export const flag: JsonSchema = { type: "boolean" }
/** Anything that JSON can say. */
export const json: JsonSchema = {}
export const natural: JsonSchema = { type: "integer", minimum: 0 }
export const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description })
export const oneOf = (...values: ReadonlyArray<string | number>): JsonSchema => ({ enum: values })
export const list = (items: JsonSchema): JsonSchema => ({ type: "array", items })
export const byName = (values: JsonSchema): JsonSchema => ({ type: "object", additionalProperties: values })

/** Every field of `T`: one that the type gains is missed here by the compiler. */
export const object = <T>(
  fields: { readonly [K in keyof Required<T>]: JsonSchema },
  required: ReadonlyArray<keyof T & string>,
): JsonSchema => ({ type: "object", ...(required.length === 0 ? {} : { required }), properties: fields })
