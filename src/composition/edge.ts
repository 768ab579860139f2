/** The doors of a node that does not own the database, and what is behind them here: its own health, pages, documents; all else is passed on. */
import { setTimeout as sleep } from "node:timers/promises"
import type { HttpApi } from "@effect/platform"
import { Effect } from "effect"
import { makeTokens } from "../auth/session/tokens.ts"
import { OrderRates } from "../domain/order/rates.ts"
import { Api } from "../http/api.ts"
import { CONSOLE_PATH, consolePages } from "../http/console/pages.ts"
import { referencePages } from "../http/docs/reference.ts"
import type { ListeningServer } from "../http/edge/server.ts"
import { Forwarder } from "../http/forward/forwarder.ts"
import { mountEdge } from "../http/forward/mount-edge.ts"
import { RequestLimiter } from "../http/limits/rate-limit.ts"
import { edgeAnswers } from "../http/root/edge-answers.ts"
import { jwksPage } from "../http/session/handlers.ts"
import { mirrorMetrics, socketMetrics } from "../metrics/service-metrics.ts"
import { Clock } from "../ports/clock.ts"
import { Meters } from "../ports/meters.ts"
import { channelKinds } from "../ws/channels/kinds.ts"
import { edgeSockets } from "./edge-sockets.ts"
import type { Link } from "./link.ts"
import type { Watching } from "./logs.ts"
import { describe, type GatewayOptions } from "./options.ts"
import { inChannels, realtimeDocuments, SOCKET_PATH } from "./sockets.ts"
import type { Beginning } from "./start-checks.ts"
import { keepCertificate } from "./tls.ts"

/** What is passed on and has no answer is given up: an edge has 5 s from the signal; an owner needs its own time first (shutdown.ts), and 10 s in all. */
const IN_FLIGHT_MILLIS = 5_000
const HANDED_OVER_MILLIS = 8_500
/** A next owner serves 3 s after SIGTERM; without one the listener is not kept for longer. */
const HEIR_MILLIS = 3_000
const LOOK_MILLIS = 20

/** Of addresses, for pages and what is not there; what is passed on is limited by the owner. */
const limiterOf = ({ settings: { rateLimits: limits } }: GatewayOptions, { now, monotonic }: Clock["Type"]) =>
  limits === null
    ? null
    : new RequestLimiter({ limits, orders: new OrderRates(limits), now, monotonic, venueWeight: () => null })

export const openEdge = (options: GatewayOptions, { server, keys }: Beginning, link: Link, heard: Watching) =>
  Effect.gen(function* () {
    const { settings, notice } = options
    const clock = yield* Clock
    const meters = yield* Meters
    const { now, monotonic } = clock
    let isEnding = false
    let isDraining = false
    let heardAt = monotonic()
    const { cable, home } = link
    const ownerlessMillis = (): number => {
      if (home.peer() !== undefined) heardAt = monotonic()
      return monotonic() - heardAt
    }
    const answers = edgeAnswers({
      now,
      cluster: () => link.health("edge"),
      ownerlessMillis,
      dataDir: settings.dataDir,
      diskFreeMinMegabytes: settings.operation.diskFreeMinMegabytes,
      isReady: () => !isEnding,
    })
    const timer = setInterval(ownerlessMillis, 500).unref()
    yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(timer)))
    const after = (millis: number, work: () => void): void => void setTimeout(work, millis).unref()
    const kinds = yield* inChannels(() => channelKinds(settings.wsFlushMillis, settings.channels))
    const tokens = makeTokens(keys, settings.environment)
    const limiter = limiterOf(options, clock)
    const console = consolePages(settings.sessions.console)
    const mounted = yield* Effect.acquireRelease(
      Effect.sync(() =>
        mountEdge(server.app, Api as unknown as HttpApi.HttpApi.AnyWithProps, {
          transport: server.transport,
          requestId: heard.requestId,
          now,
          monotonic,
          log: heard.log,
          watch: heard.watch,
          onDefect: ({ what = "a request failed", requestId, route, error }) =>
            notice(what, { requestId, route, error: describe(error) }, "error"),
          limiter,
          pages: [...console, ...referencePages(realtimeDocuments(kinds)), jwksPage(() => tokens.jwks(now()))],
          front: console.length === 0 ? null : CONSOLE_PATH,
          socketPath: SOCKET_PATH,
          forwarder: new Forwarder({ cable, home, monotonic, after, meters }),
          own: answers.own,
          isDraining: () => isDraining,
        }),
      ),
      (it) => Effect.sync(it.close),
    )
    const { log, watch, requestId, security } = heard
    const socketParts = { server, cable, home, kinds, limiter, log, watch, requestId }
    const sockets = yield* edgeSockets(options, socketParts).pipe(Effect.provide(security))
    meters.readAll(() => (sockets.isOver() ? [] : socketMetrics(sockets.socket.stats())))
    meters.readAll(() => mirrorMetrics(sockets.mirrors()))
    // The audit is the owner's.
    const certificate = yield* keepCertificate(options, server, { write: () => undefined })

    const finish = async (listening: ListeningServer, beganAt: number, millis: number): Promise<boolean> => {
      listening.stopAccepting()
      while (mounted.inFlight() > 0 && monotonic() < beganAt + millis) await sleep(LOOK_MILLIS)
      notice("drained", { cut: mounted.inFlight(), millis: Math.round(monotonic() - beganAt) }, "info")
      return true
    }

    const drain = async (listening: ListeningServer): Promise<boolean> => {
      const beganAt = monotonic()
      notice("shutting down", { inFlight: mounted.inFlight() }, "info")
      await sleep(settings.operation.shutdownNoticeMillis)
      isDraining = true
      listening.stopAccepting()
      await sockets.socket.shutdown()
      return finish(listening, beganAt, IN_FLIGHT_MILLIS)
    }

    const passOn = async (listening: ListeningServer, term: number, beganAt: number): Promise<boolean> => {
      const untilAt = Math.min(monotonic() + HEIR_MILLIS, beganAt + HANDED_OVER_MILLIS)
      while ((home.peer()?.term ?? 0) <= term && monotonic() < untilAt) await sleep(LOOK_MILLIS)
      return finish(listening, beganAt, HANDED_OVER_MILLIS)
    }
    return {
      hasConsole: console.length > 0,
      // tidy: it never rejects, and is asked as an Effect
      health: Effect.promise(answers.health),
      renewCertificate: certificate.renew,
      /** The owner's own sockets are opened in this turn, behind the same listener. */
      takeSockets: sockets.end,
      /** From now on its health says so. */
      end: () => {
        isEnding = true
      },
      drain: (listening: ListeningServer) => Effect.promise(() => drain(listening)),
      /** The process owns the database no longer than what it has begun takes: what comes from now on is passed on, on connections that end with their answer. */
      handOver: () => {
        isDraining = true
        mounted.reopen()
      },
      /** The database, owned here until now under this term, was released: what is held goes to the next owner, and the listener ends when there is one. */
      passOn: (listening: ListeningServer, term: number, beganAt: number) =>
        Effect.promise(() => passOn(listening, term, beganAt)),
    }
  })
