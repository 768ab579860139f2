/** The gateway's own TLS: the certificate at run time, and PLAIN_HTTP_PORT, the port that refuses unencrypted requests. */
import { Effect } from "effect"
import type { Audit } from "../auth/audit-log.ts"
import { type Certificate, CertificateRefused, dateFault, EXPIRES_SOON_MILLIS } from "../http/edge/certificate.ts"
import { refusePlain } from "../http/edge/plain-refusal.ts"
import { type HttpServer, makePlainServer } from "../http/edge/server.ts"
import type { AccessLog } from "../http/watch/request-log.ts"
import type { RequestWatch } from "../http/watch/request-watch.ts"
import { Clock } from "../ports/clock.ts"
import { describe, type GatewayOptions } from "./options.ts"

// The certificate while the gateway runs: SIGHUP takes what is in its files, and operators see when it ends. The one thing to know: SIGHUP is
// heard from the first moment of the process (early-signals.ts), whatever serves TLS, because unheard it would end it.

export interface CertificateFigures {
  /** Ms since the Unix epoch; null: TLS is not ours. */
  readonly expiresAt: number | null
  /** What was in the files at the last SIGHUP could not be taken: the one before is shown. */
  readonly refused: boolean
}

interface KeptCertificate {
  /** Never throws. */
  readonly renew: () => void
  readonly figures: () => CertificateFigures
}

const ORIGIN = { ip: "local", userAgent: null, requestId: "" }

const wordsOf = ({ serialNumber, expiresAt }: Certificate): string =>
  `serial ${serialNumber}, until ${new Date(expiresAt).toISOString()}`

export const keepCertificate = ({ notice }: GatewayOptions, server: HttpServer, audit: Pick<Audit, "write">) =>
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

/** PLAIN_HTTP_PORT: beside a port of HTTPS, one that refuses clients without it. */
export const plainPort = (
  { settings, notice }: GatewayOptions,
  log: AccessLog | null,
  watch: RequestWatch,
  requestId: () => string,
) =>
  Effect.gen(function* () {
    const port = settings.tls?.plainHttpPort ?? null
    if (port === null) return
    const { now, monotonic } = yield* Clock
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => makePlainServer(settings.host, port)),
      (it) => Effect.sync(it.close),
    )
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        refusePlain(server.app, {
          requestId,
          now,
          monotonic,
          log,
          watch,
          onDefect: ({ what = "a request failed", error }) => notice(what, { error: describe(error) }, "error"),
        }),
      ),
      (it) => Effect.sync(it.close),
    )
    notice("plain HTTP is refused", { url: yield* server.listen }, "info")
  })
