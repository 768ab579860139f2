/** The entries of a map: what changes are told, what is remembered of those that left, and for how long. */
import { describe, expect, it } from "vitest"
import { MapEntries } from "../../../src/ws/maps/entries.ts"

const set = (key: string, value: unknown, tags?: Readonly<Record<string, string>>) => ({
  key,
  json: JSON.stringify(value),
  ...(tags === undefined ? {} : { tags }),
})
const gone = (key: string) => ({ key, json: null })
const told = (publications: ReturnType<MapEntries["since"]>) =>
  publications?.map(({ key, json, offset, removed }) => [offset, key, removed === true ? "removed" : JSON.parse(json)])

describe("the entries of a map", () => {
  it("tell what changes, numbered without a hole, and nothing else", () => {
    const entries = new MapEntries("e")
    expect(told(entries.apply([set("a", 1), set("b", 2), set("a", 1), gone("c"), gone("b"), gone("b")]))).toEqual([
      [1, "a", 1],
      [2, "b", 2],
      [3, "b", "removed"],
    ])
    expect([entries.offset, entries.size]).toEqual([3, 1])
  })

  it("replaced by others lose what is not among them, and keep what is the same untold", () => {
    const entries = new MapEntries("e")
    entries.apply([set("a", 1), set("b", 2), set("c", 3)])
    expect(told(entries.replace([set("c", 3), set("b", 4), set("d", 5)]))).toEqual([
      [4, "a", "removed"],
      [5, "b", 4],
      [6, "d", 5],
    ])
  })

  it("tell a late reader each key once, in the order of the last changes", () => {
    const entries = new MapEntries("e")
    entries.apply([set("a", 1), set("b", 1), set("c", 1), set("a", 2), gone("b"), set("b", 3), gone("c"), set("a", 4)])
    expect(told(entries.since(2))).toEqual([
      [6, "b", 3],
      [7, "c", "removed"],
      [8, "a", 4],
    ])
    expect(told(entries.since(8))).toEqual([])
    expect(entries.since(9)).toBeUndefined()
  })

  it("keep the tags of an entry for its removal, so that a filter lets it pass", () => {
    const entries = new MapEntries("e")
    entries.apply([set("a", 1, { side: "bids" })])
    expect(entries.apply([gone("a")])).toEqual([
      { epoch: "e", offset: 2, json: "", key: "a", removed: true, tags: { side: "bids" } },
    ])
  })

  it("remember 4096 that left; who has been away for longer is not told a part", () => {
    const entries = new MapEntries("e")
    const keys = Array.from({ length: 5000 }, (_, n) => `k${n}`)
    entries.apply(keys.map((key) => set(key, 0)))
    entries.apply(keys.slice(0, 4096).map(gone))
    expect(entries.since(5000)).toHaveLength(4096)
    // A key that leaves again is the newest of those that left.
    entries.apply([set("k0", 1), gone("k0")])
    expect(entries.since(5000)).toHaveLength(4096)
    entries.apply([gone("k4096")])
    // Of k1, which left at 5002, nothing is known any more.
    expect(entries.since(5001)).toBeUndefined()
    expect(told(entries.since(5002))?.slice(0, 1)).toEqual([[5003, "k2", "removed"]])
    expect(entries.since(5002)).toHaveLength(4096)
  })

  it("are paged in the order in which they came, whatever changes between the pages", () => {
    const entries = new MapEntries("e")
    entries.apply(["a", "b", "c", "d", "e"].map((key) => set(key, 0)))
    const from = entries.offset
    const all = () => true
    const keys = (page: ReturnType<MapEntries["page"]>) => page.entries.map(({ key }) => key)
    const first = entries.page(0, from, 2, all)
    expect(keys(first)).toEqual(["a", "b"])
    entries.apply([gone("a"), set("a", 1), gone("b"), set("c", 1), set("f", 1)])
    const second = entries.page(first.next ?? 0, from, 2, all)
    // a, c and f are among what has changed since.
    expect([keys(second), second.next]).toEqual([["d", "e"], undefined])
    const wanted = entries.page(0, entries.offset, 2, ({ key }) => key !== "d")
    expect(keys(wanted)).toEqual(["c", "e"])
    expect(keys(entries.page(wanted.next ?? 0, entries.offset, 2, all))).toEqual(["a", "f"])
  })
})
