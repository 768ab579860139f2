/**
 * The page at /docs/realtime: how to use the real-time endpoint, with programs that are tests' own and tables that are the code's own.
 * One file, no script, nothing from anywhere else.
 */

import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ALERTS } from "../../domain/account/event.ts"
import type { ChannelKind } from "../../domain/channel.ts"
import { RATE_LIMITS } from "../../domain/user/rate-limits.ts"
import { CHANNEL_CATALOG, type ChannelEntry } from "../channels/catalog.ts"
import type { ChannelKindSettings } from "../channels/kinds.ts"
import { CHANNELS_MAX, MESSAGE_BYTES_MAX } from "../connection/client.ts"
import { EXPIRY_GRACE_SECONDS, PING_SECONDS, PONG_SECONDS, STALE_SECONDS } from "../connection/heartbeat.ts"
import { ERRORS } from "../protocol/error-codes.ts"
import { CLOSE_CODES, ERROR_CODES, type RealtimeFacts, UNSUBSCRIBE_CODES } from "./asyncapi.ts"
import { type Delivery, deliveryWords, mapDelivery, streamDelivery } from "./delivery-words.ts"

// The programs of docs/examples/realtime as HTML; the build puts them beside the code, so that they are found from dist too.

const FOLDER = fileURLToPath(new URL("../../../docs/examples/realtime/", import.meta.url))

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const TOKEN =
  /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|\b(?<keyword>async|await|catch|const|else|export|for|from|function|if|import|let|new|null|of|return|throw|try|typeof|undefined)\b/g

/** Enough of JavaScript's words to read well. */
const highlighted = (code: string): string => {
  let html = ""
  let at = 0
  for (const found of code.matchAll(TOKEN)) {
    const kind = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? ""
    html += `${escapeHtml(code.slice(at, found.index))}<span class="${kind}">${escapeHtml(found[0])}</span>`
    at = found.index + found[0].length
  }
  return html + escapeHtml(code.slice(at))
}

const exampleCode = (name: string): string => readFileSync(`${FOLDER}${name}`, "utf8").trimEnd()

/** What the page at /docs/realtime has beside the style of all pages that are read: its list of sections, and colours of code. */
const STYLE = `
:root { --string: #116329; --keyword: #8250df }
@media (prefers-color-scheme: dark) {
  :root { --string: #7ee0a0; --keyword: #c9a6ff }
}
body { padding-top: 3rem }
h2 { margin-top: 3.5rem }
nav { columns: 14rem; font-size: .95rem; margin: 1.5rem 0 }
nav a { display: block; padding: .1rem 0 }
.comment { color: var(--dim) } .string { color: var(--string) } .keyword { color: var(--keyword) }
footer { color: var(--dim); margin-top: 4rem }
`

type Cell = string | number

const count = (whole: number): string => whole.toLocaleString("en")

/** `\`words\`` become code. */
const prose = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")
const paragraphs = (...texts: ReadonlyArray<string>): string => texts.map((text) => `<p>${prose(text)}</p>`).join("\n")
const items = (...texts: ReadonlyArray<string>): string =>
  `<ul>${texts.map((text) => `<li>${prose(text)}</li>`).join("\n")}</ul>`

const example = (name: string): string =>
  `<figure><figcaption>${escapeHtml(name)}</figcaption><pre><code>${highlighted(exampleCode(name))}</code></pre></figure>`
const shell = (...lines: ReadonlyArray<string>): string => `<pre><code>${escapeHtml(lines.join("\n"))}</code></pre>`

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  `<div class="wide"><table><thead><tr>${head.map((cell) => `<th>${prose(cell)}</th>`).join("")}</tr></thead><tbody>
${rows.map((row) => `<tr>${row.map((cell) => `<td>${prose(String(cell))}</td>`).join("")}</tr>`).join("\n")}
</tbody></table></div>`

interface Section {
  readonly id: string
  readonly title: string
  readonly body: string
}

const section = (id: string, title: string, ...body: ReadonlyArray<string>): Section => ({
  id,
  title,
  body: body.join("\n"),
})

const entries = Object.entries(CHANNEL_CATALOG) as ReadonlyArray<[ChannelKind, ChannelEntry]>

/** `market:ticker:<venue>` reads better to people than braces. */
const nameOf = ({ address }: ChannelEntry): string => `\`${address.replaceAll("{", "<").replaceAll("}", ">")}\``

