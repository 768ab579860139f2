/**
 * Scoreboard B11: no regular expression of the product takes more than linear time on some input, so that no text can stop the event loop.
 * recheck decides it by automata and, where it cannot, by a search. Read from the syntax trees, so that a new one is looked at as it comes.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { none, type Verdict } from "../kill/kill-verdict.ts"

const root = fileURLToPath(new URL("../../../src/", import.meta.url))
const TIMEOUT_MILLIS = 60_000

/** Of these no text of others is ever asked. */
const OUR_OWN_TEXTS: Readonly<Record<string, string>> = {
  "ws/docs/realtime-page.ts": "colours our own examples, at start",
}

interface Expression {
  readonly at: string
  readonly source: string
  readonly flags: string
}

/** Literals, and `new RegExp` of a string. */
const expressionsOf = (path: string, text: string): ReadonlyArray<Expression> => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
  const found: Array<Expression> = []
  const visit = (node: ts.Node): void => {
    const at = `src/${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/")
      found.push({ at, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    }
    const isMade = ts.isNewExpression(node) && node.expression.getText() === "RegExp"
    const [pattern, flags] = isMade ? (node.arguments ?? []) : []
    if (pattern !== undefined && ts.isStringLiteralLike(pattern))
      found.push({ at, source: pattern.text, flags: flags && ts.isStringLiteralLike(flags) ? flags.text : "" })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const expressions = (): ReadonlyArray<Expression> =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.includes("generated") && OUR_OWN_TEXTS[path] === undefined)
    .flatMap((path) => expressionsOf(path, readFileSync(join(root, path), "utf8")))

export const regexTime = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  // The part that is JavaScript: the others are programs of their own, which not every machine has.
  process.env["RECHECK_BACKEND"] = "pure"
  const { checkSync } = await import("recheck")
  const planted = ["^(a|a)*$", "\\s+$"].filter((source) => checkSync(source, "").status !== "vulnerable")
  const different = [...new Map(expressions().map((it) => [`/${it.source}/${it.flags}`, it])).values()]
  const wrong: Array<string> = []
  for (const [index, { at, source, flags }] of different.entries()) {
    const found = checkSync(source, flags, { timeout: TIMEOUT_MILLIS })
    const how = found.status === "vulnerable" ? found.complexity.summary : ""
    if (found.status !== "safe") wrong.push(`${at}: /${source}/${flags} ${found.status} ${how}`)
    if (index % 20 === 0) progress(`regex-time: ${index} of ${different.length}`)
  }
  return [
    none("two that are known to be slow, taken for fast", planted, "2"),
    none("not linear", wrong, `${different.length} regular expressions`),
  ]
}
