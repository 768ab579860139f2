/**
 * KuCoin's orders in its lists and in its stream. A list calls an order done, however it ended; the stream says step by step what happens to it, and
 * neither its time in force nor whether it may only make.
 */
import { Decimal } from "../../../domain/decimal.ts"
import { Newest, NewestByName } from "../../../foundation/newest.ts"
import type { CcxtOrder, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { readBack } from "../../worker/session/client-ids.ts"
import { word } from "../adapter.ts"

const decimalOf = (text: unknown): Decimal => Decimal.fromVenue(String(text ?? "")) ?? Decimal.ZERO
const isSome = (text: unknown): boolean => decimalOf(text).compare(Decimal.ZERO) > 0
const millisOf = (value: unknown): number | undefined => (value === undefined ? undefined : Number(value))

const REMEMBERED = 10_000
/** Of orders whose executions are being added up. */
const EXECUTING = 1000

interface Executed {
  readonly trades: Set<string>
  sum: Decimal
}

/** What the stream of one account has told of its orders. */
export class Heard {
  /** That came to the venue while this stream was there. */
  #received = new Newest(REMEMBERED)
  readonly #rested = new Newest(REMEMBERED)
  readonly #executed = new NewestByName<Executed>(EXECUTING)

  /** The stream is another one from here on: what it said last of an order may not be the last. */
  forget(): void {
    this.#received = new Newest(REMEMBERED)
  }

  note({ orderId, type, status }: Raw): void {
    if (type === "received") this.#received.add(String(orderId))
    // A maker's match is one of the status "open".
    else if (status === "open") this.#rested.add(String(orderId))
  }

  hasRested(orderId: string): boolean {
    return this.#rested.has(orderId)
  }

  /** From its arrival to its end it never stood in the book. */
  neverRested(orderId: string): boolean {
    return this.#received.has(orderId) && !this.#rested.has(orderId)
  }

  /** How much of an order its trades have said; each counts once. */
  executed(orderId: string, trades: ReadonlyArray<CcxtTrade>): Decimal {
    const known = this.#executed.get(orderId) ?? { trades: new Set<string>(), sum: Decimal.ZERO }
    this.#executed.set(orderId, known)
    for (const { id, amount } of trades) {
      if (id === undefined || known.trades.has(id)) continue
      known.trades.add(id)
      known.sum = known.sum.add(decimalOf(amount))
    }
    return known.sum
  }
}

/** Of the lists. ccxt takes `cancelExist`, a cancel that was asked for, for the order's end; one by value has a quantity once it is over. */
export const listed = (order: CcxtOrder, heard: Heard): CcxtOrder => {
  const info = order.info ?? {}
  const { active } = info
  // An answer that names the order alone.
  if (typeof active !== "boolean") return order
  const [size, filled] = [word(info, "size"), word(info, "dealSize") ?? "0"]
  const byValue = word(info, "type") === "market" && !isSome(size)
  const isWhole = byValue ? isSome(filled) : decimalOf(filled).compare(decimalOf(size)) >= 0
  return {
    ...order,
    info: { ...info, neverRested: heard.neverRested(String(order.id)) },
    status: active ? "open" : isWhole ? "closed" : "canceled",
    // Good until a time, by the venue's own word.
    timeInForce: order.timeInForce === "GTT" ? "GTD" : order.timeInForce,
    amount: byValue ? (active ? undefined : filled) : order.amount,
    lastUpdateTimestamp: millisOf(info["lastUpdatedAt"]),
  }
}

/** Of the stream. An update that leaves nothing of an order is its end. */
export const streamed = (order: CcxtOrder, heard: Heard): CcxtOrder => {
  const info = order.info ?? {}
  heard.note(info)
  const isDone = info["status"] === "done"
  const nanos = Number(info["ts"])
  return {
    ...order,
    info: { ...info, hasRested: heard.hasRested(String(order.id)) },
    status: !isDone ? "open" : info["type"] === "filled" ? "closed" : "canceled",
    amount: word(info, "originSize", "size") ?? undefined,
    filled: word(info, "filledSize") ?? "0",
    lastUpdateTimestamp: Number.isFinite(nanos) ? Math.floor(nanos / 1e6) : undefined,
  }
}

/**
 * An event that is not enough: how an order ended that was never in the book, what of one by value or at the market, and what another program asked
 * for, only the order itself says.
 */
export const isHint = ({ info, type, status, clientOrderId }: CcxtOrder): boolean =>
  type === "market" ||
  info?.["type"] === "update" ||
  (status === "canceled" && info?.["hasRested"] !== true) ||
  readBack(clientOrderId) === null
