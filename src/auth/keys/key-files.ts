/**
 * The folder DATA_DIR/keys. The one thing to know: a file in it is replaced whole or not at all, and is on the disk before it is used; a crash
 * leaves the old keys or the new ones, never a partial key.
 */
import {
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"

// Ownership of files in DATA_DIR: the owner of the directory itself. The one thing to know: commands are run by root as well, and what
// root makes for itself alone the gateway could not read at its next start.

const isRoot = process.getuid?.() === 0

/** With the folders above it up to DATA_DIR, which is there. Created folders are readable by this user only. */
export const makePrivateFolder = (dataDir: string, folder: string): void => {
  const firstMade = mkdirSync(resolve(folder), { recursive: true, mode: 0o700 })
  if (firstMade === undefined || !isRoot) return
  const { uid, gid } = statSync(dataDir)
  const stop = dirname(firstMade)
  for (let made = resolve(folder); made !== stop; made = dirname(made)) lchownSync(made, uid, gid)
}

/** `file`: a descriptor of a file that this process has made; a path may refer to another file by now. */
export const giveToOwner = (dataDir: string, file: number): void => {
  if (!isRoot) return
  const { uid, gid } = statSync(dataDir)
  fchownSync(file, uid, gid)
}

export const ENCRYPTION_FILE = "encryption.keys"
export const SIGNING_FILE = "signing.pem"
export const CURSOR_FILE = "cursor.key"
/** When these keys first had a database: their next start expects one that is not empty. */
export const DATABASE_FILE = "database"
/** One file for each key that signed before the present one. */
export const PREVIOUS_FOLDER = "signing"

export interface KeyFiles {
  /** Null: there is none. */
  readonly read: (name: string) => string | null
  readonly replace: (name: string, text: string) => void
  readonly remove: (name: string) => void
  /** Names in a folder of the folder. */
  readonly list: (folder: string) => ReadonlyArray<string>
  /** Another text as soon as any file is another one. */
  readonly stamp: () => string
}

const syncFolder = (path: string): void => {
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

export const keyFiles = (dataDir: string): KeyFiles => {
  const folder = join(dataDir, "keys")
  const list = (name: string): ReadonlyArray<string> => {
    const path = join(folder, name)
    return existsSync(path) ? readdirSync(path).filter((file) => /\.(pem|keys|key)$/.test(file)) : []
  }
  return {
    list,
    read: (name) => {
      const path = join(folder, name)
      return existsSync(path) ? readFileSync(path, "utf8").trim() : null
    },
    replace: (name, text) => {
      const path = join(folder, name)
      // Only the keys are private: the database's own user must be able to pass through the folder above.
      mkdirSync(dataDir, { recursive: true, mode: 0o755 })
      makePrivateFolder(dataDir, dirname(path))
      const fresh = `${path}.${process.pid}`
      // Of a process that had this number before. Then made anew: root must not write through a link placed there by another user.
      rmSync(fresh, { force: true })
      const file = openSync(fresh, "wx", 0o600)
      try {
        giveToOwner(dataDir, file)
        writeSync(file, text)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(fresh, path)
      syncFolder(dirname(path))
    },
    remove: (name) => rmSync(join(folder, name), { force: true }),
    stamp: () =>
      [...list(""), ...list(PREVIOUS_FOLDER).map((name) => join(PREVIOUS_FOLDER, name))]
        .map((name) => {
          // Gone since it was listed: another stamp, too.
          const seen = statSync(join(folder, name), { throwIfNoEntry: false })
          return `${name} ${seen?.ino} ${seen?.mtimeMs} ${seen?.size}`
        })
        .join("\n"),
  }
}