const tagsOf = (tags: ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  tags === undefined ? [] : [`Tags: ${tags.map((tag) => `\`${tag}\``).join(", ")}.`]

const deliveryOf = (entry: ChannelEntry, row: ChannelKindSettings): Delivery =>
  entry.messages.length > 0 ? streamDelivery(row) : mapDelivery(row, row.recoveryMax)

const channelWords = (kind: ChannelKind, entry: ChannelEntry, row: ChannelKindSettings): string => {
  const { title, description, access, tags, messages, map } = entry
  const isStream = messages.length > 0
  return [
    `<h3 id="channel-${kind}">${prose(`${title}: ${nameOf(entry)}`)}</h3>`,
    paragraphs(description, access),
    isStream ? items(...deliveryWords(streamDelivery(row)), ...tagsOf(tags)) : "",
    map === undefined ? "" : paragraphs(`${isStream ? "As a map: " : ""}${map.description}`),
    map === undefined
      ? ""
      : items(
          `Keys: ${map.key}.`,
          ...deliveryWords(mapDelivery(row, isStream ? null : row.recoveryMax)),
          ...tagsOf(map.tags),
        ),
  ].join("\n")
}

const channels = ({ kinds }: RealtimeFacts): ReadonlyArray<string> => [
  paragraphs(
    "`<venue>` is a venue such as `MOCK`, `<symbol>` is `BASE/QUOTE` as in `BTC/USDT` (`BTC-USDT` is understood too). Account channels belong to the account's owner and to admins of the tenant; market channels to every user who may read.",
  ),
  table(
    ["channel", "carries", "history", "offers"],
    entries.map(([kind, entry]) => {
      const { history, offers } = deliveryOf(entry, kinds[kind])
      const map = entry.map === undefined ? [] : [entry.messages.length > 0 ? "map" : "map only"]
      return [nameOf(entry), entry.summary, history, [...offers, ...map].join(", ")]
    }),
  ),
  ...entries.map(([kind, entry]) => channelWords(kind, entry, kinds[kind])),
]

const accountEventTable = (): string =>
  table(
    ["`kind`", "when"],
    CHANNEL_CATALOG.tradingAccount.messages.map(({ name, summary }) => [`\`${name}\``, summary]),
  )

const alertTable = (): string =>
  table(
    ["`code` of TRADING_ACCOUNT.ALERT", "when"],
    Object.entries(ALERTS).map(([code, when]) => [`\`${code}\``, when]),
  )

/** What becomes of a command that was refused so. */
const afterError = (error: (typeof ERROR_CODES)[number]): string => {
  if (error === ERRORS.tokenExpired) return "asks getToken for a new one, and tries again"
  if (error === ERRORS.unrecoverablePosition) return "begins again with the present state"
  return "temporary" in error ? "tries a subscribe or connect again by itself" : "leaves it to you"
}

const protocol = (): ReadonlyArray<string> => [
  items(
    `The first command is \`connect\`, within ${STALE_SECONDS} seconds. A frame may hold several commands or replies, one per line; replies carry the \`id\` of their command and may come in another order.`,
    `Every ${PING_SECONDS} seconds the gateway sends \`{}\`; the client answers \`{}\` within ${PONG_SECONDS} seconds. The official clients do.`,
    `When the token expires, the client has ${EXPIRY_GRACE_SECONDS} seconds more to send \`refresh\` with a new one.`,
    `A message from the client holds at most ${count(MESSAGE_BYTES_MAX)} bytes, a connection at most ${count(CHANNELS_MAX)} channels; it may send ${RATE_LIMITS.socketCommands.perSecond} commands a second, ${RATE_LIMITS.socketCommands.burst} at once, and as many cancels besides. One channel more is error 106, one command more 111, and who goes on all the same is closed with 3013.`,
    `A user has at most ${RATE_LIMITS.socketsPerUser} connections, one more is closed with 3504; an address ${RATE_LIMITS.socketsPerAddress}, one more is answered 429. These numbers are the operator's to change.`,
    "A frame that is no valid command closes the connection with 3501.",
  ),
  '<h3 id="errors">Errors: replies to a command</h3>',
  table(
    ["code", "message", "the client"],
    [
      ...ERROR_CODES.map((error): ReadonlyArray<Cell> => [error.code, error.message, afterError(error)]),
      ["1000 to 1199", "an HTTP operation failed: 1000 + (status - 400)", "leaves it to you"],
    ],
  ),
  '<h3 id="closes">Close codes: the end of the connection</h3>',
  table(
    ["code", "reason", "the client"],
    CLOSE_CODES.map(({ code, reason, reconnects }) => [
      code,
      reason,
      reconnects ? "comes back by itself" : "stays away",
    ]),
  ),
  '<h3 id="unsubscribes">Unsubscribe codes: the end of a subscription</h3>',
  table(
    ["code", "reason", "the client"],
    UNSUBSCRIBE_CODES.map(({ code, reason, resubscribes }) => [
      code,
      reason,
      resubscribes ? "subscribes again by itself" : "lets it be",
    ]),
  ),
]

