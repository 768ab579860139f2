/** The certificate before it is served: what of its files is refused and why, and what operators are told of one that ends. */

import { X509Certificate } from "node:crypto"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { AuditRow } from "../../src/auth/audit-log.ts"
import type { GatewayOptions } from "../../src/composition/options.ts"
import { keepCertificate } from "../../src/composition/tls.ts"
import { dateFault, readCertificate } from "../../src/http/edge/certificate.ts"
import { makeServer } from "../../src/http/edge/server.ts"
import { Clock } from "../../src/ports/clock.ts"
import { type CertificateFiles, certificateFiles, EXPIRED, FIRST, SECOND } from "../kit/servers/http-certificate.ts"

let files: CertificateFiles
beforeEach(() => {
  files = certificateFiles()
})
afterEach(() => files.remove())

const DAY = 86_400_000
const endOf = (certificate: string): number => Date.parse(new X509Certificate(certificate).validTo)

describe("a certificate", () => {
  it("is known by its serial number and its dates, and by the text of both files", () => {
    const first = readCertificate(files)
    const { serialNumber, validTo } = new X509Certificate(FIRST.certificate)
    expect(first).toMatchObject({ serialNumber, expiresAt: Date.parse(validTo) })
    writeFileSync(files.certFile, `${FIRST.certificate}${SECOND.certificate}`)
    const chained = readCertificate(files)
    expect(chained.serialNumber).toBe(serialNumber)
    expect(chained.fingerprint).not.toBe(first.fingerprint)
    expect(JSON.stringify(first)).not.toContain("PRIVATE")
  })

  it("is refused in one line that names the setting, and nothing of a key", () => {
    const refusal = (spoil: () => void): string => {
      files.write(FIRST)
      spoil()
      try {
        readCertificate(files)
        return "taken"
      } catch (error) {
        return String(error)
      }
    }
    expect(refusal(() => rmSync(files.certFile))).toMatch(/TLS_CERT_FILE: .* cannot be read$/)
    expect(refusal(() => files.write(SECOND))).toBe("taken")
    expect(refusal(() => writeFileSync(files.keyFile, SECOND.key))).toMatch(/TLS_KEY_FILE: the key is not that of/)
    expect(refusal(() => writeFileSync(files.certFile, new X509Certificate(FIRST.certificate).raw))).toMatch(/in PEM$/)
    expect(refusal(() => writeFileSync(files.keyFile, FIRST.key.slice(0, 90)))).toMatch(
      /TLS_KEY_FILE: not a private key/,
    )
    expect(refusal(() => writeFileSync(files.keyFile, "x".repeat(2_000_000)))).toMatch(
      /is not a certificate or key file/,
    )
    const folder = (): void => {
      rmSync(files.keyFile)
      mkdirSync(files.keyFile)
    }
    expect(refusal(folder)).toMatch(/TLS_KEY_FILE: .* is not a certificate or key file$/)
    rmSync(files.keyFile, { recursive: true })
  })

  it("is at fault before its first and after its last moment", () => {
    const certificate = readCertificate(files)
    expect(dateFault(certificate, certificate.validFromAt)).toBeUndefined()
    expect(dateFault(certificate, certificate.validFromAt - 1)).toContain("not valid before")
    expect(dateFault(certificate, certificate.expiresAt)).toContain("expired on")
  })
})

describe("the operator", () => {
  const keepAt = (now: number) => {
    const said: Array<string> = []
    const rows: Array<AuditRow> = []
    const server = makeServer({ host: "127.0.0.1", port: 0, production: true, tls: files, trustProxy: [] })
    const options = { notice: (what: string) => said.push(what) } as unknown as GatewayOptions
    const audit = { write: (row: AuditRow) => rows.push(row), act: () => Effect.die("not here") } as never
    const clock = { now: () => now, monotonic: () => 0 } as Clock["Type"]
    const kept = Effect.runSync(keepCertificate(options, server, audit).pipe(Effect.provideService(Clock, clock)))
    return { said, rows, kept, server }
  }

  it("is told at the start that the certificate ends within 14 days, or is over: it is served all the same", () => {
    const end = endOf(FIRST.certificate)
    expect(keepAt(end - 15 * DAY).said).toEqual([])
    expect(keepAt(end - 13 * DAY).said).toEqual(["the certificate expires soon"])
    files.write(EXPIRED)
    const { said, kept } = keepAt(end)
    expect(said).toEqual(["clients will refuse the certificate"])
    expect(kept.figures()).toEqual({ expiresAt: endOf(EXPIRED.certificate), refused: false })
  })

  it("has the line and the row of each renewal, and of each that was refused", () => {
    const { said, rows, kept, server } = keepAt(Date.now())
    files.write({ certificate: SECOND.certificate, key: FIRST.key })
    kept.renew()
    expect(kept.figures()).toEqual({ expiresAt: endOf(FIRST.certificate), refused: true })
    files.write(SECOND)
    kept.renew()
    expect(kept.figures()).toEqual({ expiresAt: endOf(SECOND.certificate), refused: false })
    kept.renew()
    server.close()
    kept.renew()
    expect(said).toEqual([
      "certificate renewal rejected: the previous one is still served, a restart would fail",
      "the certificate was renewed",
      "the certificate files are unchanged",
      "SIGHUP ignored: this process serves no certificate",
    ])
    expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      "certificate.taken CertificateRefused",
      "certificate.taken ok",
    ])
  })
})
