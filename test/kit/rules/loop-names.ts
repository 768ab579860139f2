/** The names of all loops that the source keeps, read from its syntax: each as a pattern, because some name what they are for. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const KEEPERS = /^(keepLoop|keptLoop)$/

/** `it ${what}` → `^it .+$`; null for what is no text. */
const patternOf = (name: ts.Expression): RegExp | null => {
  const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  if (ts.isStringLiteralLike(name)) return new RegExp(`^${literal(name.text)}$`)
  if (!ts.isTemplateExpression(name)) return null
  const rest = name.templateSpans.map((span) => `.+${literal(span.literal.text)}`)
  return new RegExp(`^${literal(name.head.text)}${rest.join("")}$`)
}

const nameOf = (call: ts.CallExpression): ts.Expression | undefined => {
  const [terms] = call.arguments
  if (terms === undefined || !ts.isObjectLiteralExpression(terms)) return undefined
  return terms.properties.filter(ts.isPropertyAssignment).find(({ name }) => name.getText() === "name")?.initializer
}

/** Throws for a call whose name does not stand in it. */
export const loopNames = (): ReadonlyArray<RegExp> => {
  const found: Array<RegExp> = []
  for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !path.endsWith(".ts") || path.endsWith("kernel/loop.ts")) continue
    const text = readFileSync(path, "utf8")
    if (!/\bke(ep|pt)Loop\(/.test(text)) continue
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && KEEPERS.test(node.expression.text)) {
        const name = nameOf(node)
        const pattern = name === undefined ? null : patternOf(name)
        if (pattern === null) throw new Error(`the name of a loop must stand where it is kept: ${path}`)
        found.push(pattern)
      }
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true))
  }
  return found
}
