/** Clients of a hedging world: they ask dealers for quotes, and execute most of them as their accounts would, also over the end of a process. */

import { type FirmQuote, isFirm } from "../../../src/domain/dealer/quote.ts"
import type { QuoteSize } from "../../../src/domain/dealer/quote-request.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { DealerAccountId, InstrumentId, QuoteId, TradeOrderId, TradingAccountId } from "../../../src/domain/ids.ts"
import type { WalletId } from "../../../src/domain/wallet/wallet.ts"
import { userId } from "../accounts.ts"
import type { Tally } from "../tally.ts"
import type { Random } from "../time.ts"
import type { Pair } from "./listing.ts"
import type { HedgingWorld } from "./world.ts"

const TRADER = "0aaaaaaa-0000-4000-8000-0000000000ff" as TradingAccountId
const WALLET = "0fffffff-0000-4000-8000-000000000001" as WalletId
const AGAIN_MILLIS = 250

/** In base; the smallest are dust where they are sold. */
const SIZES = ["0.001", "0.002", "0.01", "0.05", "0.3", "1", "2.4", "4"] as const

export class Clients {
  #orders = 0

  constructor(
    private readonly world: HedgingWorld,
    private readonly random: Random,
    private readonly tally: Tally,
    private readonly note: (what: string) => void,
  ) {}

  ask(dealerAccountId: DealerAccountId, pair: Pair): void {
    const { world, random, tally } = this
    const orderSide = random.pick(["BUY", "SELL"] as const)
    const base = Decimal.of(random.pick(SIZES))
    const size: QuoteSize = random.chance(0.15)
      ? { quantityType: "QUOTE", quoteQuantity: base.multiply(pair.price) }
      : { quantityType: "BASE", quantity: base }
    const mine = world.generation
    world.act("NONE", () =>
      world.dealers.post(dealerAccountId, {
        _tag: "RequestQuote",
        asked: {
          userId: userId(255),
          traderAccountId: TRADER,
          traderWalletId: WALLET,
          instrumentId: `INTERNAL:${pair.symbol}` as InstrumentId,
          baseAsset: pair.baseAsset,
          quoteAsset: pair.quoteAsset,
          orderSide,
          size,
          expiry: { ttlSeconds: random.pick([2, 10, 60]) },
          pricingProfileId: null,
          quoteRequestId: null,
          fingerprint: "",
        },
        reply: {
          ok: ({ quote }) => {
            if (mine !== world.generation) return
            tally.add(quote.rejectReason === null ? "quoted" : `quote ${quote.rejectReason}`)
            if (!isFirm(quote) || !random.chance(0.85)) return
            world.later("NONE", () => this.#accept(quote), random.pick([1, 50, 1_500]))
          },
          fail: ({ _tag }) => tally.add(`quote refused: ${_tag}`),
        },
      }),
    )
  }

  #accept(quote: FirmQuote): void {
    const { world } = this
    const tradeOrderId = `0ddddddd-0000-4000-8000-${(++this.#orders).toString(16).padStart(12, "0")}` as TradeOrderId
    const order = {
      tradeOrderId,
      quoteId: quote.quoteId,
      tradingAccountId: TRADER,
      instrumentId: quote.instrumentId,
      orderSide: quote.orderSide,
      quantity: quote.quantity.toString(),
      limitPrice: null,
      ingressAt: world.time.now,
    }
    world.dealers.post(quote.dealerAccountId, {
      _tag: "AcceptQuote",
      order,
      reply: {
        // Its account stores the order.
        ok: () =>
          world.write(() => {
            world.database.quoted.set(quote.quoteId, { tradeOrderId, isOver: false })
            world.later("NONE", () => this.#settle(quote.quoteId, false))
          }),
        fail: ({ _tag }) => this.tally.add(`not accepted: ${_tag}`),
      },
    })
  }

  #settle(quoteId: QuoteId, isResumed: boolean): void {
    const { world } = this
    const order = world.database.quoted.get(quoteId)
    const quote = world.database.quotes.get(quoteId)
    if (order === undefined || order.isOver || quote === undefined) return
    const end = (): void => void world.database.quoted.set(quoteId, { ...order, isOver: true })
    world.dealers.post(quote.dealerAccountId, {
      _tag: "SettleQuote",
      quoteId,
      tradeOrderId: order.tradeOrderId,
      ingressAt: world.time.now,
      isResumed,
      reply: {
        ok: () => {
          end()
          this.tally.add("executed")
          this.note(
            `client executes ${quote.orderSide} ${quote.quantity} ${quote.baseAsset} of ${quote.dealerAccountId.slice(-2)} @ ${quote.price}`,
          )
        },
        fail: (error: DomainError) => {
          // It may have happened.
          if (error._tag === "OutcomeUnknown" || error._tag === "ShuttingDown")
            world.later("NONE", () => this.#settle(quoteId, true), AGAIN_MILLIS)
          else {
            end()
            this.tally.add(`not executed: ${error._tag}`)
          }
        },
      },
    })
  }

  /** A process begins: orders that were stored before it are settled. */
  resume(): void {
    for (const [quoteId, { isOver }] of this.world.database.quoted)
      if (!isOver) this.world.later("NONE", () => this.#settle(quoteId, true))
  }
}
