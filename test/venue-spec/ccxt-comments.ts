/**
 * The venues' own payloads that ccxt's source shows in the comments of its parsers: one sample of a ticker, trade, order or candle
 * each, of every exchange of the installed package. Third-party text: read at test time, never copied.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { CcxtExchangeClass } from "../../src/venues/worker/exchange/ccxt.ts"
import { loadExchange } from "../../src/venues/worker/exchange/load.ts"

export const PARSERS = ["parseTicker", "parseTrade", "parseOrder", "parseOHLCV"] as const
export type Parser = (typeof PARSERS)[number]

export interface Sample {
  /** ccxt's id: a file name of its sources. */
  readonly exchange: string
  readonly parser: Parser
  /** Strict JSON. */
  readonly json: string
}

const sources = join(dirname(createRequire(import.meta.url).resolve("ccxt")), "..", "js", "src")

/** Stands for a line of code: a sample never goes across one. */
const CODE = "\u0000"

/** Code and comments of one method; empty where the class has none of its own. */
const bodyOf = (source: string, method: string): string => {
  const start = source.search(new RegExp(`\\n {4}${method}\\([^\\n]*\\) \\{\\n`))
  return start < 0 ? "" : source.slice(start, source.indexOf("\n    }\n", start))
}

const commentsOf = (body: string): string =>
  body
    .split("\n")
    .map((line) => /^\s*\/\/(.*)$/.exec(line)?.[1] ?? CODE)
    .join("\n")

/** Where the bracket that opens at `start` is closed; -1 where code comes first. */
const endOf = (text: string, start: number): number => {
  let depth = 0
  let quote = ""
  for (let at = start; at < text.length; at++) {
    const c = text.charAt(at)
    if (c === CODE) return -1
    if (quote !== "") {
      if (c === quote && text[at - 1] !== "\\") quote = ""
    } else if (c === '"' || c === "'") quote = c
    else if (c === "{" || c === "[") depth++
    else if ((c === "}" || c === "]") && --depth === 0) return at
  }
  return -1
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** People write samples: remarks, commas before the end, single quotes and bare names become JSON; undefined where nothing helps. */
const strict = (written: string): string | undefined => {
  const plain = written.replace(/\/\/[^\n"]*$/gm, "").replace(/,(\s*[}\]])/g, "$1")
  const quoted = plain.replace(/'/g, '"').replace(/([{,]\s*)([A-Za-z_]\w*)\s*:/g, '$1"$2":')
  return [plain, quoted].find(isJson)
}

const samplesIn = (comments: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = 0; at < comments.length; ) {
    const opens = comments[at] === "{" || /^\[\s*[[{"\d]/.test(comments.slice(at, at + 40))
    const end = opens ? endOf(comments, at) : -1
    if (end < 0) {
      at++
      continue
    }
    const json = strict(comments.slice(at, end + 1))
    if (json !== undefined) found.push(json)
    at = end + 1
  }
  return found
}

/** A list in place of one thing is a whole answer, except for candles, which are lists themselves. */
const isOne = (parser: Parser, json: string): boolean => parser === "parseOHLCV" || json.startsWith("{")

/** A list of one candle stands for the candle. */
const unlisted = (json: string): string => {
  const sample: unknown = JSON.parse(json)
  const [only, ...more] = Array.isArray(sample) ? sample : []
  return typeof only === "object" && only !== null && more.length === 0 ? JSON.stringify(only) : json
}

export const readSamples = (): ReadonlyArray<Sample> =>
  readdirSync(sources)
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => {
      const source = readFileSync(join(sources, file), "utf8")
      return PARSERS.flatMap((parser) =>
        samplesIn(commentsOf(bodyOf(source, parser)))
          .filter((json) => isOne(parser, json))
          .map((json) => ({ exchange: file.slice(0, -".js".length), parser, json: unlisted(json) })),
      )
    })

/** As connectors load it; of an exchange that ccxt cannot stream, the class without streams. */
export const loadClass = async (exchange: string): Promise<CcxtExchangeClass> => {
  if (existsSync(join(sources, "pro", `${exchange}.js`))) return loadExchange(exchange)
  const module: { readonly default: CcxtExchangeClass } = await import(
    pathToFileURL(join(sources, `${exchange}.js`)).href
  )
  return module.default
}
