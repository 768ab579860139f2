/**
 * What a market of the internal venue asks of the ledger, against a ledger as simple as can be: whatever comes, nothing is created and
 * nothing lost, every open order is held for exactly, fees are what the trades say, and a refusal or a restart leaves the same book.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../src/domain/decimal.ts"
import type { TenantId, TradeOrderId, TradingAccountId, UserId } from "../../src/domain/ids.ts"
import { type InternalOrder, type InternalTrade, internalInstrumentId } from "../../src/domain/order/internal-order.ts"
import { accountingWalletId, type WalletId } from "../../src/domain/wallet/wallet.ts"
import { LEDGER_TRANSFERS_MAX, type Transfer } from "../../src/ports/ledger-port.ts"
import { InternalBook } from "../../src/venues/internal/book.ts"
import { holdOf, pendingOf, type Settlement } from "../../src/venues/internal/settlement.ts"
import { instrumentOf } from "../kit/records/instruments.ts"

const TENANT = "default" as TenantId
const instrument = instrumentOf(internalInstrumentId("BTC", "USD"))
const USERS = 4
/** Little enough that most of it is held or spent: a hold that is let go too late, or taken too large, is refused. */
const START = { BTC: Decimal.of("1.5"), USD: Decimal.of("120") }
const walletOf = (user: number): WalletId => `wallet-${user}` as WalletId

/** Balances, and holds by id; refuses what a ledger refuses by failing the test. */
class PlainLedger {
  readonly balances = new Map<string, Decimal>()
  readonly holds = new Map<string, { readonly wallet: string; readonly amount: Decimal }>()

  apply(transfers: ReadonlyArray<Transfer>): void {
    expect(transfers.length).toBeLessThanOrEqual(LEDGER_TRANSFERS_MAX)
    for (const transfer of transfers) {
      if (transfer.pendingId !== null) {
        // The venue posts nothing: it releases, pays, and holds anew.
        expect(transfer.kind).toBe("void")
        expect(this.holds.delete(transfer.pendingId)).toBe(true)
        continue
      }
      const { debitWalletId, creditWalletId, asset, amount } = transfer
      const debit = `${debitWalletId} ${asset}`
      expect(amount.isPositive()).toBe(true)
      expect([debit, this.available(debit).subtract(amount).isNegative()]).toEqual([debit, false])
      if (transfer.kind === "pending") this.holds.set(transfer.transferId, { wallet: debit, amount })
      else {
        this.add(debit, amount.negate())
        this.add(`${creditWalletId} ${asset}`, amount)
      }
    }
  }

  add(wallet: string, change: Decimal): void {
    this.balances.set(wallet, (this.balances.get(wallet) ?? Decimal.ZERO).add(change))
  }

  available(wallet: string): Decimal {
    let free = this.balances.get(wallet) ?? Decimal.ZERO
    for (const hold of this.holds.values()) if (hold.wallet === wallet) free = free.subtract(hold.amount)
    return free
  }
}

const order = fc.record({
  _tag: fc.constant("order" as const),
  user: fc.integer({ min: 0, max: USERS - 1 }),
  side: fc.constantFrom("BUY" as const, "SELL" as const),
  kind: fc.constantFrom("GTC", "GTC", "GTC", "IOC", "FOK", "GTX", "MARKET", "BUDGET"),
  price: fc.integer({ min: 9_990, max: 10_010 }),
  quantity: fc.integer({ min: 1, max: 900 }),
  room: fc.integer({ min: 1, max: 3 }),
})
const cancel = fc.record({ _tag: fc.constant("cancel" as const), which: fc.nat(20) })
const step = fc.record({ does: fc.oneof({ weight: 5, arbitrary: order }, cancel), isRefused: fc.boolean() })

const levelsOf = (book: InternalBook): ReadonlyArray<string> =>
  (["BUY", "SELL"] as const).flatMap((side) =>
    [...book.matcher.levels(side)].map(({ price, quantity }) => `${side} ${price} ${quantity}`),
  )

class World {
  readonly ledger = new PlainLedger()
  readonly open = new Map<TradeOrderId, InternalOrder>()
  readonly trades: Array<InternalTrade> = []
  book = this.newBook()
  #ids = 0
  #sequence = 0

  constructor() {
    for (let user = 0; user < USERS; user++)
      for (const [asset, amount] of Object.entries(START)) this.ledger.add(`${walletOf(user)} ${asset}`, amount)
  }

  newBook(): InternalBook {
    const fees = { makerRate: Decimal.of("0.00053"), takerRate: Decimal.of("0.00107") }
    return new InternalBook({ instrument, fees, uuid: () => `id-${++this.#ids}`, now: () => 1 })
  }

