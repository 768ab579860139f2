/**
 * The guides at /docs/NAME and the operators' pages at /docs/operations/NAME, made of docs/guide and docs/operations, which the build takes
 * along; their Markdown as it stands, and /llms.txt, which lists all. The one thing to know: the text is read at the start, and made into
 * HTML once, when somebody first reads it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import type { StaticPage } from "../edge/mount.ts"
import { htmlOf, type Resolve } from "./markdown.ts"
import { GUIDES, NAVIGATION_STYLE, navigation } from "./navigation.ts"
import { GUIDE_STYLE, PAGE_STYLE } from "./page-style.ts"
import { CSS, document, HTML, pageHeaders, REVALIDATED } from "./pages.ts"

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

const titleOf = ({ markdown, file }: Source): string => /^# (.+)$/m.exec(markdown)?.[1] ?? file

/** The gateway that a page speaks of is the one that serves it. */
const OWN = /^http:\/\/127\.0\.0\.1:8080(?=\/)/

const resolver =
  (from: Source, all: ReadonlyMap<string, Source>): Resolve =>
  (href) => {
    if (href.startsWith("#")) return href
    if (OWN.test(href)) return href.replace(OWN, "")
    if (/^[a-z]+:/.test(href)) return href
    const [path = "", anchor] = href.split("#")
    const target = all.get(posix.join(posix.dirname(from.file), path))
    return target === undefined ? undefined : `${target.path}${anchor === undefined ? "" : `#${anchor}`}`
  }

const html = (source: Source, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(source).replaceAll("&", "&amp;").replaceAll("<", "&lt;")} - venue gateway</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="alternate" type="text/markdown" href="/docs/${source.file}">
<link rel="stylesheet" href="/docs/pages.css">
</head>
<body>
${navigation(source.path)}
<main>
${body}</main>
</body>
</html>
`

/** The first sentence below the title, without the marks. */
const firstSentence = ({ markdown }: Source): string => {
  const [, paragraph = ""] = /^# .+\n\n((?:[^\n]+\n?)+)/m.exec(markdown) ?? []
  const text = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*_]/g, "")
    .replaceAll("\n", " ")
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/[.:]$/, "") ?? text.trim()
}

const llms = (all: ReadonlyArray<Source>): string => {
  const line = (source: Source, what: string): string => `- [${titleOf(source)}](/docs/${source.file}): ${what}`
  const guides = GUIDES.map(({ name, summary }) => line(all.find((it) => it.path === `/docs/${name}`)!, summary))
  const operations = all.filter(({ file }) => file.startsWith("operations/"))
  return `# Venue gateway

> One trading gateway in front of many venues: orders, balances, quotes, wallets and market data over HTTP (\`/api/v3/\`) and over a WebSocket that speaks the Centrifuge protocol.

The guides say how to use it and hold programs that run as they stand; read Start first, then Retries. The references have every operation, field, channel and code.

## Guides

${guides.join("\n")}

## References

- [HTTP reference](/docs): every operation, with requests to try
- [OpenAPI document](/api/v3/openapi.json): the same for programs, with an example of each answer
- [Real-time reference](/docs/realtime): every channel, call and close code, with programs
- [AsyncAPI document](/api/v3/asyncapi.json): the same for programs

## Optional

${operations.map((source) => line(source, firstSentence(source))).join("\n")}
`
}

export const guidePages = (): ReadonlyArray<StaticPage> => {
  const all = sources()
  const byFile = new Map(all.map((source) => [source.file, source]))
  return [
    ...all.map((source) =>
      document(
        source.path,
        HTML,
        async () => html(source, await htmlOf(source.markdown, resolver(source, byFile))),
        pageHeaders(POLICY),
      ),
    ),
    ...all.map((source) => document(`/docs/${source.file}`, MARKDOWN, () => source.markdown, REVALIDATED)),
    document("/docs/pages.css", CSS, () => PAGE_STYLE + GUIDE_STYLE + NAVIGATION_STYLE, REVALIDATED),
    document("/llms.txt", PLAIN, () => llms(all), REVALIDATED),
  ]
}
