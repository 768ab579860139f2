/**
 * This process as a node of a cluster: its row, its lease and, where it is granted, the ownership of the database, kept by a thread
 * (keeper-thread.ts). The one thing to know: a node that has lost its row, or its ownership, has to end; another may have both already.
 */
import { Worker } from "node:worker_threads"
import { Deferred, Effect, type Scope } from "effect"
import type pg from "pg"
import type { ClusterView, Owner } from "../../ports/cluster.ts"
import { isOwned, type SharedOwnership } from "../../ports/ownership.ts"
import { CLUSTER_LEASE, enterSession, type LeaseTerms } from "./lease.ts"
import { DatabaseOwned, OWNER_LOCK, type OwnedNode } from "./node.ts"
import { connectionOf, SqlUnavailable } from "./sql.ts"

/** What the thread begins with. */
export interface KeeperData {
  readonly config: pg.ClientConfig
  readonly nodeId: string
  readonly terms: LeaseTerms
  /** Whether the node waits for the ownership. */
  readonly mayOwn: boolean
  readonly lock: number
  /** One BigInt64: ns of `process.hrtime` at which the main loop turned last. */
  readonly beat: SharedArrayBuffer
  readonly owned: SharedOwnership
  /** Without a turn for so long the lease is not renewed any more. */
  readonly stallMillis: number
}

export type KeeperOrder = "leave"

export type KeeperWord =
  | { readonly _tag: "Joined"; readonly epoch: number }
  | { readonly _tag: "Owner"; readonly owner: Owner | null }
  | { readonly _tag: "TookOver" }
  | { readonly _tag: "Granted"; readonly epoch: number }
  | { readonly _tag: "Silent"; readonly reason: string }
  | { readonly _tag: "Lost"; readonly reason: string }
  | { readonly _tag: "Left" }

export interface ClusterNode extends ClusterView {
  /** Resolves with the reason when the row or the ownership is lost. */
  readonly lost: Promise<string>
  /** Resolves when the database is this node's, which may be never. */
  readonly granted: Effect.Effect<Pick<OwnedNode, "nodeId" | "epoch" | "enter" | "shared" | "mayAct">>
  /** Whether its lease runs. */
  readonly isLeased: () => boolean
  /** Gives up what the node has, so that another need not wait for the end of its lease. Repeatable; within a second. */
  readonly leave: Effect.Effect<void>
}

const BEAT_MILLIS = 100
const STALL_MILLIS = 2_500
const LEAVE_MILLIS = 1_000

const THREAD = new URL(`./keeper-thread.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url)

/**
 * Joins under a name that no other process renews, and leaves with the scope. Fails with DatabaseOwned where one does, after as long as the lease of one
 * that was killed may run. `prepare` the database before: its tables must be there.
 */
export const joinCluster = (
  url: string,
  options: {
    readonly nodeId: string
    readonly mayOwn: boolean
    readonly terms?: LeaseTerms
    /** Without a turn of the main loop for so long the lease is not renewed any more. */
    readonly stallMillis?: number
    /** The thread's code once built; for tests. */
    readonly thread?: URL
    /** For the operator. */
    readonly notice: (what: string, fields?: Readonly<Record<string, string>>) => void
  },
): Effect.Effect<ClusterNode, DatabaseOwned | SqlUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const { nodeId, mayOwn, terms = CLUSTER_LEASE, stallMillis = STALL_MILLIS, thread: code = THREAD, notice } = options
    const config = yield* Effect.try({
      try: () => connectionOf(url, { applicationName: "venue-gateway owner" }),
      catch: (error) => (error instanceof SqlUnavailable ? error : new SqlUnavailable({ message: String(error) })),
    })
    const beat = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
    const beats = new BigInt64Array(beat)
    const turn = (): void => void Atomics.store(beats, 0, process.hrtime.bigint())
    turn()
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(turn, BEAT_MILLIS).unref()),
      (timer) => Effect.sync(() => clearInterval(timer)),
    )
    const owned = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
    const isLeased = isOwned(owned)

    const joined = yield* Deferred.make<number, DatabaseOwned>()
    const granted = yield* Deferred.make<number>()
    const left = yield* Deferred.make<void>()
    let epoch = 0
    let hasJoined = false
    let isLeaving = false
    let owner: Owner | undefined
    const listeners: Array<(owner: Owner | undefined) => void> = []
    const follow = (next: Owner | undefined): void => {
      if (next?.term === owner?.term) return
      owner = next
      for (const listener of listeners) listener(next)
    }
    let end: (reason: string) => void = () => undefined
    const lost = new Promise<string>((resolve) => (end = resolve))

    const gone = (reason: string): void => {
      if (isLeaving) return
      if (hasJoined) end(reason)
      else Deferred.unsafeDone(joined, new DatabaseOwned({ message: reason }))
    }
    const hear = (word: KeeperWord): void => {
      switch (word._tag) {
        case "Joined":
          hasJoined = true
          epoch = word.epoch
          return Deferred.unsafeDone(joined, Effect.succeed(epoch))
        case "Owner":
          // Of one whose lease has run out nothing is known until the next is there.
          return word.owner !== null && word.owner.term < (owner?.term ?? 0)
            ? undefined
            : follow(word.owner ?? undefined)
        case "TookOver":
          return notice("the process that owned the database has not renewed its lease: its sessions were ended")
        case "Granted":
          epoch = word.epoch
          return Deferred.unsafeDone(granted, Effect.succeed(epoch))
        case "Silent":
          return notice("the lease on the database is not renewed", { error: word.reason })
        case "Lost":
          return gone(word.reason)
        case "Left":
          return Deferred.unsafeDone(left, Effect.void)
      }
    }

    const data: KeeperData = { config, nodeId, terms, mayOwn, lock: OWNER_LOCK, beat, owned, stallMillis }
    const execArgv = code.href.endsWith(".ts") ? ["--import", "tsx"] : []
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => new Worker(code, { workerData: data, execArgv })),
      (worker) =>
        Effect.zipRight(
          leave,
          Effect.promise(() => worker.terminate()),
        ),
    )
    const leave = Effect.suspend(() => {
      if (!isLeaving) thread.postMessage("leave" satisfies KeeperOrder)
      isLeaving = true
      return Deferred.await(left)
    }).pipe(Effect.timeoutOption(LEAVE_MILLIS), Effect.asVoid)
    thread.on("message", hear)
    thread.on("error", (error) => gone(`the thread of the lease failed: ${error.message}`))
    thread.on("exit", () => {
      gone("the thread of the lease ended")
      Deferred.unsafeDone(left, Effect.void)
    })
    yield* Deferred.await(joined)

    return {
      nodeId,
      epoch: () => epoch,
      owner: () => owner,
      heard: (told) => {
        if (told.term > (owner?.term ?? 0)) follow(told)
      },
      onOwner: (listener) => void listeners.push(listener),
      lost,
      isLeased,
      leave,
      granted: Effect.map(Deferred.await(granted), (term) => ({
        nodeId,
        epoch: term,
        shared: owned,
        mayAct: isLeased,
        enter: async (session: pg.ClientBase) => {
          const answer: unknown = await session.query(enterSession(nodeId, term))
          const [row] = ((Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryResult<{ is_owner: boolean }>).rows
          if (row?.is_owner === true) return
          gone("another process owns the database")
          throw new Error("another process owns the database")
        },
      })),
    }
  })
