/** The order writer against a server that fails it: killed sessions, lost answers, silence, another owner. Units settle once, rows once. */
import * as fs from "node:fs"
import * as net from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, ManagedRuntime } from "effect"
import pg from "pg"
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { CommitOutcome } from "../../../src/ports/account-store.ts"
import { type OrderWriter, type OrderWriterOptions, startOrderWriter } from "../../../src/store/orders/order-writer.ts"
import { connectDedicated } from "../../../src/store/postgres/sql.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { until } from "../../kit/servers/gateway.ts"
import {
  commit,
  event,
  newOrder,
  orderRow,
  query,
  storeAccount,
  storedEvents,
  storeLayer,
} from "./account-store-rig.ts"

const database = withTestDatabase()

/** Between writer and server: passes bytes, or swallows the answer of the server and cuts the line. */
class Wire {
  mode: "open" | "loseAnswer" | "silent" = "open"
  lost = 0
  private readonly sockets = new Set<net.Socket>()
  private readonly server: net.Server
  private constructor(upstream: () => net.Socket) {
    this.server = net.createServer((client) => {
      const server = upstream()
      for (const socket of [client, server]) {
        this.sockets.add(socket)
        socket.on("error", () => undefined)
        socket.on("close", () => {
          client.destroy()
          server.destroy()
          this.sockets.delete(socket)
        })
      }
      client.on("data", (bytes) => {
        if (this.mode !== "silent") server.write(bytes)
      })
      server.on("data", (bytes) => {
        if (this.mode === "open") client.write(bytes)
        else if (this.mode === "loseAnswer") {
          // The server has answered, so it has committed; the writer will never see it.
          this.mode = "open"
          this.lost++
          client.destroy()
        }
      })
    })
  }
  static async to(url: string): Promise<{ readonly wire: Wire; readonly url: string }> {
    const probe = new pg.Client({ connectionString: url })
    const wire = new Wire(() =>
      probe.host.startsWith("/")
        ? net.connect(`${probe.host}/.s.PGSQL.${probe.port}`)
        : net.connect(probe.port, probe.host),
    )
    await new Promise<void>((resolve) => wire.server.listen(0, "127.0.0.1", resolve))
    const through = new URL(url)
    through.searchParams.delete("host")
    through.hostname = "127.0.0.1"
    through.port = String((wire.server.address() as net.AddressInfo).port)
    return { wire, url: through.toString() }
  }
  close(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
  }
}

let wire: Wire
let url: string
let account: TradingAccount
let writer: OrderWriter
let losses: Array<string>
let defects: Array<unknown>
let warnings: Array<string>
const epoch = 1

const start = (options: Partial<OrderWriterOptions> = {}): OrderWriter =>
  startOrderWriter({
    connect: () => connectDedicated(url, { applicationName: "writer under test", connectTimeoutMillis: 1_000 }),
    nodeId: "gateway",
    epoch,
    lost: (reason) => losses.push(reason),
    defect: (error) => defects.push(error),
    warn: (message) => warnings.push(message),
    ...options,
  })

beforeAll(async () => {
  const runtime = ManagedRuntime.make(storeLayer(database().url))
  account = await storeAccount(runtime)
  await runtime.dispose()
})
beforeEach(async () => {
  await query(database().url, "DELETE FROM trade_order; DELETE FROM account_event")
  await query(database().url, "UPDATE gateway_node SET node_id = 'gateway', epoch = 1")
  ;({ wire, url } = await Wire.to(database().url))
  losses = []
  defects = []
  warnings = []
  writer = start()
})
afterEach(async () => {
  vi.restoreAllMocks()
  writer.close()
  wire.close()
  // What a lost session has begun ends before the next test's rows are there.
  await until("the writer's sessions to end", async () => (await endSessions()).length === 0)
})

const submit = (): Promise<CommitOutcome> => {
  const order = newOrder(account, { clientOrderId: crypto.randomUUID() })
  return commit(writer, { accountId: account.tradingAccountId, rows: [orderRow(order)], events: [event(), event()] })
}
const busy = (millis: number): void => {
  const untilAt = performance.now() + millis
  while (performance.now() < untilAt);
}
/** Time stands still for the ages of what waits, but for what is told to pass; timers go on. */
const stoppedClock = (): ((millis: number) => void) => {
  let now = Math.ceil(performance.now())
  vi.spyOn(performance, "now").mockImplementation(() => now)
  return (millis) => {
    now += millis
  }
}
const countOrders = async () => (await query(database().url, "SELECT count(*)::int AS n FROM trade_order"))[0]?.["n"]
const sequences = async () =>
  (await storedEvents(database().url, account.tradingAccountId)).map((stored) => stored.sequence)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const endSessions = () =>
  query(
    database().adminUrl,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'writer under test'",
  )
