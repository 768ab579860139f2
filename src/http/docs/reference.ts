/**
 * The documents: the browsable reference at /docs (our page around the files of swagger-ui-dist, served from node_modules), the page of the
 * real-time endpoint, both as JSON, and the guides. Nothing is loaded from another host, and the Content-Security-Policy allows nothing else. All
 * are compressed if the client accepts that: a first visit is 0.5 MB instead of 3 MB, and a later one only revalidates.
 */
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { StaticPage } from "../edge/doors.ts"
import { guidePages } from "./guides.ts"
import {
  CSS,
  document,
  HTML,
  JSON_TYPE,
  NAVIGATION_STYLE,
  navigation,
  pageHeaders,
  REVALIDATED,
  SCRIPT,
} from "./pages.ts"

const OPEN_API_PATH = "/api/v3/openapi.json"
/** Written by `npm run docs`, and taken along by the build: to make it of the schemas took a ninth of a start's processor time. */
const OPEN_API_FILE = new URL("../../../docs/openapi.json", import.meta.url)
const ASYNC_API_PATH = "/api/v3/asyncapi.json"

/** The documents of the real-time endpoint, which the sockets' own code makes when they are first read. */
export interface RealtimeDocuments {
  readonly asyncApi: object
  readonly page: { readonly html: string; readonly policy: string }
}

/** The page sets styles on elements while it runs, and its pictures are data URLs. No eval, no inline script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trading Platform HTTP API v3</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/reference.css">
  </head>
  <body>
    ${navigation("/docs")}
    <div id="reference"></div>
    <noscript>The reference needs JavaScript. The document itself is at <a href="${OPEN_API_PATH}">${OPEN_API_PATH}</a>.</noscript>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const START = `SwaggerUIBundle({
  url: "${OPEN_API_PATH}",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
})
document.documentElement.classList.toggle("dark-mode", matchMedia("(prefers-color-scheme: dark)").matches)
`

const STYLE = `
:root { --text: #1d2125; --dim: #5c6670; --line: #d8dee4 }
html.dark-mode { --text: #e2e6ea; --dim: #98a2ad; --line: #363d45 }
body { margin: 0 }
${NAVIGATION_STYLE}
nav.site { font-family: system-ui, sans-serif; margin: 0; padding: 1rem 1.25rem .75rem }
`

/** The packaged files change only with the gateway's own version. */
const CACHED = { "Cache-Control": "public, max-age=3600" } as const

const realtimePages = (documents: RealtimeDocuments): ReadonlyArray<StaticPage> => [
  document(ASYNC_API_PATH, JSON_TYPE, () => JSON.stringify(documents.asyncApi), REVALIDATED),
  document("/docs/realtime", HTML, () => documents.page.html, pageHeaders(documents.page.policy)),
]

/** Without the line breaks of the file: a third of its bytes. */
const openApi = async (): Promise<string> => JSON.stringify(JSON.parse(await readFile(OPEN_API_FILE, "utf8")))

/** The documents and the pages around them. Each file is read once, when it is first asked for; throws where the package of the page's files is missing. */
export const referencePages = (realtime: RealtimeDocuments): ReadonlyArray<StaticPage> => {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"))
  const asset = (name: string) => () => readFile(join(folder, name))
  return [
    document(OPEN_API_PATH, JSON_TYPE, openApi, REVALIDATED),
    document("/docs", HTML, () => PAGE, pageHeaders(POLICY)),
    document("/docs/", HTML, () => PAGE, pageHeaders(POLICY)),
    document("/docs/start.js", SCRIPT, () => START, REVALIDATED),
    document("/docs/reference.css", CSS, () => STYLE, REVALIDATED),
    document("/docs/swagger-ui.css", CSS, asset("swagger-ui.css"), CACHED),
    document("/docs/swagger-ui-bundle.js", SCRIPT, asset("swagger-ui-bundle.js"), CACHED),
    // Compressed already.
    {
      path: "/docs/favicon-32x32.png",
      contentType: "image/png",
      body: readFileSync(join(folder, "favicon-32x32.png")),
      headers: CACHED,
    },
    ...realtimePages(realtime),
    ...guidePages(),
  ]
}
