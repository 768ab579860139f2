/**
 * The certificate while the gateway runs: SIGHUP takes what is in its files, and operators see when it ends. The one thing to know: SIGHUP is
 * heard from the first moment of the process (early-signals.ts), whatever serves TLS, because unheard it would end it.
 */
import { Effect } from "effect"
import type { Audit } from "../auth/audit-log.ts"
import { type Certificate, CertificateRefused, dateFault, EXPIRES_SOON_MILLIS } from "../http/edge/certificate.ts"
import type { HttpServer } from "../http/edge/server.ts"
import { Clock } from "../ports/clock.ts"
import { describe, type GatewayOptions } from "./options.ts"

export interface CertificateFigures {
  /** Ms since the Unix epoch; null: TLS is not ours. */
  readonly expiresAt: number | null
  /** What was in the files at the last SIGHUP could not be taken: the one before is shown. */
  readonly refused: boolean
}

export interface KeptCertificate {
  /** Never throws. */
  readonly renew: () => void
  readonly figures: () => CertificateFigures
}

const ORIGIN = { ip: "local", userAgent: null, requestId: "" }

const wordsOf = ({ serialNumber, expiresAt }: Certificate): string =>
  `serial ${serialNumber}, until ${new Date(expiresAt).toISOString()}`

export const keepCertificate = ({ notice }: GatewayOptions, server: HttpServer, audit: Audit) =>
  Effect.map(Clock, ({ now }): KeptCertificate => {
    let refused = false
    const first = server.certificate()
    const fault = first === null ? undefined : dateFault(first, now())
    // Served all the same: whether a client goes on is the client's to say, and orders must not wait for a date.
    if (fault !== undefined) notice("clients will refuse the certificate", { reason: fault }, "error")
    else if (first !== null && first.expiresAt - now() < EXPIRES_SOON_MILLIS)
      notice("the certificate expires soon", { certificate: wordsOf(first) })

    const take = (): void => {
      const renewal = server.renewCertificate(now())
      refused = false
      const certificate = server.certificate()
      if (renewal === "off" || certificate === null)
        return notice("SIGHUP ignored: this process serves no certificate", {}, "info")
      const what = wordsOf(certificate)
      if (renewal === "unchanged") return notice("the certificate files are unchanged", { what }, "info")
      notice("the certificate was renewed", { what }, "info")
      audit.write({ action: "certificate.taken", outcome: "ok", what, origin: ORIGIN })
    }
    return {
      renew: () => {
        try {
          take()
        } catch (error) {
          refused = true
          const reason = error instanceof CertificateRefused ? error.message : describe(error)
          notice(
            "certificate renewal rejected: the previous one is still served, a restart would fail",
            { reason },
            "error",
          )
          audit.write({ action: "certificate.taken", outcome: "CertificateRefused", what: reason, origin: ORIGIN })
        }
      },
      figures: () => ({ expiresAt: server.certificate()?.expiresAt ?? null, refused }),
    }
  })
