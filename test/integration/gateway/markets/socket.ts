/**
 * The official centrifuge client, unmodified, and what arrived at it: publications in order with their offsets, and how it ended.
 * Call `closeClients()` in `afterAll`; a client that stays open keeps the test process alive.
 */
import { Centrifuge, type PublicationContext, type Subscription, type UnsubscribedContext } from "centrifuge"
import { WebSocket } from "ws"
import type { OrderBookRecord } from "../../../../src/domain/market/market.ts"
import type { Ready } from "../../../kit/servers/gateway.ts"

const open = new Set<Centrifuge>()

/** `Socket` replaces the WebSocket class, for example by one that trusts a test's certificate. */
export const connectClient = async (gateway: Ready, token: string, Socket: object = WebSocket): Promise<Centrifuge> => {
  const client = new Centrifuge(gateway.ws, { token, websocket: Socket })
  open.add(client)
  client.connect()
  await client.ready(60_000)
  return client
}

export const closeClients = (): void => {
  for (const client of open) client.disconnect()
  open.clear()
}

export interface Received<A> {
  readonly record: A
  readonly offset: number | undefined
}

export interface Feed<A> {
  readonly subscription: Subscription
  readonly received: ReadonlyArray<Received<A>>
  readonly records: () => ReadonlyArray<A>
  /** Set once the subscription ended. */
  readonly ended: () => UnsubscribedContext | undefined
}

/** Subscribes and keeps everything; resolves when the server confirmed. */
export const listen = async <A>(
  client: Centrifuge,
  channel: string,
  onRecord: (record: A, offset: number | undefined) => void = () => undefined,
): Promise<Feed<A>> => {
  const subscription = client.newSubscription(channel)
  const received: Array<Received<A>> = []
  let ended: UnsubscribedContext | undefined
  subscription.on("publication", ({ data: record, offset }: PublicationContext) => {
    received.push({ record, offset })
    onRecord(record, offset)
  })
  subscription.on("unsubscribed", (context) => {
    ended = context
  })
  subscription.subscribe()
  await subscription.ready(60_000)
  return { subscription, received, records: () => received.map(({ record }) => record), ended: () => ended }
}

/** A publication of `tradingAccount:<id>` (contract C13). */
export interface AccountEvent {
  readonly kind: string
  readonly eventId: string
  readonly sequence: number
  readonly tradingAccountId: string
  readonly timestamp: number
  readonly timestampDateTime: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Where the numbers do not go on by one; empty when there is no gap and no repeat. */
export const gapsIn = (sequences: ReadonlyArray<number>): ReadonlyArray<string> =>
  sequences.flatMap((sequence, index) => {
    const before = sequences[index - 1]
    return before === undefined || sequence === before + 1 ? [] : [`${before} then ${sequence}`]
  })

type Row = readonly [price: string, quantity: string]

const digitsAfterDot = 18
/** Exact, for sorting only. */
const scaled = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(digitsAfterDot, "0"))
}

const isZero = (quantity: string): boolean => /^[0.]+$/.test(quantity)

/** The book that a client rebuilds from SNAPSHOT and DIFF, in the texts that arrived. */
export class ClientBook {
  readonly #levels = { bids: new Map<string, string>(), asks: new Map<string, string>() }
  sequence = 0
  timestamp = 0
  snapshots = 0
  /** Whatever broke the rules of the stream: a jump in sequence, a DIFF before the SNAPSHOT, a crossed book. */
  readonly faults: Array<string> = []

  apply(record: OrderBookRecord): void {
    if (record.updateType === "SNAPSHOT") {
      this.#levels.bids.clear()
      this.#levels.asks.clear()
      this.snapshots += 1
    } else if (this.snapshots === 0) this.faults.push("DIFF before the first SNAPSHOT")
    else if (record.previousSequence !== this.sequence)
      this.faults.push(`gap: at ${this.sequence}, DIFF says previous ${record.previousSequence}`)
    for (const side of ["bids", "asks"] as const)
      for (const [price, quantity] of record[side]) {
        if (isZero(quantity)) this.#levels[side].delete(price)
        else this.#levels[side].set(price, quantity)
      }
    this.sequence = record.sequence
    this.timestamp = record.timestamp
  }

  /** Best levels first. */
  side(name: "bids" | "asks", limit: number): ReadonlyArray<Row> {
    const keyed = [...this.#levels[name]].map((row) => [scaled(row[0]), row] as const)
    keyed.sort(([a], [b]) => (a === b ? 0 : a < b === (name === "asks") ? -1 : 1))
    return keyed.slice(0, limit).map(([, row]) => row)
  }

  /** Asked at every update, so by doubles in one pass: prices this close together have far fewer digits than a double. */
  isCrossed(): boolean {
    let bid = Number.NEGATIVE_INFINITY
    let ask = Number.POSITIVE_INFINITY
    for (const price of this.#levels.bids.keys()) bid = Math.max(bid, Number(price))
    for (const price of this.#levels.asks.keys()) ask = Math.min(ask, Number(price))
    return bid >= ask
  }
}

/** Price and quantity of an HTTP book's rows. */
export const pairs = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Row> =>
  rows.map(([price = "", quantity = ""]) => [price, quantity])
