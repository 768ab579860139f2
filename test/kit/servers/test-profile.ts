/** A real uWebSockets server under the test profile, its server API, and the official client against it. */

import * as uws from "uWebSockets.js"
import { createHmac } from "node:crypto"
import { Centrifuge, type Options } from "centrifuge"
import { Centrifuge as ProtobufCentrifuge } from "centrifuge/build/protobuf"
import { WebSocket } from "ws"
import { CHANNELS_MAX } from "../../../src/ws/connection/client.ts"
import { Hub } from "../../../src/ws/fanout/hub.ts"
import { type SocketServer, serveSockets } from "../../../src/ws/server.ts"
import { makeTestProfile } from "../../../src/ws/test-profile/profile.ts"
import type { RawSocket } from "../readers/raw-socket.ts"

export const SECRET = "secret"
export const API_KEY = "api_key"

export type Format = "json" | "protobuf"

export interface TestProfileServer {
  readonly url: string
  readonly hub: Hub
  readonly server: SocketServer
  /** An unmodified client; `stop` disconnects it. */
  readonly client: (format: Format, options?: Partial<Options>) => Centrifuge
  /** A method of the server API; answers its JSON. */
  readonly api: (method: string, parameters: unknown) => Promise<ApiAnswer>
  /** Any request to the API: path below `/api`, headers and body as they are. */
  readonly post: (
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ) => Promise<{ readonly status: number; readonly body: string }>
  /** Seconds pass for tokens, expiries and histories, with a word to the server and back every 5 s: its pings are answered. */
  readonly pass: (seconds: number, word: () => Promise<unknown>) => Promise<void>
  readonly stop: () => Promise<void>
}

export interface ApiAnswer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
  readonly replies?: ReadonlyArray<unknown>
}

export interface TestProfileServerOptions {
  /** Namespace → cells. */
  readonly changes?: Readonly<Record<string, unknown>>
  readonly apiKeys?: ReadonlyArray<string>
}

/** As the client of that format hands data over, and takes it. */
export const payload = (format: Format, value: unknown): unknown =>
  format === "json" ? value : Buffer.from(JSON.stringify(value))
/** Undefined for no data, which in Protobuf are no bytes. */
export const value = (format: Format, payload: unknown): unknown => {
  if (format === "json") return payload
  const text = Buffer.from(payload as Uint8Array).toString("utf8")
  return text === "" ? undefined : JSON.parse(text)
}

/** The next line with `key` in it, or in its push; pings are answered, all else is passed over. */
export const nextWith = async (socket: RawSocket, key: string): Promise<Readonly<Record<string, unknown>>> => {
  for (;;) {
    const line = await socket.next()
    if (Object.keys(line).length === 0) socket.send({})
    if (Object.hasOwn(line, key) || Object.hasOwn(line["push"] ?? {}, key)) return line
  }
}

const base64url = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")

/** A token with these claims; text is taken as it is written. */
export const jwt = (
  claims: unknown,
  { secret = SECRET, header = { alg: "HS256", typ: "JWT" } as unknown } = {},
): string => {
  const signed = `${base64url(header)}.${base64url(claims)}`
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

export const startTestProfile = async (options: TestProfileServerOptions = {}): Promise<TestProfileServer> => {
  const app = uws.App()
  let turned = 0
  const now = () => Date.now() + turned
  const monotonic = () => performance.now() + turned
  const hub = new Hub(app, monotonic)
  const profile = makeTestProfile({
    hub,
    secret: SECRET,
    apiKeys: options.apiKeys ?? [API_KEY],
    changes: options.changes ?? null,
    now,
    monotonic,
    version: "3.0.1",
    node: "test",
    // The call that failed answers 500, which `api` does not take for an answer.
    onDefect: (error) => console.error(error),
  })
  const server = serveSockets({
    app,
    hub,
    authority: profile.authority,
    rpc: (_request, done) => done("unknown method"),
    version: "3.0.1",
    now,
    monotonic,
    channelsMax: CHANNELS_MAX,
    limits: null,
    onDefect: (error) => console.error(error),
    slow: { conflateBytes: 131_072, ageMillis: 15_000 },
    allowedOrigins: [],
    deflate: false,
    screen: () => ({ requestId: "test", ip: "127.0.0.1", refusal: null }),
    onSpeakerEnded: () => {},
    onSpeakerRenewed: () => {},
    onOperatorGone: () => {},
  })
  profile.serve(app, server)
  let listening: uws.us_listen_socket | undefined
  const port = await new Promise<number>((resolve, reject) => {
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket === false) return reject(new Error("cannot listen"))
      listening = socket
      resolve(uws.us_socket_local_port(socket as uws.us_socket))
    })
  })
  const url = `ws://127.0.0.1:${port}/connection/websocket`
  const clients: Array<Centrifuge> = []
  const post: TestProfileServer["post"] = async (path, headers, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api${path}`, { method: "POST", headers, body })
    return { status: answer.status, body: await answer.text() }
  }
  return {
    url,
    hub,
    server,
    post,
    client: (format, more) => {
      // The package declares the one class twice.
      const make = format === "json" ? Centrifuge : (ProtobufCentrifuge as unknown as typeof Centrifuge)
      const client = new make(url, { websocket: WebSocket, minReconnectDelay: 10, maxReconnectDelay: 100, ...more })
      clients.push(client)
      return client
    },
    api: async (method, parameters) => {
      const { status, body } = await post(`/${method}`, { "X-API-Key": API_KEY }, JSON.stringify(parameters))
      if (status !== 200) throw new Error(`${method}: ${status} ${body}`)
      return JSON.parse(body)
    },
    pass: async (seconds, word) => {
      for (let second = 1; second <= seconds; second++) {
        turned += 1000
        server.heartbeat.tick()
        hub.sweep()
        if (second % 5 === 0) await word()
      }
    },
    stop: async () => {
      for (const client of clients) client.disconnect()
      await server.shutdown()
      if (listening !== undefined) uws.us_listen_socket_close(listening)
      app.close()
    },
  }
}
