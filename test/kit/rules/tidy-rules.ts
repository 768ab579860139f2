/**
 * The house rules that no other tool knows, as functions over (path, text); test/tidy.test.ts holds the tree to them.
 *
 * The one thing to know: an exception stands where it is needed, as `// tidy: reason` on the same line or the line
 * before. Rules read the syntax tree, so words in comments and strings are free, unless the rule is about words.
 */
import ts from "typescript"

export interface Source {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Finding {
  readonly path: string
  readonly line: number
  readonly message: string
}

/** What a rule says about one node: what is banned and what to use, or nothing. */
type Ban = { readonly banned: string; readonly use: string }
type NodeRule = { readonly in: RegExp; readonly notIn?: RegExp; readonly check: (node: ts.Node) => Ban | undefined }
type LineRule = { readonly in: RegExp; readonly check: (line: string) => Ban | undefined }

const pure = /^src\/(foundation|domain|actors|kernel)\//
const money = /^src\/(domain|actors|ledger)\//
const moneyName = /price|quantity|amount|balance|cost|fee|notional|filled|available|hold/i

/** `a.b.c` for a chain of plain property accesses, else the empty string. */
const dotted = (node: ts.Node): string => {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node)) {
    const left = dotted(node.expression)
    return left === "" ? "" : `${left}.${node.name.text}`
  }
  return ""
}

/** The name that is called, without `globalThis.`; the empty string if the node is no call. */
const calledName = (node: ts.Node): string =>
  ts.isCallExpression(node) ? dotted(node.expression).replace(/^globalThis\./, "") : ""

const isReference = (node: ts.Node): boolean =>
  (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) &&
  !(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node)

const clocks = new Set(["Date.now", "performance.now", "process.hrtime", "process.hrtime.bigint", "process.uptime"])

const clock: NodeRule = {
  in: pure,
  check: (node) => {
    if (ts.isPropertyAccessExpression(node) && clocks.has(dotted(node))) {
      return { banned: dotted(node), use: "the clock of ports/clock.ts" }
    }
    if (ts.isNewExpression(node) && dotted(node.expression) === "Date" && (node.arguments?.length ?? 0) === 0) {
      return { banned: "new Date()", use: "the clock of ports/clock.ts" }
    }
    return undefined
  },
}

const randomness: NodeRule = {
  in: pure,
  check: (node) => {
    if (!isReference(node)) return undefined
    const last = dotted(node).split(".").at(-1) ?? ""
    const random = dotted(node) === "Math.random" || /^(randomUUID|randomBytes|randomInt|getRandomValues)$/.test(last)
    return random && !ts.isImportSpecifier(node.parent)
      ? { banned: dotted(node), use: "the ids of ports/ids.ts" }
      : undefined
  },
}

const timer: NodeRule = {
  in: pure,
  check: (node) =>
    /^(setTimeout|setInterval)$/.test(calledName(node))
      ? { banned: calledName(node), use: "a message to oneself after Effect.sleep, forked in the actor's scope" }
      : undefined,
}

const runners = /^run(Promise|Sync|Fork|Callback|Main)(Exit|With)?$/

const runEffect: NodeRule = {
  in: /^src\//,
  notIn: /^src\/(main\.ts|gateway\.ts|composition\/)/,
  check: (node) =>
    ts.isPropertyAccessExpression(node) && runners.test(node.name.text)
      ? { banned: node.name.text, use: "an Effect that src/main.ts runs, or Runtime of the surrounding scope" }
      : undefined,
}

const moneyFloat: NodeRule = {
  in: money,
  check: (node) => {
    const name = calledName(node)
    if (/^(Number\.)?parseFloat$/.test(name)) return { banned: name, use: "domain/decimal.ts" }
    if (ts.isPropertyAccessExpression(node) && /^(toFixed|toPrecision)$/.test(node.name.text)) {
      return { banned: node.name.text, use: "domain/decimal.ts" }
    }
    if (name === "Number" && ts.isCallExpression(node) && node.arguments.some((it) => moneyName.test(it.getText()))) {
      return { banned: node.getText(), use: "domain/decimal.ts" }
    }
    const isPlus = ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.PlusToken
    return isPlus && moneyName.test(node.operand.getText())
      ? { banned: node.getText(), use: "domain/decimal.ts" }
      : undefined
  },
}

const testFocus: NodeRule = {
  in: /^(test|bench)\/.*\.ts$/,
  check: (node) => {
    const marks = /^(only|skip|todo|fails)$/
    if (ts.isPropertyAccessExpression(node) && marks.test(node.name.text)) {
      const root = dotted(node).split(".")[0] ?? ""
      if (/^(it|test|describe|suite)$/.test(root)) {
        return { banned: `.${node.name.text}(`, use: "a test that runs, or describe.skipIf(...) with its reason" }
      }
    }
    return undefined
  },
}

