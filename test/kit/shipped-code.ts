/**
 * Vitest's globalSetup: dist/, which the gateways of the tests run, and its bundle (test/kit/servers/gateway.ts): they start in a third of the time
 * of the sources, and are what users have. Not while vitest watches: then the sources change after this.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { bundleGateway } from "./bundled-code.ts"

const script = fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url))

export const setup = async ({ vitest }: TestProject): Promise<void> => {
  if (vitest.config.watch) return
  const run = spawnSync(process.execPath, [script], { encoding: "utf8" })
  if (run.status !== 0) throw new Error(run.stderr.trim())
  process.env["TEST_BUNDLE"] = await bundleGateway()
}
