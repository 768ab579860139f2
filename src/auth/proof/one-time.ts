/** Tokens that are mailed: 256 bits of randomness. What is stored is only their hash, which opens nothing. */
import { createHash, randomBytes } from "node:crypto"

export const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest()

export const newOneTimeToken = (): { readonly token: string; readonly tokenHash: Buffer } => {
  const token = randomBytes(32).toString("base64url")
  return { token, tokenHash: hashOf(token) }
}
