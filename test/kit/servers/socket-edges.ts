/** Edges of a socket server, each with a server of its own: over a real broker, or over one in memory in real time. */
import { randomUUID } from "node:crypto"
import { connectBroker } from "../../../src/cluster/broker.ts"
import { Cable } from "../../../src/cluster/cable.ts"
import type { Wire } from "../../../src/cluster/wire.ts"
import { waitsAsCall } from "../../../src/http/rpc/rpc.ts"
import type { NotTakenReason, Peer } from "../../../src/ports/cable.ts"
import type { RpcAnswer } from "../../../src/ports/rpc.ts"
import { openEdgeSockets, openOwnerSockets } from "../../../src/ws/mirrors/open.ts"
import { type Fate, MemoryBroker } from "../cable/memory-wire.ts"
import { startSockets, type TestSocketOptions, type TestSockets } from "./socket-server.ts"

const TERM = 7
const after = (millis: number, work: () => void): void => void setTimeout(work, millis)
const answer = (message: string): RpcAnswer => ({ envelope: "{}", failure: { code: 1103, message } })

export interface TestEdges {
  readonly edges: ReadonlyArray<TestSockets>
  /** What becomes of frames; only in memory. */
  readonly lose: (fate: Fate) => void
  readonly followed: () => number
  readonly stop: () => Promise<void>
}

/** `nats`: of a broker; without it frames go through memory. */
export const startEdges = async (
  owner: TestSockets,
  count: number,
  options: Pick<TestSocketOptions, "channels" | "ttl" | "onDefect"> & {
    /** Why the owner takes no call just now. Default: it takes them. */
    readonly holdsBack?: () => NotTakenReason | undefined
  },
  nats?: string,
): Promise<TestEdges> => {
  const memory = new MemoryBroker(after)
  const onDefect = options.onDefect ?? ((error: unknown) => console.error(error))
  const stops: Array<() => Promise<void> | void> = []
  const cable = async (): Promise<Cable> => {
    const inbox = randomUUID()
    let wire: Wire
    if (nats === undefined) wire = memory.wire()
    else {
      const broker = await connectBroker({ url: nats, name: inbox, inbox, prefix: "t", onDefect, onChange: () => {} })
      stops.push(broker.close)
      wire = broker
    }
    const made = new Cable({
      wire,
      inbox,
      prefix: "t",
      monotonic: () => performance.now(),
      soon: setImmediate,
      after,
      onDefect,
    })
    made.hear("all", () => {})
    const greet = (): void => made.tell("all", "here")
    const timer = setInterval(greet, 200)
    greet()
    stops.unshift(() => clearInterval(timer))
    return made
  }
  const home = await cable()
  const peer: Peer = { inbox: home.inbox, term: TERM }
  const monotonic = (): number => performance.now()
  const opened = openOwnerSockets({
    ...owner.parts,
    hub: owner.hub,
    cable: home,
    onOperatorGone: () => {},
    mayAct: () => true,
    holdsBack: options.holdsBack ?? (() => undefined),
    waitsForOrders: waitsAsCall,
    soon: setImmediate,
    monotonic,
    after,
  })
  stops.unshift(opened.begin(TERM))
  const edges: Array<TestSockets> = []
  for (let i = 0; i < count; i++) {
    const own = await cable()
    const edge = await startSockets({
      ...options,
      edge: (hub, kinds, speakers) =>
        openEdgeSockets({
          hub,
          kinds,
          cable: own,
          owner: () => peer,
          onOwner: () => {},
          speakers,
          isRead: () => false,
          refusals: { busy: () => answer("busy"), unknown: () => answer("unknown") },
          monotonic,
          after,
        }),
    })
    edges.push(edge)
    stops.unshift(edge.stop)
  }
  return {
    edges,
    lose: (fate) => {
      memory.fate = fate
    },
    followed: opened.followed,
    stop: async () => {
      for (const stop of stops) await stop()
    },
  }
}
