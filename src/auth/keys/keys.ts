/**
 * The installation's keys: from the environment, or generated once into `DATA_DIR/keys` (files 0600, folder 0700). Losing the encryption keys
 * loses the stored exchange credentials: include them in the backup, apart from the database's.
 */
import { hkdfSync, randomBytes } from "node:crypto"
import type { Settings } from "../../config.ts"
import { InvalidSetting } from "../../settings/environment.ts"
import type { KeyMarks } from "../../store/postgres/node-keys.ts"
import { CURSOR_FILE, ENCRYPTION_FILE, type KeyFiles, keyFiles, PREVIOUS_FOLDER, SIGNING_FILE } from "./key-files.ts"
import {
  newSigningKey,
  type PreviousKey,
  parsePreviousKeys,
  parseSigningKey,
  type SigningKey,
  type SigningKeys,
} from "./signing-keys.ts"

// The keys that seal stored secrets, as text: `kid:base64url` of 32 bytes each, comma separated; the first encrypts, all decrypt.

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

const newEncryptionKey = (): string => `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64url")}`

const textOf = (byKid: Iterable<readonly [string, Buffer]>): string =>
  [...byKid].map(([kid, key]) => `${kid}:${key.toString("base64url")}`).join(",")

/** The new one seals from here on. */
export const withNewKey = (keys: EncryptionKeys): string => `${newEncryptionKey()},${textOf(keys.byKid)}`

export const withoutKey = (keys: EncryptionKeys, kid: string): string =>
  textOf([...keys.byKid].filter(([other]) => other !== kid))

// Keys that encrypt nothing: for cursors, fingerprints, and hashed addresses in the audit. They are derived from a ring of roots, one
// for each purpose, so that what is known of one says nothing of another. The one thing to know: the newest root makes, and all in the
// ring are known again.

interface RootKey {
  readonly kid: string
  readonly key: Buffer
  /** Wall ms. */
  readonly madeAt: number
}

/** Newest first. */
type RootKeys = readonly [RootKey, ...ReadonlyArray<RootKey>]
/** Of one purpose: the first makes. */
type DerivedKeys = readonly [Buffer, ...ReadonlyArray<Buffer>]

type Purpose = "cursor" | "fingerprint" | "audit"

/** What a file has that was made before there were rings: its key stood for every purpose itself. */
const FIRST = "first"
const BYTES = 32

/** Fingerprints are looked at again for a week; a day more. */
const KEPT_MILLIS = 8 * 86_400_000

const ONE = /^[A-Za-z0-9_-]{43}=?$/
const ENTRY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]{43}=?)(?::(\d{1,15}))?$/

/** `from`: the setting or file, for the refusal. The times are the file's own. */
export const parseRootKeys = (text: string, from: string): RootKeys => {
  if (ONE.test(text)) return [{ kid: FIRST, key: Buffer.from(text, "base64url"), madeAt: 0 }]
  const roots = text.split(",").map((entry): RootKey => {
    const m = ENTRY.exec(entry.trim())
    // An empty file would be a key that any attacker can guess.
    if (m === null) throw new InvalidSetting(`${from} must be kid:base64url of 32 bytes, comma separated`)
    return { kid: m[1]!, key: Buffer.from(m[2]!, "base64url"), madeAt: Number(m[3] ?? 0) }
  })
  return roots as unknown as RootKeys
}

const textOfRoots = (roots: ReadonlyArray<RootKey>): string =>
  roots.map(({ kid, key, madeAt }) => `${kid}:${key.toString("base64url")}:${madeAt}`).join(",")

const newRoot = (now: number): RootKey => ({
  kid: `c${randomBytes(4).toString("hex")}`,
  key: randomBytes(BYTES),
  madeAt: now,
})

const newRootKeys = (now: number): string => textOfRoots([newRoot(now)])

/** A new one in front; of the others those that something may still need, or none. */
export const withNewRoot = (roots: RootKeys, now: number, atOnce: boolean): string => {
  // One is needed for a while after the next one took its place.
  const needed = roots.filter((_root, index) => (roots[index - 1]?.madeAt ?? now) + KEPT_MILLIS > now)
  return textOfRoots([newRoot(now), ...(atOnce ? [] : needed)])
}

export const derivedKeys = (roots: RootKeys, purpose: Purpose): DerivedKeys => {
  const derived = roots.map(({ key }) => Buffer.from(hkdfSync("sha256", key, "", `venue-gateway ${purpose}`, BYTES)))
  const plain = roots.filter(({ kid }) => kid === FIRST).map(({ key }) => key)
  return [...derived, ...plain] as unknown as DerivedKeys
}

