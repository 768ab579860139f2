/** What of DATA_DIR others may do more with than the gateway made it for: told at the start, and left as it is. */
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"

const GROUP_AND_OTHERS = 0o077
const WRITE_OF_OTHERS = 0o002

const modeOf = (path: string): number => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777

const octal = (mode: number): string => `0${mode.toString(8).padStart(3, "0")}`

/** A sentence for each. */
export const looseModes = (dataDir: string): ReadonlyArray<string> => {
  const keys = join(dataDir, "keys")
  // Those of the gateway: a volume may have other folders, which it may not read.
  const files = [keys, join(keys, "signing")].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  )
  const shown = [keys, ...files].flatMap((path) => {
    const mode = modeOf(path)
    return (mode & GROUP_AND_OTHERS) === 0
      ? []
      : [`${path} has mode ${octal(mode)}: others than its owner reach the keys`]
  })
  const mode = modeOf(dataDir)
  return (mode & WRITE_OF_OTHERS) === 0
    ? shown
    : [`${dataDir} has mode ${octal(mode)}: everybody may write there`, ...shown]
}
