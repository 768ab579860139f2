/**
 * The private channels of an account. `executions`: a snapshot of open orders, then every step of every order, later steps naming
 * little more than the order's id. `balances`: totals of assets, never what is on hold. Messages are numbered per subscription.
 */
import { balanceOf } from "../../binance/model.ts"
import type { KrakenFaults } from "../faults.ts"
import type { Ids } from "../ids.ts"
import { type ExecType, isOpen, type KrakenAccount, type KrakenFill, type KrakenOrder, typeWord } from "../model.ts"
import { bare, plain, rfc3339, toJson, withPlaces } from "../numbers.ts"
import type { OrderDesk } from "../order-desk.ts"
import { type Connection, type Connections, type Subscription, send } from "./connections.ts"
import { averagePrice } from "./wire-public.ts"

const FILLS_IN_SNAPSHOT = 50

type Row = Readonly<Record<string, unknown>>

/** What every report of an order has. */
const head = (order: KrakenOrder, exec: ExecType | "status", status: string, at: number): Row => ({
  timestamp: rfc3339(at),
  order_status: status,
  exec_type: exec,
  order_userref: order.userref,
  order_id: order.txid,
})

/** Who is watched, and whether it has triggered. */
const triggersOf = ({ pair, stop }: KrakenOrder): Row =>
  stop === undefined
    ? {}
    : {
        triggers: {
          reference: "last",
          price: bare(withPlaces(stop.price, pair.priceDecimals)),
          price_type: "static",
          status: stop.isTriggered ? "triggered" : "untriggered",
        },
      }

/** All there is to say of an order: at its beginning, and in snapshots. */
const full = (order: KrakenOrder): Row => {
  const { pair } = order
  const price = bare(withPlaces(order.price, pair.priceDecimals))
  return {
    symbol: pair.symbol,
    side: order.side,
    order_type: typeWord(order),
    ...triggersOf(order),
    ...(order.isByCost ? { cash_order_qty: bare(plain(order.quantity)) } : {}),
    order_qty: bare(withPlaces(order.isByCost ? 0n : order.quantity, pair.lotDecimals)),
    ...(order.kind === "limit" ? { limit_price_type: "static", limit_price: price } : {}),
    stop_price: bare("0.0"),
    time_in_force: order.timeInForce,
    ...(order.isPostOnly ? { post_only: true } : {}),
    ...(order.expireAt === undefined ? {} : { expire_time: rfc3339(order.expireAt) }),
    ...(order.clOrdId === undefined ? {} : { cl_ord_id: order.clOrdId }),
    fee_ccy_pref: order.feeInBase ? "fcib" : "fciq",
  }
}

const executed = (order: KrakenOrder): Row => ({
  cum_qty: bare(withPlaces(order.executed, order.pair.lotDecimals)),
  cum_cost: bare(plain(order.cost)),
  avg_price: bare(plain(averagePrice(order.cost, order.executed))),
  fee_usd_equiv: bare(plain(order.fee)),
})

const feesOf = ({ feeAsset, fee }: KrakenFill) => [{ asset: feeAsset, qty: bare(plain(fee)) }]

const tradeRow = (order: KrakenOrder, fill: KrakenFill): Row => ({
  ...head(order, "trade", "partially_filled", fill.filledAt),
  exec_id: fill.execId,
  trade_id: fill.tradeId,
  symbol: order.pair.symbol,
  side: order.side,
  order_type: typeWord(order),
  last_qty: bare(withPlaces(fill.quantity, order.pair.lotDecimals)),
  last_price: bare(withPlaces(fill.price, order.pair.priceDecimals)),
  liquidity_ind: fill.isMaker ? "m" : "t",
  cost: bare(plain(fill.cost)),
  fee_usd_equiv: bare(plain(fill.fee)),
  fees: feesOf(fill),
})

const rowOf = (order: KrakenOrder, exec: ExecType, fill: KrakenFill | undefined, now: number): Row => {
  if (exec === "pending_new") return { ...head(order, exec, "pending_new", now), ...full(order), cum_cost: bare("0.0") }
  if (exec === "triggered") return { ...head(order, "status", "new", now), ...triggersOf(order) }
  if (exec === "new") return head(order, exec, "new", now)
  // A trade says no more than that something was filled, even where it filled all of it.
  if (fill !== undefined) return { ...tradeRow(order, fill), ...executed(order) }
  if (exec === "filled") {
    return { ...head(order, exec, "filled", now), ...executed(order), fees: order.fills.slice(-1).flatMap(feesOf) }
  }
  if (exec === "amended") return { ...head(order, exec, "new", now), ...full(order), ...executed(order), amended: true }
  const reason = order.reason ?? ""
  return { ...head(order, exec, exec, now), ...executed(order), cancel_reason: reason, reason }
}

export interface PrivateStreamsParts {
  readonly connections: Connections
  readonly faults: KrakenFaults
  readonly desk: () => OrderDesk
  readonly ids: Ids
  readonly now: () => number
  /** Steps of one turn of the loop leave in one message, trades beside others, as the venue may do it. */
  readonly isBatched: boolean
}