const emptyCatch: NodeRule = {
  in: /^(src|scripts|bench|test)\//,
  check: (node) => {
    const use = "a handler that says what happens next"
    if (ts.isCatchClause(node) && node.block.statements.length === 0) return { banned: "an empty catch", use }
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
    const handler = node.arguments[0]
    const isEmpty =
      handler && ts.isArrowFunction(handler) && ts.isBlock(handler.body) && handler.body.statements.length === 0
    return node.expression.name.text === "catch" && isEmpty ? { banned: "an empty .catch()", use } : undefined
  },
}

const carryOn: NodeRule = {
  in: /^src\//,
  check: (node) =>
    ts.isPropertyAccessExpression(node) && /^(catchAllCause|catchAllDefect|catchSomeCause)$/.test(node.name.text)
      ? { banned: node.name.text, use: "typed failures; a defect ends the actor, which restarts from the store" }
      : undefined,
}

const bareLoop: NodeRule = {
  in: /^src\//,
  notIn: /^src\/kernel\//,
  check: (node) =>
    ts.isPropertyAccessExpression(node) && /^Effect\.(forkScoped|forever|repeat\w*|schedule\w*)$/.test(dotted(node))
      ? { banned: dotted(node), use: "keepLoop of kernel/loop.ts: a bare fiber ends unseen with its first defect" }
      : undefined,
}

const bodyCopy: NodeRule = {
  in: /^src\/http\//,
  check: (node) => {
    if (calledName(node) === "Object.assign") return { banned: "Object.assign", use: "the named fields, one by one" }
    const spread = ts.isSpreadAssignment(node) ? node.expression.getText() : ""
    return /(^|\.)(body|payload|query|params|urlParams)$/i.test(spread)
      ? { banned: `...${spread}`, use: "the named fields, one by one: unknown fields are never copied" }
      : undefined
  },
}

/** Names of parts of statements that are put together from our own words, and of the numbers of parameters. */
const CLAUSES: ReadonlySet<string> = new Set(["where", "column", "order", "keys", "from", "rest", "text", "n"])

/** Values go beside a statement, never into it (scoreboard B8). Definitions take no parameters: there the names are ours or escaped. */
const sqlText: NodeRule = {
  in: /^src\//,
  notIn: /^src\/store\/(embedded\/cluster|orders\/partitions)\.ts$/,
  check: (node) => {
    if (!ts.isCallExpression(node) || !/\.(unsafe|query)$/.test(dotted(node.expression))) return undefined
    const [text] = node.arguments
    if (text === undefined) return undefined
    const isConstant = (it: ts.Expression): boolean =>
      (ts.isIdentifier(it) && (/^[A-Z][A-Z0-9_]*$/.test(it.text) || CLAUSES.has(it.text))) ||
      (ts.isBinaryExpression(it) && isConstant(it.left) && ts.isNumericLiteral(it.right))
    const isMade =
      (ts.isTemplateExpression(text) && !text.templateSpans.every((span) => isConstant(span.expression))) ||
      (ts.isBinaryExpression(text) && !(isConstant(text.left) && isConstant(text.right)))
    return isMade ? { banned: "a statement made of values", use: "parameters: sql`…`, or $1 and a list" } : undefined
  },
}

const defaultExport: NodeRule = {
  in: /^src\//,
  notIn: /^src\/venues\/worker\/connector\.ts$/,
  check: (node) => {
    const isDefault =
      ts.isExportAssignment(node) ||
      (ts.canHaveModifiers(node) &&
        (ts.getModifiers(node) ?? []).some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword))
    return isDefault ? { banned: "export default", use: "a named export" } : undefined
  },
}

const nodeRules: ReadonlyArray<NodeRule> = [
  clock,
  randomness,
  timer,
  runEffect,
  moneyFloat,
  testFocus,
  emptyCatch,
  carryOn,
  bareLoop,
  bodyCopy,
  sqlText,
  defaultExport,
]

const code = /^(src|test|bench|scripts)\/.*\.(ts|mjs|cjs|sql)$|^[^/]+\.(ts|cjs|json|jsonc)$/

const postponed: LineRule = {
  in: code,
  check: (line) => {
    const word = /\b(TO[D]O|FIX[M]E)\b/.exec(line)?.[0]
    return word ? { banned: word, use: "the work itself, or an issue" } : undefined
  },
}

const machinePath: LineRule = {
  in: /./,
  check: (line) => {
    const path = /(?<![\w.$}~-])\/(work|home|Users|root|tmp|var\/folders)\/[\w.-]+/.exec(line)?.[0]
    return path ? { banned: path, use: "a path relative to the repository, or os.tmpdir()" } : undefined
  },
}

