/**
 * Ownership of files in DATA_DIR: the owner of the directory itself. The one thing to know: commands are run by root as well, and what
 * root makes for itself alone the gateway could not read at its next start.
 */
import { fchownSync, lchownSync, mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

const isRoot = process.getuid?.() === 0

/** With the folders above it up to DATA_DIR, which is there. Nobody else may look into what is made. */
export const makePrivateFolder = (dataDir: string, folder: string): void => {
  const firstMade = mkdirSync(resolve(folder), { recursive: true, mode: 0o700 })
  if (firstMade === undefined || !isRoot) return
  const { uid, gid } = statSync(dataDir)
  const stop = dirname(firstMade)
  for (let made = resolve(folder); made !== stop; made = dirname(made)) lchownSync(made, uid, gid)
}

/** `file`: a descriptor of a file that this process has made; a name might be somebody else's by now. */
export const giveToOwner = (dataDir: string, file: number): void => {
  if (!isRoot) return
  const { uid, gid } = statSync(dataDir)
  fchownSync(file, uid, gid)
}
