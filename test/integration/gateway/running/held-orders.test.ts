/** An owner whose database takes no order for a moment, and an edge, as processes: orders at both wait until it does, and none is refused. */
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ClusterProcess, ownerOf, sharedKeys, startClusterNode } from "../../../kit/servers/cluster.ts"
import { Api, endGateways, until } from "../../../kit/servers/gateway.ts"
import { type NatsServer, natsMissing, startNats } from "../../../kit/servers/nats.ts"
import { withDatabaseServer } from "./database.ts"

const newDatabase = withDatabaseServer()

describe.skipIf(natsMissing !== null)(
  `a database that is slow${natsMissing === null ? "" : ` (${natsMissing})`}`,
  () => {
    let nats: NatsServer
    let owner: ClusterProcess
    let edge: ClusterProcess
    let blocker: pg.Client

    beforeAll(async () => {
      const database = await newDatabase()
      nats = await startNats({ user: { name: "gateway", password: "of the broker's own" } })
      const env = { ...sharedKeys(), DATABASE_URL: database.url, NATS_URL: nats.url, MOCK_TICK_MS: "0" }
      const nodes = await Promise.all([
        startClusterNode("a", env),
        startClusterNode("b", { ...env, ROLES: "edge", METRICS_PORT: "0" }),
      ])
      owner = await ownerOf(nodes)
      edge = nodes.find((it) => it !== owner)!
      blocker = new pg.Client({ connectionString: database.adminUrl })
      await blocker.connect()
    })
    afterAll(async () => {
      await blocker?.end()
      await endGateways()
      await nats?.kill()
    })

    it("has orders wait at the owner and at the edge, and refuses none", async () => {
      const anybody = new Api(edge.http)
      await anybody.signup("a@example.com")
      const user = anybody.as((await anybody.login("a@example.com")).record.accessToken)
      const { tradingAccountId } = (await user.connectMock()).record
      const at = (node: ClusterProcess): Api => new Api(node.http, user.token)
      const order = (idempotencyKey: string) => ({
        tradingAccountId,
        instrumentId: "MOCK:BTC/USDT",
        orderSide: "BUY",
        orderType: "LIMIT",
        quantity: "0.01",
        limitPrice: "1000",
        idempotencyKey,
      })
      expect((await at(owner).submit(order("before"))).status).toBe(200)
      const metrics = await until("metrics", () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(edge.stderr())?.[0])
      const held = async (): Promise<boolean> => /peer_calls_held [1-9]/.test(await (await fetch(metrics)).text())

      await blocker.query("BEGIN; LOCK TABLE trade_order IN ACCESS EXCLUSIVE MODE")
      const begun = at(owner).submit(order("begun"))
      await until("the owner to be behind", async () => {
        // After two seconds it says what is not stored, and no more that it is behind.
        return /behind|nothing stored/.test(JSON.stringify(await at(owner).health()))
      })
      const asked = [at(edge).submit(order("at-the-edge")), at(owner).submit(order("at-the-owner"))]
      const refused = Promise.race(asked).then(({ status }) => status !== 200)
      await Promise.race([until("an order to be held", held), refused])
      // What is no order does not wait for them.
      const logins = await Promise.all([owner, edge].map((node) => new Api(node.http).login("a@example.com")))
      expect(logins.map(({ status }) => status)).toEqual([200, 200])
      await blocker.query("COMMIT")
      expect((await Promise.all([begun, ...asked])).map(({ status }) => status)).toEqual([200, 200, 200])
    })
  },
)
