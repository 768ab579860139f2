/**
 * The generated part of the Python client: records as TypedDicts, every operation as overloads of `get`, `post`, `send` and `pages`, and the
 * names of every failure. From the OpenAPI document, the AsyncAPI document for what channels carry, and the errno table. The one thing to know:
 * if a record of the same name is in both documents, HTTP's is used, which is also what the channel carries.
 */

import { openApiDocument } from "../src/http/docs/openapi.ts"
import { ERRNO } from "../src/http/edge/errno.ts"
import { asyncApiPage } from "./asyncapi-page.ts"

const HEAD = "# Written by `npm run docs` from the gateway's own declaration; `npm run check` fails when it is stale.\n"

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, read field by field.
type Json = any

/** Fields that cannot be written as attributes of a class. */
const KEYWORDS: ReadonlySet<string> = new Set([
  "from",
  "in",
  "is",
  "as",
  "class",
  "def",
  "global",
  "lambda",
  "not",
  "or",
])
/** What a schema's library says of each string and number by itself. */
const SAID_BY_TYPE = /^(a string|a Universally|an integer|a number|a positive|a non)/
const PLAIN: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
}

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) =>
      word === word.toUpperCase() ? word[0] + word.slice(1).toLowerCase() : word[0]!.toUpperCase() + word.slice(1),
    )
    .join("")

const refName = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

const literal = (values: ReadonlyArray<string | number | boolean>): string =>
  `Literal[${values.map((it) => (typeof it === "boolean" ? (it ? "True" : "False") : JSON.stringify(it))).join(", ")}]`

/** Inner records get names of their own: Python has no types in place. */
class Records {
  readonly #written = new Map<string, string>()

  get text(): string {
    return [...this.#written.values()].join("\n\n")
  }

  get names(): ReadonlyArray<string> {
    return [...this.#written.keys()]
  }

  has(name: string): boolean {
    return this.#written.has(name)
  }

  /** A record, or another name for what is none. */
  add(name: string, schema: Json): void {
    if (this.#written.has(name)) throw new Error(`two records would be named ${name}`)
    // Its place is taken before its fields, which may name it.
    this.#written.set(name, "")
    this.#written.set(
      name,
      isObject(schema) ? this.#record(name, schema) : `${name}: TypeAlias = ${quoted(this.of(schema, name))}\n`,
    )
  }

  of(schema: Json, hint: string): string {
    if (schema.$ref !== undefined) return refName(schema.$ref)
    if (schema.enum !== undefined) return literal(schema.enum)
    const any = schema.anyOf ?? schema.oneOf
    if (any !== undefined) return [...new Set(any.map((it: Json) => this.of(it, hint)))].join(" | ")
    if (schema.allOf !== undefined) return this.of(schema.allOf[0], hint)
    if (schema.type === "array") return this.#list(schema, hint)
    if (isObject(schema)) {
      const name = pascal(hint)
      this.add(name, schema)
      return name
    }
    if (schema.type === "object") return `Mapping[str, ${this.#values(schema, hint)}]`
    return PLAIN[schema.type] ?? "Any"
  }

  #list(schema: Json, hint: string): string {
    const fixed = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : null)
    // JSON has no tuples: rows of one kind of value are lists of it.
    if (fixed !== null) return `list[${[...new Set(fixed.map((it: Json) => this.of(it, hint)))].join(" | ")}]`
    return `list[${this.of(schema.items ?? {}, `${hint}Item`)}]`
  }

  #values(schema: Json, hint: string): string {
    const { additionalProperties } = schema
    return typeof additionalProperties === "object" ? this.of(additionalProperties, `${hint}Value`) : "Any"
  }

  #record(name: string, schema: Json): string {
    const required = new Set<string>(schema.required ?? [])
    const fields = Object.entries<Json>(schema.properties).map(([field, item]) => {
      const type = this.of(item, `${name}${pascal(field)}`)
      return { field, type: required.has(field) ? type : `NotRequired[${type}]`, said: saidOf(item) }
    })
    const isPlain = fields.every(({ field }) => /^[A-Za-z_]\w*$/.test(field) && !KEYWORDS.has(field))
    if (!isPlain) {
      const items = fields.map(({ field, type }) => `        ${JSON.stringify(field)}: ${quoted(type)},`)
      return `${name} = TypedDict(\n    "${name}",\n    {\n${items.join("\n")}\n    },\n)\n`
    }
    const doc = schema.description === undefined ? [] : [`    """${schema.description}"""`, ""]
    const lines = fields.flatMap(({ field, type, said }) => [
      ...(said === null ? [] : [`    # ${said}`]),
      `    ${field}: ${type}`,
    ])
    return `class ${name}(TypedDict):\n${[...doc, ...lines].join("\n")}\n`
  }
}

