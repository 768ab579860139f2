/**
 * `npm run docs` rewrites the generated pages: src/venues/adapters/capabilities.json, docs/openapi.json, docs/asyncapi.json, docs/map/, the types
 * of the clients, and for operators the settings, metrics, logs, dashboard and alert rules. With `--check` it writes nothing and fails when one
 * is stale. The one thing to know: the pages contain no times, line numbers or local paths, so that they change only when the code they describe
 * does.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { mapPages } from "./map-pages.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const openApi = async (): Promise<string> => {
  const { openApiDocument } = await import("../src/http/docs/openapi.ts")
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`
}

const capabilities = async (): Promise<string> => (await import("./capabilities.ts")).capabilitiesText()

const pages: Readonly<Record<string, () => Promise<string>>> = {
  "src/venues/adapters/capabilities.json": capabilities,
  "docs/openapi.json": openApi,
  "docs/asyncapi.json": async () => (await import("./asyncapi-page.ts")).asyncApiPage(),
  "clients/typescript/src/generated/openapi.ts": async () => (await import("./client-types.ts")).clientTypes(),
  "clients/typescript/src/generated/errno.ts": async () => (await import("./client-types.ts")).clientErrno(),
  "clients/python/src/venue_gateway/generated/records.py": async () =>
    (await import("./client-types-python.ts")).pythonRecords(),
  "clients/python/src/venue_gateway/generated/calls.py": async () =>
    (await import("./client-types-python.ts")).pythonCalls(),
  "clients/python/src/venue_gateway/generated/errno.py": async () =>
    (await import("./client-types-python.ts")).pythonErrno(),
  "docs/operations/settings.md": async () => (await import("./settings-page.ts")).settingsPage(),
  "docs/operations/metrics.md": async () => (await import("./observability-pages.ts")).metricsPage(),
  "docs/operations/logs.md": async () => (await import("./observability-pages.ts")).logsPage(),
  "ops/grafana/dashboard.json": async () => (await import("./dashboard.ts")).dashboardText(),
  "ops/prometheus/alerts.yml": async () => (await import("./alert-rules.ts")).alertRulesText(),
}

const isCheck = process.argv.includes("--check")

const stale = (path: string): void => {
  console.error(`${path} is stale: run \`npm run docs\``)
  process.exitCode = 1
}

const settle = (path: string, wanted: string): void => {
  const place = join(root, path)
  const found = existsSync(place) ? readFileSync(place, "utf8") : ""
  if (found === wanted) return
  if (isCheck) return stale(path)
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, wanted)
  console.log(`wrote ${path}`)
}

for (const [path, write] of Object.entries(pages)) settle(path, await write())

const map = await mapPages(root)
for (const [path, wanted] of map) settle(path, wanted)
// The page of a folder that is gone.
const folder = join(root, "docs/map")
for (const name of existsSync(folder) ? readdirSync(folder) : []) {
  const path = `docs/map/${name}`
  if (map.has(path)) continue
  if (isCheck) stale(path)
  else {
    rmSync(join(root, path))
    console.log(`removed ${path}`)
  }
}
