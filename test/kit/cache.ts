/** What runs of the tests leave for the next one, in node_modules/.cache. */
import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const CACHE = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url))
const OLD_MILLIS = 7 * 86_400_000

/** Entries whose names begin so; another checkout may still use the younger ones. */
export const forgetOld = (family: string): void => {
  for (const name of readdirSync(CACHE).filter((each) => each.startsWith(family))) {
    const path = join(CACHE, name)
    if (Date.now() - statSync(path).mtimeMs > OLD_MILLIS) rmSync(path, { recursive: true, force: true })
  }
}
