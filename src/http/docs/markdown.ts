/** Pages of docs/ as HTML and as Markdown: GitHub's Markdown, with links that lead to what is served here; and what a page is about, in a sentence. */
import type { Marked, Token, Tokens } from "marked"

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** As GitHub names the anchor of a heading, so that one link works there and here. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

/** Where a link of the page leads; undefined: to nothing that is served, so only its words are shown. */
export type Resolve = (href: string) => string | undefined

const makeMarked = async (resolve: Resolve): Promise<Marked> => {
  // Not before somebody reads: a start takes no longer for it.
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

export const htmlOf = async (markdown: string, resolve: Resolve): Promise<string> =>
  (await makeMarked(resolve)).parse(markdown) as string

const FENCED = /^```[\s\S]*?^```$/gm
const LINK = /\[((?:[^[\]`]|`[^`]*`)+)\]\(([^()\s]+)\)/g

/** The text itself with its links led on; of one that leads to nothing here only the words stay. What is in a block of code is no link. */
export const withLinks = (markdown: string, resolve: Resolve): string => {
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
export const firstSentenceOf = async (markdown: string): Promise<string> => {
  const { Marked } = await import("marked")
  const paragraph = new Marked()
    .lexer(markdown)
    .find((token) => token.type === "paragraph" && !PROVENANCE.test(token.raw))
  const text = paragraph === undefined ? "" : wordsOf(paragraph).replaceAll("\n", " ")
  return (/^.*?\.(?= |$)/.exec(text)?.[0] ?? text).replace(/[.:]$/, "").trim()
}
