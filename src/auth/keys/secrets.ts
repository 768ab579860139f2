/**
 * Secrets at rest: AES-256-GCM under a key derived per row (HKDF-SHA256), so that nonces never run out and a ciphertext belongs to
 * one row; its additional data names table, row, owner and field, so that one moved elsewhere does not decrypt (security A.4).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import type { SealedTable } from "../../store/users/sealed-rows.ts"
import type { EncryptionKeys } from "./keys.ts"

export interface Envelope {
  readonly v: 1
  readonly alg: "A256GCM-HKDF"
  readonly kid: string
  readonly nonce: string
  readonly ct: string
  readonly tag: string
}

/** Where a secret lives; part of what is authenticated. */
export interface Place {
  readonly table: SealedTable
  readonly id: string
  readonly ownerId: string
  readonly field: string
}

/** The one sealed field of each table. */
const FIELD = {
  credential: "secret",
  session: "refresh_key",
  mail_outbox: "envelope",
  second_factor: "secret",
} as const satisfies { readonly [T in SealedTable]: string }

/** `ownerId`: the user, and of a mail its kind. */
export const placeIn = (table: SealedTable, id: string, ownerId: string): Place => ({
  table,
  id,
  ownerId,
  field: FIELD[table],
})

/** The envelope does not open: unknown key, moved row, or changed bytes. A defect for every caller but the key check at start. */
export class SecretUnreadable extends Error {
  override readonly name = "SecretUnreadable"
}

const rowKey = (key: Buffer, place: Place) =>
  Buffer.from(hkdfSync("sha256", key, Buffer.alloc(0), `${place.table}:${place.id}`, 32))

const additional = (kid: string, p: Place) =>
  Buffer.from(`v1/${kid}/${p.table}/${p.id}/${p.ownerId}/${p.field}`, "utf8")

export const seal = (keys: EncryptionKeys, place: Place, secret: Buffer): Envelope => {
  const kid = keys.activeKid
  const key = keys.byKid.get(kid)
  if (key === undefined) throw new SecretUnreadable(`no encryption key ${kid}`)
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", rowKey(key, place), nonce).setAAD(additional(kid, place))
  const ct = Buffer.concat([cipher.update(secret), cipher.final()])
  return {
    v: 1,
    alg: "A256GCM-HKDF",
    kid,
    nonce: nonce.toString("base64url"),
    ct: ct.toString("base64url"),
    tag: cipher.getAuthTag().toString("base64url"),
  }
}

export const open = (keys: EncryptionKeys, place: Place, envelope: Envelope): Buffer => {
  const key = keys.byKid.get(envelope.kid)
  if (envelope.v !== 1 || envelope.alg !== "A256GCM-HKDF" || key === undefined)
    throw new SecretUnreadable(`no key for the envelope of ${place.table} ${place.id}`)
  const nonce = Buffer.from(envelope.nonce, "base64url")
  const tag = Buffer.from(envelope.tag, "base64url")
  if (nonce.length !== 12 || tag.length !== 16) throw new SecretUnreadable(`malformed envelope of ${place.table}`)
  try {
    const cipher = createDecipheriv("aes-256-gcm", rowKey(key, place), nonce, { authTagLength: 16 })
    cipher.setAAD(additional(envelope.kid, place)).setAuthTag(tag)
    return Buffer.concat([cipher.update(Buffer.from(envelope.ct, "base64url")), cipher.final()])
  } catch {
    throw new SecretUnreadable(`the envelope of ${place.table} ${place.id} cannot be decrypted`)
  }
}
