/** Cursors: opaque, signed, bound to list, user and filters; pages that neither repeat nor skip what was there all along. */
import { describe, expect, it } from "vitest"
import { type Filters, makeCursors, type PagePlan, pageOf, sortedBy, timeKey } from "../../../src/http/pagination.ts"

const cursors = makeCursors(() => [new Uint8Array(32).fill(7)])

const planned = (cursor?: string, filters: Filters = {}, scope = "list:me") =>
  cursors.plan({ scope, filters, limit: 3, offset: 0, cursor })

const walk = (items: () => ReadonlyArray<string>, order: "ascending" | "descending" = "ascending") => {
  const seen: Array<string> = []
  let cursor: string | undefined
  const steps: Array<() => void> = []
  return {
    seen,
    step: (): boolean => {
      const plan = planned(cursor) as PagePlan
      const page = pageOf(
        cursors,
        plan,
        sortedBy(items(), (item) => item, order),
        (item) => item,
        order,
      )
      seen.push(...page.items)
      expect(page.pagination.offset).toBe(0)
      expect(page.pagination.hasNext).toBe(page.pagination.cursor !== null)
      cursor = page.pagination.cursor ?? undefined
      for (const run of steps) run()
      return page.pagination.hasNext
    },
  }
}

describe("a cursor", () => {
  const first = () => {
    const plan = planned(undefined, { venue: "MOCK", flag: true, none: null }) as PagePlan
    return cursors.pagination(plan, 10, "key-3").cursor ?? ""
  }

  it("carries place, total and filters to the next page", () => {
    expect(planned(first())).toEqual({
      scope: "list:me",
      filters: { venue: "MOCK", flag: true },
      limit: 3,
      offset: 0,
      after: "key-3",
      total: { count: 10, isLowerBound: false },
    })
    expect(planned(first(), { venue: "MOCK" })).toMatchObject({ after: "key-3" })
  })

  it("is refused when we did not write it", () => {
    const good = first()
    const [text = "", signature = ""] = good.split(".")
    const forged = Buffer.from(JSON.stringify({ scope: "list:me", filters: {}, after: "a", total: 1 })).toString(
      "base64url",
    )
    for (const bad of [
      "x",
      ".",
      `${text}.`,
      text,
      `.${signature}`,
      `${forged}.${signature}`,
      `${text}.AAAAAAAAAAAAAAAAAAAAAA`,
    ])
      expect(planned(bad)).toMatchObject({ _tag: "InvalidCursor" })
    const others = makeCursors(() => [new Uint8Array(32).fill(8)])
    expect(others.plan({ scope: "list:me", filters: {}, limit: 3, offset: 0, cursor: good })).toMatchObject({
      _tag: "InvalidCursor",
    })
  })

  it("is good for one list of one user", () => {
    expect(planned(first(), {}, "list:you")).toMatchObject({ _tag: "InvalidCursor" })
  })

  it("does not go with other filters", () => {
    expect(planned(first(), { venue: "BINANCE" })).toMatchObject({
      _tag: "ConflictingParameters",
      parameters: ["cursor", "venue"],
    })
    expect(planned(first(), { extra: "x" })).toMatchObject({ _tag: "ConflictingParameters" })
  })
})

describe("a list in memory", () => {
  it("is seen whole, once, in both orders", () => {
    const items = ["a", "b", "c", "d", "e", "f", "g"]
    for (const order of ["ascending", "descending"] as const) {
      const reader = walk(() => items, order)
      while (reader.step());
      expect(reader.seen).toEqual(order === "ascending" ? items : [...items].reverse())
    }
  })

  it("goes on where it was when records come and go between pages", () => {
    let items = ["b", "d", "f", "h", "j"]
    const reader = walk(() => items)
    expect(reader.step()).toBe(true)
    items = ["a", "b", "c", "g", "h", "j", "k"]
    while (reader.step());
    expect(reader.seen).toEqual(["b", "d", "f", "g", "h", "j", "k"])
  })

  it("ends without a cursor, also on an exact page and on none", () => {
    for (const items of [[], ["a"], ["a", "b", "c"]]) {
      const page = pageOf(cursors, planned() as PagePlan, items, (item) => item)
      expect(page.pagination).toEqual({ offset: 0, limit: 3, total: items.length, cursor: null, hasNext: false })
    }
  })

  it("skips by offset and tells the total of everything", () => {
    const plan = cursors.plan({ scope: "s", filters: {}, limit: 2, offset: 3, cursor: undefined }) as PagePlan
    const page = pageOf(cursors, plan, ["a", "b", "c", "d", "e", "f"], (item) => item)
    expect(page.items).toEqual(["d", "e"])
    expect(page.pagination).toMatchObject({ offset: 3, limit: 2, total: 6, hasNext: true })
    const beyond = pageOf(cursors, { ...plan, offset: 60 }, ["a"], (item) => item)
    expect(beyond).toMatchObject({ items: [], pagination: { total: 1, hasNext: false, cursor: null } })
  })

  it("sorts times as text", () => {
    expect(timeKey(9, "z") < timeKey(10, "a")).toBe(true)
    expect(timeKey(1_795_185_549_944, "a") < timeKey(1_795_185_549_944, "b")).toBe(true)
  })
})
