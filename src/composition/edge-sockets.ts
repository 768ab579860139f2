/** The sockets of a node that does not own the database: their channels, who speaks on them and what is called over them are the owner's, asked over the cable. */
import { Effect } from "effect"
import type { DomainError } from "../domain/errors/domain-error.ts"
import { Busy } from "../domain/errors/service.ts"
import { OutcomeUnknown } from "../domain/errors/trade-order.ts"
import { SERVICE } from "../http/api.ts"
import { failureText } from "../http/edge/envelope.ts"
import { ERRNO } from "../http/edge/errno.ts"
import type { HttpServer } from "../http/edge/server.ts"
import { makeUpgradeScreen } from "../http/edge/upgrade.ts"
import type { RequestLimiter } from "../http/limits/rate-limit.ts"
import { isReadCall, rpcCodeOf } from "../http/rpc/rpc.ts"
import type { AccessLog } from "../http/watch/request-log.ts"
import type { RequestWatch } from "../http/watch/request-watch.ts"
import type { CableService } from "../ports/cable.ts"
import { Clock } from "../ports/clock.ts"
import type { HomeService } from "../ports/cluster.ts"
import { Meters } from "../ports/meters.ts"
import type { RpcAnswer } from "../ports/rpc.ts"
import { SecurityLog } from "../ports/security-log.ts"
import type { ChannelKinds } from "../ws/channels/kinds.ts"
import { CHANNELS_MAX } from "../ws/connection/client.ts"
import { Hub, SocketMeters } from "../ws/fanout/hub.ts"
import type { Speaking } from "../ws/mirrors/edge-gate.ts"
import { openEdgeSockets } from "../ws/mirrors/open.ts"
import { CLOSES } from "../ws/protocol/error-codes.ts"
import { type SocketServer, serveSockets } from "../ws/server.ts"
import { socketLimits } from "./limits.ts"
import { describe, type GatewayOptions } from "./options.ts"
import { SOCKET_PATH } from "./sockets.ts"

export interface EdgeSocketParts {
  readonly server: HttpServer
  readonly cable: CableService
  readonly home: HomeService
  readonly kinds: ChannelKinds
  readonly limiter: RequestLimiter | null
  readonly log: AccessLog | null
  readonly watch: RequestWatch
  readonly requestId: () => string
}

export const edgeSockets = (options: GatewayOptions, parts: EdgeSocketParts) =>
  Effect.gen(function* () {
    const { settings, notice } = options
    const { server, cable, home, kinds, limiter, log, watch, requestId } = parts
    const { now, monotonic } = yield* Clock
    const security = yield* SecurityLog
    const hub = new Hub(server.app, monotonic, new SocketMeters(yield* Meters))
    const refusal = (error: DomainError, method: string): RpcAnswer => {
      const [resource = "", action = ""] = method.split(/\.(?=[^.]*$)/)
      const code = rpcCodeOf(ERRNO[error._tag].status)
      return {
        envelope: failureText(error, { resource, action }, requestId()),
        failure: { code, message: error.message },
      }
    }
    const speakers = (): Iterable<Speaking> =>
      [...socket.connections].flatMap(({ speaker, ip }) => (speaker === undefined ? [] : [{ speaker, ip }]))
    const edge = openEdgeSockets({
      hub,
      kinds,
      cable,
      owner: home.peer,
      onOwner: home.onPeer,
      speakers,
      isRead: isReadCall,
      refusals: {
        busy: (method) => refusal(new Busy({ retryAfterSeconds: 1 }), method),
        unknown: (method) =>
          refusal(
            isReadCall(method) ? new Busy({ retryAfterSeconds: 1 }) : new OutcomeUnknown({ tradeOrderId: null }),
            method,
          ),
      },
      monotonic,
      after: (millis, work) => void setTimeout(work, millis).unref(),
    })
    const screen = makeUpgradeScreen({
      route: SOCKET_PATH,
      transport: server.transport,
      requestId,
      now,
      log,
      watch,
    })
    let isOver = false
    const socket: SocketServer = serveSockets({
      app: server.app,
      hub,
      authority: edge.authority,
      rpc: edge.rpc,
      version: SERVICE.version,
      now,
      monotonic,
      channelsMax: settings.rateLimits?.socketChannels ?? CHANNELS_MAX,
      limits: socketLimits(options, limiter),
      onDefect: (error) => notice("a command on a socket failed", { error: describe(error) }, "error"),
      slow: { conflateBytes: settings.wsConflateBytes, ageMillis: settings.wsSlowMillis },
      allowedOrigins: settings.allowedOrigins,
      deflate: settings.wsDeflate,
      screen: (res, req, isOriginAllowed, admit) =>
        screen(res, req, isOriginAllowed, (ip) => (isOver ? new Busy({ retryAfterSeconds: 1 }) : admit(ip))),
      security: (event, facts) => security.tell(event, "warn", { route: SOCKET_PATH, ...facts }),
      onSpeakerEnded: edge.onSpeakerEnded,
      onSpeakerRenewed: edge.onSpeakerRenewed,
      onOperatorGone: () => undefined,
    })
    return {
      socket,
      isOver: (): boolean => isOver,
      mirrors: edge.stats,
      /** The process owns the database now: clients come back to its own channels, with their positions. All in one turn, for both go by the same topics. */
      end: (): void => {
        isOver = true
        for (const connection of [...socket.connections]) connection.close(CLOSES.shutdown)
      },
    }
  })
