/** How the pages of /docs are served: compressed, kept by browsers, asked after. */
import { TextDocument } from "../edge/document.ts"
import type { StaticPage } from "../edge/mount.ts"

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
  make: () => string | Uint8Array | Promise<string>,
  headers: Readonly<Record<string, string>>,
): StaticPage => ({
  path,
  contentType,
  body: new TextDocument(async () => Buffer.from(await make())),
  headers,
})