const isObject = (schema: Json): boolean =>
  schema.type === "object" && schema.properties !== undefined && Object.keys(schema.properties).length > 0

/** Only in strings may a name be used before its definition. */
const quoted = (type: string): string => JSON.stringify(type).replaceAll('\\"', "'")

const saidOf = (schema: Json): string | null => {
  const said: string | undefined = schema.description
  return said === undefined || SAID_BY_TYPE.test(said) ? null : said.replaceAll(/\s+/g, " ")
}

interface Operation {
  readonly method: "get" | "post"
  readonly name: string
  readonly summary: string
  readonly input: { readonly type: string; readonly isRequired: boolean } | null
  readonly data: string
  /** Of one row, where the list comes in pages. */
  readonly item: string | null
}

const PREFIX = "/api/v3/"

const successOf = (operation: Json): Json | null =>
  operation.responses["200"]?.content?.["application/json"]?.schema ?? null

const inputOf = (
  records: Records,
  document: Json,
  method: string,
  name: string,
  operation: Json,
): Operation["input"] => {
  if (method === "post") {
    const body = operation.requestBody
    if (body === undefined) return null
    const type = records.of(body.content["application/json"].schema, `${pascal(name)}Body`)
    return { type, isRequired: body.required === true }
  }
  const parameters = (operation.parameters ?? [])
    .map((it: Json) => (it.$ref === undefined ? it : document.components.parameters[refName(it.$ref)]))
    .filter((it: Json) => it.in === "query")
  if (parameters.length === 0) return null
  const required = parameters.filter((it: Json) => it.required === true).map((it: Json) => it.name)
  const properties = Object.fromEntries(
    parameters.map((it: Json) => [it.name, { ...it.schema, description: it.description }]),
  )
  const type = `${pascal(name)}Query`
  records.add(type, { type: "object", required, properties })
  return { type, isRequired: required.length > 0 }
}

const operationsOf = (records: Records, document: Json): ReadonlyArray<Operation> =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).flatMap(([method, operation]): Array<Operation> => {
      const success = successOf(operation)
      const name = path.slice(PREFIX.length)
      // What answers no record of ours is not for this client.
      if (!path.startsWith(PREFIX) || name === "" || success?.properties?.data === undefined) return []
      if (method !== "get" && method !== "post")
        throw new Error(`${method} ${path}: the Python client only has get and post`)
      const input = inputOf(records, document, method, name, operation)
      const data = records.of(success.properties.data, `${pascal(name)}Data`)
      const isPaged = success.properties.pagination !== undefined && data.startsWith("list[")
      return [{ method, name, summary: operation.summary, input, data, item: isPaged ? data.slice(5, -1) : null }]
    }),
  )

/** One record for all kinds of events that carry the same; the union of them is told apart by `kind`. */
const addEvents = (records: Records, document: Json): void => {
  const groups = new Map<string, { readonly payload: Json; readonly kinds: Array<string> }>()
  for (const ref of Object.values<Json>(document.channels.tradingAccount.messages)) {
    const { payload } = document.components.messages[refName(ref.$ref)]
    const data = JSON.stringify(payload.properties.data)
    const group = groups.get(data) ?? { payload, kinds: [] }
    group.kinds.push(...payload.properties.kind.enum)
    groups.set(data, group)
  }
  const names = [...groups.values()].map(({ payload, kinds }) => {
    const name = `${pascal(kinds.length === 1 ? kinds[0]! : kinds[0]!.split(".")[0]!)}Event`
    const kind = { type: "string", enum: kinds }
    records.add(name, { ...payload, properties: { ...payload.properties, kind } })
    return { $ref: name }
  })
  records.add("AccountEvent", { anyOf: names })
}

interface Generated {
  readonly records: Records
  readonly operations: ReadonlyArray<Operation>
}

const generated = (): Generated => {
  const document = JSON.parse(JSON.stringify(openApiDocument())) as Json
  const realtime = JSON.parse(asyncApiPage()) as Json
  const records = new Records()
  const all = { ...document.components.schemas }
  for (const [name, schema] of Object.entries<Json>(realtime.components.schemas)) all[name] ??= schema
  // Of the protocol of the connection, which this client speaks itself.
  for (const name of PROTOCOL) delete all[name]
  for (const [name, schema] of Object.entries(all)) if (!records.has(name)) records.add(name, schema)
  addEvents(records, realtime)
  return { records, operations: operationsOf(records, document) }
}

