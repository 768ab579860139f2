/**
 * The uWebSockets app: TLS and its certificates, transport policy, listening. HTTP routes are put on it by `mount`, the socket by `ws/server`;
 * nothing else touches it. Behind it is one app of the library per certificate, because it reads a certificate once. The one thing to know: a
 * connection stays with the app that accepted it, so every app has all routes; and topics belong to an app, so a publication goes to each app
 * that has sockets.
 */
import {
  App,
  type HttpRequest,
  type HttpResponse,
  type RecognizedString,
  SSLApp,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  type us_socket,
  us_socket_local_port,
  type WebSocketBehavior,
} from "uWebSockets.js"
import { Effect } from "effect"
import {
  type Certificate,
  type CertificateFiles,
  CertificateRefused,
  dateFault,
  readCertificate,
} from "./certificate.ts"
import { type TransportPolicy, TransportRefused, type TransportSettings, transportPolicy } from "./transport.ts"

type Handler = (res: HttpResponse, req: HttpRequest) => void

/** What of an app is used by those who serve on it. */
export interface RouteApp {
  get(pattern: string, handler: Handler): unknown
  head(pattern: string, handler: Handler): unknown
  post(pattern: string, handler: Handler): unknown
  put(pattern: string, handler: Handler): unknown
  patch(pattern: string, handler: Handler): unknown
  del(pattern: string, handler: Handler): unknown
  any(pattern: string, handler: Handler): unknown
  ws<State>(pattern: string, behavior: WebSocketBehavior<State>): unknown
  publish(topic: string, message: RecognizedString, isBinary?: boolean, compress?: boolean): unknown
}

/** Of the library, missing in its types: connections that an app accepts are handed, by turns, to the apps that were added to it. */
interface Door {
  getDescriptor(): number
  addChildAppDescriptor(descriptor: number): unknown
  removeChildAppDescriptor(descriptor: number): unknown
}

interface Serving {
  readonly app: TemplatedApp
  /** Open WebSockets: without any, the app of an old certificate costs publications nothing. */
  sockets: number
}

class ServedApp implements RouteApp {
  private readonly routes: Array<(serving: Serving) => void> = []
  private readonly all: Array<Serving> = []
  private newest: TemplatedApp

  /** `listener` is the app that listens, for good; it serves as well until another one does. */
  constructor(readonly listener: TemplatedApp) {
    this.newest = listener
    this.all.push({ app: listener, sockets: 0 })
  }

  /** False: this build of the library cannot hand connections on. */
  get canHandOn(): boolean {
    const { getDescriptor, addChildAppDescriptor, removeChildAppDescriptor } = this.listener as unknown as Partial<Door>
    return [getDescriptor, addChildAppDescriptor, removeChildAppDescriptor].every((it) => typeof it === "function")
  }

  /** From here on new connections are `app`'s; open ones stay where they are. */
  handOnTo(app: TemplatedApp): void {
    const serving: Serving = { app, sockets: 0 }
    for (const put of this.routes) put(serving)
    const door = this.listener as unknown as Door
    const before = this.newest
    // Both in one turn: nothing is accepted in between, so the library never chooses among two apps or none.
    door.addChildAppDescriptor((app as unknown as Door).getDescriptor())
    if (before !== this.listener) door.removeChildAppDescriptor((before as unknown as Door).getDescriptor())
    this.all.push(serving)
    this.newest = app
  }

  /** Ends every connection. */
  close(): void {
    for (const { app } of this.all) app.close()
  }

  get(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.get(pattern, handler))
  }

  head(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.head(pattern, handler))
  }

  post(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.post(pattern, handler))
  }

  put(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.put(pattern, handler))
  }

  patch(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.patch(pattern, handler))
  }

  del(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.del(pattern, handler))
  }

  any(pattern: string, handler: Handler): void {
    this.route(({ app }) => app.any(pattern, handler))
  }

  ws<State>(pattern: string, behavior: WebSocketBehavior<State>): void {
    this.route((serving) => {
      serving.app.ws<State>(pattern, {
        ...behavior,
        open: (ws) => {
          serving.sockets++
          return behavior.open?.(ws)
        },
        close: (ws, code, message) => {
          serving.sockets--
          return behavior.close?.(ws, code, message)
        },
      })
    })
  }

  publish(topic: string, message: RecognizedString, isBinary?: boolean, compress?: boolean): void {
    for (const { app, sockets } of this.all) if (sockets > 0) app.publish(topic, message, isBinary, compress)
  }

  private route(put: (serving: Serving) => void): void {
    this.routes.push(put)
    for (const serving of this.all) put(serving)
  }
}

interface ListenSettings extends TransportSettings {
  /** 0 takes a free port. */
  readonly port: number
}

/** Another process listens there already. */
export class PortTaken extends Error {
  override readonly name = "PortTaken"
}

