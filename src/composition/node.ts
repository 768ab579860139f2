/**
 * A node of a cluster with a broker: it serves HTTP from its start, passes what is the owner's to the owner, and, once the database is its own, does it
 * itself, behind the same listener. The one thing to know: it goes back only to end, so that what comes meanwhile is passed to the next owner; a node that has
 * lost the database ends.
 */
import { Cause, Context, Effect, Exit, Fiber, Scope } from "effect"
import type { ListeningServer } from "../http/edge/server.ts"
import { PEER_CALLS } from "../http/forward/forwarder.ts"
import type { ClusterHealth, HealthRecord } from "../http/root/endpoints.ts"
import type { CableService, TakeAsked } from "../ports/cable.ts"
import { Clock } from "../ports/clock.ts"
import type { Meters } from "../ports/meters.ts"
import type { ClusterSettings } from "../settings/cluster.ts"
import type { ClusterNode } from "../store/postgres/keeper.ts"
import { openBell } from "../store/postgres/news-bell.ts"
import { openEdge } from "./edge.ts"
import { linked } from "./link.ts"
import { type Watching, watching } from "./logs.ts"
import { metricsPort } from "./observability.ts"
import type { GatewayOptions } from "./options.ts"
import { rehearse } from "./rehearsal.ts"
import type { Beginning } from "./start-checks.ts"
import { plainPort } from "./tls.ts"

/** What the parts of the core begin with, of a process that owns the database. */
export interface CorePlace extends Beginning {
  readonly url: string
  readonly owner: Effect.Effect.Success<ClusterNode["granted"]> & {
    readonly bell: Effect.Effect.Success<ReturnType<typeof openBell>>
  }
  readonly watching: Watching
  /** Of one of several machines. */
  readonly cluster: (() => ClusterHealth) | undefined
  /** Before its own sockets are opened, in the same turn: those of before end, and their clients come to these. */
  readonly takeSockets: () => void
  /** It is told to end, and requests are passed on from now on, behind the same listener. Undefined: there is no other node to pass them to. */
  readonly handOver: (() => void) | undefined
  /** The listener; once its doors are there. */
  readonly listen: Effect.Effect<ListeningServer, unknown, Scope.Scope>
}

export interface Gateway {
  readonly listening: ListeningServer
  /** It is served at CONSOLE_PATH. */
  readonly hasConsole: boolean
  /** Makes the first admin; null: there is one. */
  readonly setupToken: string | null
  /** SIGHUP: new connections are shown the certificate that is in its files now. */
  readonly renewCertificate: () => void
  /** Once, before the scope is closed (composition/shutdown.ts). False: something that waited could not be stored. */
  readonly drain: Effect.Effect<boolean>
}

/** The parts that do the operations, at work. */
export interface Core extends Gateway {
  readonly takePeerCall: TakeAsked
  /** What the sockets of other nodes ask, under this term; until what is answered is called. */
  readonly serveEdges: (cable: CableService, term: number, mayAct: () => boolean) => () => void
  readonly health: Effect.Effect<HealthRecord>
}

/** `startCore` is given the process once it owns the database, which may be never; `tryParts`: of its parts what changes nothing. */
export const startNode = <E, R, F>(
  options: GatewayOptions,
  beginning: Beginning,
  { url, cluster, brokerUrl }: { readonly url: string; readonly cluster: ClusterSettings; readonly brokerUrl: string },
  startCore: (place: CorePlace) => Effect.Effect<Core, E, R | Scope.Scope>,
  tryParts: Effect.Effect<void, F, Clock | Meters | Scope.Scope>,
) =>
  Effect.gen(function* () {
    const { notice, fatal, told } = options
    const { base, server } = beginning
    const { monotonic } = Context.get(base, Clock)
    const link = yield* linked(options, url, cluster, brokerUrl).pipe(Effect.provide(base))
    const heard = yield* watching(options).pipe(Effect.provide(base))
    let core: Core | undefined
    const edge = yield* openEdge(options, beginning, link, heard).pipe(Effect.provide(base))
    const listening = yield* server.listen
    yield* plainPort(options, heard.log, heard.watch, heard.requestId).pipe(Effect.provide(base))
    yield* metricsPort(
      options,
      Effect.suspend(() => core?.health ?? edge.health),
    ).pipe(Effect.provide(base))

    /** Until the grant, which does not wait for its end. */
    const rehearsal = Effect.zipRight(rehearse(options, tryParts).pipe(Effect.provide(base)), Effect.never)
    const become = Effect.gen(function* () {
      const granted = yield* cluster.mayOwn
        ? Effect.raceFirst(link.node.granted, Effect.disconnect(rehearsal))
        : link.node.granted
      const term = granted.epoch
      notice("owns the database", { nodeId: cluster.nodeId, term }, "info")
      const owner = { ...granted, bell: yield* openBell(url) }
      const started = yield* startCore({
        ...beginning,
        url,
        owner,
        watching: heard,
        cluster: () => link.health("core"),
        takeSockets: edge.takeSockets,
        handOver: edge.handOver,
        listen: Effect.succeed(listening),
      })
      yield* Effect.acquireRelease(
        Effect.sync(() => ({
          serving: link.cable.serve(PEER_CALLS, { term, take: started.takePeerCall, isInTurns: true }),
          edges: started.serveEdges(link.cable, term, owner.mayAct),
          told: link.home.announce(term),
        })),
        (stop) =>
          Effect.sync(() => {
            stop.told()
            stop.edges()
            stop.serving()
          }),
      )
      core = started
      const { setupToken } = started
      told("core", { nodeId: cluster.nodeId, term, ...(setupToken === null ? {} : { setupToken }) })
      // What was begun here lives as long as this does.
      return yield* Effect.never
    })
    const coreScope = yield* Scope.make()
    const becoming = yield* Effect.forkDaemon(Scope.extend(become, coreScope))
    becoming.addObserver((exit) => {
      if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) {
        const failure = Cause.squash(exit.cause)
        fatal(failure instanceof Error ? failure.message : String(failure))
      }
    })
    const endCore = Effect.zipRight(Fiber.interrupt(becoming), Scope.close(coreScope, Exit.void))
    yield* Effect.addFinalizer(() => endCore)

    /** What was begun here ends here; then the database is given up, and what has come meanwhile is passed to the node that has it. */
    const leave = (started: Core) =>
      Effect.gen(function* () {
        const beganAt = monotonic()
        const isWhole = yield* started.drain
        core = undefined
        yield* endCore
        yield* link.node.leave
        yield* edge.passOn(listening, link.node.epoch(), beganAt)
        return isWhole
      })

    return {
      listening,
      hasConsole: edge.hasConsole,
      setupToken: null,
      renewCertificate: () => (core?.renewCertificate ?? edge.renewCertificate)(),
      drain: Effect.suspend(() => {
        edge.end()
        return core === undefined ? edge.drain(listening) : leave(core)
      }),
    }
  })
