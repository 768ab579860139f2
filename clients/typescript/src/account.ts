/**
 * One trading account: its open orders and balances, loaded and then kept by its events, which are numbered without a gap. The one thing
 * to know: `proof` says from which event to which nothing is missing; where that cannot be said, the account is loaded anew and
 * `onResynced` tells which numbers were not seen.
 */
import type { Subscription } from "centrifuge"
import type { Gateway } from "./gateway.ts"
import { isOver } from "./order.ts"
import { patiently } from "./retry.ts"
import { recordOf } from "./stream.ts"
import { told } from "./told.ts"
import type { Execution, Position, TradeOrder } from "./types.ts"

export interface AccountEvent {
  /** TRADE_ORDER.FILLED, EXECUTION.CREATED, PORTFOLIO.UPDATED … */
  readonly kind: string
  /** Grows by one with each event of the account, also over restarts. */
  readonly sequence: number
  readonly eventId: string
  readonly tradingAccountId: string
  readonly timestamp: number
  // biome-ignore lint/suspicious/noExplicitAny: by kind; the real-time reference has each of them.
  readonly data: any
}

/** Every event from `from` to `to` was seen, in order, once. */
export interface Proof {
  readonly from: number
  readonly to: number
  readonly gaps: 0
}

export interface Resynced {
  /** The first event that was not seen, and the one that came instead; null where nothing came yet. */
  readonly missedFrom: number | null
  readonly seenAgainFrom: number | null
  readonly why: "NOT_RECOVERED" | "GAP"
}

export interface AccountOptions {
  readonly onEvent?: (event: AccountEvent) => void
  readonly onExecution?: (execution: Execution & { readonly tradeOrderId: string }) => void
  /** Something may have been missed; orders and balances are loaded by now. Executions of the gap are in `tradeOrder/get` of each order. */
  readonly onResynced?: (resynced: Resynced, account: Account) => void
  /** The load failed for good, or the channel or the connection has ended: nothing comes any more. Told once; not of `account.close()`. */
  readonly onEnded?: (error: Error) => void
}

const LOAD_PATIENCE_MS = 300_000

export class Account {
  readonly tradingAccountId: string
  readonly #gateway: Gateway
  readonly #options: AccountOptions
  readonly #subscription: Subscription
  readonly #orderListeners = new Set<(order: TradeOrder) => void>()
  /** Open orders by tradeOrderId. */
  readonly orders = new Map<string, TradeOrder>()
  /** Balances by currency. */
  readonly positions = new Map<string, Position>()
  #from: number | null = null
  #last: number | null = null
  /** Events that wait while the account is loaded. */
  #waiting: Array<AccountEvent> | null = []
  #loads = 0
  #missed: Resynced | null = null
  #isOver = false
  readonly #loaded: Promise<void>
  #isLoaded: () => void = () => undefined
  #failed: (error: Error) => void = () => undefined

