/** Codes of authenticator apps: TOTP (RFC 6238) with SHA-1, six digits and steps of 30 s, which is what all of them take. */
import { Secret, TOTP } from "otpauth"

const STEP_MILLIS = 30_000
const SECRET_BYTES = 20
const SHAPE = /^\d{6}$/

const totpOf = (secret: Buffer, label = ""): TOTP =>
  new TOTP({
    issuer: "Venue Gateway",
    label,
    algorithm: "SHA1",
    digits: 6,
    period: STEP_MILLIS / 1000,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  })

export const newSecret = (): Buffer => Buffer.from(new Secret({ size: SECRET_BYTES }).bytes)

/** What the user's app is told: to be typed, and to be shown as a QR code. */
export const enrolmentOf = (secret: Buffer, email: string): { readonly secret: string; readonly uri: string } => {
  const totp = totpOf(secret, email)
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** Of which step this is the code, of the running one and the one before it; null: of neither. */
export const stepOf = (secret: Buffer, code: string, nowMillis: number): number | null => {
  if (!SHAPE.test(code)) return null
  const totp = totpOf(secret)
  for (const timestamp of [nowMillis, nowMillis - STEP_MILLIS])
    if (totp.validate({ token: code, timestamp, window: 0 }) === 0) return Math.floor(timestamp / STEP_MILLIS)
  return null
}
