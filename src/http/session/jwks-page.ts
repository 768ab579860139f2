/** `/.well-known/jwks.json`: the public keys of access tokens as libraries want them, a bare JWK set without our envelope. */
import type { SigningJwk } from "../../auth/keys/signing-keys.ts"
import type { StaticPage } from "../edge/mount.ts"

/** Short, so that a key that was taken away is believed nowhere for long. */
export const JWKS_CACHED = { "Cache-Control": "public, max-age=300" } as const

export const jwksPage = (jwks: () => ReadonlyArray<SigningJwk>): StaticPage => ({
  path: "/.well-known/jwks.json",
  contentType: "application/jwk-set+json",
  headers: JWKS_CACHED,
  /** Of the moment: keys change under a running gateway. */
  get body() {
    return Buffer.from(JSON.stringify({ keys: jwks() }))
  },
})
