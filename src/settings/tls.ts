/** Settings of the gateway's own TLS: the certificate files, and the port that refuses plain HTTP. */
import { type Environment, InvalidSetting, integer, text } from "./environment.ts"

export interface TlsSettings {
  readonly certFile: string
  readonly keyFile: string
  /** Every request on this port is refused with TlsRequired; 0 takes a free port, null: there is none. */
  readonly plainHttpPort: number | null
}

/** Null: TLS is a proxy's, or nobody's. */
export const tls = (env: Environment): TlsSettings | null => {
  const certFile = text(env, "TLS_CERT_FILE")
  const keyFile = text(env, "TLS_KEY_FILE")
  if ((certFile === null) !== (keyFile === null))
    throw new InvalidSetting("TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither")
  const plainHttpPort = text(env, "PLAIN_HTTP_PORT") === null ? null : integer(env, "PLAIN_HTTP_PORT", 0, 0, 65_535)
  if (certFile !== null && keyFile !== null) return { certFile, keyFile, plainHttpPort }
  if (plainHttpPort !== null)
    throw new InvalidSetting("PLAIN_HTTP_PORT refuses plain HTTP beside HTTPS: it goes with TLS_CERT_FILE")
  return null
}
