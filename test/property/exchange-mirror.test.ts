/** The mirror of an account at a venue against a plain sum of its fills: never below zero, always what the venue shows after a look. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { arrearsStep } from "../../src/actors/dealer/exchange-mirror/frozen.ts"
import {
  type Difference,
  differencesOf,
  fillTransfers,
  lackOf,
  type MirrorBalances,
  type MirroredAccount,
  mirrorWalletId,
  unexplainedOf,
} from "../../src/actors/dealer/exchange-mirror/transfers.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import type { ExecutionId, TenantId, UserId, VenueId } from "../../src/domain/ids.ts"
import type { Execution, OrderSide } from "../../src/domain/order/trade-order.ts"
import { accountingWalletId, isWritableAmount } from "../../src/domain/wallet/wallet.ts"
import type { Transfer } from "../../src/ports/ledger-port.ts"
import type { Arrears, StoredFill } from "../../src/ports/mirror-store.ts"
import { DEALER, LINKED } from "../kit/records/hedges.ts"

const account: MirroredAccount = {
  tradingAccountId: LINKED,
  tenantId: "default" as TenantId,
  userId: LINKED as string as UserId,
  venue: "BINANCE",
}
const transfersOf = (differences: ReadonlyArray<Difference>) => differences.map(({ transfer }) => transfer)
/** What a look at the venue posts where nothing has been lost yet. */
const looked = (venue: ReadonlyMap<string, Decimal>, balances: MirrorBalances, name: string) =>
  transfersOf(unexplainedOf(account, DEALER, differencesOf(venue, balances), new Map(balances), new Map(), name))
const MIRROR = mirrorWalletId(LINKED)

const amount = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 16n }), fc.integer({ min: 0, max: 20 }))
  .map(([units, scale]) => Decimal.fromUnits(units, scale))

const fill: fc.Arbitrary<StoredFill> = fc
  .record({
    executionId: fc.uuid(),
    orderSide: fc.constantFrom<OrderSide>("BUY", "SELL"),
    quantity: amount,
    price: amount,
    fee: fc.option(fc.record({ asset: fc.constantFrom("BTC", "USDT", "BNB", "not an asset"), quantity: amount })),
    isHedge: fc.boolean(),
  })
  .map(({ executionId, orderSide, quantity, price, fee, isHedge }) => ({
    number: 1,
    baseAsset: "BTC",
    quoteAsset: "USDT",
    isHedge,
    replaced: null,
    execution: {
      executionId: executionId as ExecutionId,
      orderSide,
      executedQuantity: quantity,
      executedPrice: price,
      executedCost: quantity.multiply(price),
      fees: fee === null ? [] : [{ ...fee, venue: "BINANCE" as VenueId }],
    } as unknown as Execution,
  }))

/** As the ledger would: each transfer in its order, refused below zero. */
const play = (balances: MirrorBalances, transfers: ReadonlyArray<Transfer>): void => {
  for (const transfer of transfers) {
    if (transfer.kind !== "single") throw new Error("holds nothing")
    const { asset, creditWalletId, debitWalletId } = transfer
    expect(isWritableAmount(transfer.amount)).toBe(true)
    expect([creditWalletId, debitWalletId].filter((it) => it === MIRROR)).toHaveLength(1)
    const before = balances.get(asset) ?? Decimal.ZERO
    const after = creditWalletId === MIRROR ? before.add(transfer.amount) : before.subtract(transfer.amount)
    expect(after.isNegative()).toBe(false)
    balances.set(asset, after)
  }
}

const step = Decimal.fromUnits(1n, 18)
const shown = fc.dictionary(fc.constantFrom("BTC", "USDT", "ETH"), amount)

