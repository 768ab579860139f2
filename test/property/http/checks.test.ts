/** The compiled check of every endpoint against Schema itself, on bodies and queries that are right, nearly right and wrong. */
import { HttpApi } from "@effect/platform"
import { Arbitrary, type SchemaAST as AST, Option, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Api } from "../../../src/http/api.ts"
import { compileCheck } from "../../../src/http/checks.ts"

interface Wire {
  readonly name: string
  readonly ast: AST.AST
}

const wires = (): ReadonlyArray<Wire> => {
  const found: Array<Wire> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint, payloads }) => {
      const name = `${group.identifier}.${endpoint.name}`
      const query: AST.AST | undefined = Option.getOrUndefined(endpoint.urlParamsSchema)?.ast
      const body = payloads.get("application/json")?.ast
      if (query !== undefined) found.push({ name: `${name} query`, ast: query })
      if (body !== undefined) found.push({ name: `${name} body`, ast: body })
    },
  })
  return found
}

/** Values at the edges where JSON Schema and Schema are known to part. */
const edges = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  "",
  "0",
  "-1",
  "01",
  "1.0",
  "1e5",
  " 1",
  "BUY",
  "GTC",
  "LIMIT",
  "x".repeat(65),
  "😀".repeat(33),
  "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f",
  "0198F3A2-5B1C-7C3E-9D2F-6A1B0C2D3E4F",
  "line\n",
  [],
  [1],
  ["MOCK:BTC/USDT"],
  {},
  { a: 1 },
)

const value = fc.oneof({ weight: 3, arbitrary: edges }, { weight: 1, arbitrary: fc.jsonValue() })

const fieldsOf = (ast: AST.AST): ReadonlyArray<string> =>
  ast._tag === "TypeLiteral" ? ast.propertySignatures.map((field) => String(field.name)) : []

/** One to three changes to a right value: a field gone, replaced, or added. */
const mutated = ({ ast }: Wire): fc.Arbitrary<unknown> => {
  const right = Arbitrary.make(Schema.make<object>(ast))
  const change = fc.tuple(fc.constantFrom("drop", "set", "add"), fc.constantFrom(...fieldsOf(ast)), value)
  return fc.tuple(right, fc.array(change, { maxLength: 3 })).map(([start, changes]) => {
    const body = JSON.parse(JSON.stringify(start)) as Record<string, unknown>
    for (const [kind, field, replacement] of changes) {
      if (kind === "drop") delete body[field]
      else if (kind === "set") body[field] = replacement
      else body["unknownField"] = replacement
    }
    return body
  })
}

describe("the compiled check", () => {
  it("exists for every declared body and query", () => {
    expect(wires().length).toBeGreaterThan(20)
  })

  it.each(wires().map((wire) => [wire.name, wire] as const))("says what Schema says: %s", (_name, wire) => {
    const check = compileCheck(wire.ast, wire.name)
    const is = Schema.is(Schema.make<unknown>(wire.ast), { onExcessProperty: "error" })
    void fc.assert(
      fc.property(mutated(wire), (body) => {
        expect([body, check(body) === undefined]).toEqual([body, is(body)])
      }),
      { numRuns: 300 },
    )
  })

  it.each(wires().map((wire) => [wire.name, wire] as const))("refuses what is no object: %s", (_name, wire) => {
    const check = compileCheck(wire.ast, wire.name)
    for (const body of [null, true, 1, "text", [], [{}]]) {
      expect(check(body)?._tag).toBe("InvalidRequest")
    }
  })

  it("knows fields by their names alone, whatever else these mean in a schema or to an object", () => {
    const NAMES = ["title", "description", "examples", "$defs", "$ref", "anyOf", "enum", "properties", "type"]
    const named = Schema.Struct(
      Object.fromEntries(NAMES.map((name) => [name, Schema.NullOr(Schema.Literal("a", "b"))])),
    )
    const check = compileCheck(named.ast, "test body")
    const right = Object.fromEntries(NAMES.map((name, index) => [name, [null, "a", "b"][index % 3]]))
    expect(check(right)).toBeUndefined()
    for (const name of NAMES) {
      expect(check({ ...right, [name]: "c" })?._tag).toBe("InvalidParameter")
      expect(check({ ...right, [name]: undefined })).toBeDefined()
    }
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"])
      expect(check(JSON.parse(JSON.stringify({ ...right, PLACE: "a" }).replace("PLACE", name)))?._tag).toBe(
        "UnknownField",
      )
  })

  it("refuses schemas that it would understand only in part", () => {
    const impure: ReadonlyArray<readonly [string, Schema.Schema.All]> = [
      ["a transformation", Schema.Struct({ a: Schema.NumberFromString })],
      ["a default", Schema.Struct({ a: Schema.optionalWith(Schema.String, { default: () => "x" }) })],
      ["a class", Schema.Struct({ a: class A extends Schema.Class<A>("A")({ b: Schema.String }) {} })],
      ["a bare filter", Schema.Struct({ a: Schema.String.pipe(Schema.filter((text) => text !== "x")) })],
      ["a declaration", Schema.Struct({ a: Schema.DateFromSelf })],
    ]
    for (const [, schema] of impure) {
      expect(() => compileCheck(schema.ast, "test body")).toThrow(/test body.*pure/)
    }
  })
})
