/**
 * The test profile: the socket and a server API as the public suites of Centrifuge clients expect them of their server, with channels of
 * their own instead of the gateway's. Never on by default, and on loopback only (`config`).
 */
import type { Authority } from "../channels/authority.ts"
import type { Hub } from "../fanout/hub.ts"
import { CLOSES } from "../protocol/error-codes.ts"
import type { SocketServer } from "../server.ts"
import { testAuthority } from "./authority.ts"
import { OpenChannels } from "./open-channels.ts"
import { openNamespaces } from "./open-namespaces.ts"
import { makeServerApi } from "./server-api.ts"
import { type ApiApp, serveServerApi } from "./server-api-routes.ts"

export interface TestProfileOptions {
  readonly hub: Hub
  /** Signs the tokens of connections and subscriptions. */
  readonly secret: string
  /** Of the server API; `*`: no key is asked for. */
  readonly apiKeys: ReadonlyArray<string>
  /** Namespace → cells of the table. */
  readonly changes: Readonly<Record<string, unknown>> | null
  /** ms since the Unix epoch. */
  readonly now: () => number
  /** ms, from an arbitrary start. */
  readonly monotonic: () => number
  readonly version: string
  readonly node: string
  /** A call of the server API threw. */
  readonly onDefect: (error: unknown) => void
}

export interface TestProfile {
  readonly authority: Authority
  /** Registers the server API's routes. */
  readonly serve: (app: ApiApp, socket: SocketServer) => void
}

/** Throws InvalidChannelKinds. */
export const makeTestProfile = (options: TestProfileOptions): TestProfile => {
  const { hub, secret, apiKeys, changes, now, monotonic, version, node, onDefect } = options
  const channels = new OpenChannels(hub, openNamespaces(changes), monotonic)
  return {
    authority: testAuthority({ channels, secret, now }),
    serve: (app, { connections }) => {
      // What a JSON client cannot be told ends its connection, as at the reference.
      channels.onBytes((channel) => {
        for (const connection of [...connections])
          if (connection.format === "json" && connection.subscriptions.has(channel))
            connection.close(CLOSES.inappropriateProtocol)
      })
      const api = makeServerApi({ channels, hub, connections, monotonic, version, node })
      serveServerApi(app, { api, keys: apiKeys, onDefect })
    },
  }
}
