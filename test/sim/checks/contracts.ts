/**
 * What an account has open in contracts: the sum of all trades of its exchange account, whoever sent their orders. The portfolio has the venue's word
 * of it, once the account is quiet. What orders that name their position are measured by has the trades since that word with it: it is right as soon
 * as the account has heard of them.
 */
import type { Position } from "../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import { type InstrumentId, positionIdOf } from "../../../src/domain/ids.ts"
import type { SubmitRequest } from "../../../src/domain/order/submit-request.ts"
import type { Unit } from "../../../src/ports/account-store.ts"
import type { VenueCall } from "../accounts.ts"
import type { Readiness } from "../readiness.ts"
import { tradeKey } from "../venue/exchange.ts"
import type { AccountView } from "./view.ts"

/** More than is ever open: an order of so much is refused, and its refusal says what is. */
const TOO_MUCH: object = { quantity: "1000" }
/** From a question for balances to the instant of its answer. */
const ANSWERED_MILLIS = 400

const tradedBy = ({ world, exchange }: AccountView, instrumentId: InstrumentId): Decimal =>
  world.venue.fillsOf(exchange, instrumentId).reduce((sum, { orderSide, quantity }) => {
    const amount = Decimal.of(quantity)
    return orderSide === "BUY" ? sum.add(amount) : sum.subtract(amount)
  }, Decimal.ZERO)

/** Undefined: such an order is refused for another reason, as many open orders. */
const countedBy = ({ world, id }: AccountView, instrumentId: InstrumentId, traded: Decimal): string | undefined => {
  const request: Partial<SubmitRequest> = {
    tradingAccountId: id,
    instrumentId,
    orderSide: traded.isNegative() ? "BUY" : "SELL",
    limitPrice: null,
    orderType: "MARKET",
    positionId: positionIdOf(id, instrumentId),
    ...TOO_MUCH,
  }
  const { answer } = world.submit(request)
  if (answer === undefined) return undefined
  if ("ok" in answer) return "more than 1000"
  const { error } = answer
  if (error._tag === "QuantityExceedsPosition") return error.open
  return error._tag === "PositionNotFound" ? "0" : undefined
}

const compare = (view: AccountView, instrumentId: InstrumentId): void => {
  const traded = tradedBy(view, instrumentId)
  const counted = countedBy(view, instrumentId, traded)
  if (counted !== undefined && counted !== traded.toString())
    view.say(`${instrumentId}: orders are measured by a position of ${counted}, and its trades come to ${traded}`)
}

/** Of an account that is quiet. */
export const checkContracts = (view: AccountView, portfolio: ReadonlyArray<Position>): void => {
  const told = portfolio.flatMap(({ contracts = [] }) => contracts)
  for (const instrumentId of view.world.venue.instruments) {
    const traded = tradedBy(view, instrumentId)
    const held = told.filter((it) => it.instrumentId === instrumentId)
    const shown = held.reduce((sum, { quantity }) => sum.add(quantity), Decimal.ZERO)
    if (!shown.equals(traded) || held.length > 1)
      view.say(`${instrumentId}: a position of ${shown} is shown, and its trades come to ${traded}`)
    compare(view, instrumentId)
  }
}

/** Of an account that may have heard of a trade just now. */
export class ContractChecks {
  /** Of the newest word of the venue that it has taken: of which instant it says it is; null: there was none since it works. */
  private wordAt: number | null = null
  /**
   * The newest trade that was inferred, which has no time of the venue's: whether that word has it already, only balances say that were asked for
   * afterwards. Null: there is none such.
   */
  private inferredAt: number | null = null
  /** What it was compared with, last. */
  private compared = ""

  constructor(
    private readonly view: AccountView,
    private readonly readiness: Readiness,
  ) {}

  processStarted(): void {
    this.wordAt = null
    this.inferredAt = null
  }

  handedOver({ rows }: Unit): void {
    if (this.readiness.since === null) this.wordAt = null
    if (rows.some((it) => it._tag === "Execution" && it.execution.inferred)) this.inferredAt = this.view.world.time.now
  }

  call(call: VenueCall): void {
    if (this.readiness.since === null) this.wordAt = null
    else if (call._tag === "ToldBalances") {
      this.wordAt = Math.max(this.wordAt ?? 0, call.at)
      if (this.inferredAt !== null && call.at > this.inferredAt) this.inferredAt = null
    } else if (call._tag === "Heard" && call.report._tag === "BalancesSeen")
      this.wordAt = Math.max(this.wordAt ?? 0, call.report.balances.at)
  }

  safety(): void {
    const { view, wordAt } = this
    const { world, exchange, id } = view
    const { traits } = world.venue
    // Where balances are those of a replica, what was traded before they were asked for may be missing in them.
    if (!traits.contracts || traits.balancesLagMillis > 0 || wordAt === null || this.inferredAt !== null) return
    if (!world.isRunning || world.status(id) !== "ACTIVE" || world.units.of(id) > 0) return
    const trades = world.venue.fillsOf(exchange)
    const compared = `${world.generation} ${wordAt} ${trades.length}`
    if (compared === this.compared) return
    const since = trades.filter(({ executedAt }) => executedAt > wordAt)
    // May be in the word and after it.
    if (since.some(({ executedAt }) => executedAt <= wordAt + ANSWERED_MILLIS)) return
    if (since.length > 0) {
      const heard = new Set<string>()
      for (const it of world.database.executions.values()) if (it.tradingAccountId === id) heard.add(tradeKey(it))
      if (!since.every((it) => heard.has(tradeKey(it)))) return
    }
    this.compared = compared
    for (const instrumentId of world.venue.instruments) compare(view, instrumentId)
  }
}
