/**
 * The generated part of the TypeScript client: the types of every operation, from the OpenAPI document, and the names of every failure, from the
 * errno table. The one thing to know: only successful responses are kept, since the client throws a failure, which has one shape.
 */
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript"
import { openApiDocument } from "../src/http/docs/openapi.ts"
import { ERRNO } from "../src/http/edge/errno.ts"

const HEAD =
  "// Written by `npm run docs` from the gateway's own declaration; `npm run check` fails when it is stale.\n"

/** Of no use in a type, and examples hold keys that look like real ones; `additionalProperties` would let every misspelt field pass. */
const DROPPED: ReadonlySet<string> = new Set([
  "headers",
  "additionalProperties",
  "tags",
  "security",
  "pattern",
  "example",
  "examples",
])

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `isNames`: its keys are the names of fields, not words of the document. */
const slim = (value: unknown, isNames: boolean): unknown => {
  if (Array.isArray(value)) return value.map((item) => slim(item, false))
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([key]) => isNames || !DROPPED.has(key) || isMap(key, value[key]))
  return Object.fromEntries(
    kept.map(([key, item]) => [
      key,
      key === "responses" && isRecord(item) ? slim({ "200": item["200"] }, true) : slim(item, key === "properties"),
    ]),
  )
}

/** A record of anything, or of one shape: that is its type. */
const isMap = (key: string, item: unknown): boolean => key === "additionalProperties" && isRecord(item)

const slimDocument = (): OpenAPI3 => {
  const { components, paths, ...head } = JSON.parse(JSON.stringify(openApiDocument())) as Record<string, unknown>
  const { schemas, parameters } = components as Record<string, unknown>
  return slim({ ...head, paths, components: { schemas, parameters } }, false) as OpenAPI3
}

export const clientTypes = async (): Promise<string> =>
  `${HEAD}${astToString(await openapiTS(slimDocument(), { alphabetize: false }))}`

export const clientErrno = async (): Promise<string> => {
  const rows = Object.values(ERRNO).toSorted((a, b) => b.errno - a.errno)
  const lines = rows.map(({ code, errno, status }) => `  /** HTTP ${status} */\n  ${code}: ${errno},`)
  return `${HEAD}/** The gateway's failures by name; numbers are never reused. */\nexport const ERRNO = {\n${lines.join("\n")}\n} as const\n`
}
