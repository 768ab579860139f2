/** The names of the environment variables that the sources read, by the readers of settings/environment or directly. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const src = fileURLToPath(new URL("../../../src/", import.meta.url))
const READ = /\(\s*(?:env|given|environment|process\.env),\s*"([A-Z][A-Z0-9_]+)"/g
const DIRECT = /\b(?:env|given|process\.env)\["([A-Z][A-Z0-9_]+)"\]/g

export const settingsNames = (): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const path of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts")) continue
    const text = readFileSync(join(src, path), "utf8")
    for (const pattern of [READ, DIRECT]) for (const [, name] of text.matchAll(pattern)) if (name) names.add(name)
  }
  return names
}
