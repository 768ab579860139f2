/** Of every field of every declared endpoint one misspelling, through the real server: none is taken in silence. A new endpoint is asked, too. */
import { Arbitrary, type SchemaAST as AST, Schema } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api } from "../../../src/http/api.ts"
import type { HandlersOf } from "../../../src/http/edge/mount.ts"
import type { RpcAnswer } from "../../../src/ports/rpc.ts"
import { type DeclaredRoute, declaredRoutes, fieldsOf } from "../../kit/http-fuzz/declared-routes.ts"
import { principal, serveTest, type TestHttp } from "../../kit/servers/http-server.ts"

type Body = Record<string, unknown>

/** As people misspell: a letter lost, two swapped, another case, words apart, a letter too many. */
const MISSPELLINGS: ReadonlyArray<(name: string) => string> = [
  (name) => name.slice(0, 2) + name.slice(3),
  (name) => name.slice(0, -2) + name.at(-1) + name.at(-2),
  (name) => name.replaceAll(/[A-Z]/g, (letter, at: number) => (at > name.length / 2 ? letter.toLowerCase() : letter)),
  (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  (name) => `${name}s`,
]

/** The first of them, from `turn` on, that is none of the names that are known there. */
const misspelt = (name: string, turn: number, known: ReadonlyArray<string>): string => {
  const turned = [...MISSPELLINGS.slice(turn % MISSPELLINGS.length), ...MISSPELLINGS]
  return turned.map((write) => write(name)).find((it) => !known.includes(it)) ?? `${name}s`
}

interface Place {
  /** From the body to the record; `*` is an entry of a list or of a record of any keys. */
  readonly path: ReadonlyArray<string>
  readonly fields: ReadonlyArray<string>
}

const structsOf = (ast: AST.AST): ReadonlyArray<AST.TypeLiteral> => {
  if (ast._tag === "Refinement") return structsOf(ast.from)
  if (ast._tag === "Union") return ast.types.flatMap(structsOf)
  return ast._tag === "TypeLiteral" ? [ast] : []
}

const itemsOf = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  if (ast._tag === "Refinement") return itemsOf(ast.from)
  if (ast._tag === "Union") return ast.types.flatMap(itemsOf)
  return ast._tag === "TupleType" ? ast.rest.map((it) => it.type) : []
}

/** Every record of a body that has fields of its own. */
const placesOf = (ast: AST.AST, path: ReadonlyArray<string> = []): ReadonlyArray<Place> => [
  ...itemsOf(ast).flatMap((item) => placesOf(item, [...path, "0"])),
  ...structsOf(ast).flatMap((struct) => [
    ...(struct.propertySignatures.length === 0
      ? []
      : [{ path, fields: struct.propertySignatures.map((field) => String(field.name)) }]),
    ...struct.propertySignatures.flatMap((field) => placesOf(field.type, [...path, String(field.name)])),
    ...struct.indexSignatures.flatMap((field) => placesOf(field.type, [...path, "std"])),
  ]),
]

const sample = (ast: AST.AST, seed: number): unknown => {
  const [value] = fc.sample(Arbitrary.make(Schema.make<unknown>(ast)), { numRuns: 1, seed })
  return JSON.parse(JSON.stringify(value))
}

/** A right value that has a record at the path. */
const built = (ast: AST.AST, path: ReadonlyArray<string>, seed: number): unknown => {
  const [name, ...rest] = path
  if (name === undefined) return sample(structsOf(ast)[0] ?? ast, seed)
  const item = itemsOf(ast)[0]
  if (item !== undefined) return [built(item, rest, seed)]
  const [struct] = structsOf(ast)
  const child =
    struct?.propertySignatures.find((field) => field.name === name)?.type ?? struct?.indexSignatures[0]?.type
  if (struct === undefined || child === undefined) throw new Error(`nothing at ${path.join(".")}`)
  return { ...(sample(struct, seed) as object), [name]: built(child, rest, seed) }
}

const at = (body: unknown, path: ReadonlyArray<string>): Body =>
  path.reduce((value, name) => (value as Body)[name], body) as Body

interface Envelope {
  readonly errno: number
  readonly error: string | null
  readonly details?: {
    readonly code: string
    readonly metadata: { readonly fields: ReadonlyArray<{ readonly field: string; readonly nearest: string | null }> }
  }
}

const routes = declaredRoutes()
const bodies = routes.filter((route) => route.body !== undefined)
const queries = routes.filter((route) => fieldsOf(route.query).length > 0)

