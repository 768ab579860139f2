/** The order writer of a process that takes over: what its first units would wait for is there before them. */
import { ManagedRuntime } from "effect"
import { expect, it } from "vitest"
import { LEARN_ACCOUNTS } from "../../../../src/store/orders/order-refusal.ts"
import { startOrderWriter } from "../../../../src/store/orders/order-writer.ts"
import { connectDedicated } from "../../../../src/store/postgres/sql.ts"
import { withTestDatabase } from "../../../kit/servers/database.ts"
import { commit, event, newOrder, orderRow, query, storeAccount, storeLayer } from "../account-store-rig.ts"

const database = withTestDatabase()
const NAME = "writer ahead"

it("opens its session and asks its first question when it is told to prepare; units that come meanwhile follow", async () => {
  const runtime = ManagedRuntime.make(storeLayer(database().url))
  const account = await storeAccount(runtime)
  await runtime.dispose()
  const [row] = await query(database().url, "SELECT epoch::int FROM gateway_node WHERE node_id = 'gateway'")
  const troubles: Array<unknown> = []
  let connects = 0
  const writer = startOrderWriter({
    connect: () => {
      connects++
      return connectDedicated(database().url, { applicationName: NAME })
    },
    nodeId: "gateway",
    epoch: Number(row?.["epoch"]),
    lost: (reason) => troubles.push(reason),
    defect: (error) => troubles.push(error),
    warn: (message) => troubles.push(message),
  })
  const submit = () => {
    const order = newOrder(account, { clientOrderId: crypto.randomUUID() })
    return commit(writer, { accountId: account.tradingAccountId, rows: [orderRow(order)], events: [event()] })
  }
  try {
    writer.prepare()
    await writer.drain()
    const asked = await query(database().adminUrl, "SELECT query FROM pg_stat_activity WHERE application_name = $1", [
      NAME,
    ])
    expect(asked).toEqual([{ query: LEARN_ACCOUNTS.text }])
    writer.prepare()
    const outcomes = await Promise.all([submit(), submit()])
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Committed", "Committed"])
    expect([connects, troubles]).toEqual([1, []])
  } finally {
    writer.close()
  }
})