const sections = (facts: RealtimeFacts): ReadonlyArray<Section> => [
  section(
    "connect",
    "Connect",
    shell("npm install centrifuge ws"),
    paragraphs(
      "A connection speaks for a session or an API key: the access token of `POST /api/v3/auth/login` (or `signup`), or the key as the client's `token`, which never needs a refresh. Give the client `getToken` instead of one token, and it asks for a new one before the old one expires. Put this file beside the other examples; they all begin with it, and work with the key in `API_KEY` or, without one, as `EMAIL` with `PASSWORD`.",
    ),
    example("gateway.mjs"),
    example("connect.mjs"),
    shell(
      "GATEWAY_URL=http://127.0.0.1:8080 EMAIL=me@example.com PASSWORD='a good password' node connect.mjs",
      "GATEWAY_URL=http://127.0.0.1:8080 API_KEY=vgk_… node connect.mjs",
    ),
    '<h3 id="browser">In a browser</h3>',
    paragraphs(
      "A page may connect when it stands on the gateway's own host, or when its origin is in the gateway's setting `ALLOWED_ORIGINS`.",
    ),
    example("browser.mjs"),
    '<h3 id="tls">TLS</h3>',
    paragraphs(
      "Outside of your own machine the addresses are `https://` and `wss://`: set `TLS_CERT_FILE` and `TLS_KEY_FILE`, or put a proxy in front and name it in `TRUST_PROXY`. With `NODE_ENV=production` plain connections are refused. Node trusts a private certificate authority through `NODE_EXTRA_CA_CERTS=ca.pem`.",
    ),
  ),
  section("channels", "Channels", ...channels(facts)),
  section(
    "order-book",
    "Order book",
    paragraphs(
      "The rule: a SNAPSHOT replaces everything, a DIFF is applied only to the book at its `previousSequence`. After a cut the client asks for what it missed; it gets either all of it or a new SNAPSHOT, so the copy is never wrong without saying so.",
    ),
    example("order-book.mjs"),
    paragraphs("Or leave the bookkeeping to the client library: the same book as a map."),
    example("order-book-map.mjs"),
  ),
  section(
    "account-events",
    "Account events",
    paragraphs(
      "Subscribe first and load the present state second: then nothing falls between the two. After a cut the client recovers the missed events by itself; only when the history does not reach back any more the state is loaded again.",
    ),
    example("account-events.mjs"),
    accountEventTable(),
    alertTable(),
  ),
  section(
    "open-orders",
    "Open orders and positions",
    paragraphs(
      "The same account as two tables: the client library keeps the state, whatever happens to the connection.",
    ),
    example("open-orders.mjs"),
  ),
  section("tickers", "Tickers", example("tickers.mjs")),
  section("trades", "Trades", example("trades.mjs")),
  section("klines", "Klines", example("klines.mjs")),
  section(
    "rpc",
    "Calls",
    paragraphs(
      "One warm socket for everything: reads of the HTTP API, and submit and cancel of orders, with the same rules, the same permissions and the same envelope. A failure is an error whose code is 1000 + (HTTP status - 400).",
    ),
    example("rpc.mjs"),
    `<details><summary>All methods</summary>${items(...facts.rpcMethods.map((name) => `\`${name}\``))}</details>`,
  ),
  section(
    "options",
    "Protobuf, deltas, filters",
    '<h3 id="protobuf">Protobuf frames</h3>',
    example("protobuf.mjs"),
    paragraphs(
      'With `data: { encoding: "protobuf" }` as an option of a subscription the records themselves come as messages of `proto/market.proto`: market channels of Protobuf connections only.',
    ),
    '<h3 id="delta">Deltas</h3>',
    example("delta.mjs"),
    '<h3 id="filter">Tags filter</h3>',
    paragraphs(
      "The server leaves out what does not match. Positions go on counting, so recovery works as ever; a filter and deltas exclude each other.",
    ),
    example("tags-filter.mjs"),
  ),
  section("protocol", "Protocol", ...protocol()),
]

const link = ({ id, title }: Section): string => `<a href="#${id}">${escapeHtml(title)}</a>`

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M1 11l4-5 3 3 6-7' fill='none' stroke='%230b5fb0' stroke-width='2'/%3E%3C/svg%3E"

interface RealtimePage {
  readonly html: string
  /** Its Content-Security-Policy: the page's own style by its hash, and nothing else. */
  readonly policy: string
}

/** What all pages have: links to the others, and the style. */
interface Site {
  readonly html: string
  readonly style: string
}

export const realtimePage = (facts: RealtimeFacts, site: Site): RealtimePage => {
  const all = sections(facts)
  const style = site.style + STYLE
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trading Platform real-time API v3</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
${site.html}
<header>
<h1>Real time</h1>
<p>${prose("Order books, tickers, trades, and everything that happens on your accounts, over one WebSocket at `/connection/websocket`. It speaks the Centrifuge client protocol: the official `centrifuge` clients for JavaScript, Go, Python, Dart, Swift and Java work as they are. The programs on this page run as they stand against a fresh gateway.")}</p>
<p>For machines: <a href="/api/v3/asyncapi.json">asyncapi.json</a>. The HTTP API: <a href="/docs">reference</a>.</p>
<nav>${all.map(link).join("\n")}</nav>
</header>
<main>
${all.map((it) => `<section id="${it.id}"><h2>${escapeHtml(it.title)}</h2>\n${it.body}\n</section>`).join("\n")}
</main>
<footer>Version ${escapeHtml(facts.version)}</footer>
</body>
</html>
`
  const hash = createHash("sha256").update(style).digest("base64")
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
  return { html, policy }
}
