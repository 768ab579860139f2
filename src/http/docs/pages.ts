/**
 * The pages of /docs: how they are served (compressed, cached, revalidated), the links above each (the guides in reading order for an author of a
 * bot, then the references), and the style of text pages.
 */
import { TextDocument } from "../edge/document.ts"
import type { StaticPage } from "../edge/doors.ts"

// The style of pages that are read: one column, the reader's own fonts, light or dark.

export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: #1d2125; --dim: #5c6670; --line: #d8dee4; --paper: #fff; --code: #f5f7f9; --link: #0b5fb0 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e2e6ea; --dim: #98a2ad; --line: #363d45; --paper: #15181b; --code: #1d2125; --link: #6cb2ff }
}
* { box-sizing: border-box }
html { scroll-behavior: smooth }
body { margin: 0 auto; max-width: 50rem; padding: 1.5rem 1.25rem 6rem; background: var(--paper); color: var(--text);
  font: 1.0625rem/1.6 system-ui, sans-serif }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 3rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line) }
h3 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p, ul { margin: .75rem 0 }
a { color: var(--link); text-underline-offset: .15em }
code, pre { font: .875em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
code { background: var(--code); border-radius: .25rem; padding: .1em .3em; overflow-wrap: anywhere }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0 1.5rem; overflow-x: auto;
  padding: 1rem; tab-size: 2 }
pre code { background: none; font-size: .8125rem; padding: 0; overflow-wrap: normal }
figure { margin: 1.25rem 0 }
figcaption { color: var(--dim); font-size: .875rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .45rem .75rem .45rem 0; text-align: left; vertical-align: top }
th { color: var(--dim); font-weight: 600 }
`

/** Of the guides alone: lists, and tables that stand below themselves on a narrow page. */
export const GUIDE_STYLE = `
ol { margin: .75rem 0 }
ul, ol { padding-left: 1.4rem }
li { margin: .25rem 0 }
th, td { min-width: 6rem }
td code, th code { overflow-wrap: normal }
@media (max-width: 40rem) {
  .wide table, .wide tbody, .wide tr, .wide td { display: block }
  .wide thead { display: none }
  .wide tr { border-bottom: 1px solid var(--line); padding: .5rem 0 }
  .wide td { border: 0; padding: .1rem 0 }
  .wide td:first-child { font-weight: 600 }
  .wide td:not(:first-child):not(:empty)::before { content: attr(data-label) ": "; color: var(--dim) }
  .wide td code { overflow-wrap: anywhere }
}
`

interface Guide {
  /** Of the file in docs/guide, and of its path below /docs. */
  readonly name: string
  readonly label: string
  /** For /llms.txt: what a reader finds there. */
  readonly summary: string
}

export const GUIDES: ReadonlyArray<Guide> = [
  {
    name: "start",
    label: "Start",
    summary: "from nothing to a first order, the envelope of answers, a first program, and an API key for it",
  },
  {
    name: "orders",
    label: "Orders",
    summary: "order types, exits (take-profit and stop-loss), states, cancel, replace, the dead man's switch",
  },
  {
    name: "retries",
    label: "Retries",
    summary: "idempotency keys, what 400, 409, 429, 503 and a missing response mean, orders in doubt",
  },
  {
    name: "market-data",
    label: "Market data",
    summary:
      "books, trades, tickers, account events over the WebSocket, recovery after a disconnect, and complete bots in JavaScript and Python",
  },
  {
    name: "clients",
    label: "Clients",
    summary:
      "the clients for TypeScript and Python: install, a first bot of each, a market maker with a journal, a recorder",
  },
  {
    name: "console",
    label: "Console",
    summary: "eight things a trader, a dealer and an operator do in the browser, key by key",
  },
  {
    name: "accounts",
    label: "Accounts",
    summary:
      "sessions, API keys, exchange keys and how they are kept, connecting and disconnecting, balances and holds",
  },
  { name: "wallets", label: "Wallets", summary: "money held here: deposits, transfers, statements" },
  {
    name: "dealers",
    label: "Dealers",
    summary: "firm quotes from linked accounts, hedging, pitfalls, profit and loss",
  },
  {
    name: "venues",
    label: "Venues",
    summary: "the venues, where orders are proven, and a loopback exchange to try",
  },
  {
    name: "operating",
    label: "Operating",
    summary: "health, metrics, settings, backup, upgrade, risky procedures, and where each page is",
  },
]

const REFERENCES: ReadonlyArray<{ readonly path: string; readonly label: string }> = [
  { path: "/docs/realtime", label: "Real-time reference" },
  { path: "/docs", label: "HTTP reference" },
]

const item = (path: string, label: string, current: string): string =>
  `<a href="${path}"${path === current ? ' aria-current="page"' : ""}>${label}</a>`

/** `current` is the path of the page that it stands on. */
export const navigation = (current: string): string =>
  `<nav class="site" aria-label="Documentation">${[
    ...GUIDES.map(({ name, label }) => item(`/docs/${name}`, label, current)),
    ...REFERENCES.map(({ path, label }) => item(path, label, current)),
  ].join("\n")}</nav>`

/** Of the links, wherever they stand. */
export const NAVIGATION_STYLE = `
nav.site { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; margin: 0 0 2rem; padding: 0 0 .75rem; columns: auto;
  border-bottom: 1px solid var(--line); font-size: .95rem }
nav.site a { display: inline-block; padding: .2rem 0; color: var(--dim); text-decoration: none }
nav.site a:hover { text-decoration: underline }
nav.site a[aria-current] { color: var(--text); font-weight: 600 }
`

export const HTML = "text/html; charset=utf-8"
export const CSS = "text/css; charset=utf-8"
export const SCRIPT = "text/javascript; charset=utf-8"
export const JSON_TYPE = "application/json; charset=utf-8"

/** Kept by browsers and asked after each time: the answer is 304 while it is the same. */
export const REVALIDATED = { "Cache-Control": "public, no-cache" } as const

export const pageHeaders = (policy: string) => ({
  ...REVALIDATED,
  "Content-Security-Policy": policy,
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
})

export const document = (
  path: string,
  contentType: string,
  make: () => string | Uint8Array | Promise<string | Uint8Array>,
  headers: Readonly<Record<string, string>>,
): StaticPage => ({
  path,
  contentType,
  body: new TextDocument(async () => Buffer.from(await make())),
  headers,
})
