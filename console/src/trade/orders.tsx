/**
 * Orders of the followed account: what is on its way, what is in doubt, what works, what ended. The one thing to know: rows are what the
 * gateway has told, never what was wished for; what was sent and not answered stands apart from them.
 */
import { signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import type { TradeOrder } from "../../../clients/typescript/src/index.ts"
import { age, digits } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import { accounts, accountsFault, chosen, followed, now } from "../live.ts"
import { explained } from "../meanings.ts"
import { AsOfCut } from "../parts/as-of.tsx"
import { Dialog, Empty, Form, Hint, Num, Panel, Problem, Table, Time } from "../parts/ui.tsx"
import { gateway, may, wordsOf } from "../session.ts"
import { instrumentId } from "./market.ts"
import { dismiss, type Sent, sent } from "./sent.ts"

export const selectedId = signal<string | null>(null)
/** Cancels that were asked for here and refused: the order's id and the words. */
const refusals = signal<ReadonlyMap<string, string>>(new Map())
const cancelling = signal<ReadonlySet<string>>(new Set())

export const cancel = async ({ tradingAccountId, tradeOrderId }: TradeOrder): Promise<void> => {
  cancelling.value = new Set([...cancelling.value, tradeOrderId])
  refusals.value = new Map([...refusals.value].filter(([id]) => id !== tradeOrderId))
  try {
    await gateway.post("tradeOrder/cancel", { tradingAccountId, tradeOrderId })
  } catch (error) {
    refusals.value = new Map([...refusals.value, [tradeOrderId, wordsOf(error)]])
  } finally {
    cancelling.value = new Set([...cancelling.value].filter((id) => id !== tradeOrderId))
  }
}

const toneOf = ({ status, inDoubt }: TradeOrder): string => {
  if (inDoubt) return "doubt"
  if (status === "FILLED") return "good"
  if (status === "REJECTED") return "bad"
  return status === "OPEN" || status === "PARTIALLY_FILLED" ? "live" : "calm"
}

export const Status = ({ order }: { readonly order: TradeOrder }) => (
  <Hint lines={explained(order)}>
    <span class={`badge ${toneOf(order)}`}>{order.inDoubt ? "IN DOUBT" : order.status}</span>
    {order.status !== order.orderStatus && <small class="dim"> {order.orderStatus}</small>}
    {order.cancelRequested && order.status !== "CANCELLED" && <small class="flag"> cancel asked</small>}
    {order.execution === "EMULATED" && <small class="dim"> emulated</small>}
    {order.origin === "EXTERNAL" && <small class="dim"> external</small>}
  </Hint>
)

const priceOf = (order: TradeOrder): string | null => order.limitPrice ?? order.stopPrice

export const OrderTable = (props: {
  readonly orders: ReadonlyArray<TradeOrder>
  readonly label: string
  readonly withCancel: boolean
}) => {
  const { orders } = props
  const most = (of: (order: TradeOrder) => string | null): number =>
    Math.max(0, ...orders.map((order) => digits(of(order) ?? "")))
  const [sizes, prices, averages] = [
    most(({ quantity }) => quantity),
    most(priceOf),
    most(({ averagePrice }) => averagePrice),
  ]
  const done = most(({ executedQuantity }) => executedQuantity)
  return (
    <Table
      label={props.label}
      class="orders"
      heads={
        <>
          <th>Time</th>
          <th>Instrument</th>
          <th>Side</th>
          <th>Type</th>
          <th class="right">Quantity</th>
          <th class="right">Price</th>
          <th class="right">Executed</th>
          <th class="right">Average</th>
          <th>State</th>
          {props.withCancel && (
            <th>
              <span class="unseen">Cancel</span>
            </th>
          )}
        </>
      }
    >
      {orders.map((order) => (
        <tr
          key={order.tradeOrderId}
          data-order={order.tradeOrderId}
          class={order.tradeOrderId === selectedId.value ? "chosen" : ""}
          onClick={() => {
            selectedId.value = order.tradeOrderId
          }}
          onDblClick={() => {
            location.hash = `#/orders/${order.tradeOrderId}`
          }}
        >
          <td>
            <a class="plain" href={`#/orders/${order.tradeOrderId}`}>
              <Time ms={order.createdAt} />
            </a>
          </td>
          <td title={`client order id ${order.clientOrderId ?? "–"}`}>{order.instrumentId}</td>
          <td class={order.orderSide === "BUY" ? "buy" : "sell"}>{order.orderSide}</td>
          <td>
            {order.orderType.toLowerCase().replaceAll("_", " ")} <small class="dim">{order.timeInForce}</small>
          </td>
          <td class="right">
            <Num text={order.quantity} digits={sizes} />
          </td>
          <td class="right">
            <Num text={priceOf(order)} digits={prices} />
          </td>
          <td class="right">
            <Num text={order.executedQuantity} digits={done} />
          </td>
          <td class="right">
            <Num text={order.averagePrice} digits={averages} />
          </td>
          <td>
            <Status order={order} />
            {refusals.value.has(order.tradeOrderId) && (
              <small class="fault"> {refusals.value.get(order.tradeOrderId)}</small>
            )}
          </td>
          {props.withCancel && (
            <td>
              <button
                type="button"
                class="quiet"
                disabled={!may("write") || cancelling.value.has(order.tradeOrderId)}
                aria-label={`Cancel ${order.orderSide} ${order.quantity} ${order.instrumentId}`}
                onClick={() => void cancel(order)}
              >
                {cancelling.value.has(order.tradeOrderId) ? "…" : "Cancel"}
              </button>
            </td>
          )}
        </tr>
      ))}
    </Table>
  )
}

const SENT_WORDS: Readonly<Record<Sent["state"], string>> = {
  sending: "sending: not acknowledged yet",
  refused: "refused: there is no such order",
  stored: "stored: the gateway has it",
  unknown: "no answer: whether it is stored is not known; the gateway is asked",
  absent: "no answer then; the gateway has no order of this id",
}

const SentRow = ({ it }: { readonly it: Sent }) => (
  <li class={it.state} data-sent={it.state}>
    <strong class={it.order.orderSide === "BUY" ? "buy" : "sell"}>{it.order.orderSide}</strong>{" "}
    <span class="num">
      {it.order.quantity} {it.order.instrumentId}
      {it.order.limitPrice == null ? "" : ` at ${it.order.limitPrice}`}
    </span>{" "}
    <span>{SENT_WORDS[it.state]}</span> <span class="dim num">{age(now.value - it.at)} ago</span>
    {"why" in it && <span class="fault"> {it.why}</span>}
    {it.state !== "sending" && it.state !== "unknown" && (
      <button type="button" class="quiet" onClick={() => dismiss(it.key)}>
        Dismiss
      </button>
    )}
  </li>
)

/** What nobody can say yet: funds are held, and there is nothing to press but patience. */
const DoubtBand = ({ orders }: { readonly orders: ReadonlyArray<TradeOrder> }) =>
  orders.length === 0 ? null : (
    <section class="doubts" role="alert" aria-label="Orders in doubt">
      <h3>
        {orders.length === 1 ? "1 order in doubt" : `${orders.length} orders in doubt`}: the venue's word is missing.
        Funds stay held; nothing is sent again.
      </h3>
      <ul>
        {orders.map((order) => (
          <li key={order.tradeOrderId} data-doubt={order.tradeOrderId}>
            <strong>
              {order.orderSide} {order.quantity} {order.instrumentId}
            </strong>{" "}
            <span class="dim">{order.orderStatus}</span>
            <ol class="evidence">
              {order.evidence.length === 0 && <li class="dim">No evidence yet: the venue is being asked.</li>}
              {order.evidence.map(({ at, what }) => (
                <li key={`${at} ${what}`}>
                  <Time ms={at} /> {what}
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ul>
    </section>
  )

const CancelAll = ({ onClose }: { readonly onClose: () => void }) => {
  const account = chosen.value
  if (account === null) return null
  const { tradingAccountId } = account
  const all = async (onlyHere: boolean): Promise<void> => {
    const body = onlyHere ? { tradingAccountId, instrumentId: instrumentId.value } : { tradingAccountId }
    const { failed } = await gateway.post("tradeOrder/cancelAll", body)
    if (failed.length > 0) throw new Error(`${failed.length} could not be cancelled: over before, or kept by the venue`)
    onClose()
  }
  return (
    <Dialog title="Cancel all orders" onClose={onClose}>
      <Form onSend={() => all(false)} button={`Cancel all of ${account.nickname || account.venue}`} danger={true} />
      <Form onSend={() => all(true)} button={`Only those of ${instrumentId.value}`} danger={true} />
    </Dialog>
  )
}

/** Why there is no account to show anything of. */
export const withoutAccount = (): string => {
  if (accounts.value !== null) return "There is no trading account yet."
  return accountsFault.value === null
    ? "Loading your accounts…"
    : `Your accounts could not be read: ${accountsFault.value}. It is tried again by itself.`
}

export const Orders = () => {
  const [shows, setShows] = useState<"open" | "ended">("open")
  const [isAsking, setAsking] = useState(false)
  const account = followed.value
  const orders = account?.orders ?? []
  const list = shows === "open" ? orders : (account?.ended ?? [])
  useEffect(() => {
    const move = (by: 1 | -1) => (): void => {
      const ids = (followed.peek()?.orders ?? []).map(({ tradeOrderId }) => tradeOrderId)
      const at = ids.indexOf(selectedId.peek() ?? "")
      selectedId.value = ids[at < 0 ? 0 : Math.max(0, Math.min(ids.length - 1, at + by))] ?? null
    }
    return listenFor("orders", {
      j: move(1),
      k: move(-1),
      o: () => {
        const id = selectedId.peek() ?? followed.peek()?.orders[0]?.tradeOrderId
        if (id !== undefined) location.hash = `#/orders/${id}`
      },
      x: () => {
        const open = followed.peek()?.orders ?? []
        const id = selectedId.peek()
        // One that was chosen and is over is not another one: only where none was chosen the only one is meant.
        const order = id === null && open.length === 1 ? open[0] : open.find((it) => it.tradeOrderId === id)
        if (order !== undefined && may("write")) void cancel(order)
      },
      X: () => {
        if (may("write")) setAsking(true)
      },
    })
  }, [])
  const proof = account?.proof ?? null
  return (
    <Panel
      title="Orders"
      class="orders-panel"
      aside={
        <>
          <AsOfCut />
          <div class="tabs" role="tablist" aria-label="Which orders">
            {(["open", "ended"] as const).map((it) => (
              <button type="button" role="tab" key={it} aria-selected={shows === it} onClick={() => setShows(it)}>
                {it === "open" ? `Working ${orders.length}` : `Ended ${account?.ended.length ?? 0}`}
              </button>
            ))}
          </div>
          {proof !== null && (
            <Hint lines={[`Every event of the account from ${proof.from} to ${proof.to} was seen, in order, once.`]}>
              <small class="dim num">
                events {proof.from}–{proof.to}, no gap
              </small>
            </Hint>
          )}
          <button
            type="button"
            class="quiet"
            disabled={!may("write") || orders.length === 0}
            onClick={() => setAsking(true)}
          >
            Cancel all <kbd>⇧X</kbd>
          </button>
        </>
      }
    >
      {sent.value.length > 0 && (
        <ul class="sent" aria-label="On their way">
          {sent.value.map((it) => (
            <SentRow key={it.key} it={it} />
          ))}
        </ul>
      )}
      <DoubtBand orders={orders.filter(({ inDoubt }) => inDoubt)} />
      {account?.failure != null && <Problem>The account is not followed: {account.failure}</Problem>}
      {list.length > 0 ? (
        <OrderTable
          orders={list}
          label={shows === "open" ? "Working orders" : "Ended orders"}
          withCancel={shows === "open"}
        />
      ) : (
        <Empty>
          {account === null
            ? withoutAccount()
            : account.failure !== null
              ? "Not known."
              : !account.isLoaded
                ? "Loading the account…"
                : shows === "open"
                  ? "No working orders."
                  : "None ended while this page was open. All are under Orders."}
        </Empty>
      )}
      {isAsking && <CancelAll onClose={() => setAsking(false)} />}
    </Panel>
  )
}
