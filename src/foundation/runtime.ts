/**
 * The first import of every program. On a Node for which uWebSockets.js has no binary, its package fails with a stack that suggests no remedy:
 * here the process ends with one line that does, before any other module runs.
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
  return `Node ${version} cannot run the gateway; it needs Node ${lines}: run \`npm ci --include=optional && npm start\` (the optional packages include one), or use node_modules/.bin/node instead of node`
}

const refusal = runtimeRefusal(process.versions.node)
if (refusal !== null) {
  process.stderr.write(`venue-gateway: ${refusal}\n`)
  process.exit(1)
}
