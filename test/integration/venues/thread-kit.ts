/**
 * The worker thread that the connectors of a process's test files share: a thread of its own costs each a second of CPU for Node, our code
 * and ccxt's. A member that does nothing keeps it from ending with the last connector of a test; it ends with the process.
 */
import { MessageChannel, type MessagePort } from "node:worker_threads"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { Placement } from "../../../src/venues/connector/placement.ts"
import { SHARD_TIMES, type ShardMember, type ShardTimes } from "../../../src/venues/connector/shard.ts"
import { THREAD_CODE } from "../../kit/thread-code.ts"

/** A thread that gets no turn on a busy machine is not one that hangs: for five seconds it is waited for. */
export const PATIENT: Partial<ShardTimes> = { missesMax: 25 }

const NAME = "shared"
const KEEPER = "keeper"

/** The keeper's task ends when the other end of its port is closed, or nothing refers to it. */
let shared: { readonly placement: Placement; readonly keeping: MessagePort } | undefined

/** For connectors that neither break their thread nor look at it; `profile` is what it loads first. */
export const sharedThread = (profile: VenueProfile): Placement => {
  if (shared !== undefined) return shared.placement
  const placement = new Placement({
    rule: { "*": { public: NAME, private: NAME } },
    // None of its tests is about a thread that hangs: for a minute it is waited for.
    times: { ...SHARD_TIMES, missesMax: 300 },
    heapMegabytes: 1024,
    threadCode: THREAD_CODE,
    notice: () => undefined,
  })
  const { port1, port2 } = new MessageChannel()
  const shard = placement.shardOf({ connector: KEEPER, profile: { venue: KEEPER } })
  const member: ShardMember = { name: KEEPER, isLoading: () => false, lastWords: () => false, ended: () => undefined }
  shard.run(
    { settings: { connector: KEEPER, profile, routes: {}, proxy: null, breakable: false }, port: port2 },
    member,
  )
  shared = { placement, keeping: port1 }
  return placement
}
