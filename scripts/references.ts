/**
 * References in comments and pages, resolved: "contract C11a" to a heading of docs/design, "decision 47" to a file of docs/decisions, links and
 * named pages to their targets. The one thing to know: a reference has one form, so that it can be found; other forms are faults too.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"

export interface Page {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** The books of docs/design, and what the name of one of their sections looks like. */
const BOOKS: Readonly<Record<string, string>> = {
  contract: String.raw`C\d+[a-z]?(?:\.\d+)?`,
  "order-path": String.raw`\d+`,
  realtime: String.raw`[A-D](?:\.\d+)?`,
  venues: String.raw`\d+(?:\.\d+)?`,
  "hot-path": String.raw`\d+`,
  security: String.raw`(?:[A-E]|0)(?:\.\d+)?`,
  scoreboard: String.raw`[LFBS]\d+`,
}

/** What the tree has, for the rules to look at. */
export interface Shelf {
  /** By book; of one that is not there nothing resolves. */
  readonly sections: ReadonlyMap<string, ReadonlySet<string>>
  readonly decisions: ReadonlySet<number>
  readonly exists: (path: string) => boolean
  /** Of a page of markdown. */
  readonly anchorsOf: (path: string) => ReadonlySet<string>
}

/** A space, or the end of a line and the leader of the next line of a comment. */
const GAP = String.raw`(?:[ \t]+|[ \t]*\r?\n[ \t]*(?:\*|\/\/|--|#|>)?[ \t]*)`
const END = String.raw`(?![\w-]|\.\d)`

const isFence = (line: string): boolean => /^\s*(```|~~~)/.test(line)

/** Without what stands in blocks of code; as many lines as before. */
const prose = (text: string): string => {
  let isCode = false
  return text
    .split("\n")
    .map((line) => {
      if (isFence(line)) isCode = !isCode
      return isCode || isFence(line) ? "" : line
    })
    .join("\n")
}

const headings = (text: string): ReadonlyArray<string> =>
  [...prose(text).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading]) => heading!)

/** Names of sections, as they open the headings of a book: `### C1.3 Transitions`. */
export const sectionsOf = (book: string, text: string): ReadonlyArray<string> => {
  const key = new RegExp(`^(${BOOKS[book] ?? "(?!)"})${END}`)
  return headings(text).flatMap((heading) => key.exec(heading)?.[1] ?? [])
}

/** The anchors of a page as GitHub makes them of its headings. */
export const anchorsOf = (text: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const heading of headings(text)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase()
    const plain = words.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-")
    let anchor = plain
    for (let n = 1; anchors.has(anchor); n++) anchor = `${plain}-${n}`
    anchors.add(anchor)
  }
  return anchors
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length

type Fault = { readonly index: number; readonly message: string }

const isNumeric = (book: string): boolean => BOOKS[book]!.startsWith(String.raw`\d`)

const bookFaults = (book: string, text: string, known: ReadonlySet<string>): ReadonlyArray<Fault> => {
  const key = BOOKS[book]!
  // A number after a comma is a number of anything.
  const more = isNumeric(book) ? "" : `(?:(?:,| and| to)${GAP}(?:${key})${END})*`
  const name = `(?<![\\w./-])[${book[0]!.toUpperCase()}${book[0]}]${book.slice(1)}`
  const plain = new RegExp(`${name}${GAP}((?:${key})${END}${more})`, "g")
  const faults = [...text.matchAll(plain)].flatMap(({ 1: named, index }) =>
    [...named!.matchAll(new RegExp(`(?<![\\w.])(?:${key})${END}`, "g"))]
      .filter(([section]) => !known.has(section))
      .map(([section]) => ({ index, message: `${book} ${section} is not a heading of docs/design/${book}.md` })),
  )
  const word = "(?:section|part|chapter|point|§)"
  const comma = isNumeric(book) ? "(?!)" : `,${GAP}`
  const other = new RegExp(
    `${name}(?:(?:\\.md|'s)(?:,?${GAP}(?:${word}${GAP}?)?|${GAP}?\\()|,?${GAP}${word}${GAP}?|${GAP}\\(|${comma})((?:${key})${END})`,
    "g",
  )
  for (const { 0: found, 1: section, index } of text.matchAll(other))
    faults.push({ index, message: `"${found.replace(/\s+/g, " ")}": write ${book} ${section}` })
  return faults
}

const decisionFaults = (text: string, known: ReadonlySet<number>): ReadonlyArray<Fault> => {
  const numbers = new RegExp(`\\b[Dd]ecisions?${GAP}\\[?(\\d{1,4}\\b(?:(?:,| and| to)${GAP}\\d{1,4}\\b)*)`, "g")
  return [...text.matchAll(numbers)].flatMap(({ 1: named, index }) =>
    [...named!.matchAll(/\d+/g)]
      .filter(([number]) => !known.has(Number(number)))
      .map(([number]) => ({ index, message: `there is no decision ${number}` })),
  )
}

/** Pages that are named by their path, wherever. */
const pathFaults = (text: string, exists: Shelf["exists"]): ReadonlyArray<Fault> =>
  [...text.matchAll(/(?<![\w./-])docs\/[\w/-]+\.(?:md|json)\b/g)]
    .filter(([path]) => !exists(path))
    .map(({ 0: path, index }) => ({ index, message: `there is no ${path}` }))

const linkFaults = ({ path, text }: Page, { exists, anchorsOf: anchorsIn }: Shelf): ReadonlyArray<Fault> => {
  const plain = prose(text).replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length))
  return [...plain.matchAll(/\]\(([^()\s]+)(?: +"[^"]*")?\)/g)].flatMap(({ 1: link, index }): ReadonlyArray<Fault> => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link!)) return []
    const [file = "", anchor] = link!.split("#")
    const target = file === "" ? path : posix.join(posix.dirname(path), file)
    if (!exists(target)) return [{ index, message: `the link ${link} leads to no file` }]
    const isThere = anchor === undefined || !target.endsWith(".md") || anchorsIn(target).has(anchor)
    return isThere ? [] : [{ index, message: `the link ${link} leads to no heading` }]
  })
}

