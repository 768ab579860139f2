/** The bell of a process that does not hear it on the owner's session, behind a network that fails. */
import { connect, createServer, type Socket } from "node:net"
import { Effect, Exit, Scope } from "effect"
import pg from "pg"
import { afterEach, expect, it } from "vitest"
import { openBell } from "../../../../src/store/postgres/news-bell.ts"
import { withTestDatabase } from "../../../kit/servers/database.ts"
import { until } from "../../../kit/servers/gateway.ts"
import { query } from "../account-store-rig.ts"

const database = withTestDatabase()
const closing: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Ends a session as it begins to listen, for as long as `refuses`. */
const listenProxy = async () => {
  const { host, port } = new pg.Client({ connectionString: database().url })
  const sockets = new Set<Socket>()
  const state = { refuses: false, refused: 0 }
  const server = createServer((client) => {
    const far = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const [one, other] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(one)
      one.on("error", () => other.destroy()).on("close", () => other.destroy())
      one.on("data", (bytes) => {
        if (state.refuses && bytes.includes("LISTEN")) {
          state.refused += 1
          one.destroy()
        } else other.write(bytes)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  closing.push(() => {
    cut()
    server.close()
  })
  const url = new URL(database().url)
  url.searchParams.delete("host")
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`
  return { state, cut, url: url.toString() }
}

const listening = () =>
  query(
    database().adminUrl,
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN gateway_news'",
  )

it("rings again, in one session, after several that ended before they could listen", async () => {
  const proxy = await listenProxy()
  const scope = await Effect.runPromise(Scope.make())
  closing.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const { onRing } = await Effect.runPromise(Scope.extend(openBell(proxy.url), scope))
  let rings = 0
  onRing(() => {
    rings += 1
  })
  proxy.state.refuses = true
  proxy.cut()
  await until("sessions to end before they listen", () => proxy.state.refused >= 3)
  proxy.state.refuses = false
  await until("the bell to be back", () => rings > 0)
  expect(await listening()).toHaveLength(1)
  const before = rings
  await query(database().url, "NOTIFY gateway_news")
  await until("a ring", () => rings > before)
})