describe("a misspelt field", () => {
  let http: TestHttp
  const admin = { ...principal(["read", "write", "admin"]), provenAt: Date.now() }

  beforeAll(async () => {
    const handlers: Record<string, Record<string, unknown>> = {}
    for (const { name } of routes) {
      const [group = "", endpoint = ""] = name.split(".")
      handlers[group] = {
        ...handlers[group],
        [endpoint]: (_input: unknown, reply: { readonly ok: (answer: string) => void }) => reply.ok("taken"),
      }
    }
    type Groups = typeof Api extends { readonly groups: Record<string, infer G> } ? G : never
    http = await serveTest(Api, handlers as unknown as HandlersOf<Groups & never> as never, {
      authenticate: () => admin,
    })
  })
  afterAll(() => http.close())

  const ask = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${http.url}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Envelope
  }
  const strays = ({ errno, details }: Envelope) => [errno, details?.metadata.fields]
  const refusal = (field: string, nearest: string | null) => [-104013, [{ field, nearest }]]

  const ofBody = async ({ name, path, body }: DeclaredRoute): Promise<number> => {
    let asked = 0
    for (const place of placesOf(body!)) {
      const right = built(body!, place.path, 7)
      expect([name, place.path, await ask("POST", path, right)]).toMatchObject([name, place.path, { errno: 0 }])
      const answers = place.fields.map(async (field, turn) => {
        const wrong = misspelt(field, turn, place.fields)
        const given = structuredClone(right)
        at(given, place.path)[wrong] = "1"
        const told = refusal([...place.path, wrong].join("."), [...place.path, field].join("."))
        expect([name, strays(await ask("POST", path, given))]).toEqual([name, told])
      })
      asked += (await Promise.all(answers)).length
    }
    return asked
  }

  it("of a body is refused by every endpoint, at every depth, with the name that was meant", async () => {
    const asked = []
    for (const route of bodies) asked.push(await ofBody(route))
    expect(asked.reduce((all, one) => all + one, 0)).toBeGreaterThan(100)
  })

  it("of a query is refused by every endpoint", async () => {
    for (const { name, method, path, query } of queries) {
      const known = fieldsOf(query).map((field) => field.name)
      for (const [turn, field] of known.entries()) {
        const wrong = misspelt(field, turn, known)
        expect([name, strays(await ask(method, `${path}?${wrong}=1`))]).toEqual([name, refusal(wrong, field)])
      }
    }
  })

  it("is refused where nothing is read at all: a filter of a list without filters, a query beside a body, a body of none", async () => {
    for (const { name, method, path, query, body } of routes) {
      if (name.startsWith("root.")) continue
      if (query === undefined)
        expect([name, (await ask(method, `${path}?instrumentId=x`, body && built(body, [], 7))).errno]).toEqual([
          name,
          -104013,
        ])
      if (method === "POST" && body === undefined) {
        expect([name, (await ask(method, path, { scope: "global" })).errno]).toEqual([name, -104013])
        expect([name, (await ask(method, path, {})).errno]).toEqual([name, 0])
        expect([name, (await ask(method, path)).errno]).toEqual([name, 0])
      }
    }
  })

  it("is no matter to probes, which add what they like against caches", async () => {
    expect((await ask("GET", "/api/v3/health?nocache=17")).errno).toBe(0)
  })

  it("is refused over the socket, too", async () => {
    const rpc = (method: string, data: unknown) =>
      new Promise<Envelope>((resolve, reject) => {
        const request = { method, data, isMalformed: false, principal: admin, ip: "127.0.0.1" }
        http.mounted.rpc(request, (answer: RpcAnswer | "unknown method") =>
          answer === "unknown method" ? reject(new Error(method)) : resolve(JSON.parse(answer.envelope) as Envelope),
        )
      })
    for (const { name, path, query } of queries.filter((route) => route.method === "GET")) {
      const known = fieldsOf(query).map((field) => field.name)
      const method = path.slice("/api/v3/".length).replaceAll("/", ".")
      for (const [turn, field] of known.entries()) {
        const wrong = misspelt(field, turn, known)
        for (const value of ["1", null])
          expect([name, strays(await rpc(method, { [wrong]: value }))]).toEqual([name, refusal(wrong, field)])
      }
    }
    const submit = bodies.find((route) => route.name === "tradeOrder.submit")!
    const right = sample(submit.body!, 7) as Body
    expect(strays(await rpc("tradeOrder.submit", { ...right, stopLossprice: "1" }))).toEqual(
      refusal("stopLossprice", "stopLossPrice"),
    )
    expect((await rpc("market.venue.list", { venue: "MOCK" })).errno).toBe(-104013)
  })

  it("is told in words, and several at once", async () => {
    const submit = bodies.find((route) => route.name === "tradeOrder.submit")!
    const right = sample(submit.body!, 7) as Body
    const said = async (more: Body) => (await ask("POST", submit.path, { ...right, ...more })).error
    expect(await said({ stopLossprice: "1" })).toBe('Unknown field "stopLossprice": did you mean "stopLossPrice"?')
    expect(await said({ client_order_id: "1", colour: null })).toBe(
      'Unknown fields "client_order_id" (did you mean "clientOrderId"?), "colour"',
    )
    expect(await said({ colour: null })).toMatch(
      /^Unknown field "colour": known fields are tradingAccountId, instrumentId, /,
    )
    expect((await ask("GET", "/api/v3/market/venue/list?x=1")).error).toBe(
      'Unknown field "x": no fields are accepted there',
    )
    const long = await ask("POST", submit.path, { ...right, ["x".repeat(10_000)]: 1 })
    expect(long.details?.metadata.fields[0]?.field.length).toBeLessThan(100)
  })

  it("is what is told when the right name is missing for it", async () => {
    const path = "/api/v3/tradingAccount/disconnect"
    expect(strays(await ask("POST", path, { tradingAccountid: "1" }))).toEqual(
      refusal("tradingAccountid", "tradingAccountId"),
    )
  })
})
