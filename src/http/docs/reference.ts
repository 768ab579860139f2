/**
 * The documents: the browsable reference at /docs (our page around the files of swagger-ui-dist, served from node_modules), the page of
 * the real-time endpoint, and both as JSON. Nothing comes from another host, and the Content-Security-Policy lets nothing else in.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { StaticPage } from "../edge/mount.ts"
import { openApiDocument } from "./openapi.ts"

const OPEN_API_PATH = "/api/v3/openapi.json"
const ASYNC_API_PATH = "/api/v3/asyncapi.json"

/** The documents of the real-time endpoint, which the sockets' own code makes. */
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
  </head>
  <body>
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
`

const page = (
  path: string,
  contentType: string,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): StaticPage => ({
  path,
  contentType,
  body,
  headers,
})

/** The packaged files change only with the gateway's own version. */
const CACHED = { "Cache-Control": "public, max-age=3600" } as const

const HTML = "text/html; charset=utf-8"
const JSON_TYPE = "application/json; charset=utf-8"

const pageHeaders = (policy: string) => ({
  "Content-Security-Policy": policy,
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
})

const realtimePages = ({ asyncApi, page: { html, policy } }: RealtimeDocuments): ReadonlyArray<StaticPage> => [
  page(ASYNC_API_PATH, JSON_TYPE, Buffer.from(JSON.stringify(asyncApi)), {}),
  page("/docs/realtime", HTML, Buffer.from(html), pageHeaders(policy)),
]

/** The documents and the pages around them. Reads the files once. */
export const referencePages = (realtime: RealtimeDocuments): ReadonlyArray<StaticPage> => {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"))
  const asset = (name: string, contentType: string): StaticPage =>
    page(`/docs/${name}`, contentType, readFileSync(join(folder, name)), CACHED)
  return [
    page(OPEN_API_PATH, JSON_TYPE, Buffer.from(JSON.stringify(openApiDocument())), {}),
    page("/docs", HTML, Buffer.from(PAGE), pageHeaders(POLICY)),
    page("/docs/", HTML, Buffer.from(PAGE), pageHeaders(POLICY)),
    page("/docs/start.js", "text/javascript; charset=utf-8", Buffer.from(START), CACHED),
    asset("swagger-ui.css", "text/css; charset=utf-8"),
    asset("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    asset("favicon-32x32.png", "image/png"),
    ...realtimePages(realtime),
  ]
}
