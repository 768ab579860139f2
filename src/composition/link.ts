/** What ties a node to the others: the broker, the cable over it, its place in the cluster, and where the owner is spoken to. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { connectBroker } from "../cluster/broker.ts"
import { Cable } from "../cluster/cable.ts"
import { type Home, makeHome } from "../cluster/home.ts"
import type { ClusterHealth } from "../http/root/endpoints.ts"
import { Clock } from "../ports/clock.ts"
import type { ClusterSettings } from "../settings/cluster.ts"
import { InvalidSetting } from "../settings/environment.ts"
import { databaseMark } from "../store/postgres/database-mark.ts"
import type { ClusterNode } from "../store/postgres/keeper.ts"
import { sqlPromise } from "../store/postgres/sql.ts"
import { clusterNode } from "./database.ts"
import { describe, type GatewayOptions } from "./options.ts"

export interface Link {
  readonly node: ClusterNode
  readonly cable: Cable
  readonly home: Home
  readonly health: (role: ClusterHealth["role"]) => ClusterHealth
}

const brokerFault = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? ""

/** Of this database alone: gateways of another that share the broker are not heard. */
const prefixOf = ({ settings: { environment } }: GatewayOptions, url: string) =>
  Effect.map(
    sqlPromise(() => databaseMark(url)),
    (mark) => `venue-gateway.${environment}.${mark}`,
  )

/** The broker, and this process as a node. */
export const linked = (options: GatewayOptions, url: string, cluster: ClusterSettings, brokerUrl: string) =>
  Effect.gen(function* () {
    const { notice } = options
    const { monotonic } = yield* Clock
    const onDefect = (error: unknown): void =>
      notice("what another node said could not be taken", { error: describe(error) }, "error")
    const inbox = randomUUID()
    const prefix = yield* prefixOf(options, url)
    const wire = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () =>
          connectBroker({
            url: brokerUrl,
            name: cluster.nodeId,
            inbox,
            prefix,
            onDefect,
            onChange: (isUp) =>
              isUp
                ? notice("the broker is back", {}, "info")
                : notice("the broker is away: nothing reaches other nodes"),
          }),
        catch: (error) => new InvalidSetting(`NATS_URL: no broker there takes this node: ${brokerFault(error)}`),
      }),
      (it) => Effect.promise(it.close),
    )
    const node = yield* clusterNode(options, url, cluster)
    const after = (millis: number, work: () => void): void => void setTimeout(work, millis).unref()
    const every = (millis: number, work: () => void): (() => void) => {
      const timer = setInterval(work, millis).unref()
      return () => clearInterval(timer)
    }
    const cable = yield* Effect.acquireRelease(
      Effect.sync(() => new Cable({ wire, inbox, prefix, monotonic, soon: setImmediate, after, onDefect })),
      (it) => Effect.sync(() => it.close()),
    )
    const home = makeHome({ cable, view: node, monotonic, every })
    const health: Link["health"] = (role) => {
      const owner = node.owner()
      const broker = cable.isUp() ? "up" : "down"
      return { nodeId: cluster.nodeId, role, owner: owner === undefined ? null : { ...owner }, broker }
    }
    const link: Link = { node, cable, home, health }
    return link
  })
