/**
 * The test profile: the socket and a server API as the public suites of Centrifuge clients expect them, with channels of their own instead of the
 * gateway's. Never on by default, and on loopback only (`config`).
 */
import {
  type Access,
  type Authority,
  type Credentials,
  denied,
  type SubscriptionRequest,
} from "../channels/authority.ts"
import type { Hub } from "../fanout/hub.ts"
import { CLOSES, ERRORS } from "../protocol/error-codes.ts"
import type { SocketServer } from "../server.ts"
import { connectionClaims, type SubscriptionClaims, subscriptionClaims } from "./claims.ts"
import { OpenChannels } from "./open-channels.ts"
import { isForUser, isPrivate, openNamespaces } from "./open-namespaces.ts"
import { makeServerApi } from "./server-api.ts"
import { type ApiApp, serveServerApi } from "./server-api-routes.ts"

// Authorisation under the test profile: every client may do everything; tokens are optional, and checked when they are given (realtime
// A.13).

interface TestRules {
  readonly channels: OpenChannels
  /** Signs the tokens of connections and subscriptions. */
  readonly secret: string
  /** ms since the Unix epoch. */
  readonly now: () => number
}

const ANONYMOUS: Credentials = { user: "", principal: null, expiresAt: null, info: null, channels: [] }

/** A user's own channel, which every connection of a user is subscribed to: the suite of centrifuge-python waits for it. */
const personal = (user: string) => ({ channel: `#${user}`, info: null, data: null, expiresAt: null })

const closed = (close: (typeof CLOSES)["invalidToken" | "subscriptionExpired"]) => ({ _tag: "Closed", close }) as const

const isFor = (claims: SubscriptionClaims, { user }: Credentials, { channel, client }: SubscriptionRequest): boolean =>
  claims.channel === channel && claims.user === user && (claims.client === "" || claims.client === client)

const testAuthority = ({ channels, secret, now }: TestRules): Authority => {
  const rules = () => ({ secret, now: now() / 1000 })

  const access = (credentials: Credentials, request: SubscriptionRequest): Access => {
    const { channel, token, type, purpose } = request
    const served = channels.serve(channel)
    if ("code" in served) return denied(served)
    if (type !== (channels.map(channel)?.settings.type ?? 0)) return denied(ERRORS.permissionDenied)
    const granted: Access = { _tag: "Granted", served, expiresAt: null, info: null }
    if (purpose !== undefined) return granted
    if (token === "")
      return isPrivate(channel) || !isForUser(channel, credentials.user) ? denied(ERRORS.permissionDenied) : granted
    const claims = subscriptionClaims(token, rules())
    if (claims === "expired") return denied(ERRORS.tokenExpired)
    if (claims === "invalid") return denied(ERRORS.permissionDenied)
    if (!isFor(claims, credentials, request)) return closed(CLOSES.invalidToken)
    const { expiresAt, info, data } = claims
    return { ...granted, expiresAt, info, data }
  }

  return {
    identify: (token) => {
      if (token === "") return ANONYMOUS
      const claims = connectionClaims(token, rules())
      if (typeof claims === "string") return claims
      if (claims.channels.some(({ channel }) => "code" in channels.serve(channel))) return "invalid"
      const own = claims.user === "" ? [] : [personal(claims.user)]
      return { ...claims, principal: null, channels: [...claims.channels, ...own] }
    },
    access,
    refreshSubscription: (credentials, request) => {
      const claims = subscriptionClaims(request.token, rules())
      // Until 2026 the reference let an expired token renew a subscription for ever (realtime A.5).
      if (claims === "expired") return closed(CLOSES.subscriptionExpired)
      if (claims === "invalid" || !isFor(claims, credentials, request)) return closed(CLOSES.invalidToken)
      return { expiresAt: claims.expiresAt }
    },
    publish: (served, said) => channels.say(served, said),
  }
}

interface TestProfileOptions {
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

interface TestProfile {
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
