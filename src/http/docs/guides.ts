/**
 * The guides at /docs/NAME and the operators' pages at /docs/operations/NAME, made from docs/guide and docs/operations, which are part of the
 * build; the same as Markdown, and /llms.txt, which lists all. The one thing to know: links of both forms lead to pages that this gateway serves,
 * and the text is read at the start but rendered to HTML once, at its first request.
 */

import { readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import type { Marked, Token, Tokens } from "marked"
import type { StaticPage } from "../edge/doors.ts"
import {
  CSS,
  document,
  GUIDE_STYLE,
  GUIDES,
  HTML,
  NAVIGATION_STYLE,
  navigation,
  PAGE_STYLE,
  pageHeaders,
  REVALIDATED,
} from "./pages.ts"

// Pages of docs/ as HTML and as Markdown: GitHub's Markdown, with links that lead to what is served here; and what a page is about, in a sentence.

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** As GitHub names the anchor of a heading, so that one link works there and here. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

/** Where a link of the page leads; undefined: to nothing that is served, so only its words are shown. */
type Resolve = (href: string) => string | undefined

const makeMarked = async (resolve: Resolve): Promise<Marked> => {
  // Rendered at the first request, so that a start takes no longer.
  const { Marked } = await import("marked")
  return new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const id = anchorOf(text.replaceAll("`", ""))
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code({ text, lang = "" }) {
        // The second word is the name of the file that the program is.
        const [, file] = lang.split(" ")
        const block = `<pre><code>${escapeHtml(text)}</code></pre>`
        return file === undefined
          ? `${block}\n`
          : `<figure><figcaption>${escapeHtml(file)}</figcaption>${block}</figure>\n`
      },
      table({ header, rows }) {
        const cell = ({ tokens }: Tokens.TableCell): string => this.parser.parseInline(tokens)
        // On a narrow page a row stands below itself, each cell with the name of its column.
        const label = (column: number): string => escapeHtml(header[column]?.text.replaceAll(/[`*]/g, "") ?? "")
        const row = (cells: ReadonlyArray<Tokens.TableCell>): string =>
          `<tr>${cells.map((it, column) => `<td data-label="${label(column)}">${cell(it)}</td>`).join("")}</tr>`
        return `<div class="wide"><table><thead><tr>${header.map((it) => `<th>${cell(it)}</th>`).join("")}</tr></thead><tbody>
${rows.map(row).join("\n")}
</tbody></table></div>\n`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const target = resolve(href)
        return target === undefined ? words : `<a href="${escapeHtml(target)}">${words}</a>`
      },
      html({ text }) {
        return escapeHtml(text)
      },
    },
  })
}

const htmlOf = async (markdown: string, resolve: Resolve): Promise<string> =>
  (await makeMarked(resolve)).parse(markdown) as string

const FENCED = /^```[\s\S]*?^```$/gm
const LINK = /\[((?:[^[\]`]|`[^`]*`)+)\]\(([^()\s]+)\)/g

/** The text itself with its links led on; of one that leads to nothing here only the words stay. What is in a block of code is no link. */
const withLinks = (markdown: string, resolve: Resolve): string => {
  const led = (text: string): string =>
    text.replaceAll(LINK, (_, words: string, href: string) => {
      const target = resolve(href)
      return target === undefined ? words : `[${words}](${target})`
    })
  let text = ""
  let at = 0
  for (const { 0: block, index } of markdown.matchAll(FENCED)) {
    text += led(markdown.slice(at, index)) + block
    at = index + block.length
  }
  return text + led(markdown.slice(at))
}

/** As it is read: the words of links, what stands in code, without the marks of either. */
const wordsOf = (token: Token): string =>
  "tokens" in token && token.tokens !== undefined
    ? token.tokens.map(wordsOf).join("")
    : "text" in token
      ? String(token.text)
      : token.raw

/** Says where a generated page comes from, and not what it is about. */
const PROVENANCE = /^Written by `npm run docs`/

/** The first sentence of the first paragraph that says what the page is about. */
const firstSentenceOf = async (markdown: string): Promise<string> => {
  const { Marked } = await import("marked")
  const paragraph = new Marked()
    .lexer(markdown)
    .find((token) => token.type === "paragraph" && !PROVENANCE.test(token.raw))
  const text = paragraph === undefined ? "" : wordsOf(paragraph).replaceAll("\n", " ")
  return (/^.*?\.(?= |$)/.exec(text)?.[0] ?? text).replace(/[.:]$/, "").trim()
}

const MARKDOWN = "text/markdown; charset=utf-8"
const PLAIN = "text/plain; charset=utf-8"

const DOCS = new URL("../../../docs/", import.meta.url)

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

interface Source {
  /** In docs/, as in `operations/keys.md`. */
  readonly file: string
  /** Where its HTML is served. */
  readonly path: string
  readonly markdown: string
}

const read = (file: string): string => readFileSync(new URL(file, DOCS), "utf8")

const sources = (): ReadonlyArray<Source> => [
  ...GUIDES.map(({ name }) => `guide/${name}.md`).map((file) => ({
    file,
    path: `/docs/${posix.basename(file, ".md")}`,
    markdown: read(file),
  })),
  ...readdirSync(fileURLToPath(new URL("operations/", DOCS)))
    // What of the standard is not met is for who runs the gateway, and in the repository.
    .filter((name) => name.endsWith(".md") && name !== "asvs.md")
    .sort()
    .map((name) => ({
      file: `operations/${name}`,
      path: `/docs/operations/${posix.basename(name, ".md")}`,
      markdown: read(`operations/${name}`),
    })),
]

/** The whole programs of the guide to clients, as files: where the repository has them below docs/, there they are served below /docs. */
const programs = (): ReadonlyArray<string> =>
  ["examples/bots/typescript", "examples/bots/python"].flatMap((folder) =>
    readdirSync(fileURLToPath(new URL(`${folder}/`, DOCS)))
      .filter((name) => /\.(?:mjs|py)$/.test(name))
      .map((name) => `${folder}/${name}`),
  )

const titleOf = ({ markdown, file }: Source): string => /^# (.+)$/m.exec(markdown)?.[1] ?? file

/** The gateway that a page speaks of is the one that serves it. */
const OWN = /^http:\/\/127\.0\.0\.1:8080(?=\/)/

/** Where the links of a page lead in one of its two forms: `placeOf` says where that form of another page is. */
const resolver =
  (
    from: Source,
    all: ReadonlyMap<string, Source>,
    files: ReadonlySet<string>,
    placeOf: (target: Source) => string,
  ): Resolve =>
  (href) => {
    if (href.startsWith("#")) return href
    if (OWN.test(href)) return href.replace(OWN, "")
    if (/^[a-z]+:/.test(href)) return href
    const [path = "", anchor] = href.split("#")
    const file = posix.join(posix.dirname(from.file), path)
    if (files.has(file)) return `/docs/${file}`
    const target = all.get(file)
    return target === undefined ? undefined : `${placeOf(target)}${anchor === undefined ? "" : `#${anchor}`}`
  }

/** The paths of the two forms. */
const htmlPath = ({ path }: Source): string => path
const markdownPath = ({ file }: Source): string => `/docs/${file}`

const html = (source: Source, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(source).replaceAll("&", "&amp;").replaceAll("<", "&lt;")} - venue gateway</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="alternate" type="text/markdown" href="${markdownPath(source)}">
<link rel="stylesheet" href="/docs/pages.css">
</head>
<body>
${navigation(source.path)}
<main>
${body}</main>
</body>
</html>
`

const llms = async (all: ReadonlyArray<Source>): Promise<string> => {
  const line = (source: Source, what: string): string => `- [${titleOf(source)}](${markdownPath(source)}): ${what}`
  const guides = GUIDES.map(({ name, summary }) => line(all.find((it) => it.path === `/docs/${name}`)!, summary))
  const operations = all
    .filter(({ file }) => file.startsWith("operations/"))
    .map(async (source) => line(source, await firstSentenceOf(source.markdown)))
  return `# Venue gateway

> One trading gateway in front of many venues: orders, balances, quotes, wallets and market data over HTTP (\`/api/v3/\`) and over a WebSocket that speaks the Centrifuge protocol.

The guides explain how to use it and contain complete, runnable programs; read Start first, then Retries. The references list every operation, field, channel and code.

## Guides

${guides.join("\n")}

## References

- [HTTP reference](/docs): every operation, with requests to try
- [OpenAPI document](/api/v3/openapi.json): the same for programs, with an example of each answer
- [Real-time reference](/docs/realtime): every channel, call and close code, with programs
- [AsyncAPI document](/api/v3/asyncapi.json): the same for programs

## Optional

${(await Promise.all(operations)).join("\n")}
`
}

export const guidePages = (): ReadonlyArray<StaticPage> => {
  const all = sources()
  const byFile = new Map(all.map((source) => [source.file, source]))
  const files = new Set(programs())
  return [
    ...Array.from(files, (file) => document(`/docs/${file}`, PLAIN, () => read(file), REVALIDATED)),
    ...all.map((source) =>
      document(
        source.path,
        HTML,
        async () => html(source, await htmlOf(source.markdown, resolver(source, byFile, files, htmlPath))),
        pageHeaders(POLICY),
      ),
    ),
    ...all.map((source) => {
      const text = (): string => withLinks(source.markdown, resolver(source, byFile, files, markdownPath))
      return document(markdownPath(source), MARKDOWN, text, REVALIDATED)
    }),
    document("/docs/pages.css", CSS, () => PAGE_STYLE + GUIDE_STYLE + NAVIGATION_STYLE, REVALIDATED),
    document("/llms.txt", PLAIN, () => llms(all), REVALIDATED),
  ]
}