/** Read again for every use: any of them may be another one by now. */
export interface Keys {
  readonly signing: SigningKeys
  readonly encryption: EncryptionKeys
  /** Of the three below. */
  readonly roots: RootKeys
  /** HMAC keys of pagination cursors, of fingerprints of idempotent requests, and of addresses in the audit log. */
  readonly cursors: DerivedKeys
  readonly fingerprints: DerivedKeys
  readonly addresses: DerivedKeys
}

export type KeySettings = Pick<
  Settings,
  "dataDir" | "signingKey" | "signingKeysPrevious" | "encryptionKeys" | "cursorKey"
>

const previousKeys = (settings: KeySettings, files: KeyFiles, active: SigningKey): ReadonlyArray<PreviousKey> => {
  const found = new Map<string, PreviousKey>()
  const texts = files.list(PREVIOUS_FOLDER).map((name) => `${PREVIOUS_FOLDER}/${name}`)
  for (const name of texts)
    for (const key of parsePreviousKeys(files.read(name) ?? "", `keys/${name}`)) found.set(key.kid, key)
  if (settings.signingKeysPrevious !== null)
    for (const key of parsePreviousKeys(settings.signingKeysPrevious, "SIGNING_KEYS_PREVIOUS")) found.set(key.kid, key)
  // A rotation that was interrupted leaves the key in both places.
  found.delete(active.kid)
  return [...found.values()]
}

/** As they are now. Throws InvalidSetting for a key that cannot be used. `make`: a file that is not there is written first. */
export const readKeys = (settings: KeySettings, { make }: { readonly make: boolean }): Keys => {
  const files = keyFiles(settings.dataDir)
  const text = (name: string, fresh: () => string): string => {
    const there = files.read(name)
    if (there !== null) return there
    if (!make) throw new InvalidSetting(`there is no ${name} in ${settings.dataDir}/keys`)
    files.replace(name, fresh())
    return files.read(name) ?? ""
  }
  const roots =
    settings.cursorKey === null
      ? parseRootKeys(
          text(CURSOR_FILE, () => newRootKeys(Date.now())),
          `keys/${CURSOR_FILE}`,
        )
      : parseRootKeys(settings.cursorKey, "CURSOR_KEY")
  const active = parseSigningKey(settings.signingKey ?? text(SIGNING_FILE, newSigningKey))
  return {
    signing: { active, previous: previousKeys(settings, files, active) },
    encryption: parseEncryptionKeys(settings.encryptionKeys ?? text(ENCRYPTION_FILE, newEncryptionKey)),
    roots,
    cursors: derivedKeys(roots, "cursor"),
    fingerprints: derivedKeys(roots, "fingerprint"),
    addresses: derivedKeys(roots, "audit"),
  }
}

const markOf = (key: Buffer): string =>
  Buffer.from(hkdfSync("sha256", key, "", "venue-gateway mark", 12)).toString("hex")

/** What tells the keys apart, and nothing of them. */
export const marksOf = ({ encryption, signing, roots }: Keys): KeyMarks => ({
  // Rows name the key that opens them.
  encryption: [...encryption.byKid].map(([kid, key]) => `${kid}:${markOf(key)}`),
  signing: [signing.active, ...signing.previous].map(({ kid }) => kid),
  cursor: roots.map(({ key }) => markOf(key)),
})

/** The keys in force, which change under those who hold them. */
export class KeyRing implements Keys {
  #keys: Keys

  constructor(keys: Keys) {
    this.#keys = keys
  }

  get signing(): SigningKeys {
    return this.#keys.signing
  }

  get encryption(): EncryptionKeys {
    return this.#keys.encryption
  }

  get roots(): RootKeys {
    return this.#keys.roots
  }

  get cursors(): DerivedKeys {
    return this.#keys.cursors
  }

  get fingerprints(): DerivedKeys {
    return this.#keys.fingerprints
  }

  get addresses(): DerivedKeys {
    return this.#keys.addresses
  }

  /** From here on these count. */
  take(keys: Keys): void {
    this.#keys = keys
  }
}

/** Those that the gateway begins with, made where there are none. Throws InvalidSetting. */
export const loadKeys = (settings: KeySettings): KeyRing => new KeyRing(readKeys(settings, { make: true }))
