/**
 * The keys of access tokens: one signs; earlier ones still verify for as long as their last token may be valid. The one thing to know: of a
 * previous key only the public half is kept, so it can no longer sign.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { dateTime } from "../../foundation/time.ts"
import { InvalidSetting } from "../../settings/environment.ts"

export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export interface PreviousKey {
  readonly kid: string
  readonly publicKey: KeyObject
  /** Wall ms at which the next key took its place; null: believed until it is taken out of the configuration. */
  readonly retiredAt: number | null
}

export interface SigningKeys {
  readonly active: SigningKey
  readonly previous: ReadonlyArray<PreviousKey>
}

/** A public key as a member of a JWK set (RFC 8037). */
export interface SigningJwk {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  readonly x: string
  readonly kid: string
  readonly use: "sig"
  readonly alg: "EdDSA"
}

const kidOf = (publicKey: KeyObject): string =>
  createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex")
    .slice(0, 16)

export const newSigningKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString()

export const parseSigningKey = (pem: string): SigningKey => {
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(pem.replaceAll("\\n", "\n"))
  } catch {
    throw new InvalidSetting("SIGNING_KEY must be an Ed25519 private key in PKCS #8 PEM")
  }
  if (privateKey.asymmetricKeyType !== "ed25519") throw new InvalidSetting("SIGNING_KEY must be an Ed25519 key")
  const publicKey = createPublicKey(privateKey)
  return { kid: kidOf(publicKey), privateKey, publicKey }
}

const PEM_BLOCK = /-----BEGIN (PUBLIC|PRIVATE) KEY-----[^-]+-----END \1 KEY-----/g
const RETIRED = /^Signed access tokens until (\S+)$/m

/** Any number of PEM blocks; of a private one only the public half is taken. `name`: the setting or file, for the refusal. */
export const parsePreviousKeys = (text: string, name: string): ReadonlyArray<PreviousKey> => {
  const given = text.replaceAll("\\n", "\n")
  const written = RETIRED.exec(given)?.[1]
  const retiredAt = written === undefined ? null : Date.parse(written)
  const blocks = given.match(PEM_BLOCK) ?? []
  if (blocks.length === 0 || Number.isNaN(retiredAt))
    throw new InvalidSetting(`${name} must be Ed25519 public keys in PEM, one after the other`)
  return blocks.map((block) => {
    let publicKey: KeyObject
    try {
      publicKey = createPublicKey(block)
    } catch {
      throw new InvalidSetting(`${name} must be Ed25519 public keys in PEM, one after the other`)
    }
    if (publicKey.asymmetricKeyType !== "ed25519") throw new InvalidSetting(`${name} must be Ed25519 keys`)
    return { kid: kidOf(publicKey), publicKey, retiredAt }
  })
}

/** What is kept of a key that signs no more. */
export const retiredKeyText = ({ publicKey }: SigningKey, retiredAt: number): string =>
  `Signed access tokens until ${dateTime(retiredAt)}\n${publicKey.export({ type: "spki", format: "pem" })}`

export const jwkOf = ({ kid, publicKey }: { readonly kid: string; readonly publicKey: KeyObject }): SigningJwk => {
  const { x } = publicKey.export({ format: "jwk" }) as { readonly x: string }
  return { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" }
}
