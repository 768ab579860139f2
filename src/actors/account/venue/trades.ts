/** How far the trades of an account are known: the newest applied trade, the time up to which all were read, and a scan in progress. */
import type { VenueFill } from "../../../ports/venue-session.ts"
import type { AccountOrders } from "../order-memory.ts"
import type { FillScan } from "../working-order.ts"

/** Venues list trades by their own clocks. */
export const FILLS_MARGIN_MILLIS = 60_000

export const newestOf = (fills: ReadonlyArray<Pick<VenueFill, "executedAt">>, known: number): number =>
  fills.reduce((newest, { executedAt }) => Math.max(newest, executedAt), known)

export class AccountTrades {
  /** Until when the trades have been read, by the venue's clock; null in a new process. */
  private seenTo: number | null = null
  /** Trades of an absence that are not all read; null: there are none. */
  private absence: FillScan | null = null

  constructor(
    private readonly orders: Pick<AccountOrders, "endedSince">,
    private newest: number | null,
    private readonly createdAt: number,
  ) {}

  get scan(): FillScan | null {
    return this.absence
  }

  /** A trade of the venue's is counted; venue ms. */
  applied(executedAt: number): void {
    this.newest = Math.max(this.newest ?? 0, executedAt)
  }

  /** Of the newest trade; without one, since when the account exists. */
  get newestAt(): number {
    return this.newest ?? this.createdAt
  }

  /** All trades were read once in this process. */
  get areRead(): boolean {
    return this.seenTo !== null
  }

  /**
   * From when trades must be fetched so that none is missed: the newest applied, the newest of the last whole look, and the life of orders
   * that ended just before the newest activity (an order that ended by our cancel says nothing about its last fills). Wall ms.
   */
  since(): number {
    const since = Math.min(this.newestAt, this.seenTo ?? Number.MAX_SAFE_INTEGER, this.orders.endedSince())
    return since - FILLS_MARGIN_MILLIS
  }

  /** All trades since then were read, `fills` among them. Our clock says nothing of how far that is by the venue's. */
  saw(since: number, fills: ReadonlyArray<Pick<VenueFill, "executedAt">>): void {
    this.seenTo = newestOf(fills, since + FILLS_MARGIN_MILLIS)
  }

  reads(scan: FillScan): void {
    this.absence = scan
  }

  /** The trades of the absence are read, and applied. */
  scanned({ since, newestAt }: FillScan): void {
    this.saw(since, [{ executedAt: newestAt }])
    this.absence = null
  }
}
