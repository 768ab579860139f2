/**
 * docs/map/: one page per top folder of src (and proto), a section per nested folder, a line per file with the first sentence of its header
 * comment; README.md leads to them, with the layers and the services. The one thing to know: folders are found, not listed, so a moved
 * file needs no change here; only the one-line descriptions of folders below are written by hand.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { runNode } from "./tools.ts"

const ABOUT: Readonly<Record<string, string>> = {
  proto: "Protobuf definitions of what crosses the WebSocket.",
  src: "The process, the composition root, the reader of all settings, and the process's own clock, ids and failpoints.",
  "src/actors": "One writer per account, dealer and market: state, and the order of events.",
  "src/actors/account": "Trading accounts: the actor, its state, and how accounts wake and sleep.",
  "src/actors/account/channel": "What an account publishes.",
  "src/actors/account/contingent": "Orders that wait: lists, triggers, expiries, the dead man's switch.",
  "src/actors/account/orders": "Submit, quoted orders, cancel, replace, dispatch.",
  "src/actors/account/venue": "The account at its venue: session, reports, evidence, doubt, reconciliation.",
  "src/actors/dealer": "Dealers: the actor, its linked accounts, values.",
  "src/actors/dealer/books": "Profit and loss of dealers.",
  "src/actors/dealer/exchange-mirror": "Wallets that mirror what linked accounts have at their venues.",
  "src/actors/dealer/hedging": "Covering what executed quotes owe: one line per pair.",
  "src/actors/dealer/quotes": "Requests, prices, firm quotes, their execution and their end.",
  "src/actors/market": "Feeds of venues: books, tickers, trades, and those who follow them.",
  "src/actors/market/klines": "Bars: live, past and cached.",
  "src/actors/market/triggers": "Prices that triggers wait for.",
  "src/admin": "The command line for operators.",
  "src/auth": "Users, sessions, tokens, second factors, encryption keys.",
  "src/auth/keys": "Keys that sign and encrypt, and what they seal.",
  "src/auth/proof": "Passwords, second factors, mailed proofs.",
  "src/auth/session": "Sign-in, sessions, tokens, bans.",
  "src/auth/user": "What users change of themselves.",
  "src/composition": "How the parts are put together, started, watched and stopped.",
  "src/domain": "Pure rules and records: orders, quotes, instruments, money. No I/O, no clock.",
  "src/domain/account": "Trading accounts, their events, credentials, modes.",
  "src/domain/dealer": "Dealers, quotes, prices, risk.",
  "src/domain/dealer/hedging": "What is owed and how it is covered.",
  "src/domain/errors": "Failures a caller can act on, as tagged types.",
  "src/domain/instrument": "Instruments and venues.",
  "src/domain/market": "Books, tickers, trades, klines.",
  "src/domain/order": "Orders: records, states, lists, what they hold.",
  "src/domain/order/evidence": "What evidence makes of an order.",
  "src/domain/order/rules": "What an order must satisfy before anything is stored or sent.",
  "src/domain/user": "Users, rights, acts, addresses, rate limits.",
  "src/domain/wallet": "Wallets and money.",
  "src/foundation": "What knows nothing of trading: log lines, networks, token buckets, trace context, time.",
  "src/http": "The HTTP edge: routes, checks, limits, the envelope, and the same operations as calls over the socket.",
  "src/http/docs": "The OpenAPI document and the reference.",
  "src/http/edge": "From the socket to a call and back: server, requests, envelope, failures.",
  "src/http/limits": "Rate limits and idempotency.",
  "src/http/rpc": "The same operations as calls over the socket.",
  "src/http/watch": "Logs and figures of requests.",
  "src/kernel": "The actor: a synchronous mailbox, supervision, timers.",
  "src/ledger": "The double-entry ledger: group commits, expiry of holds, the audit.",
  "src/mail": "Delivery of mail from the transactional outbox.",
  "src/metrics": "Counting and exposing metrics.",
  "src/cluster": "What nodes say to each other, and over what.",
  "src/otlp": "Export of traces, metrics and logs over OTLP.",
  "src/ports": "The seams that a simulation replaces.",
  "src/settings": "Environment variables, parsed by subject.",
  "src/store": "PostgreSQL: the order writer, repositories, migrations.",
  "src/store/audit": "Rows of acts and their chain.",
  "src/store/dealers": "Dealers, quotes, hedges.",
  "src/store/embedded": "The embedded PostgreSQL: cluster, process, backup.",
  "src/store/ledger": "The ledger's journal, wallets, mirrors, books, and what its audit asks.",
  "src/store/market": "Instruments and trading modes.",
  "src/store/migrations": "The schema, step by step.",
  "src/store/orders": "The order writer and what it wrote: orders, executions, events.",
  "src/store/postgres": "Connections, transactions, failures, ownership.",
  "src/store/users": "Users, sessions, credentials, tenants, mails.",
  "src/venues": "Everything towards the venues: supervision, sessions, the internal, paper and mock venues.",
  "src/venues/adapters": "One folder per exchange: its profile as plain data, and the code that it needs beside ccxt.",
  "src/venues/connector": "The gateway's side of the worker threads: supervision, shards, placement, the wire.",
  "src/venues/internal": "The platform's own venue, over the ledger.",
  "src/venues/matching": "The matcher of the venues in this process.",
  "src/venues/mock": "MOCK: a whole venue without a network.",
  "src/venues/paper": "PAPER: play money on live books and trades.",
  "src/venues/worker": "What runs in worker threads around ccxt.",
  "src/venues/worker/budget": "Request budgets.",
  "src/venues/worker/exchange": "ccxt's instances: how they are made, connected and understood.",
  "src/venues/worker/feed": "Public data: books, trades, tickers, klines, in the venue's own digits.",
  "src/venues/worker/session": "One account at the venue: orders, questions, the private stream.",
  "src/ws": "The WebSocket edge: the Centrifuge protocol, fan-out, recovery.",
  "src/ws/channels": "Which channels there are, and who may use them.",
  "src/ws/connection": "One client: commands, subscriptions, pace, heartbeat.",
  "src/ws/docs": "The AsyncAPI document and the page of the endpoint.",
  "src/ws/fanout": "The hub: topics, history, deltas, recovery, slow readers.",
  "src/ws/maps": "Channels as maps by key.",
  "src/ws/protocol": "Commands and replies, JSON and Protobuf.",
  "src/ws/test-profile": "The profile that public client suites run against.",
}

const filesOf = (root: string, folder: string): ReadonlyArray<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(ts|sql|proto)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/").replace(/^\//, ""))
        .filter((path) => !path.includes("/generated/"))
        .sort()
    : []

/** The first sentence of the comment that a file opens with. */
const openingOf = (root: string, path: string): string => {
  const text = readFileSync(join(root, path), "utf8").trimStart()
  const block = /^\/\*\*?([\s\S]*?)\*\//.exec(text)?.[1]
  const lines = block
    ? block.split("\n").map((line) => line.replace(/^\s*\* ?/, ""))
    : (/^(?:(?:\/\/|--).*\n?)+/.exec(text)?.[0] ?? "").split("\n").map((line) => line.replace(/^(\/\/|--) ?/, ""))
  const paragraph =
    lines
      .join("\n")
      .trim()
      .split(/\n\s*\n/)[0] ?? ""
  const words = paragraph.replace(/\s+/g, " ").trim()
  return (/^.*?[.!](?= [A-Z`]|$)/.exec(words)?.[0] ?? words).replaceAll("|", "\\|")
}

interface Cruise {
  readonly modules: ReadonlyArray<{
    readonly source: string
    readonly dependencies: ReadonlyArray<{ readonly resolved: string }>
  }>
}

const layerOf = (path: string): string | undefined => /^src\/([^/]+?)(?:\/|\.ts$)/.exec(path)?.[1]

/** The layers as they are, drawn from the imports; the composition root is left out, since it knows every part. */
const layerPicture = async (root: string): Promise<string> => {
  const cruiser = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs")
  const args = ["src", "--config", ".dependency-cruiser.cjs", "--no-progress", "--output-type", "json"]
  const run = await runNode(root, cruiser, args)
  const edges = new Set<string>()
  for (const { source, dependencies } of (JSON.parse(run.stdout) as Cruise).modules) {
    const from = layerOf(source)
    if (from === undefined || from === "main") continue
    for (const { resolved } of dependencies) {
      const to = layerOf(resolved)
      if (to !== undefined && to !== from) edges.add(`  ${from} --> ${to}`)
    }
  }
  return ["```mermaid", "flowchart TD", ...[...edges].sort(), "```"].join("\n")
}

/** Each service of the process in the file that declares its tag. */
const services = (root: string): string =>
  filesOf(root, "src")
    .flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8")
      const declared = text.matchAll(/class (\w+) extends (?:Context\.(?:Tag|Reference)|Effect\.Service)\b/g)
      return [...declared].map(([, name]) => `- \`${name}\` [${path}](../../${path})`)
    })
    .sort()
    .join("\n")

const rowsOf = (root: string, files: ReadonlyArray<string>): string =>
  files.map((path) => `- [\`${posix.basename(path)}\`](../../${path}) ${openingOf(root, path)}`.trimEnd()).join("\n")

const by = <A>(
  items: ReadonlyArray<A>,
  key: (item: A) => string,
): ReadonlyArray<readonly [string, ReadonlyArray<A>]> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** `src/http/quote/handlers.ts` stands on the page of `src/http`, the files of src itself on one of their own. */
const topOf = (path: string): string => /^(src\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? posix.dirname(path)

const HINT =
  "Written by `npm run docs` from the sources; `npm run check` fails when it is stale. Edit the first comment of a file instead."

const about = (folder: string): string => ABOUT[folder] ?? ""

const folderPage = (root: string, top: string, files: ReadonlyArray<string>): string => {
  const sections = by(files, posix.dirname).map(([folder, own]) => {
    const rows = rowsOf(root, own)
    if (folder === top) return rows
    return `## ${folder}\n\n${about(folder) === "" ? "" : `${about(folder)}\n\n`}${rows}`
  })
  return `# ${top}\n\n${`${about(top)} ${HINT}`.trimStart()}\n\n${sections.join("\n\n")}\n`
}

const folderLine = (top: string, files: ReadonlyArray<string>): string => {
  const page = `${posix.basename(top)}.md`
  const nested = by(files, posix.dirname).filter(([folder]) => folder !== top)
  const lines = nested.map(([folder, own]) => {
    const name = folder.slice(top.length + 1)
    const anchor = folder.toLowerCase().replaceAll("/", "")
    return `  - [${name}](${page}#${anchor}) (${own.length}) ${about(folder)}`.trimEnd()
  })
  return [`- [${top}](${page}) (${files.length}) ${about(top)}`.trimEnd(), ...lines].join("\n")
}

/** Every page by its path. */
export const mapPages = async (root: string): Promise<ReadonlyMap<string, string>> => {
  const tops = by([...filesOf(root, "src"), ...filesOf(root, "proto")], topOf)
  const pages = new Map<string, string>()
  for (const [top, files] of tops) pages.set(`docs/map/${posix.basename(top)}.md`, folderPage(root, top, files))
  pages.set(
    "docs/map/README.md",
    `# Map

${HINT}

Each folder with its number of files; its page has a line per file.

${tops.map(([top, files]) => folderLine(top, files)).join("\n")}

## Layers

An arrow is an import. \`src/main.ts\` composes everything and is left out; \`.dependency-cruiser.cjs\` holds the rules.

${await layerPicture(root)}

## Services

${services(root)}
`,
  )
  return pages
}
