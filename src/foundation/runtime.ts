/**
 * The first import of every program. On a Node that uWebSockets.js has no binary for, its package fails with a stack that names no way out:
 * here the process ends with one line that does, before any other module is run.
 */

/** The lines that have a binary, with the first minor version of each that all packages take (`engines`). */
const LINES: ReadonlyMap<number, number> = new Map([
  [20, 19],
  [22, 13],
])

/** What to say on a version of Node that the gateway does not run on; null for the others. */
export const runtimeRefusal = (version: string): string | null => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (minor >= (LINES.get(major) ?? Number.POSITIVE_INFINITY)) return null
  const lines = [...LINES].map(([line, first]) => `${line} (from ${line}.${first})`).join(" or ")
  return `Node ${version} cannot run the gateway, Node ${lines} can: run \`npm ci --include=optional && npm start\` (a Node that can is among the optional packages), or node_modules/.bin/node in the place of node`
}

const refusal = runtimeRefusal(process.versions.node)
if (refusal !== null) {
  process.stderr.write(`venue-gateway: ${refusal}\n`)
  process.exit(1)
}
