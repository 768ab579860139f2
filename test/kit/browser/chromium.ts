/**
 * A real Chromium for tests of the console: the machine's own, driven by playwright-core, which downloads none. The one thing to know: where
 * there is none the tests are skipped and say so; in continuous integration a machine that can have one has it (.ci/run).
 */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { type Browser, chromium } from "playwright-core"

const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Undefined: there is none on the PATH. */
export const chromiumPath: string | undefined = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find(isProgram)

export const WITHOUT_CHROMIUM = "no Chromium on the PATH: apt-get install chromium"

/** Headless; without a sandbox of its own, since containers run it as root. */
export const launchChromium = (): Promise<Browser> => {
  if (chromiumPath === undefined) throw new Error(WITHOUT_CHROMIUM)
  return chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
}
