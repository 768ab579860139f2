/**
 * The installation's keys: from the environment, or generated once into `DATA_DIR/keys` (files 0600, folder 0700). Losing the
 * encryption key loses the stored exchange credentials: it belongs into the backup, apart from the database's.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from "node:crypto"
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Settings } from "../config.ts"
import { InvalidSetting } from "../settings/environment.ts"

export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export interface EncryptionKeys {
  /** The one new secrets are encrypted with. */
  readonly activeKid: string
  readonly byKid: ReadonlyMap<string, Buffer>
}

export interface Keys {
  readonly signing: SigningKey
  readonly encryption: EncryptionKeys
  /** HMAC key of pagination cursors. */
  readonly cursor: Buffer
}

/** Reads the text of a key file, writing it first if there is none. A crash leaves the old state or the new one, never half a key. */
const keyFile = (folder: string, name: string, make: () => string): string => {
  const path = join(folder, name)
  if (!existsSync(path)) {
    // Only the keys are private: the database's own user must be able to pass through the folder above.
    mkdirSync(dirname(folder), { recursive: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const fresh = `${path}.${process.pid}`
    const file = openSync(fresh, "w", 0o600)
    writeSync(file, make())
    fsyncSync(file)
    closeSync(file)
    renameSync(fresh, path)
  }
  return readFileSync(path, "utf8").trim()
}

const signingKey = (pem: string): SigningKey => {
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(pem.replaceAll("\\n", "\n"))
  } catch {
    throw new InvalidSetting("SIGNING_KEY must be an Ed25519 private key in PKCS #8 PEM")
  }
  if (privateKey.asymmetricKeyType !== "ed25519") throw new InvalidSetting("SIGNING_KEY must be an Ed25519 key")
  const publicKey = createPublicKey(privateKey)
  const kid = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex")
    .slice(0, 16)
  return { kid, privateKey, publicKey }
}

const encryptionKeys = (text: string): EncryptionKeys => {
  const byKid = new Map<string, Buffer>()
  for (const entry of text.split(",")) {
    const m = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]{43}=?)$/.exec(entry.trim())
    if (m === null) throw new InvalidSetting("ENCRYPTION_KEYS must be kid:base64url-of-32-bytes, comma separated")
    byKid.set(m[1]!, Buffer.from(m[2]!, "base64url"))
  }
  const activeKid = byKid.keys().next().value
  if (activeKid === undefined) throw new InvalidSetting("ENCRYPTION_KEYS names no key")
  return { activeKid, byKid }
}

/** Throws InvalidSetting for a key that cannot be used. */
export const loadKeys = (settings: Settings): Keys => {
  const folder = join(settings.dataDir, "keys")
  return {
    signing: signingKey(
      settings.signingKey ??
        keyFile(folder, "signing.pem", () =>
          generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        ),
    ),
    encryption: encryptionKeys(
      settings.encryptionKeys ??
        keyFile(
          folder,
          "encryption.keys",
          () => `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64url")}`,
        ),
    ),
    cursor: Buffer.from(
      keyFile(folder, "cursor.key", () => randomBytes(32).toString("base64url")),
      "base64url",
    ),
  }
}
