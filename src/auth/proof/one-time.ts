/** Mailed tokens: 256 bits of randomness. Only their hash is stored, which cannot be used as a token. */
import { createHash, randomBytes } from "node:crypto"

export const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest()

export const newOneTimeToken = (): { readonly token: string; readonly tokenHash: Buffer } => {
  const token = randomBytes(32).toString("base64url")
  return { token, tokenHash: hashOf(token) }
}
