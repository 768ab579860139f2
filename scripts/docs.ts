/**
 * `npm run docs` rewrites the generated pages: src/venues/capabilities.json, docs/openapi.json, docs/asyncapi.json, docs/map.md,
 * and for operators the metrics, logs, dashboard and alert rules. With
 * `--check` it writes nothing and fails when one is stale.
 *
 * The one thing to know: the pages hold no times, no line numbers and no machine's paths, so that they change only when
 * the code they speak of does.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { runNode } from "./tools.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const packaged = (path: string): string => join(root, "node_modules", path)

const openApi = async (): Promise<string> => {
  const { openApiDocument } = await import("../src/http/openapi.ts")
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`
}

/** With the settings that a gateway has when nobody sets any. */
const asyncApi = async (): Promise<string> => {
  const { readSettings } = await import("../src/config.ts")
  const { SERVICE } = await import("../src/http/api.ts")
  const { rpcMethods } = await import("../src/http/rpc-methods.ts")
  const { asyncApiDocument } = await import("../src/ws/asyncapi.ts")
  const { channelKinds } = await import("../src/ws/channel-kinds.ts")
  const kinds = channelKinds(readSettings({}).wsFlushMillis)
  const document = asyncApiDocument({ version: SERVICE.version, kinds, rpcMethods: rpcMethods() })
  return `${JSON.stringify(document, null, 2)}\n`
}

const filesOf = (folder: string): ReadonlyArray<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(ts|sql|proto)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
        .filter((path) => !path.includes("/generated/"))
        .sort()
    : []

/** The first sentence of the comment that a file opens with. */
const openingOf = (path: string): string => {
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

/** `src/http/quote/handlers.ts` stands in the list of `src/http/quote`. */
const listing = (folders: ReadonlyArray<string>): string => {
  const byFolder = new Map<string, Array<string>>()
  for (const path of folders.flatMap(filesOf)) {
    const folder = posix.dirname(path)
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), path])
  }
  return [...byFolder.keys()]
    .sort()
    .map((folder) => {
      const files = byFolder.get(folder) ?? []
      const rows = files.map((path) => `- [\`${posix.basename(path)}\`](../${path}) ${openingOf(path)}`.trimEnd())
      return `### ${folder}\n\n${rows.join("\n")}\n`
    })
    .join("\n")
}

interface Cruise {
  readonly modules: ReadonlyArray<{
    readonly source: string
    readonly dependencies: ReadonlyArray<{ readonly resolved: string }>
  }>
}

const layerOf = (path: string): string | undefined => /^src\/([^/]+?)(?:\/|\.ts$)/.exec(path)?.[1]

/** The layers as they are, drawn from the imports; the composition root is left out, since it knows every part. */
const layerPicture = async (): Promise<string> => {
  const run = await runNode(root, packaged("dependency-cruiser/bin/dependency-cruise.mjs"), [
    "src",
    "--config",
    ".dependency-cruiser.cjs",
    "--no-progress",
    "--output-type",
    "json",
  ])
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
const services = (): string =>
  filesOf("src")
    .flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8")
      const declared = text.matchAll(/class (\w+) extends (?:Context\.(?:Tag|Reference)|Effect\.Service)\b/g)
      return [...declared].map(([, name]) => `- \`${name}\` [${path}](../${path})`)
    })
    .sort()
    .join("\n")

const map = async (): Promise<string> => {
  const picture = await layerPicture()
  return `# Map

Written by \`npm run docs\` from the sources; \`npm run check\` fails when it is stale. Edit the first comment of a file instead.

## Layers

An arrow is an import. \`src/main.ts\` composes everything and is left out; \`.dependency-cruiser.cjs\` holds the rules.

${picture}

## Files

${listing(["src", "proto"])}
## Services

${services()}
`
}

const capabilities = async (): Promise<string> => (await import("./capabilities.ts")).capabilitiesText()

const pages: Readonly<Record<string, () => Promise<string>>> = {
  "src/venues/capabilities.json": capabilities,
  "docs/openapi.json": openApi,
  "docs/asyncapi.json": asyncApi,
  "docs/map.md": map,
  "docs/operations/metrics.md": async () => (await import("./observability-pages.ts")).metricsPage(),
  "docs/operations/logs.md": async () => (await import("./observability-pages.ts")).logsPage(),
  "ops/grafana/dashboard.json": async () => (await import("./dashboard.ts")).dashboardText(),
  "ops/prometheus/alerts.yml": async () => (await import("./alert-rules.ts")).alertRulesText(),
}

const isCheck = process.argv.includes("--check")
for (const [path, write] of Object.entries(pages)) {
  const wanted = await write()
  const place = join(root, path)
  const found = existsSync(place) ? readFileSync(place, "utf8") : ""
  if (found === wanted) continue
  if (isCheck) {
    console.error(`${path} is stale: run \`npm run docs\``)
    process.exitCode = 1
  } else {
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, wanted)
    console.log(`wrote ${path}`)
  }
}
