/** Filter words of both vocabularies select exactly the orders that are shown so (contract C1.1). */
import { describe, expect, it } from "vitest"
import { NarrativeStatus, narrative, OrderStatus } from "../../../src/domain/order/status.ts"
import { statusFilter } from "../../../src/http/trade-order/handlers.ts"

const momentary = new Set<OrderStatus>(["PENDING_CANCEL", "PENDING_REPLACE", "REPLACED"])

const selects = (word: OrderStatus | NarrativeStatus, status: OrderStatus, hasFills: boolean): boolean => {
  const filter = statusFilter(word)
  if (!filter.orderStatus.includes(status)) return false
  return filter.hasFills === undefined || !momentary.has(status) || filter.hasFills === hasFills
}

/** Which states an order without, or with, fills can be in. */
const possible = (status: OrderStatus, hasFills: boolean): boolean =>
  hasFills ? !["CREATED", "ACCEPTED"].includes(status) : !["PARTIALLY_FILLED", "FILLED"].includes(status)

describe("the status filter", () => {
  it("selects by a narrative word what is shown by it", () => {
    for (const word of NarrativeStatus.literals)
      for (const status of OrderStatus.literals)
        for (const hasFills of [true, false]) {
          if (!possible(status, hasFills)) continue
          expect([word, status, hasFills, selects(word, status, hasFills)]).toEqual([
            word,
            status,
            hasFills,
            narrative(status, hasFills) === word,
          ])
        }
  })

  it("selects by a purely formal word that state alone", () => {
    const narrativeWords = new Set<string>(NarrativeStatus.literals)
    for (const word of OrderStatus.literals) {
      if (narrativeWords.has(word)) continue
      expect(statusFilter(word)).toEqual({ orderStatus: [word] })
    }
  })
})
