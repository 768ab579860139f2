/**
 * The certificate to serve and its key, read from their files and validated before use. The one thing to know: the text read here is validated,
 * and uWebSockets reads the files again itself; `fingerprint` tells whether both read the same.
 */
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import { readFileSync, statSync } from "node:fs"

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
}

export interface Certificate {
  readonly serialNumber: string
  /** In ms since the Unix epoch. */
  readonly validFromAt: number
  readonly expiresAt: number
  /** Of the text of both files. */
  readonly fingerprint: string
}

/** The pair cannot be served. One line, for the operator. */
export class CertificateRefused extends Error {
  override readonly name = "CertificateRefused"
}

/** Real chains are far smaller; a path to a device given by mistake must not hang the process. */
const FILE_BYTES_MAX = 1_048_576

const read = (setting: string, file: string): string => {
  const refused = (why: string): CertificateRefused => new CertificateRefused(`${setting}: ${file} ${why}`)
  try {
    const { size } = statSync(file).isFile() ? statSync(file) : { size: Number.POSITIVE_INFINITY }
    if (size > FILE_BYTES_MAX) throw refused("is not a certificate or key file")
    return readFileSync(file, "utf8")
  } catch (error) {
    if (error instanceof CertificateRefused) throw error
    throw refused("cannot be read")
  }
}

const parsed = <A>(setting: string, what: string, parse: () => A): A => {
  try {
    return parse()
  } catch {
    throw new CertificateRefused(`${setting}: ${what}`)
  }
}

/** Readable, PEM, and the key is the certificate's; throws CertificateRefused. Dates are `dateFault`'s. */
export const readCertificate = ({ certFile, keyFile }: CertificateFiles): Certificate => {
  const chain = read("TLS_CERT_FILE", certFile)
  const keyText = read("TLS_KEY_FILE", keyFile)
  const certificate = parsed("TLS_CERT_FILE", "not a certificate in PEM", () => {
    if (!chain.includes("-----BEGIN ")) throw new TypeError("DER")
    return new X509Certificate(chain)
  })
  const key = parsed(
    "TLS_KEY_FILE",
    "not a private key in PEM without a passphrase",
    (): KeyObject => createPrivateKey(keyText),
  )
  if (!certificate.checkPrivateKey(key))
    throw new CertificateRefused("TLS_KEY_FILE: the key is not that of the certificate in TLS_CERT_FILE")
  return {
    serialNumber: certificate.serialNumber,
    validFromAt: Date.parse(certificate.validFrom),
    expiresAt: Date.parse(certificate.validTo),
    fingerprint: createHash("sha256").update(chain).update("\0").update(keyText).digest("hex"),
  }
}

/** Below this remaining time a warning is due: it was not renewed. */
export const EXPIRES_SOON_MILLIS = 14 * 24 * 3_600_000

/** Why clients would refuse it now; undefined when they would not. */
export const dateFault = ({ validFromAt, expiresAt }: Certificate, now: number): string | undefined => {
  if (expiresAt <= now) return `the certificate expired on ${new Date(expiresAt).toISOString()}`
  return validFromAt > now ? `the certificate is not valid before ${new Date(validFromAt).toISOString()}` : undefined
}
