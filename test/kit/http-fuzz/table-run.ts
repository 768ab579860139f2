/** Rows of a table as requests: every declared endpoint with one field made wrong, the rest right by its schema. */
import { Arbitrary, type SchemaAST as AST, Schema } from "effect"
import fc from "fast-check"
import { type DeclaredRoute, declaredRoutes, fieldsOf, kindOf } from "./declared-routes.ts"
import { HttpLine, type LineAnswer, type LineEnd } from "./http-line.ts"

export type Fields = Readonly<Record<string, unknown>>

export interface Asked {
  readonly route: DeclaredRoute
  /** What the row is about, for a reader of a failure. */
  readonly what: string
  readonly status: number
  readonly errno: number
  readonly parameter: unknown
  readonly body: string
}

export interface Shot {
  readonly route: DeclaredRoute
  readonly what: string
  readonly bytes: Buffer
}

export interface ShotTerms {
  readonly token?: string | null
  readonly contentType?: string
  readonly method?: string
  readonly path?: string
}

/** A field somewhere in a body or a query: `config.maxNotional`. */
export interface Leaf {
  readonly route: DeclaredRoute
  readonly path: ReadonlyArray<string>
  readonly inQuery: boolean
  readonly ast: AST.AST
}

const LINES = 12

const structOf = (ast: AST.AST): AST.AST | undefined => {
  if (ast._tag === "TypeLiteral") return ast
  if (ast._tag === "Refinement") return structOf(ast.from)
  if (ast._tag === "Union") for (const type of ast.types) if (structOf(type) !== undefined) return structOf(type)
  return undefined
}

const leavesOf = (
  route: DeclaredRoute,
  ast: AST.AST,
  inQuery: boolean,
  above: ReadonlyArray<string>,
): ReadonlyArray<Leaf> =>
  fieldsOf(ast).flatMap((field): ReadonlyArray<Leaf> => {
    const path = [...above, field.name]
    const inner = structOf(field.ast)
    const below = inner === undefined || inner === ast ? [] : leavesOf(route, inner, inQuery, path)
    return [{ route, path, inQuery, ast: field.ast }, ...below]
  })

/** Every field of every endpoint. */
export const allLeaves = (): ReadonlyArray<Leaf> =>
  declaredRoutes().flatMap((route) => [
    ...(route.query === undefined ? [] : leavesOf(route, route.query, true, [])),
    ...(route.body === undefined ? [] : leavesOf(route, route.body, false, [])),
  ])

/** The decimal grammar, as a schema says it (domain/decimal). */
const isDecimalPattern = (pattern: unknown): boolean =>
  typeof pattern === "string" && pattern.includes("[1-9]\\d{0,35}")

export const isDecimal = (ast: AST.AST): boolean => {
  if (ast._tag === "Union") return ast.types.some(isDecimal)
  if (ast._tag !== "Refinement") return false
  const words = Object.getOwnPropertySymbols(ast.annotations).map((key) => ast.annotations[key])
  return words.some((it) => isDecimalPattern((it as Fields | undefined)?.["pattern"])) || isDecimal(ast.from)
}

/** Takes nothing but decimal text. */
export const isOnlyDecimal = (ast: AST.AST): boolean => isDecimal(ast) && kindOf(ast) === "text" && !takesNumbers(ast)

const takesNumbers = (ast: AST.AST): boolean =>
  ast._tag === "Union"
    ? ast.types.some(takesNumbers)
    : ast._tag === "Refinement"
      ? takesNumbers(ast.from)
      : ast._tag === "NumberKeyword"

export const isText = (ast: AST.AST): boolean => kindOf(ast) === "text"

const samples = new WeakMap<AST.AST, Fields | undefined>()

/** Drawn once: the same in every row, and dear. */
const sampleOf = (ast: AST.AST): Fields | undefined => {
  if (!samples.has(ast))
    samples.set(ast, fc.sample(Arbitrary.make(Schema.make<Fields>(ast)), { numRuns: 1, seed: 1 })[0])
  return samples.get(ast)
}