/** What one file names and the tree does not have, by line: `path:line: message`. */
export const referenceFaults = (page: Page, shelf: Shelf): ReadonlyArray<string> => {
  const { path, text } = page
  const faults = [
    ...Object.keys(BOOKS).flatMap((book) => bookFaults(book, text, shelf.sections.get(book) ?? new Set())),
    ...decisionFaults(text, shelf.decisions),
    ...pathFaults(text, shelf.exists),
    ...(path.endsWith(".md") ? linkFaults(page, shelf) : []),
  ]
  return faults.toSorted((a, b) => a.index - b.index).map((it) => `${path}:${lineAt(text, it.index)}: ${it.message}`)
}

const FOLDERS = ["src", "test", "bench", "scripts", "docs", "proto", "ops", "deploy"]
const IS_READ = /\.(ts|mjs|cjs|sql|proto|md|sh|ya?ml)$/
/** Made by others' generators, or others' words. */
const IS_LEFT = /(^|\/)(generated|recordings)\/|^THIRD-PARTY\.md$/

const filesOf = (tree: string, folder: string): ReadonlyArray<string> =>
  existsSync(join(tree, folder))
    ? readdirSync(join(tree, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => posix.join(entry.parentPath, entry.name).slice(tree.length + 1))
    : []

export const shelfOf = (tree: string): Shelf => {
  const read = (path: string): string => readFileSync(join(tree, path), "utf8")
  const anchors = new Map<string, ReadonlySet<string>>()
  return {
    sections: new Map(
      Object.keys(BOOKS).map((book) => {
        const path = `docs/design/${book}.md`
        return [book, new Set(existsSync(join(tree, path)) ? sectionsOf(book, read(path)) : [])]
      }),
    ),
    decisions: new Set(
      filesOf(tree, "docs/decisions").flatMap((path) => {
        const number = /\/(\d{4})-[\w-]+\.md$/.exec(path)?.[1]
        return number === undefined ? [] : [Number(number)]
      }),
    ),
    exists: (path) => existsSync(join(tree, path)),
    anchorsOf: (path) => {
      const known = anchors.get(path) ?? anchorsOf(read(path))
      anchors.set(path, known)
      return known
    },
  }
}

/** Every reference of a tree that leads nowhere, and how many files of src were looked at. */
export const brokenReferences = (tree: string): { readonly looked: number; readonly faults: ReadonlyArray<string> } => {
  const shelf = shelfOf(tree)
  const atRoot = readdirSync(tree, { withFileTypes: true }).flatMap((it) => (it.isFile() ? [it.name] : []))
  const paths = [...atRoot, ...FOLDERS.flatMap((folder) => filesOf(tree, folder))].filter(
    (path) => IS_READ.test(path) && !IS_LEFT.test(path),
  )
  const faults = paths.flatMap((path) => referenceFaults({ path, text: readFileSync(join(tree, path), "utf8") }, shelf))
  const doubled = Object.keys(BOOKS).flatMap((book) => {
    const path = join(tree, `docs/design/${book}.md`)
    const names = existsSync(path) ? sectionsOf(book, readFileSync(path, "utf8")) : []
    const twice = names.filter((name, at) => names.indexOf(name) !== at)
    return twice.map((name) => `docs/design/${book}.md: ${name} is the name of two headings`)
  })
  return { looked: paths.filter((path) => path.startsWith("src/")).length, faults: [...faults, ...doubled] }
}