const PROTOCOL = ["ClientInfo", "Publication", "TagsFilter", "StreamPosition", "SubscribeResult", "Error"]

export const pythonRecords = (): string => {
  const { records } = generated()
  const all = records.names.map((name) => `    "${name}",`).join("\n")
  return `${HEAD}"""Every record that goes in or comes out, over HTTP and over channels. Decimals are strings, instants milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

__all__ = [
${all}
]


${records.text}`
}

const parameterOf = (word: string, { input }: Operation): string => {
  if (input === null) return `${word}: None = None`
  return input.isRequired ? `${word}: ${input.type}` : `${word}: ${input.type} | None = None`
}

/** `answer`: what comes back, given what the operation answers. */
const overloads = (
  operations: ReadonlyArray<Operation>,
  head: string,
  word: string,
  answer: (operation: Operation) => string,
): string =>
  operations
    .map(
      (it) =>
        `    @overload\n    ${head}(\n        self, name: Literal["${it.name}"], ${parameterOf(word, it)}, *, headers: Headers | None = None\n    ) -> ${answer(it)}:\n        """${it.summary}"""`,
    )
    .join("\n\n")

const callsClass = (operations: ReadonlyArray<Operation>, isAsync: boolean): string => {
  const [gets, posts, lists] = [
    operations.filter(({ method }) => method === "get"),
    operations.filter(({ method }) => method === "post"),
    operations.filter(({ item }) => item !== null),
  ]
  const [def, wait, iterator] = isAsync ? ["async def", "await ", "AsyncIterator"] : ["def", "", "Iterator"]
  const rest = "self, name: str, body: Any = None, *, headers: Headers | None = None"
  return `class ${isAsync ? "AsyncCalls" : "Calls"}(ABC):
    """Each operation by its name, with what it takes and answers."""

    @abstractmethod
    ${def} _read(self, name: str, query: Any, headers: Headers | None) -> Answer[Any]: ...

    @abstractmethod
    ${def} _write(self, name: str, body: Any, headers: Headers | None) -> Answer[Any]: ...

    @abstractmethod
    def _pages(self, name: str, query: Any, headers: Headers | None) -> ${iterator}[Any]: ...

${overloads(gets, `${def} get`, "query", ({ data }) => data)}

    ${def} get(${rest.replace("body", "query")}) -> Any:
        """A read, repeated while there is no definite answer."""
        return (${wait}self._read(name, query, headers)).data

${overloads(posts, `${def} post`, "body", ({ data }) => data)}

    ${def} post(${rest}) -> Any:
        """A write, sent once. Raises GatewayError where it was refused, NoAnswer where nobody can say."""
        return (${wait}self._write(name, body, headers)).data

${overloads(posts, `${def} send`, "body", ({ data }) => `Answer[${data}]`)}

    ${def} send(${rest}) -> Any:
        """The same as \`post\`, with the answer's headers."""
        return ${wait}self._write(name, body, headers)

${overloads(lists, "def pages", "query", ({ item }) => `${iterator}[${item}]`)}

    def pages(${rest.replace("body", "query")}) -> Any:
        """Every item of a list, page after page."""
        return self._pages(name, query, headers)
`
}

export const pythonCalls = (): string => {
  const { operations } = generated()
  const used = operations.flatMap(({ data, input }) => [data, input?.type ?? ""]).join(" ")
  const { records } = generated()
  const names = records.names.filter((name) => new RegExp(`\\b${name}\\b`).test(used)).toSorted()
  return `${HEAD}"""The calls of the HTTP API by name, for asyncio and without it: types only, what they do is in the two gateways."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Literal, TypeAlias, overload

from ..answer import Answer
from .records import (
${names.map((name) => `    ${name},`).join("\n")}
)

Headers: TypeAlias = Mapping[str, str]


${callsClass(operations, true)}

${callsClass(operations, false)}`
}

export const pythonErrno = (): string => {
  const rows = Object.values(ERRNO).toSorted((a, b) => b.errno - a.errno)
  const lines = rows.map(({ code, errno, status }) => `    # HTTP ${status}\n    ${code} = ${errno}`)
  return `${HEAD}"""The gateway's failures by name; numbers are never reused."""

from enum import IntEnum


class Errno(IntEnum):
    """Compare it with \`GatewayError.errno\`."""

${lines.join("\n")}
`
}