export interface HttpServer {
  /** For `mount` and for the socket's route; give every route before `listen`. */
  readonly app: RouteApp
  readonly transport: TransportPolicy
  /** The one that new connections are shown; null without TLS of our own. */
  readonly certificate: () => Certificate | null
  /**
   * Reads the files of the certificate again; from then on new connections are shown what is in them, and open ones go on. Throws
   * CertificateRefused, and then nothing has changed.
   */
  readonly renewCertificate: (now: number) => Renewal
  /** The address as clients write it, for example `http://127.0.0.1:8080`. Fails with PortTaken. */
  readonly listen: Effect.Effect<ListeningServer, PortTaken>
  /** Ends every connection and stops listening. Repeatable. */
  readonly close: () => void
}

/** `off`: there is no TLS of our own, or the server is closed. */
type Renewal = "renewed" | "unchanged" | "off"

export interface ListeningServer {
  readonly port: number
  /** `http://…` or `https://…` */
  readonly http: string
  /** `ws://…/connection/websocket` or `wss://…` */
  readonly ws: string
  /** Takes no new connections; those that are open go on. Repeatable. */
  readonly stopAccepting: () => void
}

/** ECDHE with AEAD only; TLS below 1.2 is refused by the library itself (security A.4). */
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

/** An app that shows exactly this certificate: the library reads the files by itself, so they are looked at again afterwards. */
const secureApp = (files: CertificateFiles, certificate: Certificate): TemplatedApp => {
  let app: Partial<TemplatedApp> = {}
  try {
    app = SSLApp({ cert_file_name: files.certFile, key_file_name: files.keyFile, ssl_ciphers: CIPHERS })
    // tidy: said in the next line, as for what the library answers with an app that has no functions
  } catch {}
  if (typeof app.listen !== "function")
    throw new CertificateRefused("TLS_CERT_FILE and TLS_KEY_FILE: OpenSSL rejects them")
  if (readCertificate(files).fingerprint !== certificate.fingerprint)
    throw new CertificateRefused("TLS_CERT_FILE and TLS_KEY_FILE: the files changed while they were being read")
  return app as TemplatedApp
}

/** A port, for one process alone. Fails with PortTaken, which names the settings. */
const listenOn = (app: TemplatedApp, host: string, port: number, settings: string) =>
  Effect.async<{ readonly port: number; readonly stopAccepting: () => void }, PortTaken>((resume) => {
    ;(app as unknown as ExclusiveListen).listen(host, port, EXCLUSIVE, (socket) => {
      if (socket === false) {
        const reason = `${host}:${port} is in use, or is not an address of this machine: set ${settings}`
        return resume(Effect.fail(new PortTaken(reason)))
      }
      let accepting = true
      const stopAccepting = (): void => {
        if (accepting) us_listen_socket_close(socket)
        accepting = false
      }
      // The type wants a connected socket; the function is the documented way for a listening one.
      resume(Effect.succeed({ port: us_socket_local_port(socket as us_socket), stopAccepting }))
    })
  })

const authorityOf = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`

/** Throws TransportRefused when the settings are unsafe or the certificate cannot be used. */
export const makeServer = (settings: ListenSettings): HttpServer => {
  const transport = transportPolicy(settings)
  const { host, tls } = settings
  let certificate: Certificate | null = null
  let served: ServedApp
  try {
    certificate = tls === null ? null : readCertificate(tls)
    served = new ServedApp(tls === null || certificate === null ? App() : secureApp(tls, certificate))
  } catch (error) {
    throw error instanceof CertificateRefused ? new TransportRefused(error.message) : error
  }
  let open = true
  return {
    app: served,
    transport,
    certificate: () => certificate,
    renewCertificate: (now) => {
      if (tls === null || !open) return "off"
      const next = readCertificate(tls)
      if (next.fingerprint === certificate?.fingerprint) return "unchanged"
      const fault = dateFault(next, now)
      if (fault !== undefined) throw new CertificateRefused(fault)
      if (!served.canHandOn)
        throw new CertificateRefused("this build of uWebSockets can load a certificate only at start")
      served.handOnTo(secureApp(tls, next))
      certificate = next
      return "renewed"
    },
    listen: Effect.map(listenOn(served.listener, host, settings.port, "HOST and PORT"), ({ port, stopAccepting }) => {
      const authority = authorityOf(host, port)
      const secure = tls === null ? "" : "s"
      return {
        port,
        http: `http${secure}://${authority}`,
        ws: `ws${secure}://${authority}/connection/websocket`,
        stopAccepting,
      }
    }),
    close: () => {
      if (open) served.close()
      open = false
    },
  }
}

interface PlainServer {
  readonly app: RouteApp
  /** The address as clients write it. Fails with PortTaken. */
  readonly listen: Effect.Effect<string, PortTaken>
  /** Ends every connection and stops listening. */
  readonly close: () => void
}

/** Without TLS, whatever the transport policy says: for the one who only refuses. */
export const makePlainServer = (host: string, port: number): PlainServer => {
  const app = App()
  return {
    app,
    listen: Effect.map(listenOn(app, host, port, "PLAIN_HTTP_PORT"), (it) => `http://${authorityOf(host, it.port)}`),
    close: () => void app.close(),
  }
}