  constructor(gateway: Gateway, tradingAccountId: string, options: AccountOptions = {}) {
    this.#gateway = gateway
    this.tradingAccountId = tradingAccountId
    this.#options = options
    this.#loaded = new Promise((resolve, reject) => {
      this.#isLoaded = resolve
      this.#failed = reject
    })
    this.#loaded.catch(() => undefined)
    const subscription = gateway.stream.subscribe(`tradingAccount:${tradingAccountId}`)
    this.#subscription = subscription
    subscription.on("publication", ({ data }) => this.#hear(recordOf<AccountEvent>(data)))
    subscription.on("subscribed", ({ wasRecovering, recovered }) => {
      // After a cut the missed events follow by themselves.
      if (recovered) return
      if (wasRecovering) this.#lose("NOT_RECOVERED", null)
      void this.#load()
    })
    subscription.on("unsubscribed", (how) => {
      const { code, reason } = gateway.stream.endOf(subscription) ?? how
      this.#end(new Error(`the account's channel ended: ${reason} (${code})`))
    })
    subscription.subscribe()
  }

  /** Resolves when orders and balances are there. */
  async ready(): Promise<this> {
    await this.#loaded
    return this
  }

  /** Null: no event was seen since the last load. */
  get proof(): Proof | null {
    return this.#from === null || this.#last === null ? null : { from: this.#from, to: this.#last, gaps: 0 }
  }

  /** Called with every record of an order that an event brings; answers what ends that. */
  onOrder(listener: (order: TradeOrder) => void): () => void {
    this.#orderListeners.add(listener)
    return () => this.#orderListeners.delete(listener)
  }

  close(): void {
    this.#over(new Error("the account was closed by this program"))
  }

  #hear(event: AccountEvent): void {
    if (this.#isOver) return
    const { sequence } = event
    if (this.#last !== null && sequence <= this.#last) return
    if (this.#last !== null && sequence !== this.#last + 1) {
      this.#lose("GAP", sequence)
      void this.#load()
    }
    this.#from ??= sequence
    this.#last = sequence
    if (this.#waiting === null) this.#apply(event)
    else this.#waiting.push(event)
  }

  /** What was proven so far ends here. */
  #lose(why: Resynced["why"], seenAgainFrom: number | null): void {
    this.#missed ??= { why, missedFrom: this.#last === null ? null : this.#last + 1, seenAgainFrom }
    this.#from = null
    this.#last = null
  }

  /** Subscribed first and loaded second, so that nothing falls in between: events may tell again what was loaded; the newest tells last. */
  async #load(): Promise<void> {
    this.#loads += 1
    const load = this.#loads
    this.#waiting ??= []
    const { tradingAccountId } = this
    let found: { readonly orders: ReadonlyArray<TradeOrder>; readonly positions: ReadonlyArray<Position> }
    try {
      // An account that is reconciling answers 503 for a while.
      found = await patiently(
        async () => ({
          orders: await this.#openOrders(),
          positions: await this.#gateway.get("tradingAccount/portfolio/list", { tradingAccountId }),
        }),
        { patienceMs: LOAD_PATIENCE_MS },
      )
    } catch (error) {
      if (load === this.#loads) this.#end(error instanceof Error ? error : new Error(String(error)))
      return
    }
    // A later one has taken over.
    if (load !== this.#loads) return
    this.orders.clear()
    for (const order of found.orders) this.orders.set(order.tradeOrderId, order)
    this.positions.clear()
    for (const position of found.positions) this.positions.set(position.currency, position)
    const waiting = this.#waiting ?? []
    this.#waiting = null
    for (const event of waiting) this.#apply(event)
    this.#isLoaded()
    const missed = this.#missed
    this.#missed = null
    if (missed !== null) told(this.#options.onResynced, missed, this)
  }

  async #openOrders(): Promise<ReadonlyArray<TradeOrder>> {
    const { tradingAccountId } = this
    const found: Array<TradeOrder> = []
    for (const status of ["PENDING", "OPEN", "PARTIALLY_FILLED"] as const)
      for await (const order of this.#gateway.pages("tradeOrder/list", { tradingAccountId, status })) found.push(order)
    return found
  }

  #apply(event: AccountEvent): void {
    const { kind, data } = event
    if (kind.startsWith("TRADE_ORDER.")) {
      const order = data as TradeOrder
      if (isOver(order)) this.orders.delete(order.tradeOrderId)
      else this.orders.set(order.tradeOrderId, order)
      for (const listener of this.#orderListeners) told(listener, order)
    } else if (kind === "PORTFOLIO.UPDATED") {
      for (const position of data as ReadonlyArray<Position>) this.positions.set(position.currency, position)
    } else if (kind === "EXECUTION.CREATED") told(this.#options.onExecution, data)
    told(this.#options.onEvent, event)
  }

  #end(error: Error): void {
    if (this.#isOver) return
    this.#over(error)
    told(this.#options.onEnded, error)
  }

  /** A load that is under way has nothing to tell any more, and what waits for it is of no use. */
  #over(error: Error): void {
    this.#isOver = true
    this.#loads += 1
    this.#waiting = null
    this.#failed(error)
    this.#gateway.stream.leave(this.#subscription)
  }
}