describe("the mirror of an account", () => {
  it("never goes below zero, moves the same for one fill, and is what the venue shows after a look", () => {
    void fc.assert(
      fc.property(fc.array(fill, { maxLength: 12 }), shown, (fills, venue) => {
        const ledger: MirrorBalances = new Map()
        for (const [index, one] of fills.entries()) {
          play(ledger, transfersOf(lackOf(account, one, [], new Map(ledger), `look ${index}`).lacks))
          const first = fillTransfers(account, one, new Map(ledger))
          play(ledger, first)
          expect(JSON.stringify(fillTransfers(account, one, new Map()))).toBe(JSON.stringify(first))
        }
        const there = new Map(Object.entries(venue))
        play(ledger, looked(there, ledger, "look"))
        for (const asset of new Set([...ledger.keys(), ...there.keys()])) {
          const wanted = (there.get(asset) ?? Decimal.ZERO).roundTo(step, "HALF_EVEN")
          expect(`${asset} ${ledger.get(asset) ?? Decimal.ZERO}`).toBe(`${asset} ${wanted}`)
        }
        expect(looked(there, ledger, "next look")).toEqual([])
      }),
    )
  })

  it("has the trades alone in the end, where they took the place of what was inferred", () => {
    const part = fc.integer({ min: 1, max: 50 })
    const trade = fc.record({ quantity: part, price: fc.integer({ min: 90, max: 110 }) })
    const side = fc.constantFrom<OrderSide>("BUY", "SELL")
    const whole = fc.integer({ min: 1, max: 100 })
    void fc.assert(
      fc.property(fc.array(trade, { minLength: 1, maxLength: 8 }), side, whole, (trades, orderSide, named) => {
        let number = 0
        const executionOf = (quantity: number, price: number, inferred: boolean) =>
          ({
            executionId: `e${++number}`,
            orderSide,
            executedQuantity: Decimal.of(`${quantity}`),
            executedPrice: Decimal.of(`${price}`),
            executedCost: Decimal.of(`${quantity * price}`),
            fees: inferred ? [] : [{ asset: "BNB", venue: "BINANCE" as VenueId, quantity: Decimal.of(`${quantity}`) }],
          }) as unknown as Execution
        const stored = { number: 1, baseAsset: "BTC", quoteAsset: "USDT", isHedge: false }
        let inferred: Execution | null = executionOf(named, 100, true)
        let unexplained = named
        const rows: Array<StoredFill> = [{ ...stored, execution: inferred, replaced: null }]
        for (const { quantity, price } of trades) {
          const replaced: Execution | null = inferred
          unexplained = Math.max(0, unexplained - quantity)
          inferred = replaced === null || unexplained === 0 ? null : executionOf(unexplained, 100, true)
          if (inferred !== null) rows.push({ ...stored, execution: inferred, replaced })
          rows.push({ ...stored, execution: executionOf(quantity, price, false), replaced })
        }
        const full = Decimal.of("1000000")
        const ledger: MirrorBalances = new Map(["BTC", "USDT", "BNB"].map((asset) => [asset, full]))
        for (const row of rows) play(ledger, fillTransfers(account, row, new Map(ledger)))
        const sum = (of: (it: (typeof trades)[number]) => number) => trades.reduce((all, it) => all + of(it), 0)
        const sign = orderSide === "BUY" ? 1 : -1
        const moved = (asset: string) => `${ledger.get(asset)!.subtract(full)}`
        expect([moved("BTC"), moved("USDT"), moved("BNB")]).toEqual([
          `${sign * (sum((it) => it.quantity) + unexplained)}`,
          `${-sign * (sum((it) => it.quantity * it.price) + unexplained * 100)}`,
          `${-sum((it) => it.quantity)}`,
        ])
      }),
    )
  })

  it("has after a freeze what was found in it, and books each difference once, whatever it had before", () => {
    const difference = fc.record({ asset: fc.constantFrom("BTC", "USDT"), amount, isLost: fc.boolean() })
    void fc.assert(
      fc.property(shown, shown, fc.array(difference, { maxLength: 6 }), (had, found, differences) => {
        const writable = (of: Readonly<Record<string, Decimal>>) =>
          new Map(Object.entries(of).map(([asset, it]) => [asset, it.roundTo(step, "HALF_EVEN")]))
        const ledger: MirrorBalances = writable(had)
        const owed = differences
          .map(({ asset, amount: of, isLost }) => ({ asset, change: of.roundTo(step, "HALF_EVEN"), isLost }))
          .filter(({ change }) => isWritableAmount(change))
          .map(({ asset, change, isLost }, at) =>
            isLost
              ? ({ asset, change: change.negate(), code: "SHORTFALL", loser: DEALER, at } as const)
              : ({ asset, change, code: "ADJUSTMENT", loser: null, at } as const),
          )
        const booked: Array<string> = []
        let due: Arrears | null = { balances: writable(found), differences: owed }
        for (let look = 0; due !== null; look++) {
          expect(look).toBeLessThan(6)
          const next = arrearsStep(account, due, ledger, `look ${look}`)
          play(ledger, next.transfers)
          booked.push(...next.differences.map(({ at, asset, change }) => `${at} ${asset} ${change}`))
          due = next.left
        }
        expect(booked.sort()).toEqual(owed.map(({ at, asset, change }) => `${at} ${asset} ${change}`).sort())
        const wanted = writable(found)
        for (const asset of new Set([...ledger.keys(), ...wanted.keys()]))
          expect(`${asset} ${ledger.get(asset) ?? 0}`).toBe(`${asset} ${wanted.get(asset) ?? 0}`)
      }),
    )
  })

  it("trades with the world outside, and takes what nobody explains from suspense", () => {
    const one: StoredFill = {
      number: 1,
      baseAsset: "BTC",
      quoteAsset: "USDT",
      isHedge: true,
      replaced: null,
      execution: {
        executionId: "e" as ExecutionId,
        orderSide: "BUY",
        executedQuantity: Decimal.ONE,
        executedCost: Decimal.of("100"),
        fees: [{ asset: "BTC", venue: "BINANCE" as VenueId, quantity: Decimal.of("0.001") }],
      } as unknown as Execution,
    }
    const words = (transfers: ReadonlyArray<Transfer>) =>
      transfers.map((it) => (it.kind === "single" ? [it.code, it.asset, `${it.amount}`, it.debitWalletId] : []))
    const suspense = accountingWalletId(account.tenantId, "SUSPENSE")
    const world = accountingWalletId(account.tenantId, "WORLD")
    const balances: MirrorBalances = new Map([["USDT", Decimal.of("40")]])
    expect(words(transfersOf(lackOf(account, one, [], balances, "x").lacks))).toEqual([
      ["ADJUSTMENT", "USDT", "60", suspense],
    ])
    expect(words(fillTransfers(account, one, balances))).toEqual([
      ["HEDGE", "BTC", "1", world],
      ["HEDGE", "USDT", "100", MIRROR],
      ["FEE", "BTC", "0.001", MIRROR],
    ])
  })
})
