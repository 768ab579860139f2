/**
 * What a node that passes requests on says of itself: the root record, that it lives, and its own health, which is whether it can pass them on. The one thing to
 * know: while the database goes from one owner to the next requests are held, and the node stays in rotation.
 */
import { watchLoopDelay } from "../../foundation/loop-delay.ts"
import { dateTime } from "../../foundation/time.ts"
import { SERVICE } from "../api.ts"
import type { OwnAnswers } from "../forward/mount-edge.ts"
import type { ClusterHealth, HealthRecord } from "./endpoints.ts"
import { answerHealth, freeBytesOf, rootText } from "./handlers.ts"
import { brokerCheck, diskCheck, loopCheck, ownerCheck, serviceCheck, worst } from "./health-checks.ts"

interface EdgeSources {
  readonly now: () => number
  readonly cluster: () => ClusterHealth
  /** For so long no owner was heard; 0: one is. */
  readonly ownerlessMillis: () => number
  readonly dataDir: string
  readonly diskFreeMinMegabytes: number
  /** False while it ends. */
  readonly isReady: () => boolean
}

export const edgeAnswers = (
  sources: EdgeSources,
): { readonly own: OwnAnswers; readonly health: () => Promise<HealthRecord> } => {
  const loop = watchLoopDelay()
  const health = async (): Promise<HealthRecord> => {
    const freeBytes = await freeBytesOf(sources.dataDir)
    const now = sources.now()
    const cluster = sources.cluster()
    const checks = {
      service: serviceCheck(sources.isReady()),
      owner: ownerCheck(sources.ownerlessMillis()),
      broker: brokerCheck(cluster.broker),
      eventLoop: loopCheck(loop.worst()),
      disk: diskCheck(freeBytes, sources.diskFreeMinMegabytes),
    }
    return {
      status: worst(checks),
      timestamp: now,
      isoDateTime: dateTime(now),
      version: SERVICE.version,
      cluster,
      checks,
      venues: {},
      auditMillis: {},
    }
  }
  const root: OwnAnswers[string] = (reply) => reply.ok(rootText)
  // It does not reject.
  const record: OwnAnswers[string] = (reply) => void health().then((it) => answerHealth(it, reply))
  return {
    health,
    own: {
      get: root,
      getSlash: root,
      getBare: root,
      health: record,
      healthBare: record,
      live: (reply) => reply.ok("ok"),
    },
  }
}
