/** Vitest's globalSetup: dist/, which the gateways of the tests run in CI (test/kit/gateway.ts). */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url))

export const setup = (): void => {
  if (process.env["CI"] === undefined) return
  const run = spawnSync(process.execPath, [script], { encoding: "utf8" })
  if (run.status !== 0) throw new Error(run.stderr.trim())
}
