/** Uuids made of a name (RFC 9562, version 5): the same name always has the same id, in every process. */
import { createHash } from "node:crypto"

/** The namespace of this gateway's names; a constant of our own, never to be changed. */
const NAMESPACE = Buffer.from("5b7a2c0e4f0d4c5e9a633d1e8f42b6d7", "hex")

export const nameUuid = (name: string, namespace: Buffer = NAMESPACE): string => {
  const hash = createHash("sha1").update(namespace).update(name).digest()
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString("hex", 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