const firsts = (outcomes: ReadonlyArray<CommitOutcome>) =>
  outcomes.map((outcome) => (outcome._tag === "Committed" ? outcome.firstSequence : outcome._tag))

describe("the order writer", () => {
  it("loses and repeats nothing when its session is ended again and again under load", async () => {
    let settled = 0
    const clients = Array.from({ length: 16 }, async () => {
      const outcomes: Array<CommitOutcome> = []
      for (let i = 0; i < 60; i++) {
        outcomes.push(await submit())
        settled++
      }
      return outcomes
    })
    let kills = 0
    while (settled < 700) {
      await sleep(5)
      kills += (await endSessions()).length
    }
    const outcomes = (await Promise.all(clients)).flat()
    expect(kills).toBeGreaterThan(0)
    expect(writer.stats().retries).toBeGreaterThan(0)
    expect(outcomes.every((outcome) => outcome._tag === "Committed")).toBe(true)
    expect(await countOrders()).toBe(960)
    expect(await sequences()).toEqual(upTo(1_920))
  })

  it("takes a batch that was committed before the answer was lost as its own", async () => {
    await submit()
    for (let round = 0; round < 3; round++) {
      wire.mode = "loseAnswer"
      const outcomes = await Promise.all([submit(), submit(), submit()])
      const first = 3 + round * 6
      expect(firsts(outcomes)).toEqual([first, first + 2, first + 4])
    }
    expect(wire.lost).toBe(3)
    expect(await countOrders()).toBe(10)
    expect(await sequences()).toEqual(upTo(20))
  })

  it("sends the same batch again after a silence, and waits for what the server still does with the first", async () => {
    writer.close()
    writer = start({ timeoutMillis: 150 })
    await submit()
    wire.mode = "silent"
    const held = submit()
    await sleep(400)
    expect(writer.stats().waiting).toBe(1)
    wire.mode = "open"
    expect(firsts([await held])).toEqual([3])

    // The first sending waits for a lock in the server; the second meets its rows.
    const blocker = new pg.Client({ connectionString: database().url })
    await blocker.connect()
    await blocker.query("BEGIN; LOCK TABLE trade_order IN ACCESS EXCLUSIVE MODE")
    const blocked = submit()
    await sleep(500)
    await blocker.query("COMMIT")
    await blocker.end()
    expect(firsts([await blocked])).toEqual([5])
    await sleep(50)
    expect(await countOrders()).toBe(3)
    expect(await sequences()).toEqual(upTo(6))
  })

  it("settles nothing and says so once another owner has raised the epoch", async () => {
    await submit()
    await query(database().url, "UPDATE gateway_node SET epoch = 2")
    let settled = false
    void submit().then(() => {
      settled = true
    })
    await expect(writer.drain()).rejects.toThrow("another process owns the database")
    expect(losses).toEqual([expect.stringContaining("node gateway no longer has epoch 1")])
    expect(settled).toBe(false)
    expect(writer.pressure()).toBe("full")
    expect(await countOrders()).toBe(1)
    expect(await sequences()).toEqual(upTo(2))
  })

  it("refuses a unit whose number another writer of its epoch has taken, whole, and numbers the next one after it", async () => {
    await submit()
    const other = start()
    try {
      const at = Date.now()
      const unitOf = (order = newOrder(account)) => ({
        accountId: account.tradingAccountId,
        rows: [orderRow(order)],
        events: [{ ...event(), at }],
      })
      const [first, second] = [unitOf(), unitOf()]
      // Both have learned the account's numbers.
      expect(await commit(other, unitOf())).toMatchObject({ _tag: "Committed", firstSequence: 3 })
      expect(await commit(writer, first)).toMatchObject({ _tag: "Refused" })
      expect(await commit(writer, second)).toMatchObject({ _tag: "Committed", firstSequence: 4 })
      expect(await sequences()).toEqual(upTo(4))
      expect(await countOrders()).toBe(3)
    } finally {
      other.close()
    }
  })

  it("gives the orders of two writers their places in the queue of a venue as they are accepted, none of them twice", async () => {
    const [first, other] = [writer, start()]
    try {
      const accepted: Array<string> = []
      for (const each of [first, other, first, other, other, first]) {
        const orders = [1, 2].map(() => newOrder(account, { orderStatus: "ACCEPTED" }))
        await commit(each, { accountId: account.tradingAccountId, rows: orders.map(orderRow), events: [] })
        accepted.push(...orders.map((order) => order.tradeOrderId))
      }
      const rows = await query(database().url, "SELECT trade_order_id, accepted_number FROM trade_order ORDER BY 2, 1")
      expect(new Set(rows.map((row) => row["accepted_number"])).size).toBe(12)
      expect(rows.map((row) => row["trade_order_id"])).toEqual(accepted)
    } finally {
      other.close()
    }
  })

  it("puts what is accepted after the upgrade behind what was accepted before", async () => {
    const rest = async () => {
      const order = newOrder(account, { orderStatus: "ACCEPTED" })
      await commit(writer, { accountId: account.tradingAccountId, rows: [orderRow(order)], events: [] })
      return order.tradeOrderId
    }
    const before = await rest()
    await query(database().url, "UPDATE trade_order SET accepted_number = 41; DROP SEQUENCE order_queue")
    await query(database().url, fs.readFileSync("src/store/migrations/0045_order_queue.sql", "utf8"))
    const after = await rest()
    expect(await query(database().url, "SELECT trade_order_id, accepted_number FROM trade_order ORDER BY 2")).toEqual([
      { trade_order_id: before, accepted_number: "41" },
      { trade_order_id: after, accepted_number: "42" },
    ])
  })

  it("writes at most 512 units or 1 MiB in a batch", async () => {
    await submit()
    const before = writer.stats()
    await Promise.all(Array.from({ length: 1_025 }, submit))
    expect(writer.stats().batches - before.batches).toBe(3)
    const heavy = JSON.stringify("x".repeat(400_000))
    await Promise.all(
      [1, 2, 3].map(() => commit(writer, { accountId: account.tradingAccountId, rows: [], events: [event(heavy)] })),
    )
    expect(writer.stats().batches - before.batches).toBe(5)
    const huge = JSON.stringify("x".repeat(1_500_000))
    await commit(writer, { accountId: account.tradingAccountId, rows: [], events: [event(huge)] })
    expect((await storedEvents(database().url, account.tradingAccountId)).at(-1)?.payload).toBe(huge)
  })

  it("is full with 4,096 units waiting, or with one that waits longer than a second", async () => {
    const pass = stoppedClock()
    writer.close()
    writer = start({ lived: () => performance.now() })
    await submit()
    wire.mode = "silent"
    const held = [submit()]
    pass(1_000)
    expect(writer.pressure()).toBe("calm")
    pass(1)
    expect(writer.pressure()).toBe("full")
    wire.mode = "open"
    await endSessions()
    await Promise.all(held)
    expect(writer.pressure()).toBe("calm")
    // Light ones: to make so many orders takes a while.
    const unit = { accountId: account.tradingAccountId, rows: [], events: [event()] }
    const burst = Array.from({ length: 4_095 }, () => commit(writer, unit))
    expect(writer.pressure()).toBe("calm")
    burst.push(commit(writer, unit))
    expect(writer.pressure()).toBe("full")
    await Promise.all(burst)
    expect(writer.pressure()).toBe("calm")
  })

  it("is full with more than a batch waiting once the oldest waits for half a second", async () => {
    const pass = stoppedClock()
    await submit()
    wire.mode = "silent"
    const held = [submit()]
    pass(550)
    expect(writer.pressure()).toBe("calm")
    const unit = { accountId: account.tradingAccountId, rows: [], events: [event()] }
    held.push(...Array.from({ length: 512 }, () => commit(writer, unit)))
    expect(writer.pressure()).toBe("full")
    wire.mode = "open"
    await endSessions()
    await Promise.all(held)
    expect(writer.pressure()).toBe("calm")
  })

  it("writes nothing that is based on a refused unit before its owner is told", async () => {
    const order = newOrder(account)
    const broken = { ...order, rejectReason: "a\u0000b" }
    let late: Promise<CommitOutcome> | undefined
    for (let n = 1; n <= 100; n++) {
      const settled = (): void => {
        busy(2)
        // The refused one is next to be told.
        if (n === 100) late = submit()
      }
      writer.commit({ accountId: account.tradingAccountId, rows: [], events: [event()], settled })
    }
    const refused = await commit(writer, {
      accountId: account.tradingAccountId,
      rows: [orderRow(broken)],
      events: [event()],
    })
    expect(refused).toMatchObject({ _tag: "Refused", reason: expect.stringMatching(/^22021 /) })
    expect(await late).toEqual({ _tag: "Refused", reason: "based on a refused unit" })
    expect(firsts([await submit()])).toEqual([101])
  })

  it("lets others into the loop while hundreds hear what became of their units", async () => {
    let settled = 0
    const seen: Array<number> = []
    const others = setInterval(() => seen.push(settled), 1)
    for (let n = 0; n < 100; n++)
      writer.commit({
        accountId: account.tradingAccountId,
        rows: [],
        events: [event()],
        settled: () => {
          settled++
          busy(1)
        },
      })
    await writer.drain()
    clearInterval(others)
    expect(settled).toBe(100)
    expect(new Set(seen.filter((count) => count > 0 && count < 100)).size).toBeGreaterThan(5)
  })

  it("goes on after a callback that throws", async () => {
    writer.commit({
      accountId: account.tradingAccountId,
      rows: [],
      events: [event()],
      settled: () => {
        throw new Error("a defect of the actor")
      },
    })
    writer.after(account.tradingAccountId, () => {
      throw new Error("another one")
    })
    expect(firsts([await submit()])).toEqual([2])
    expect(defects.map(String)).toEqual(["Error: a defect of the actor", "Error: another one"])
  })

  it("refuses the one unit that the server cannot store, among hundreds of others' units", async () => {
    const runtime = ManagedRuntime.make(storeLayer(database().url))
    const strangers = await storeAccount(runtime)
    await runtime.dispose()
    // The stores of this test's runtime took the database over.
    await query(database().url, "UPDATE gateway_node SET node_id = 'gateway', epoch = 1")
    const orders = Array.from({ length: 300 }, (_, i) => newOrder(i === 137 ? strangers : account))
    const broken = { ...orders[137]!, rejectReason: "a\u0000b" }
    const outcomes = await Promise.all(
      orders.map((order, i) =>
        commit(writer, {
          accountId: order.tradingAccountId,
          rows: [orderRow(i === 137 ? broken : order)],
          events: [event()],
        }),
      ),
    )
    const refused = outcomes.flatMap((outcome, i) => (outcome._tag === "Committed" ? [] : [[i, outcome]]))
    expect(refused).toEqual([[137, { _tag: "Refused", reason: expect.stringMatching(/^22021 /) }]])
    expect(await countOrders()).toBe(299)
    expect(await sequences()).toEqual(upTo(299))
  })

  it("refuses a unit whose records cannot even be written down", async () => {
    const broken = { ...newOrder(account), held: undefined as never }
    const outcomes = await Promise.all([
      submit(),
      commit(writer, { accountId: account.tradingAccountId, rows: [orderRow(broken)], events: [event()] }),
      submit(),
    ])
    expect(outcomes.map((outcome) => outcome._tag)).toEqual(["Committed", "Refused", "Refused"])
    expect((await submit())._tag).toBe("Committed")
    expect(await sequences()).toEqual(upTo(4))
  })

  it("drains when everything is settled", async () => {
    await writer.drain()
    const outcomes: Array<CommitOutcome> = []
    for (let i = 0; i < 20; i++) void submit().then((outcome) => outcomes.push(outcome))
    await writer.drain()
    await Effect.runPromise(Effect.yieldNow())
    expect(outcomes.length).toBe(20)
    expect(writer.stats()).toMatchObject({ units: 20, waiting: 0, keyUsed: 0, refused: 0 })
  })

  it("waits for a server that is not there yet", async () => {
    writer.close()
    let reachable = false
    writer = start({
      connect: () => (reachable ? connectDedicated(url) : Promise.reject(new Error("refused"))),
    })
    const held = submit()
    await sleep(60)
    reachable = true
    expect(firsts([await held])).toEqual([1])
    expect(warnings.length).toBeGreaterThan(0)
  })
})
