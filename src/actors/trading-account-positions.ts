/** What an account has by asset, what of it its orders hold, and which positions have changed since they were last told. */
import type { Decimal } from "../domain/decimal.ts"
import { changesOf, Portfolio } from "../domain/portfolio.ts"
import type { Execution, TradeOrder } from "../domain/trade-order.ts"
import type { Position } from "../domain/trading-account.ts"
import type { News } from "./trading-account-news.ts"
import { AccountOutlet } from "./trading-account-outlet.ts"

export class AccountPositions extends AccountOutlet {
  readonly portfolio = new Portfolio()
  /** Assets whose position changed since it was last told. */
  private readonly dirty = new Set<string>()
  private readonly told = new Map<string, string>()

  positionOf(currency: string): Position {
    const balance = this.portfolio.of(currency)
    return { tradingAccountId: this.id, venue: this.account.venue, currency, ...balance }
  }

  markDirty(assets: ReadonlyArray<string>): void {
    for (const asset of assets) this.dirty.add(asset)
  }

  /** PORTFOLIO.UPDATED of what changed since it was last told; nothing when nothing did. */
  changedPositions(now: number): ReadonlyArray<News> {
    if (this.dirty.size === 0 || !this.portfolio.isKnown) return []
    const changed: Array<Position> = []
    for (const currency of [...this.dirty].sort()) {
      const position = this.positionOf(currency)
      const text = `${position.available}|${position.locked}`
      if (this.told.get(currency) === text) continue
      this.told.set(currency, text)
      changed.push(position)
    }
    this.dirty.clear()
    return changed.length === 0 ? [] : [this.news.ofPositions(changed, now)]
  }

  /** What an order holds is another amount; `at` is the venue's time of the cause. */
  protected hold(order: TradeOrder, before: Decimal, after: Decimal, at: number): void {
    const asset = order.orderSide === "BUY" ? order.quoteAsset : order.baseAsset
    this.portfolio.hold(asset, before, after, at)
    this.dirty.add(asset)
  }

  /** `contained`: what the venue showed of a balance may have had the fill in it already. */
  protected moved(execution: Execution, { baseAsset, quoteAsset }: TradeOrder): "moved" | "contained" {
    let moved: "moved" | "contained" = "moved"
    for (const [asset, change] of changesOf(execution, baseAsset, quoteAsset)) {
      if (!this.portfolio.executed(asset, change, execution.executedAt)) moved = "contained"
      this.dirty.add(asset)
    }
    return moved
  }
}
