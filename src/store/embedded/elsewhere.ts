// The two notes that keep a DATA_DIR and a database outside of it together, however either is renamed: `DATA_DIR/postgres/elsewhere` names the
// database's folder, and `data-dir` in that folder names whose it is. Written once the database is there, so that none is missed that never was.
import * as fs from "node:fs"
import * as path from "node:path"
import { unavailable } from "./unavailable.ts"

const ELSEWHERE = "elsewhere"
const OWNER = "data-dir"

/** Symbolic links aside. */
const real = (directory: string): string => (fs.existsSync(directory) ? fs.realpathSync(directory) : directory)

const read = (file: string): string | null => (fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : null)

const write = (file: string, text: string): void => {
  if (read(file) === text) return
  fs.writeFileSync(`${file}.${process.pid}`, `${text}\n`)
  fs.renameSync(`${file}.${process.pid}`, file)
}

/** `preferred`: where the database would be if its account could go there. */
export const noteElsewhere = (preferred: string, directory: string): void => {
  if (preferred === directory) return
  // In this order: where the second is there, the first was.
  write(path.join(preferred, ELSEWHERE), directory)
  write(path.join(directory, OWNER), preferred)
}

/** Whether the database is that of a directory which had this name, and the note in that directory is gone, or went with it. */
export const isForsaken = (preferred: string, directory: string): boolean =>
  read(path.join(directory, OWNER)) === preferred

/** Whose the database is beside `preferred`: null when it is nobody else's, such as a directory's that has been renamed. */
export const otherOwner = (preferred: string, directory: string): string | null => {
  const owner = read(path.join(directory, OWNER))
  if (owner === null || real(owner) === real(preferred)) return null
  return read(path.join(owner, ELSEWHERE)) === directory ? owner : null
}

/** Where the database of this DATA_DIR is, as noted; null: in its place, or nowhere yet. Throws when it is gone, or another directory's. */
export const notedElsewhere = (preferred: string): string | null => {
  const note = path.join(preferred, ELSEWHERE)
  const directory = read(note)
  if (directory === null) return null
  if (!fs.existsSync(path.join(directory, "cluster")))
    throw unavailable(
      `the database of ${preferred} was in ${directory} (${note} says so) and is not there: restore it, or remove ${note} to start with an empty one`,
    )
  if (fs.existsSync(path.join(preferred, "cluster")))
    throw unavailable(
      `there are two databases of ${preferred}, one in it and one in ${directory}: remove ${note} to use the one in it, or move that away`,
    )
  const owner = otherOwner(preferred, directory)
  if (owner !== null)
    throw unavailable(
      `${directory} is the database of ${owner}, of which ${preferred} seems to be a copy: start from ${path.dirname(owner)}, or remove ${note} to start with an empty database`,
    )
  return directory
}
