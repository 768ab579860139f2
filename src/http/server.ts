/**
 * The uWebSockets app: TLS, transport policy, listening. HTTP routes are put on it by `mount`, the socket by `ws/server`; nobody
 * else touches it.
 */

import {
  App,
  SSLApp,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  type us_socket,
  us_socket_local_port,
} from "uWebSockets.js"
import { accessSync, constants } from "node:fs"
import { Effect } from "effect"
import { type TransportPolicy, TransportRefused, type TransportSettings, transportPolicy } from "./transport.ts"

export interface ListenSettings extends TransportSettings {
  /** 0 takes a free port. */
  readonly port: number
}

/** Another process listens there already. */
export class PortTaken extends Error {
  override readonly name = "PortTaken"
}

export interface HttpServer {
  /** For `mount` and for the socket's route; give every route before `listen`. */
  readonly app: TemplatedApp
  readonly transport: TransportPolicy
  /** The address as clients write it, for example `http://127.0.0.1:8080`. Fails with PortTaken. */
  readonly listen: Effect.Effect<ListeningServer, PortTaken>
  /** Ends every connection and stops listening. Repeatable. */
  readonly close: () => void
}

export interface ListeningServer {
  readonly port: number
  /** `http://…` or `https://…` */
  readonly http: string
  /** `ws://…/connection/websocket` or `wss://…` */
  readonly ws: string
  /** Takes no new connections; those that are open go on. Repeatable. */
  readonly stopAccepting: () => void
}

/** ECDHE with AEAD only; TLS below 1.2 is refused by the library itself (security, A.4). */
const CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":")

/** LIBUS_LISTEN_EXCLUSIVE_PORT: without it a second gateway shares the port by SO_REUSEPORT and takes half of the connections. */
const EXCLUSIVE = 1

/** The four-argument form works and is undocumented in the types. */
interface ExclusiveListen {
  listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): unknown
}

const secureApp = (files: { readonly certFile: string; readonly keyFile: string }): TemplatedApp => {
  for (const [name, file] of [
    ["TLS_CERT_FILE", files.certFile],
    ["TLS_KEY_FILE", files.keyFile],
  ] as const) {
    try {
      accessSync(file, constants.R_OK)
    } catch {
      throw new TransportRefused(`${name}: ${file} cannot be read`)
    }
  }
  const app = SSLApp({ cert_file_name: files.certFile, key_file_name: files.keyFile, ssl_ciphers: CIPHERS })
  // The library answers a key that does not fit with an app that has no functions.
  if (typeof app.listen !== "function")
    throw new TransportRefused("TLS_CERT_FILE and TLS_KEY_FILE: not a certificate and its key in PEM")
  return app
}

/** Throws TransportRefused when the settings are unsafe or the certificate cannot be used. */
export const makeServer = (settings: ListenSettings): HttpServer => {
  const transport = transportPolicy(settings)
  let app: TemplatedApp
  try {
    app = settings.tls === null ? App() : secureApp(settings.tls)
  } catch (error) {
    if (error instanceof TransportRefused) throw error
    throw new TransportRefused("TLS_CERT_FILE and TLS_KEY_FILE: not a certificate and its key in PEM")
  }
  const { host } = settings
  const listen = Effect.async<ListeningServer, PortTaken>((resume) => {
    const exclusive = app as unknown as ExclusiveListen
    exclusive.listen(host, settings.port, EXCLUSIVE, (socket) => {
      if (socket === false) {
        const reason = `${host}:${settings.port} is taken, or is no address of this machine: set HOST and PORT`
        return resume(Effect.fail(new PortTaken(reason)))
      }
      let accepting = true
      // The type wants a connected socket; the function is the documented way for a listening one.
      const port = us_socket_local_port(socket as us_socket)
      const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`
      const secure = settings.tls === null ? "" : "s"
      resume(
        Effect.succeed({
          port,
          http: `http${secure}://${authority}`,
          ws: `ws${secure}://${authority}/connection/websocket`,
          stopAccepting: () => {
            if (accepting) us_listen_socket_close(socket)
            accepting = false
          },
        }),
      )
    })
  })
  let open = true
  return {
    app,
    transport,
    listen,
    close: () => {
      if (open) app.close()
      open = false
    },
  }
}
