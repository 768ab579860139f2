/**
 * The orders of a submit on their way to the store, whatever its type: in memory at once, all of them one unit. The one thing to know:
 * where an older order has their key, or another one their quote, nothing of them ever was, and the submit is answered with what is.
 */
import { QuoteUsed } from "../domain/errors/quote.ts"
import { tradeOrderJson } from "../domain/trade-order-record.ts"
import type { SubmitOrder } from "./account-messages.ts"
import { whenKnown } from "./trading-account-admission.ts"
import { replay } from "./trading-account-answer.ts"
import type { AccountCore } from "./trading-account-core.ts"
import type { Live } from "./trading-account-live.ts"
import { type NewOrder, ordersOf } from "./trading-account-new-order.ts"

/** The submitted order first. */
export type NewLives = readonly [Live, ...ReadonlyArray<Live>]

export interface StoreOutcome {
  /** They are durable; `json` is the record of the submitted one. Before whoever waits for them is told. */
  readonly stored: (lives: NewLives, json: string) => void
  /** Nothing of them was stored. */
  readonly undone?: () => void
  /** After either, when the submit has its answer. */
  readonly over?: () => void
}

export const storeNew = (core: AccountCore, message: SubmitOrder, made: NewOrder, outcome: StoreOutcome): void => {
  const { now, fingerprint } = made
  const [order, ...others] = ordersOf(core, made)
  message.named(order.tradeOrderId)
  const lives: NewLives = [core.add(order), ...others.map((other) => core.add(other))]
  for (const one of lives) one.actor = message.actor ?? null
  const json = tradeOrderJson(order)
  const settled = (exist: boolean): void => {
    for (const one of lives) for (const run of one.whenStored.splice(0)) run(exist)
  }
  const undo = (): void => {
    outcome.undone?.()
    for (const one of lives.toReversed()) core.undo(one)
  }
  core.outlet.commit(
    [order, ...others].map((it) => ({ _tag: "Order", order: it })),
    [
      core.outlet.news.ofOrder("TRADE_ORDER.CREATED", order, now, json),
      ...others.map((it) => core.outlet.news.ofOrder("TRADE_ORDER.CREATED", it, now)),
    ],
    {
      committed: () => {
        for (const one of lives) one.stored = true
        outcome.stored(lives, json)
        settled(true)
        outcome.over?.()
      },
      keyUsed: (used) => {
        undo()
        whenKnown(core, used.order.tradeOrderId, (older) => {
          settled(false)
          if (older !== null) replay(core, message, older, used.by, fingerprint)
          outcome.over?.()
        })
      },
      quoteUsed: () => {
        undo()
        settled(false)
        message.reply.fail(new QuoteUsed())
        outcome.over?.()
      },
    },
  )
}
