/**
 * The console's files at /console, as scripts/console.mjs made them: hashed names, compressed then. Nothing comes from another host, and the
 * policy lets nothing else in: no inline script, no text that becomes one (Trusted Types), no frame around it.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ConsoleMode } from "../../domain/user/console-mode.ts"
import { CSS, HTML, REVALIDATED, SCRIPT } from "../docs/pages.ts"
import type { Representation } from "../edge/document.ts"
import type { StaticPage } from "../edge/doors.ts"

export const CONSOLE_PATH = "/console"

/** Of dist/ itself, or of the sources beside it. */
const FOLDERS = ["../../../console/", "../../../dist/console/"]

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ")

const PAGE = {
  ...REVALIDATED,
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
} as const

/** A name is never used for other contents. */
const ASSET = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const

const TYPES: Readonly<Record<string, string>> = {
  ".css": CSS,
  ".html": HTML,
  ".js": SCRIPT,
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
}

const SUFFIX = { br: ".br", gzip: ".gz", identity: "" } as const

/** One file in the encodings that the build made; read once. */
class BuiltFile {
  readonly #made: { readonly [C in keyof typeof SUFFIX]: Promise<Representation> }

  constructor(path: string) {
    const plain = readFileSync(path)
    const hash = createHash("sha256").update(plain).digest("base64url").slice(0, 27)
    const made = (coding: keyof typeof SUFFIX): Promise<Representation> => {
      const etag = `"${hash}${coding === "identity" ? "" : `-${coding}`}"`
      const body = coding === "identity" ? plain : readFileSync(path + SUFFIX[coding])
      const own: Record<string, string> = { Vary: "Accept-Encoding", ETag: etag }
      if (coding !== "identity") own["Content-Encoding"] = coding
      return Promise.resolve({ body, headers: own, etag })
    }
    this.#made = { br: made("br"), gzip: made("gzip"), identity: made("identity") }
  }

  in(coding: keyof typeof SUFFIX): Promise<Representation> {
    return this.#made[coding]
  }
}

/** None: there is no console here, by its setting, or since it was not built. */
export const consolePages = (mode: ConsoleMode): ReadonlyArray<StaticPage> => {
  const folder = FOLDERS.map((it) => fileURLToPath(new URL(it, import.meta.url))).find((it) =>
    existsSync(join(it, "index.html")),
  )
  if (mode === "off" || folder === undefined) return []
  return readdirSync(folder)
    .filter((name) => extname(name) in TYPES)
    .flatMap((name): ReadonlyArray<StaticPage> => {
      const contentType = TYPES[extname(name)] ?? HTML
      const body = new BuiltFile(join(folder, name))
      if (name !== "index.html") return [{ path: `${CONSOLE_PATH}/${name}`, contentType, body, headers: ASSET }]
      return [CONSOLE_PATH, `${CONSOLE_PATH}/`].map((path) => ({ path, contentType, body, headers: PAGE }))
    })
}
