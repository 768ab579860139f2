/** What operators see of the certificate of the gateway's own TLS: when it ends, and whether its successor was refused. */
import type { Reading } from "../ports/meters.ts"
import { reading } from "./exposition.ts"

/** Without TLS of our own: the names, and nothing that could be taken for a finding. */
export const certificateMetrics = (figures: {
  readonly expiresAt: number | null
  readonly refused: boolean
}): ReadonlyArray<Reading> =>
  figures.expiresAt === null
    ? [reading("tls_certificate_expiry_timestamp_seconds", []), reading("tls_certificate_refused", [])]
    : [
        reading("tls_certificate_expiry_timestamp_seconds", figures.expiresAt / 1000),
        reading("tls_certificate_refused", figures.refused ? 1 : 0),
      ]
