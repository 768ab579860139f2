/** A real uWebSockets server on a free port with an API of the test's own, and raw sockets to speak to it byte by byte. */
import { connect } from "node:net"
import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { Effect } from "effect"
import {
  AccessTokenMissing,
  HOW_TO_SEND_A_TOKEN,
  InvalidAccessToken,
} from "../../../src/domain/errors/authentication.ts"
import type { ApiKeyId, SessionId, TenantId, UserId } from "../../../src/domain/ids.ts"
import type { Principal } from "../../../src/domain/user/user.ts"
import type { Defect } from "../../../src/http/edge/call.ts"
import { type HandlersOf, type Mounted, type MountOptions, mount } from "../../../src/http/edge/mount.ts"
import { type HttpServer, makeServer } from "../../../src/http/edge/server.ts"
import type { TransportSettings } from "../../../src/http/edge/transport.ts"

export const principal = (permissions: Principal["permissions"] = ["read", "write"]): Principal => ({
  userId: "00000000-0000-4000-8000-000000000001" as UserId,
  sessionId: "00000000-0000-4000-8000-000000000002" as SessionId,
  tenantId: "default" as TenantId,
  permissions,
  environments: ["PROD", "UAT"],
  provenAt: 0,
  secondFactor: "none",
  isAdminWithheld: false,
  key: null,
})

/** An API key of the same user; not limited to accounts. */
export const keyOf = (permissions: Principal["permissions"]): Principal => ({
  ...principal(permissions),
  sessionId: null,
  key: { keyId: "00000000-0000-4000-8000-000000000003" as ApiKeyId, accounts: null },
})

/** `Bearer reader` reads, `Bearer writer` writes too. */
export const authenticate: MountOptions["authenticate"] = (header) => {
  if (header === "") return new AccessTokenMissing({ reason: HOW_TO_SEND_A_TOKEN })
  if (header === "Bearer reader") return principal(["read"])
  return header === "Bearer writer" ? principal() : new InvalidAccessToken()
}

export interface TestHttp {
  readonly url: string
  readonly port: number
  readonly server: HttpServer
  readonly mounted: Mounted
  readonly defects: Array<Defect>
  readonly lines: Array<string>
  readonly draining: { now: boolean }
  readonly crowded: { now: boolean; behindMillis: number }
  readonly leased: { now: boolean }
  readonly close: () => void
}

export interface TestHttpOptions {
  readonly transport?: Partial<TransportSettings>
  readonly pages?: MountOptions["pages"]
  readonly authenticate?: MountOptions["authenticate"]
  readonly limiter?: MountOptions["limiter"]
  /** Default: the process's. */
  readonly monotonic?: MountOptions["monotonic"]
}

/** Serves the API until `close`. */
export const serveTest = async <Id extends string, G extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, G, E, R>,
  handlers: HandlersOf<G>,
  options: TestHttpOptions = {},
): Promise<TestHttp> => {
  const server = makeServer({
    host: "127.0.0.1",
    port: 0,
    production: false,
    tls: null,
    trustProxy: [],
    ...options.transport,
  })
  const defects: Array<Defect> = []
  const lines: Array<string> = []
  const draining = { now: false }
  const crowded = { now: false, behindMillis: 0 }
  const leased = { now: true }
  let count = 0
  const mounted = await Effect.runPromise(
    mount(server.app, api, handlers, {
      transport: server.transport,
      authenticate: options.authenticate ?? authenticate,
      requestId: () => `generated-${++count}`,
      now: () => Date.now(),
      monotonic: options.monotonic ?? (() => performance.now()),
      log: (line) => lines.push(line),
      onDefect: (defect) => defects.push(defect),
      isDraining: () => draining.now,
      isCrowded: (leftMillis) => crowded.now || leftMillis < crowded.behindMillis,
      mayAct: () => leased.now,
      freshMillis: 300_000,
      pages: options.pages ?? [],
      limiter: options.limiter ?? null,
    }),
  )
  const listening = await Effect.runPromise(server.listen)
  return {
    url: listening.http,
    port: listening.port,
    server,
    mounted,
    defects,
    lines,
    draining,
    crowded,
    leased,
    close: () => {
      server.close()
      mounted.close()
    },
  }
}

export interface RawAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Everything the server says to these bytes until it closes, or until `answers` answers are complete. */
export const raw = (
  port: number,
  chunks: string | ReadonlyArray<string>,
  answers = 1,
): Promise<ReadonlyArray<RawAnswer>> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let received = ""
    const finish = (): void => {
      socket.destroy()
      resolve(parseAnswers(received))
    }
    socket.setEncoding("latin1")
    socket.on("data", (text: string) => {
      received += text
      if (parseAnswers(received).length >= answers) finish()
    })
    socket.on("close", finish)
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? finish() : reject(error),
    )
    socket.on("connect", () => {
      const parts = typeof chunks === "string" ? [chunks] : [...chunks]
      const send = (): void => {
        const part = parts.shift()
        if (part === undefined || socket.destroyed) return
        socket.write(part, "latin1", () => setTimeout(send, 15))
      }
      send()
    })
  })

const parseAnswers = (text: string): ReadonlyArray<RawAnswer> => {
  const answers: Array<RawAnswer> = []
  let rest = text
  for (;;) {
    const end = rest.indexOf("\r\n\r\n")
    if (end < 0) return answers
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n")
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const status = Number(first.split(" ")[1])
    const length = status === 204 || status === 304 ? 0 : Number(headers.get("content-length") ?? 0)
    const body = rest.slice(end + 4, end + 4 + length)
    if (body.length < length) return answers
    answers.push({ status, headers, body })
    rest = rest.slice(end + 4 + length)
  }
}

/** Waits until it holds, for things that happen behind an answer (a log line, an abort). */
export const eventually = async (holds: () => boolean): Promise<void> => {
  for (const end = performance.now() + 60_000; !holds() && performance.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 10))
  if (!holds()) throw new Error("it never came to hold")
}
