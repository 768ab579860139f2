/**
 * The Python of this machine for the Python client: its checks and its tests. The one thing to know: packages of the system belong to the
 * system's own Python, which is not always the first one in the PATH.
 */
import { spawnSync } from "node:child_process"

const CANDIDATES = ["python3", "/usr/bin/python3"]
const OLDEST = "3, 11"

/** One that has all the modules, and is new enough; null: none here. */
export const pythonWith = (...modules: ReadonlyArray<string>): string | null => {
  const program = `import sys, ${modules.join(", ")}; sys.exit(sys.version_info < (${OLDEST}))`
  return CANDIDATES.find((python) => spawnSync(python, ["-c", program], { stdio: "ignore" }).status === 0) ?? null
}

/** What the client needs, and its checker. */
export const CLIENT_MODULES = ["httpx", "websockets"]
export const PACKAGES = "apt-get install python3-httpx python3-websockets mypy python3-setuptools python3-wheel"
