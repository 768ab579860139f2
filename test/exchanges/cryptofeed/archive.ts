/** Unpacks a `.tar.xz` archive in memory, without programs of the machine: xz by WebAssembly, tar by its 512-byte headers. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

// CommonJS whose names Node cannot see from outside.
const { XzReadableStream }: typeof import("xz-decompress") = createRequire(import.meta.url)("xz-decompress")

const BLOCK = 512
const NAME_BYTES = 100
const SIZE_AT = 124
const SIZE_BYTES = 12
const KIND_AT = 156

/** The regular files of the archive, by name. Throws when it is cut short. */
export const readArchive = async (path: string): Promise<ReadonlyMap<string, string>> => {
  const packed = new Response(await readFile(path)).body
  if (packed === null) throw new Error(`${path} is empty`)
  const tar = Buffer.from(await new Response(new XzReadableStream(packed)).arrayBuffer())
  const files = new Map<string, string>()
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const name = word(tar, at, NAME_BYTES)
    const bytes = Number.parseInt(word(tar, at + SIZE_AT, SIZE_BYTES), 8)
    const kind = word(tar, at + KIND_AT, 1)
    const begin = at + BLOCK
    if (begin + bytes > tar.length) throw new Error(`${path} ends in the middle of ${name}`)
    if (kind === "0" || kind === "") files.set(name.replace(/^\.\//, ""), tar.toString("utf8", begin, begin + bytes))
    at = begin + Math.ceil(bytes / BLOCK) * BLOCK
  }
  return files
}

/** A field ends at its first NUL or space. */
const word = (tar: Buffer, at: number, bytes: number): string =>
  tar.toString("latin1", at, at + bytes).replace(/[\0 ].*$/s, "")
