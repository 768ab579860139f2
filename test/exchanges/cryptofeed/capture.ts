/**
 * A recorded capture of cryptofeed: what the client connected to, sent and was sent, line by line. Forms:
 * `URL <-> at` connected · `URL <- at: text` the client sent · `at: text` the server sent · `URL -> at: body` a REST answer ·
 * `configuration: {...}` what was subscribed. Times are seconds.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { readArchive } from "./archive.ts"

const FOLDER = fileURLToPath(new URL("../../../../shared/data/cryptofeed/", import.meta.url))

export interface Capture {
  /** The bodies of REST answers by URL; of several answers the first. */
  readonly answers: ReadonlyMap<string, string>
  /** What the server sent over the WebSocket, in order. */
  readonly frames: ReadonlyArray<string>
}

/** The captures stand beside the repository and are never committed. */
export const hasCaptures = existsSync(FOLDER)

export const readCapture = async (archive: string): Promise<Capture> => {
  const answers = new Map<string, string>()
  const frames: Array<string> = []
  for (const text of (await readArchive(`${FOLDER}${archive}.tar.xz`)).values()) {
    for (const line of text.split("\n")) {
      const frame = /^\d+\.\d+: (.*)$/s.exec(line)
      const answer = /^(https:\/\/\S+) -> \d+\.\d+: (.*)$/s.exec(line)
      if (frame?.[1] !== undefined) frames.push(frame[1])
      else if (answer?.[1] !== undefined && answer[2] !== undefined && !answers.has(answer[1]))
        answers.set(answer[1], answer[2])
    }
  }
  if (frames.length === 0) throw new Error(`${archive} has no recorded frame`)
  return { answers, frames }
}
