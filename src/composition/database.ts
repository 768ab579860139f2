/** The database that the gateway runs on: the embedded server, or one of the operator's. */
import { Effect } from "effect"
import { Clock } from "../ports/clock.ts"
import { embeddedPostgres } from "../store/embedded/embedded.ts"
import { ownDatabase } from "../store/postgres/node.ts"
import { checkServer } from "../store/postgres/server-check.ts"
import { checkDurability, migrate, sqlPromise } from "../store/postgres/sql.ts"
import { missingDatabase } from "./keys.ts"
import type { GatewayOptions } from "./options.ts"

/** A migrated database of our own, durable, that no other process owns. */
export const database = ({ settings, notice, fatal }: GatewayOptions) =>
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
    const { version, name } = yield* sqlPromise(() => checkServer(opened))
    notice(
      "the database",
      { server: `PostgreSQL ${version}`, at: name, embedded: settings.databaseUrl === null },
      "info",
    )
    yield* sqlPromise(() => checkDurability(opened))
    const prepare = Effect.asVoid(sqlPromise(() => migrate(opened)))
    const owner = yield* ownDatabase(opened, { now: clock.now, prepare })
    void owner.lost.then(fatal)
    return { url: opened, owner }
  })
