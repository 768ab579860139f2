/** The links above every page of /docs: the guides in the order of a reader who writes a bot, then the references. */

export interface Guide {
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
    summary: "idempotency keys, what 400, 409, 429, 503 and no answer mean, orders in doubt",
  },
  {
    name: "market-data",
    label: "Market data",
    summary:
      "books, trades, tickers, account events over the WebSocket, recovery after a cut, and complete bots in JavaScript and Python",
  },
  {
    name: "clients",
    label: "Clients",
    summary:
      "the clients for TypeScript and Python: install, a first bot of each, a market maker with a journal, a recorder",
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
    summary: "which venues there are, where orders are proven, and a loopback exchange to try",
  },
  {
    name: "operating",
    label: "Operating",
    summary: "health, metrics, settings, backup, upgrade, the dangerous moments, and where each page is",
  },
]

export const REFERENCES: ReadonlyArray<{ readonly path: string; readonly label: string }> = [
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
