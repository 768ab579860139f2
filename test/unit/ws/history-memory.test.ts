/** What a channel's history costs: the bytes of its texts, and not the parts that they were put together of. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { History } from "../../../src/ws/fanout/stream.ts"

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

it("keeps a text of many parts as one", () => {
  const history = new History({ size: TEXTS, ttlMillis: 60_000, bytesMax: 1e9 })
  collect()
  const before = process.memoryUsage().heapUsed
  let length = 0
  for (let index = 1; index <= TEXTS; index++) {
    const json = textOf(index)
    length += json.length
    history.add({ epoch: "e", offset: index, json }, 0)
  }
  collect()
  const each = (process.memoryUsage().heapUsed - before - length) / TEXTS
  expect(history.since(0, TEXTS, 0)).toHaveLength(TEXTS)
  // The publication, its entry, the heads of strings: some 200 bytes. As parts it would be 3 kB.
  expect(each).toBeLessThan(600)
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
