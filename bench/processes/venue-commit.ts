/** The least that makes an order durable, for `venue`: one row of 14 columns, one commit each, on a connection of its own, at the same pace. */
import { randomUUID } from "node:crypto"
import type pg from "pg"
import { connectDedicated } from "../../src/store/postgres/sql.ts"
import { answer } from "../kit/child.ts"
import { nowMicros, openLoop } from "../kit/clock.ts"
import type { OrderTimes, Pace } from "./venue-wire.ts"

const TABLE = `
  CREATE TABLE bare_order (
    trade_order_id uuid PRIMARY KEY, trading_account_id uuid NOT NULL, instrument_id text NOT NULL, order_side text NOT NULL,
    order_type text NOT NULL, time_in_force text NOT NULL, order_status text NOT NULL, limit_price numeric, quantity numeric NOT NULL,
    executed_quantity numeric NOT NULL, client_order_id text, idempotency_key text, created_at bigint NOT NULL, updated_at bigint NOT NULL)`
const INSERT = {
  name: "bare",
  text: `INSERT INTO bare_order VALUES (${Array.from({ length: 14 }, (_, i) => `$${i + 1}`).join(", ")})`,
}

const account = randomUUID()
let database: pg.Client | undefined

answer(
  {
    start: async (url: string): Promise<void> => {
      database = await connectDedicated(url)
      await database.query(TABLE)
    },
    run: async ({ perSecond, millis, name }: Pace): Promise<ReadonlyArray<OrderTimes>> => {
      const orders: Array<Promise<OrderTimes>> = []
      let stored: Promise<unknown> = Promise.resolve()
      await openLoop(perSecond, millis, (n, plannedAt) => {
        const id = randomUUID()
        const [key, now, price] = [`${name}-${n}`, Date.now(), 50_000 + (n % 100)]
        const terms = ["BINANCE:BTC/USDT", "BUY", "LIMIT", "GTC", "CREATED", price, "0.0001", 0]
        const values = [id, account, ...terms, null, key, now, now]
        stored = stored.then(() => database?.query({ ...INSERT, values }))
        orders.push(stored.then(() => ({ clientOrderId: id, plannedAt, answeredAt: nowMicros() })))
      })
      return Promise.all(orders)
    },
  },
  () => database?.end(),
)
