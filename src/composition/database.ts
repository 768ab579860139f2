/**
 * The gateway's database: the embedded server, or the operator's own; and the upkeep of its journal, for which neither a start nor a commit
 * waits.
 */
import { Data, Duration, Effect } from "effect"
import { keepLoop } from "../kernel/loop.ts"
import { Clock } from "../ports/clock.ts"
import type { ClusterSettings } from "../settings/cluster.ts"
import { embeddedPostgres } from "../store/embedded/embedded.ts"
import { EVENT_DAYS_KEPT, maintainPartitions, makeDaysAhead, noteDaysKept } from "../store/orders/partitions.ts"
import { joinCluster } from "../store/postgres/keeper.ts"
import { openBell } from "../store/postgres/news-bell.ts"
import { DatabaseOwned, holdDatabase, ownDatabase, RENEW_MILLIS } from "../store/postgres/node.ts"
import { checkServer } from "../store/postgres/server-check.ts"
import { checkDurability, lacksMigrations, migrate, sqlPromise } from "../store/postgres/sql.ts"
import { missingDatabase } from "./keys.ts"
import type { GatewayOptions } from "./options.ts"

// Upkeep of the journal beside the running process: partitions of days to come and of days that go. The one thing to know: neither a start
// nor a commit waits for it. What could not be done is tried again until it is.

const PERIOD = Duration.hours(1)
/** At start, for the first events of a new day: more than enough where no lock is held. */
const START_PATIENCE = Duration.seconds(1)

class Postponed extends Data.TaggedError("Postponed")<{ readonly message: string }> {}

/** Returns soon; the upkeep goes on in the scope. `now`: wall ms. `daysKept`: of events. */
export const keepJournal = (now: () => number, daysKept = EVENT_DAYS_KEPT) =>
  Effect.gen(function* () {
    const noted = noteDaysKept(daysKept)
    yield* Effect.suspend(() => Effect.zipRight(noted, makeDaysAhead(now()))).pipe(
      Effect.timeoutOption(START_PATIENCE),
      Effect.ignore,
    )
    const round = Effect.flatMap(
      Effect.suspend(() => Effect.zipRight(noted, maintainPartitions(now(), daysKept))),
      ({ postponed }) =>
        postponed.length === 0
          ? Effect.void
          : new Postponed({ message: `not locked in time: ${postponed.join(", ")}` }),
    )
    yield* keepLoop({ name: "upkeep of the journal", pause: PERIOD, round })
  })

/** What a version brings is brought by one process while no other owns the database. */
const prepared = (url: string) =>
  Effect.gen(function* () {
    const isBehind = sqlPromise(() => lacksMigrations(url))
    if (!(yield* isBehind)) return
    const alone = Effect.scoped(Effect.zipRight(holdDatabase(url), Effect.asVoid(sqlPromise(() => migrate(url)))))
    yield* Effect.catchTag(alone, "DatabaseOwned", () =>
      Effect.flatMap(isBehind, (isStill) =>
        isStill
          ? new DatabaseOwned({
              message:
                "this version changes the database, and a process of another version owns it: stop all nodes first, then start this one (see docs/operations/cluster.md)",
            })
          : Effect.void,
      ),
    )
  })

/** A migrated, durable database, and this process as a node of the cluster on it: it may own the database at once, later, or never. */
export const clusterNode = ({ notice, fatal }: GatewayOptions, url: string, cluster: ClusterSettings) =>
  Effect.gen(function* () {
    yield* known(url, false, notice)
    yield* prepared(url)
    const { nodeId, mayOwn } = cluster
    const node = yield* joinCluster(url, { nodeId, mayOwn, notice })
    void node.lost.then(fatal)
    notice("joined the cluster", { nodeId, epoch: node.epoch() }, "info")
    return node
  })

const known = (url: string, embedded: boolean, notice: GatewayOptions["notice"]) =>
  Effect.gen(function* () {
    const { version, name } = yield* sqlPromise(() => checkServer(url))
    notice("the database", { server: `PostgreSQL ${version}`, at: name, embedded }, "info")
    yield* sqlPromise(() => checkDurability(url))
  })

/** A migrated database of our own, durable, that no other process owns. In a cluster it is waited for. */
export const database = (options: GatewayOptions) =>
  Effect.gen(function* () {
    const { settings, notice } = options
    if (settings.cluster === null || settings.databaseUrl === null) return yield* ownDatabaseAlone(options)
    const url = settings.databaseUrl
    const node = yield* clusterNode(options, url, settings.cluster)
    const bell = yield* openBell(url)
    const owner = { ...(yield* node.granted), bell }
    notice("owns the database", { nodeId: owner.nodeId, term: owner.epoch }, "info")
    return { url, owner }
  })

const ownDatabaseAlone = ({ settings, notice, fatal }: GatewayOptions) =>
  Effect.gen(function* () {
    let url = settings.databaseUrl
    if (url === null) {
      const { dataDir } = settings
      const whenNone = missingDatabase(settings, `${dataDir}/postgres has none`)
      const embedded = yield* embeddedPostgres({ dataDir, whenNone })
      let isClosing = false
      yield* Effect.addFinalizer(() => Effect.sync(() => (isClosing = true)))
      void embedded.exited.then(() => {
        if (!isClosing) fatal("the embedded PostgreSQL ended")
      })
      url = embedded.url()
    }
    const opened = url
    const clock = yield* Clock
    yield* known(opened, settings.databaseUrl === null, notice)
    const prepare = Effect.asVoid(sqlPromise(() => migrate(opened)))
    const owner = yield* ownDatabase(opened, { now: clock.now, monotonic: clock.monotonic, prepare, notice })
    void owner.lost.then(fatal)
    yield* keepLoop({ name: "lease", pause: RENEW_MILLIS, round: owner.renew })
    return { url: opened, owner }
  })
