/** The keys that seal stored secrets, as text: `kid:base64url` of 32 bytes each, comma separated; the first encrypts, all decrypt. */
import { randomBytes } from "node:crypto"
import { InvalidSetting } from "../../settings/environment.ts"

export interface EncryptionKeys {
  /** The one new secrets are sealed with. */
  readonly activeKid: string
  readonly byKid: ReadonlyMap<string, Buffer>
}

export const parseEncryptionKeys = (text: string): EncryptionKeys => {
  const byKid = new Map<string, Buffer>()
  for (const entry of text.split(",")) {
    const m = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]{43}=?)$/.exec(entry.trim())
    if (m === null) throw new InvalidSetting("ENCRYPTION_KEYS must be kid:base64url-of-32-bytes, comma separated")
    if (byKid.has(m[1]!)) throw new InvalidSetting(`ENCRYPTION_KEYS names the key ${m[1]} twice`)
    byKid.set(m[1]!, Buffer.from(m[2]!, "base64url"))
  }
  const activeKid = byKid.keys().next().value
  if (activeKid === undefined) throw new InvalidSetting("ENCRYPTION_KEYS names no key")
  return { activeKid, byKid }
}

export const newEncryptionKey = (): string =>
  `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64url")}`

const textOf = (byKid: Iterable<readonly [string, Buffer]>): string =>
  [...byKid].map(([kid, key]) => `${kid}:${key.toString("base64url")}`).join(",")

/** The new one seals from here on. */
export const withNewKey = (keys: EncryptionKeys): string => `${newEncryptionKey()},${textOf(keys.byKid)}`

export const withoutKey = (keys: EncryptionKeys, kid: string): string =>
  textOf([...keys.byKid].filter(([other]) => other !== kid))
