/** All orders of an account, ended ones too, and one of them with everything that is known of it: its evidence, executions and linked ids. */
import { useState } from "preact/hooks"
import type { TradeOrder } from "../../../clients/typescript/src/index.ts"
import { bothClocks, digits } from "../format.ts"
import { chosen, followed } from "../live.ts"
import { explained } from "../meanings.ts"
import { AsOfCut } from "../parts/as-of.tsx"
import { useLoaded } from "../parts/load.ts"
import { Empty, Fault, Field, Num, Panel, Table, Time } from "../parts/ui.tsx"
import { gateway } from "../session.ts"
import { OrderTable, Status, withoutAccount } from "../trade/orders.tsx"

const STATES = [
  "",
  "PENDING",
  "OPEN",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELLED",
  "REJECTED",
  "EXPIRED",
  "UNKNOWN",
] as const
const PAGE = 100

const Executions = ({ order }: { readonly order: TradeOrder }) => {
  const most = (of: (it: TradeOrder["executions"][number]) => string): number =>
    Math.max(0, ...order.executions.map((it) => digits(of(it))))
  const [prices, sizes] = [most((it) => it.executedPrice), most((it) => it.executedQuantity)]
  return order.executions.length === 0 ? (
    <Empty>Nothing was executed.</Empty>
  ) : (
    <Table
      label="Executions"
      heads={
        <>
          <th>Time</th>
          <th class="right">Quantity</th>
          <th class="right">Price</th>
          <th>Fees</th>
          <th>Venue's trade</th>
        </>
      }
    >
      {order.executions.map((it) => (
        <tr key={it.executionId}>
          <td>
            <Time ms={it.executedAt} />
          </td>
          <td class="right">
            <Num text={it.executedQuantity} digits={sizes} />
          </td>
          <td class="right">
            <Num text={it.executedPrice} digits={prices} />
          </td>
          <td class="num">{it.fees.map(({ quantity, asset }) => `${quantity} ${asset}`).join(", ") || "–"}</td>
          <td class="num">
            {it.externalTradeId}
            {it.inferred && <small class="flag"> inferred from the order's totals</small>}
          </td>
        </tr>
      ))}
    </Table>
  )
}

const FACTS: ReadonlyArray<readonly [name: string, of: (order: TradeOrder) => string | null]> = [
  ["Order", (it) => it.tradeOrderId],
  ["Client order id", (it) => it.clientOrderId],
  ["Venue's id", (it) => it.externalOrderId],
  ["Type", (it) => `${it.orderType} ${it.timeInForce}`],
  ["Quantity", (it) => `${it.quantity} (${it.orderQuantityType})`],
  ["Limit price", (it) => it.limitPrice],
  ["Stop price", (it) => it.stopPrice],
  ["Executed", (it) => `${it.executedQuantity} for ${it.executedCost}`],
  ["Average price", (it) => it.averagePrice],
  ["Fees", (it) => it.fees.map(({ quantity, asset }) => `${quantity} ${asset}`).join(", ") || null],
  ["Placed by", (it) => it.origin],
  ["Trigger", (it) => (it.triggerHealth === null ? null : `${it.execution}, ${it.triggerHealth}`)],
  ["Replaces", (it) => it.replacesTradeOrderId],
  ["Created", (it) => bothClocks(it.createdAt)],
  ["Changed", (it) => bothClocks(it.updatedAt)],
]

const Detail = ({ id }: { readonly id: string }) => {
  const account = chosen.value
  const live = followed.value?.orders.find(({ tradeOrderId }) => tradeOrderId === id)
  // Read again with every change that the channel tells.
  const found = useLoaded(
    `order ${account?.tradingAccountId} ${id}`,
    async () =>
      account === null
        ? null
        : gateway.get("tradeOrder/get", { tradingAccountId: account.tradingAccountId, tradeOrderId: id }),
    undefined,
    live?.updatedAt,
  )
  const order = found.value
  return (
    <Panel
      title="Order"
      aside={
        <>
          <AsOfCut />
          <a href="#/orders">All orders</a>
        </>
      }
    >
      <Fault of={found} />
      {order === null ? (
        found.fault === null && <Empty>{account === null ? withoutAccount() : "Loading…"}</Empty>
      ) : (
        <>
          <dl class="facts">
            <dt>State</dt>
            <dd>
              <Status order={order} />
              {explained(order).map((line) => (
                <div key={line}>{line}</div>
              ))}
            </dd>
            <dt>Instrument</dt>
            <dd>
              <strong class={order.orderSide === "BUY" ? "buy" : "sell"}>{order.orderSide}</strong> {order.instrumentId}
            </dd>
            {FACTS.map(([name, of]) => {
              const text = of(order)
              return text === null ? null : (
                <>
                  <dt key={`${name} name`}>{name}</dt>
                  <dd key={name} class="num">
                    {text}
                  </dd>
                </>
              )
            })}
          </dl>
          {order.evidence.length > 0 && (
            <section class="doubts" aria-label="Evidence">
              <h3>Evidence</h3>
              <ol class="evidence">
                {order.evidence.map(({ at, what }) => (
                  <li key={`${at} ${what}`}>
                    <Time ms={at} /> {what}
                  </li>
                ))}
              </ol>
            </section>
          )}
          <Executions order={order} />
        </>
      )}
    </Panel>
  )
}

export const OrdersScreen = ({ rest }: { readonly rest: string }) => {
  const [status, setStatus] = useState<(typeof STATES)[number]>("")
  const [instrumentId, setInstrument] = useState("")
  const tradingAccountId = chosen.value?.tradingAccountId ?? null
  const changes = followed.value?.proof?.to ?? 0
  const read = async () =>
    tradingAccountId === null
      ? []
      : gateway.get("tradeOrder/list", {
          tradingAccountId,
          limit: PAGE,
          ...(status === "" ? {} : { status }),
          ...(instrumentId === "" ? {} : { instrumentId }),
        })
  const found = useLoaded(`orders ${tradingAccountId} ${status} ${instrumentId}`, read, undefined, changes)
  if (rest !== "")
    return (
      <div class="column">
        <Detail id={rest} />
      </div>
    )
  return (
    <div class="column">
      <Panel
        title="Orders and fills"
        aside={
          <>
            <AsOfCut />
            <small class="dim">the newest {PAGE}; its time leads to all of an order</small>
          </>
        }
      >
        <form class="row" onSubmit={(event) => event.preventDefault()}>
          <Field label="State">
            <select value={status} onChange={(event) => setStatus(event.currentTarget.value as typeof status)}>
              {STATES.map((it) => (
                <option key={it} value={it}>
                  {it === "" ? "any" : it}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Instrument">
            <input
              placeholder="any"
              value={instrumentId}
              onChange={(event) => setInstrument(event.currentTarget.value.trim())}
            />
          </Field>
        </form>
        <Fault of={found} />
        {tradingAccountId === null ? (
          <Empty>{withoutAccount()}</Empty>
        ) : found.value === null ? (
          found.fault === null && <Empty>Loading…</Empty>
        ) : found.value.length === 0 ? (
          <Empty>No such orders.</Empty>
        ) : (
          <OrderTable orders={found.value} label="Orders" withCancel={false} />
        )}
      </Panel>
    </div>
  )
}
