/** The transition table as a graph: what no path may do. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isTerminal, mayBecome, narrative, OrderStatus, rank } from "../../../src/domain/order/status.ts"

const ALL = OrderStatus.literals
const statuses = fc.constantFrom(...ALL)

/** A walk over allowed transitions, as long as there is one. */
const walks = fc.array(fc.nat(), { minLength: 1, maxLength: 40 }).map((choices) => {
  const path: Array<OrderStatus> = ["CREATED"]
  for (const choice of choices) {
    const next = ALL.filter((to) => mayBecome(path.at(-1)!, to))
    if (next.length === 0) break
    path.push(next[choice % next.length]!)
  }
  return path
})

describe("the order state machine", () => {
  it("leaves a terminal state only to be filled after all, and FILLED never", () => {
    void fc.assert(
      fc.property(statuses, statuses, (from, to) => {
        if (isTerminal(from) && mayBecome(from, to)) expect(to).toBe("FILLED")
        expect(mayBecome("FILLED", to) || mayBecome("REVOKED", to)).toBe(false)
      }),
    )
  })

  it("never goes back to CREATED, nor to SUBMITTED once the venue has answered", () => {
    void fc.assert(
      fc.property(walks, (path) => {
        expect(path.lastIndexOf("CREATED")).toBe(0)
        const answered = path.findIndex((it) => it === "ACCEPTED" || it === "PARTIALLY_FILLED")
        if (answered >= 0 && !path.includes("PENDING_CANCEL")) expect(path.indexOf("SUBMITTED", answered)).toBe(-1)
      }),
    )
  })

  it("never rejects an order that is partially filled", () => {
    void fc.assert(
      fc.property(walks, (path) => {
        for (const [index, status] of path.entries())
          if (status === "REJECTED") expect(path[index - 1]).not.toBe("PARTIALLY_FILLED")
      }),
    )
  })

  it("ranks terminal states highest and shows them in the specification's words", () => {
    void fc.assert(
      fc.property(statuses, fc.boolean(), (status, hasFills) => {
        expect(rank(status) === 4).toBe(isTerminal(status))
        const word = narrative(status, hasFills)
        expect(["FILLED", "CANCELLED", "REJECTED", "EXPIRED"].includes(word)).toBe(isTerminal(status))
      }),
    )
  })
})
