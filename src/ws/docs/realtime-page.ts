/**
 * The page at /docs/realtime: how to use the real-time endpoint, with programs that the tests run and tables generated from the code. One file,
 * no script, nothing from other hosts.
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
    "`<venue>` is a venue such as `MOCK`, `<symbol>` is `BASE/QUOTE` as in `BTC/USDT` (`BTC-USDT` is accepted too). Account channels belong to the account's owner and to admins of the tenant; market channels are open to every user with the permission read.",
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
  if (error === ERRORS.tokenExpired) return "calls getToken for a new one and retries"
  if (error === ERRORS.unrecoverablePosition) return "starts again with the current state"
  return "temporary" in error ? "retries a subscribe or connect automatically" : "leaves the reaction to you"
}

const protocol = (): ReadonlyArray<string> => [
  items(
    `The first command is \`connect\`, within ${STALE_SECONDS} seconds. A frame may hold several commands or replies, one per line; replies carry the \`id\` of their command and may arrive in any order.`,
    `Every ${PING_SECONDS} seconds the gateway sends \`{}\`; the client answers \`{}\` within ${PONG_SECONDS} seconds. The official clients do.`,
    `When the token expires, the client has ${EXPIRY_GRACE_SECONDS} seconds more to send \`refresh\` with a new one.`,
    `A message from the client holds at most ${count(MESSAGE_BYTES_MAX)} bytes, a connection at most ${count(CHANNELS_MAX)} channels; it may send ${RATE_LIMITS.socketCommands.perSecond} commands a second, ${RATE_LIMITS.socketCommands.burst} at once, and as many cancels besides. Beyond these limits a subscribe gets error 106 and a command error 111; a client that continues regardless is disconnected with 3013.`,
    `A user has at most ${RATE_LIMITS.socketsPerUser} connections; further ones are closed with 3504. An address has at most ${RATE_LIMITS.socketsPerAddress}; further ones are answered 429. The operator can change these limits.`,
    "A frame that is not a valid command closes the connection with 3501.",
  ),
  '<h3 id="errors">Errors: replies to a command</h3>',
  table(
    ["code", "message", "the client"],
    [
      ...ERROR_CODES.map((error): ReadonlyArray<Cell> => [error.code, error.message, afterError(error)]),
      ["1000 to 1199", "an HTTP operation failed: 1000 + (status - 400)", "leaves the reaction to you"],
    ],
  ),
  '<h3 id="closes">Close codes: the end of the connection</h3>',
  table(
    ["code", "reason", "the client"],
    CLOSE_CODES.map(({ code, reason, reconnects }) => [
      code,
      reason,
      reconnects ? "reconnects automatically" : "does not reconnect",
    ]),
  ),
  '<h3 id="unsubscribes">Unsubscribe codes: the end of a subscription</h3>',
  table(
    ["code", "reason", "the client"],
    UNSUBSCRIBE_CODES.map(({ code, reason, resubscribes }) => [
      code,
      reason,
      resubscribes ? "resubscribes automatically" : "does not resubscribe",
    ]),
  ),
]

const sections = (facts: RealtimeFacts): ReadonlyArray<Section> => [
  section(
    "connect",
    "Connect",
    shell("npm install centrifuge ws"),
    paragraphs(
      "A connection authenticates with a session or an API key: the access token of `POST /api/v3/auth/login` (or `signup`), or the key as the client's `token`, which never needs a refresh. If you give the client `getToken` instead of a token, it fetches a new one before the old one expires. Put this file beside the other examples: they all import it and use the key in `API_KEY` or, without one, `EMAIL` and `PASSWORD`.",
    ),
    example("gateway.mjs"),
    example("connect.mjs"),
    shell(
      "GATEWAY_URL=http://127.0.0.1:8080 EMAIL=me@example.com PASSWORD='a good password' node connect.mjs",
      "GATEWAY_URL=http://127.0.0.1:8080 API_KEY=vgk_… node connect.mjs",
    ),
    '<h3 id="browser">In a browser</h3>',
    paragraphs(
      "A page may connect if it is served from the gateway's own host, or if its origin is listed in the gateway's setting `ALLOWED_ORIGINS`.",
    ),
    example("browser.mjs"),
    '<h3 id="tls">TLS</h3>',
    paragraphs(
      "From other machines the addresses are `https://` and `wss://`: set `TLS_CERT_FILE` and `TLS_KEY_FILE`, or put a proxy in front and name it in `TRUST_PROXY`. With `NODE_ENV=production` plain connections are refused. Node trusts a private certificate authority through `NODE_EXTRA_CA_CERTS=ca.pem`.",
    ),
  ),
  section("channels", "Channels", ...channels(facts)),
  section(
    "order-book",
    "Order book",
    paragraphs(
      "The rule: a SNAPSHOT replaces everything, a DIFF is applied only to the book at its `previousSequence`. After a disconnect the client requests what it missed; it gets either all of it or a new SNAPSHOT, so the copy is never silently wrong.",
    ),
    example("order-book.mjs"),
    paragraphs("Or let the client library maintain the book, as a map."),
    example("order-book-map.mjs"),
  ),
  section(
    "account-events",
    "Account events",
    paragraphs(
      "Subscribe first and load the current state second, so that nothing is lost between the two. After a disconnect the client recovers the missed events automatically; only if the history no longer reaches back far enough must the state be loaded again.",
    ),
    example("account-events.mjs"),
    accountEventTable(),
    alertTable(),
  ),
  section(
    "open-orders",
    "Open orders and positions",
    paragraphs("The same account as two tables: the client library maintains the state across reconnects."),
    example("open-orders.mjs"),
  ),
  section("tickers", "Tickers", example("tickers.mjs")),
  section("trades", "Trades", example("trades.mjs")),
  section("klines", "Klines", example("klines.mjs")),
  section(
    "rpc",
    "Calls",
    paragraphs(
      "One open socket for everything: HTTP API reads, and submitting and cancelling orders, with the same rules, permissions and envelope. A failure is an error whose code is 1000 + (HTTP status - 400).",
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
      "The server omits what does not match. Positions are still counted, so recovery works as usual; a filter and deltas exclude each other.",
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

const pageHtml = (facts: RealtimeFacts, site: Site, style: string): string => {
  const all = sections(facts)
  return `<!doctype html>
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
<p>${prose("Order books, tickers, trades, and everything that happens on your accounts, over one WebSocket at `/connection/websocket`. It speaks the Centrifuge client protocol: the official `centrifuge` clients for JavaScript, Go, Python, Dart, Swift and Java work unchanged. The programs on this page are complete and run against a fresh gateway.")}</p>
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
}

/** Its HTML is made when it is asked for. */
export const realtimePage = (facts: RealtimeFacts, site: Site): RealtimePage => {
  const style = site.style + STYLE
  const hash = createHash("sha256").update(style).digest("base64")
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
  return {
    get html() {
      return pageHtml(facts, site, style)
    },
    policy,
  }
}
