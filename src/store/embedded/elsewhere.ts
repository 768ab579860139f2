// The two notes that keep a DATA_DIR and a database outside of it together, however either is renamed: `DATA_DIR/postgres/elsewhere` names the
// database's folder, and `data-dir` in that folder names whose it is. Written once the database is there, so that none is missed that never was.
import * as fs from "node:fs"
import * as path from "node:path"
import { unavailable } from "./unavailable.ts"

const ELSEWHERE = "elsewhere"
const OWNER = "data-dir"

const read = (file: string): string | null => (fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : null)

const write = (file: string, text: string): void => {
  if (read(file) === text) return
  fs.writeFileSync(`${file}.${process.pid}`, `${text}\n`)
  fs.renameSync(`${file}.${process.pid}`, file)
}

/** `preferred`: where the database would be if its account could go there. */
export const noteElsewhere = (preferred: string, directory: string): void => {
  if (preferred === directory) return
  write(path.join(directory, OWNER), preferred)
  write(path.join(preferred, ELSEWHERE), directory)
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
  const owner = read(path.join(directory, OWNER))
  // The directory was renamed when the one that the database knows is gone; it was copied when that one still says that this is its database.
  if (owner !== null && owner !== preferred && read(path.join(owner, ELSEWHERE)) === directory)
    throw unavailable(
      `${directory} is the database of ${owner}, of which ${preferred} seems to be a copy: start from ${path.dirname(owner)}, or remove ${note} to start with an empty database`,
    )
  return directory
}
