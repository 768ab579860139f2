/** Vitest's globalSetup: makes what src/ws imports of proto/, before any test file is loaded. */
import "../../src/foundation/runtime.ts"

import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../../scripts/proto.mjs", import.meta.url))

export const setup = (): void => {
  const run = spawnSync(process.execPath, [script], { encoding: "utf8" })
  if (run.status !== 0) throw new Error(run.stderr.trim())
}