export class PrivateStreams {
  readonly #totals = new Map<KrakenAccount, Map<string, bigint>>()
  readonly #waiting = new Map<KrakenAccount, Array<Row>>()
  #scheduled: NodeJS.Immediate | undefined

  constructor(readonly parts: PrivateStreamsParts) {}

  /** Remembers what an account begins with: only changes are told. */
  opened(account: KrakenAccount): void {
    this.#totals.set(account, new Map([...account.balances].map(([name, { free, locked }]) => [name, free + locked])))
  }

  onExecution(order: KrakenOrder, exec: ExecType, fill: KrakenFill | undefined): void {
    const { account } = order
    const row = rowOf(order, exec, fill, this.parts.now())
    if (!this.parts.isBatched) {
      this.#push("executions", account, [row])
      return
    }
    const waiting = this.#waiting.get(account)
    if (waiting === undefined) this.#waiting.set(account, [row])
    else waiting.push(row)
    this.#scheduled ??= setImmediate(() => this.#flush())
  }

  onBalances(account: KrakenAccount, names: ReadonlyArray<string>): void {
    const totals = this.#totals.get(account)
    if (totals === undefined) return
    const rows = names.flatMap((name) => {
      const { free, locked } = balanceOf(account, name)
      const before = totals.get(name) ?? 0n
      const after = free + locked
      if (after === before) return []
      totals.set(name, after)
      return [this.#ledgerRow(name, after - before, after, "trade")]
    })
    if (rows.length > 0) this.#push("balances", account, rows)
  }

  /** Money from elsewhere. */
  deposited(account: KrakenAccount, name: string, amount: bigint): void {
    const balance = balanceOf(account, name)
    balance.free += amount
    const after = balance.free + balance.locked
    this.#totals.get(account)?.set(name, after)
    this.#push("balances", account, [this.#ledgerRow(name, amount, after, "deposit")])
  }

  snapshot(
    connection: Connection,
    subscription: Subscription,
    wants: { readonly orders: boolean; readonly trades: boolean },
  ): void {
    const { account, channel } = subscription
    if (account === undefined) return
    if (channel === "balances") {
      const data = [...account.balances].map(([asset, { free, locked }]) => {
        const balance = bare(plain(free + locked))
        return { asset, asset_class: "currency", balance, wallets: [{ type: "spot", id: "main", balance }] }
      })
      this.#send(connection, subscription, "snapshot", data)
      return
    }
    const desk = this.parts.desk()
    if (wants.orders) {
      const open = desk.ordersOf(account).filter(isOpen)
      const rows = open.map((order) => {
        const status = order.executed === 0n ? "new" : "partially_filled"
        return { ...head(order, "new", status, order.openedAt), ...full(order), ...executed(order) }
      })
      this.#send(connection, subscription, "snapshot", rows)
    }
    if (wants.trades) {
      const fills = desk.fillsOf(account).slice(-FILLS_IN_SNAPSHOT)
      this.#send(
        connection,
        subscription,
        "snapshot",
        fills.map((fill) => tradeRow(fill.order, fill)),
      )
    }
  }

  /** Says any message to an account's private connections, as it is. */
  say(account: KrakenAccount, message: Row): void {
    for (const connection of this.parts.connections.all) {
      const isOurs = [...connection.subscriptions.values()].some((subscription) => subscription.account === account)
      if (isOurs) send(connection, JSON.stringify(message))
    }
  }

  stop(): void {
    clearImmediate(this.#scheduled)
  }

  #flush(): void {
    this.#scheduled = undefined
    for (const [account, rows] of this.#waiting) this.#push("executions", account, rows)
    this.#waiting.clear()
  }

  #ledgerRow(asset: string, amount: bigint, balance: bigint, type: string): Row {
    return {
      asset,
      asset_class: "currency",
      amount: bare(plain(amount)),
      balance: bare(plain(balance)),
      fee: bare("0"),
      ledger_id: this.parts.ids.ledger(),
      ref_id: this.parts.ids.trade(),
      timestamp: rfc3339(this.parts.now()),
      type,
      category: type,
      subtype: "",
      wallet_type: "spot",
      wallet_id: "main",
    }
  }

  #push(channel: "executions" | "balances", account: KrakenAccount, data: ReadonlyArray<Row>): void {
    if (this.parts.faults.userEventsSuppressed) return
    for (const { connection, subscription } of this.parts.connections.ofAccount(channel, account)) {
      this.#send(connection, subscription, "update", data)
    }
  }

  #send(
    connection: Connection,
    subscription: Subscription,
    type: "snapshot" | "update",
    data: ReadonlyArray<Row>,
  ): void {
    subscription.sequence += 1
    if (type === "update" && this.parts.faults.takePrivateDrop(subscription.channel)) return
    const { channel, sequence } = subscription
    send(connection, toJson({ channel, type, data, sequence }))
  }
}
