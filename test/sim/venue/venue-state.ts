/** The simulated venue without its sessions: the exchange, how it is reached, and what was asked of it. */
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import type { SimTime } from "../time.ts"
import { Exchange, type SimOrder } from "./exchange.ts"

export abstract class VenueState extends Exchange {
  isUp = true
  /** A session is handed over although its private stream could not be opened: the session says so before anything else. */
  opensDown = false
  /** How often a submit of each order arrived: more than once is the sin this product exists to avoid. */
  readonly arrivals = new Map<TradeOrderId, number>()
  /** How often a cancel of each order was sent, and how many questions were asked. */
  readonly cancels = new Map<TradeOrderId, number>()
  readonly amends = new Map<TradeOrderId, number>()
  questions = 0
  /** How long lists wait at the venue's budget before they are answered; questions about one order do not. */
  listsWaitMillis = 0
  /** How often the account's trades were asked for: the dearest question of all. */
  fillsAsked = 0
  /** What the gateway's wall clock says: no order is signed past its `notAfter`. */
  gatewayNow: () => number = () => this.time.now
  /** When the newest orders and changes left, by what they are counted by. */
  readonly departures = new Map<string, ReadonlyArray<number>>()
  /** Counts the requests of all accounts in the order in which they left; the newest that was taken of each account. */
  private left = 0
  private readonly newestTaken = new Map<string, number>()
  /** Orders that it does not know any more. */
  readonly forgotten = new Set<SimOrder>()
  /** Whether the venue shows an order when it is asked for it. */
  isKnown: (sim: SimOrder) => boolean = () => true

  constructor(
    time: SimTime,
    readonly venue: Venue,
  ) {
    super(time)
  }

  /** A request leaves: its number. */
  leaves(): number {
    return ++this.left
  }

  /** Whether one that left later has not been taken before. */
  takes(account: string, number: number): boolean {
    const newest = this.newestTaken.get(account) ?? 0
    this.newestTaken.set(account, Math.max(newest, number))
    return number > newest
  }
}