const silenced: LineRule = {
  in: /^(src|scripts)\/.*\.ts$/,
  check: (line) => {
    const word = /@ts-(ignore|nocheck|expect-error)\b/.exec(line)?.[0]
    return word ? { banned: word, use: "a type that is true" } : undefined
  },
}

/** What operators and clients read names its subject: an operator, a client, a user, an attacker. */
const vagueSubject: LineRule = {
  in: /^README\.md$|^docs\/(operations|guide)\/|^src\/(admin|settings)\/|\/(metric-names|log-schema|wording|alert-rules|dashboard|settings-page|observability-pages)\.ts$/,
  check: (line) => {
    const word = /\b(whoever|somebody|anybody|everybody|he|his|him)\b/i.exec(line)?.[0]
    return word ? { banned: word, use: "the subject: a client, a user, an operator, an attacker" } : undefined
  },
}

const lineRules: ReadonlyArray<LineRule> = [postponed, machinePath, silenced, vagueSubject]

/** Two tags with one number could not be told apart by a caller. */
const sharedErrnos = (file: ts.SourceFile): ReadonlyArray<{ readonly at: ts.Node; readonly ban: Ban }> => {
  const first = new Map<string, string>()
  const shared: Array<{ at: ts.Node; ban: Ban }> = []
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === "errno") {
      const errno = node.initializer.getText()
      const row = node.parent.parent
      const tag = ts.isPropertyAssignment(row) ? row.name.getText() : "another row"
      const owner = first.get(errno)
      if (owner === undefined) first.set(errno, tag)
      else shared.push({ at: node, ban: { banned: `errno ${errno} again`, use: `another number, ${owner} has it` } })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return shared
}

const excused = (lines: ReadonlyArray<string>, line: number): boolean =>
  [lines[line - 1], lines[line - 2]].some((text) => /(\/\/|--|#)\s*tidy: \S+/.test(text ?? ""))

const applies = (rule: { readonly in: RegExp; readonly notIn?: RegExp }, path: string): boolean =>
  rule.in.test(path) && !rule.notIn?.test(path)

/** Everything that is wrong with one file, by line. */
export const tidy = ({ path, text }: Source): ReadonlyArray<Finding> => {
  const lines = text.split("\n")
  const findings: Array<Finding> = []
  const report = (line: number, ban: Ban): void => {
    if (!excused(lines, line)) findings.push({ path, line, message: `${ban.banned} is banned, use ${ban.use}` })
  }
  if (/(^|\/)index\.[cm]?[jt]s$/.test(path)) report(1, { banned: "index.ts", use: "the file that has the thing" })
  for (const rule of lineRules.filter((each) => applies(each, path))) {
    lines.forEach((line, index) => {
      const ban = rule.check(line)
      if (ban) report(index + 1, ban)
    })
  }
  const rules = nodeRules.filter((each) => applies(each, path))
  if (/\.(ts|mjs)$/.test(path) && rules.length > 0) {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
    const lineOf = (node: ts.Node): number => file.getLineAndCharacterOfPosition(node.getStart()).line + 1
    const visit = (node: ts.Node): void => {
      for (const rule of rules) {
        const ban = rule.check(node)
        if (ban) report(lineOf(node), ban)
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
    if (path === "src/http/edge/errno.ts") for (const { at, ban } of sharedErrnos(file)) report(lineOf(at), ban)
  }
  return findings.sort((a, b) => a.line - b.line)
}

/** Each file opens with what it is and the one thing a reader must know; docs/map is made of these sentences. */
export const openingFaults = ({ path, text }: Source): ReadonlyArray<Finding> =>
  !/^(src|test|bench|scripts)\/.*\.(ts|mjs|sql)$/.test(path) ||
  /^\s*(\/\*|\/\/|--)\s*\S/.test(text.replace("/**", "/*"))
    ? []
    : [{ path, line: 1, message: "a first line of code is banned, use a comment that says what the file is" }]

/** Migrations run in the order of their numbers: a gap or a pair would run differently on two machines. */
export const migrationFaults = (names: ReadonlyArray<string>): ReadonlyArray<Finding> =>
  [...names].sort().flatMap((name, index): ReadonlyArray<Finding> => {
    const wanted = String(index + 1).padStart(4, "0")
    const path = `src/store/migrations/${name}`
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name)) {
      return [{ path, line: 1, message: `the name ${name} is banned, use ${wanted}_lower_case.sql` }]
    }
    return name.startsWith(wanted)
      ? []
      : [{ path, line: 1, message: `number ${name.slice(0, 4)} is banned, use ${wanted}` }]
  })

export const spoken = ({ path, line, message }: Finding): string => `${path}:${line}: ${message}`