  submit(asked: typeof order extends fc.Arbitrary<infer A> ? A : never, isRefused: boolean): void {
    const { user, side, kind } = asked
    const isMarket = kind === "MARKET" || kind === "BUDGET"
    const quantity = Decimal.fromUnits(BigInt(asked.quantity), instrument.scale)
    const limitPrice = isMarket ? null : Decimal.fromUnits(BigInt(asked.price), instrument.precision)
    const plain: InternalOrder = {
      tradeOrderId: `order-${++this.#ids}` as TradeOrderId,
      tradingAccountId: `account-${user}` as TradingAccountId,
      tenantId: TENANT,
      ownerId: `user-${user}` as UserId,
      walletId: walletOf(user),
      instrumentId: instrument.instrumentId,
      orderSide: side,
      orderType: isMarket ? "MARKET" : "LIMIT",
      timeInForce: isMarket || kind === "GTC" ? "GTC" : (kind as "IOC" | "FOK" | "GTX"),
      limitPrice,
      quantity,
      budget: kind === "BUDGET" && side === "BUY" ? Decimal.of("50.01") : null,
      executed: Decimal.ZERO,
      status: "OPEN",
      ending: null,
      sequence: ++this.#sequence,
      holdId: null,
      held: Decimal.ZERO,
      createdAt: 1,
      updatedAt: 1,
    }
    const need =
      side === "SELL" || limitPrice !== null ? holdOf(plain) : (plain.budget ?? quantity.multiply(Decimal.of("99.5")))
    const holdId = `id-${++this.#ids}`
    const stored = { ...plain, holdId, held: need }
    const hold = pendingOf(stored, instrument, holdId, need)
    const wallet = `${stored.walletId} ${side === "BUY" ? "USD" : "BTC"}`
    if (this.ledger.available(wallet).lessThan(need)) return
    this.ledger.apply([hold])
    this.#takeIn(stored, asked.room, isRefused)
  }

  #takeIn(stored: InternalOrder, room: number, isRefused: boolean): void {
    let next: InternalOrder | null = stored
    let arrival: "NEW" | "GOES_ON" = "NEW"
    let refusals = isRefused ? 1 : 0
    while (next !== null) {
      const settlement = this.book.begin()
      const before = levelsOf(this.book)
      const paused: InternalOrder | null = this.book.take(next, arrival, settlement, room)
      settlement.finish()
      if (refusals-- > 0) {
        // The ledger said no: as if nothing had been, and then once more.
        this.book.rollback()
        expect(levelsOf(this.book)).toEqual(before)
        continue
      }
      this.#settled(settlement, paused?.tradeOrderId ?? null)
      next = paused === null ? null : settlement.image(paused.tradeOrderId)!
      arrival = "GOES_ON"
    }
  }

  cancel(which: number): void {
    const chosen = [...this.open.values()][which]
    if (chosen === undefined) return
    const settlement = this.book.begin()
    expect(this.book.cancel(chosen.tradeOrderId, settlement)).toBe(true)
    settlement.finish()
    this.#settled(settlement, null)
  }

  #settled(settlement: Settlement, paused: TradeOrderId | null): void {
    this.ledger.apply(settlement.transfers)
    this.book.commit(settlement, paused)
    this.trades.push(...settlement.trades)
    for (const [id, image] of settlement.images)
      if (image.status === "OPEN") this.open.set(id, image)
      else this.open.delete(id)
  }

  check(): void {
    for (const [asset, start] of Object.entries(START)) {
      let sum = Decimal.ZERO
      for (const [wallet, balance] of this.ledger.balances) if (wallet.endsWith(` ${asset}`)) sum = sum.add(balance)
      expect(sum.toString()).toBe(start.multiply(Decimal.of(`${USERS}`)).toString())
      let fees = Decimal.ZERO
      for (const trade of this.trades) {
        const takerGets = trade.takerSide === "BUY" ? "BTC" : "USD"
        fees = fees.add(takerGets === asset ? trade.takerFee : trade.makerFee)
      }
      const kept = this.ledger.balances.get(`${accountingWalletId(TENANT, "FEES")} ${asset}`) ?? Decimal.ZERO
      expect(kept.toString()).toBe(fees.toString())
    }
    expect([...this.open.values()].map((it) => [it.holdId, holdOf(it).toString()]).sort()).toEqual(
      [...this.ledger.holds].map(([id, { amount }]) => [id, amount.toString()]).sort(),
    )
    for (const it of this.open.values()) expect(it.held.toString()).toBe(holdOf(it).toString())
    const after = levelsOf(this.book)
    const restarted = this.newBook()
    for (const it of [...this.open.values()].sort((a, b) => a.sequence - b.sequence))
      expect(restarted.restore(it)).toBe(true)
    expect(levelsOf(restarted)).toEqual(after)
    this.book = restarted
  }
}

describe("a market's settlements", () => {
  it("move what is traded and nothing else, through refusals and restarts", () => {
    void fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const world = new World()
        for (const { does, isRefused } of steps) {
          if (does._tag === "cancel") world.cancel(does.which)
          else world.submit(does, isRefused)
          world.check()
        }
      }),
      { numRuns: 200 },
    )
  })
})
