/** What must hold in every world, of all its accounts together. Violations are sentences. */
import { createHash } from "node:crypto"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { TradeOrderId, TradingAccountId } from "../../../src/domain/ids.ts"
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import { NEVER_PLACED } from "../../../src/domain/order/trade-order.ts"
import { MAIN, type SimOrder } from "../venue/exchange.ts"
import { REFUSED_UNIT } from "../venue/faults.ts"
import type { SimMarkets } from "../venue/market.ts"
import type { World } from "../world.ts"
import { AccountChecks } from "./account.ts"
import { RestChecks } from "./rest.ts"
import { AccountView } from "./view.ts"

/** What the venue's record says it does not take of an order; null: it has all of it. */
const unknownTo = ({ capabilities, timesInForce }: Venue, order: SimOrder["order"]): string | null => {
  const { orderType, timeInForce, trigger, cost } = order
  if (orderType === "MARKET" && !capabilities.marketOrders) return "market orders"
  if (![...timesInForce, ...capabilities.nativeTimesInForce].some((it) => it === timeInForce)) return timeInForce
  if (cost !== undefined && !capabilities.marketBuyByCost) return "orders by cost"
  if (trigger === undefined) return null
  // A list of the venue's own has them, whatever it watches of a single order.
  if (capabilities.oco === "NATIVE") return null
  const { stop, takeProfit, trailing } = capabilities.triggers
  const carrier = { STOP: stop, TAKE_PROFIT: takeProfit, TRAILING_STOP: trailing }[trigger.kind]
  return carrier === "NATIVE" ? null : `triggers: ${trigger.kind}`
}

export class Checks {
  readonly violations: Array<string> = []
  readonly accounts = new Map<TradingAccountId, AccountChecks>()
  /** Whose each order was when it was first seen. */
  private readonly owners = new Map<TradeOrderId, TradingAccountId>()
  private publishedRead = 0

  constructor(
    private readonly world: World,
    private readonly market: SimMarkets,
    private readonly note: (what: string) => void,
  ) {
    world.venue.placed = (sim) => this.placed(sim)
    world.watch = ({ tradingAccountId }, call) => {
      const account = this.accounts.get(tradingAccountId)
      account?.calls.call(call)
      account?.lists.call(call)
    }
    world.watchUnit = (unit) => {
      const account = this.accounts.get(unit.accountId)
      account?.lists.handedOver(unit)
      account?.calls.handedOver(unit)
    }
  }

  say(violation: string): void {
    this.violations.push(`${new Date(this.world.time.now).toISOString()} ${violation}`)
  }

  /** An account is there from now on. */
  join(account: TradingAccount): AccountChecks {
    const { tradingAccountId: id } = account
    const view = new AccountView(this.world, id, account.externalTradingAccountId ?? MAIN, (violation) =>
      this.say(violation),
    )
    const checks = new AccountChecks(view, this.market, this.note)
    this.accounts.set(id, checks)
    return checks
  }

  private placed(sim: SimOrder): void {
    const { tradeOrderId } = sim
    if (tradeOrderId === null) return
    const row = this.world.database.orders.get(tradeOrderId)?.order
    if (row === undefined) return this.say(`at the venue and not stored: ${tradeOrderId}`)
    const owner = this.accounts.get(row.tradingAccountId)
    if (owner?.view.exchange !== sim.account) this.say(`at another exchange account than its own: ${tradeOrderId}`)
    const { rejectReason, terms } = row
    if ((terms?.reduces === true) !== (sim.order.reduceOnly === true))
      this.say(
        `${tradeOrderId} ${terms?.reduces === true ? "may open" : "only reduces"} a position at the venue, and here it is otherwise`,
      )
    // A venue that breaks its word may take it then.
    if (!sim.isOdd && rejectReason === NEVER_PLACED.proven)
      this.say(`${tradeOrderId} was given up, and may still be taken by the venue's word: it is`)
    if (this.world.venue.find({ tradeOrderId, externalOrderId: null }) !== sim)
      this.say(`${tradeOrderId} is placed twice`)
    const { venue } = this.world.venue
    const unknown = unknownTo(venue, sim.order)
    if (unknown !== null) this.say(`${tradeOrderId} was sent with what ${venue.name} does not have: ${unknown}`)
    owner?.lists.placed(sim)
  }

  processStarted(): void {
    this.publishedRead = this.world.published.length
    for (const account of this.accounts.values()) account.processStarted()
  }

  safety(): void {
    const { database, venue, published } = this.world
    for (const [id, count] of venue.arrivals) if (count > 1) this.say(`sent ${count} times: ${id}`)
    this.checkRestarts()
    for (const { order } of database.orders.values()) {
      const owner = this.owners.get(order.tradeOrderId)
      if (owner === undefined) this.owners.set(order.tradeOrderId, order.tradingAccountId)
      else if (owner !== order.tradingAccountId)
        this.say(`${order.tradeOrderId} was made by ${owner}, and is ${order.tradingAccountId}'s`)
    }
    for (const publication of published.slice(this.publishedRead)) {
      const id = publication.channel.slice(publication.channel.indexOf(":") + 1) as TradingAccountId
      this.accounts.get(id)?.published(publication)
    }
    this.publishedRead = published.length
    for (const account of this.accounts.values()) account.safety()
  }

  /** An actor begins anew only where the store was made to refuse it a unit, once for each. */
  private checkRestarts(): void {
    const { world } = this
    for (const defect of world.defects.filter((it) => !it.includes(REFUSED_UNIT)))
      this.say(`an actor began anew without a unit that was refused: ${defect}`)
    const { restarts } = world
    if (restarts > world.refusals)
      this.say(`actors began anew ${restarts} times, and ${world.refusals} units were refused: ${world.defects}`)
  }

  eventCount(): number {
    let count = 0
    for (const account of this.accounts.values()) count += account.eventCount()
    return count
  }

  trace(): string {
    const hash = createHash("sha256")
    for (const events of this.world.database.events.values())
      for (const event of events) hash.update(`${event.kind}${event.payload}`)
    return hash.digest("hex")
  }

  /** The faults are over: what every account that is connected says is its exchange account's truth. */
  atRest(): void {
    for (const checks of this.accounts.values())
      if (checks.view.status() !== "DISCONNECTED") new RestChecks(checks).check()
  }
}
