/**
 * The installation's keys: from the environment, or generated once into `DATA_DIR/keys` (files 0600, folder 0700). Losing the
 * encryption keys loses the stored exchange credentials: they belong into the backup, apart from the database's.
 */
import type { Settings } from "../../config.ts"
import { InvalidSetting } from "../../settings/environment.ts"
import { type EncryptionKeys, newEncryptionKey, parseEncryptionKeys } from "./encryption-keys.ts"
import { CURSOR_FILE, ENCRYPTION_FILE, type KeyFiles, keyFiles, PREVIOUS_FOLDER, SIGNING_FILE } from "./key-files.ts"
import { type DerivedKeys, derivedKeys, newRootKeys, parseRootKeys, type RootKeys } from "./root-keys.ts"
import {
  newSigningKey,
  type PreviousKey,
  parsePreviousKeys,
  parseSigningKey,
  type SigningKey,
  type SigningKeys,
} from "./signing-keys.ts"

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

export type KeySettings = Pick<Settings, "dataDir" | "signingKey" | "signingKeysPrevious" | "encryptionKeys">

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
  const roots = parseRootKeys(
    text(CURSOR_FILE, () => newRootKeys(Date.now())),
    `keys/${CURSOR_FILE}`,
  )
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
