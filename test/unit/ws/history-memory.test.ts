/** What a channel's history costs V8: little of each publication, and nothing of its text, which is told as it was. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import fc from "fast-check"
import { expect, it } from "vitest"
import { History } from "../../../src/ws/fanout/history.ts"
import type { EncodedPublication } from "../../../src/ws/fanout/topic.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const TEXTS = 5_000
const FIELDS = 35
/** Each by a function, as records are written: concatenated at run time. */
const textOf = (index: number): string => {
  let text = `{"offset":${index}`
  for (let field = 0; field < FIELDS; field++) text += `,"f${field}":"${index * field}"`
  return `${text}}`
}

it("keeps texts outside of the heap", () => {
  const history = new History({ size: TEXTS, ttlMillis: 60_000, bytesMax: 1e9 })
  collect()
  const before = process.memoryUsage().heapUsed
  for (let index = 1; index <= TEXTS; index++) history.add({ epoch: "e", offset: index, json: textOf(index) }, 0)
  collect()
  const each = (process.memoryUsage().heapUsed - before) / TEXTS
  expect(history.since(0, TEXTS, 0)).toHaveLength(TEXTS)
  // Three references, in arrays that double. As an object it was some 100 bytes; its text, 550 more; as the parts that it was put together of, 3 kB.
  expect(each).toBeLessThan(90)
})

it("is bounded by bytes, not by letters", () => {
  const history = new History({ size: 10, ttlMillis: 60_000, bytesMax: 40 })
  for (const offset of [1, 2, 3]) history.add({ epoch: "e", offset, json: '"ééééé"' }, 0)
  expect(history.page({ limit: 10, since: undefined, reverse: false }, 0).map(({ offset }) => offset)).toEqual([
    1, 2, 3,
  ])
  history.add({ epoch: "e", offset: 4, json: '"ééééé"' }, 0)
  expect(history.page({ limit: 10, since: undefined, reverse: false }, 0).map(({ offset }) => offset)).toEqual([
    2, 3, 4,
  ])
})

const texts = fc.oneof(
  fc.json(),
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => `"${text}"`),
  fc.constant('"half of a pair: \ud83d"'),
  fc.integer({ min: 60_000, max: 70_000 }).map((length) => `"${"x".repeat(length)}"`),
)
const changes = fc.oneof(
  { weight: 8, arbitrary: fc.record({ json: texts, isTagged: fc.boolean(), wait: fc.nat({ max: 20 }) }) },
  { weight: 1, arbitrary: fc.constant("clear" as const) },
)

const bounds = { size: 12, ttlMillis: 100, bytesMax: 100_000 }
const lives = fc.array(fc.array(changes, { maxLength: 60 }), { minLength: 2, maxLength: 2 })

it("tells the newest as they were, whatever left before and beside whatever other history", () => {
  void fc.assert(
    fc.property(lives, (all) => {
      const histories = all.map(() => new History(bounds))
      const told = all.map((): Array<{ publication: EncodedPublication; at: number; bytes: number }> => [])
      let now = 0
      for (let turn = 0; turn < 60; turn++)
        for (const [index, list] of all.entries()) {
          const [change, history, model] = [list[turn], histories[index]!, told[index]!]
          if (change === undefined) continue
          if (change === "clear") {
            history.clear()
            model.length = 0
            continue
          }
          now += change.wait
          const { json, isTagged } = change
          const tags = isTagged ? { kind: "A" } : undefined
          const publication = { epoch: "e", offset: turn + 1, json, tags }
          history.add(publication, now)
          model.push({ publication, at: now, bytes: Buffer.byteLength(json) })
          const sum = (): number => model.reduce((bytes, it) => bytes + it.bytes, 0)
          while (model.length > bounds.size || sum() > bounds.bytesMax || now - model[0]!.at > bounds.ttlMillis)
            model.shift()
          const page = history.page({ limit: 100, since: undefined, reverse: false }, now)
          expect(page).toEqual(model.map((it) => it.publication))
        }
    }),
    { numRuns: 50 },
  )
})