/** Right by the schema: only what it requires, and the path down to the leaf. */
const rightFields = (ast: AST.AST, path: ReadonlyArray<string>): Record<string, unknown> => {
  const sample = sampleOf(ast)
  const fields: Record<string, unknown> = {}
  for (const { name, isOptional } of fieldsOf(ast)) if (!isOptional) fields[name] = sample?.[name]
  const [first, ...rest] = path
  const inner = fieldsOf(ast).find(({ name }) => name === first)
  if (first !== undefined && rest.length > 0 && inner !== undefined)
    fields[first] = rightFields(structOf(inner.ast)!, rest)
  return fields
}

const withValue = (fields: Fields, path: ReadonlyArray<string>, value: unknown): Fields => {
  const [first = "", ...rest] = path
  return { ...fields, [first]: rest.length === 0 ? value : withValue(fields[first] as Fields, rest, value) }
}

export const request = (
  route: DeclaredRoute,
  query: string,
  body: string | Buffer | undefined,
  terms: ShotTerms = {},
): Buffer => {
  const { token = null, contentType = "application/json", method = route.method, path = route.path } = terms
  const head = [`${method} ${path}${query === "" ? "" : `?${query}`} HTTP/1.1`, "Host: localhost"]
  if (token !== null) head.push(`Authorization: Bearer ${token}`)
  if (body === undefined) return Buffer.from(`${head.join("\r\n")}\r\n\r\n`)
  const bytes = Buffer.from(body)
  head.push(`Content-Type: ${contentType}`, `Content-Length: ${bytes.length}`)
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes])
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : String(JSON.stringify(value)))

/** The leaf with this value; in a query a lone surrogate goes as the bytes that a careless client sends. */
export const shotAt = (leaf: Leaf, value: unknown, token: string): Shot => {
  const { route, path, inQuery } = leaf
  const what = `${path.join(".")} = ${JSON.stringify(value)?.slice(0, 80)}`
  const ast = (inQuery ? route.query : route.body)!
  const fields = withValue(rightFields(ast, path), path, value)
  if (!inQuery) return { route, what, bytes: request(route, "", JSON.stringify(fields), { token }) }
  const pairs = Object.entries(fields).map(([name, one]) => `${name}=${percent(textOf(one))}`)
  const body = route.body === undefined ? undefined : JSON.stringify(rightFields(route.body, []))
  return { route, what, bytes: request(route, pairs.join("&"), body, { token }) }
}

const percent = (text: string): string =>
  [...text].map((char) => (/^\p{Surrogate}$/u.test(char) ? "%ED%A0%80" : encodeURIComponent(char))).join("")

/** A right request for a route, by its schema alone. */
export const rightShot = (route: DeclaredRoute, terms: ShotTerms): Shot => {
  const query = route.query === undefined ? {} : rightFields(route.query, [])
  const pairs = Object.entries(query).map(([name, one]) => `${name}=${percent(textOf(one))}`)
  const body = route.body === undefined ? undefined : JSON.stringify(rightFields(route.body, []))
  return { route, what: "right", bytes: request(route, pairs.join("&"), body, terms) }
}

const asked = ({ route, what }: Shot, answer: LineAnswer | LineEnd): Asked => {
  if ("ended" in answer)
    return { route, what, status: 0, errno: 0, parameter: undefined, body: `no answer: ${answer.ended}` }
  const { status, body } = answer
  let envelope: { readonly errno?: number; readonly details?: { readonly metadata?: Fields } } = {}
  try {
    envelope = JSON.parse(body)
  } catch {
    return { route, what, status: 0, errno: 0, parameter: undefined, body }
  }
  return { route, what, status, errno: envelope.errno ?? 0, parameter: envelope.details?.metadata?.["parameter"], body }
}

/** All of them, a dozen at a time; in their order. */
export const ask = async (port: number, shots: ReadonlyArray<Shot>): Promise<ReadonlyArray<Asked>> => {
  const answers: Array<Asked> = new Array(shots.length)
  let next = 0
  const lines = Array.from({ length: LINES }, () => new HttpLine(port))
  const work = async (line: HttpLine): Promise<void> => {
    for (let n = next++; n < shots.length; n = next++) answers[n] = asked(shots[n]!, await line.ask(shots[n]!.bytes))
  }
  await Promise.all(lines.map(work))
  for (const line of lines) line.end()
  return answers
}

export const spoken = ({ route, what, status, errno, body }: Asked): string =>
  `${route.name} ${what}: ${status} ${errno} ${body.slice(0, 200)}`
