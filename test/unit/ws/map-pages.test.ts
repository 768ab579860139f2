/** The steps of a reader on its way to a map (realtime A.14), and what is refused on the way. */
import { beforeEach, describe, expect, it } from "vitest"
import { MapEntries } from "../../../src/ws/maps/entries.ts"
import { MapFlows, type MapView } from "../../../src/ws/maps/pages.ts"
import type { ParametersOf } from "../../../src/ws/protocol/requests.ts"

let now = 0
let entries = new MapEntries("e")
let flows = new MapFlows(() => now)
beforeEach(() => {
  now = 0
  entries = new MapEntries("e")
  flows = new MapFlows(() => now)
})
const fill = (count: number, value = 0) =>
  entries.apply(Array.from({ length: count }, (_, n) => ({ key: `k${n}`, json: String(value) })))
const view = (recoveryMax = 1000): MapView => ({
  entries,
  wants: () => true,
  body: ({ json, offset, key = "", removed = false }) => ({ data: json, offset, key, removed }),
  recoveryMax,
})
const step = (parameters: ParametersOf<"subscribe">, recoveryMax?: number) =>
  flows.step(
    { id: 1, method: "subscribe", key: "subscribe", parameters: { channel: "c", type: 1, ...parameters } },
    view(recoveryMax),
  )
/** The reply with lists as their lengths. */
const counted = (answer: ReturnType<typeof step>) => {
  if (!("result" in answer)) return answer
  const { state, publications, ...rest } = answer.result
  return { _tag: answer._tag, ...rest, state: state?.length ?? 0, publications: publications?.length ?? 0 }
}
const refused = (code: number) => ({ _tag: "Refused", error: expect.objectContaining({ code }) })

describe("on its way to a map a reader", () => {
  it("is there in one step when the map fits one page", () => {
    fill(1000)
    expect(counted(step({ phase: 2 }))).toEqual({
      _tag: "Live",
      type: 1,
      epoch: "e",
      offset: 1000,
      recoverable: true,
      state: 1000,
      publications: 0,
    })
  })

  it("that says nothing of phases or a position gets the same", () => {
    fill(3)
    expect(counted(step({}))).toMatchObject({ _tag: "Live", state: 3 })
  })

  it.each([
    [undefined, 1000],
    [-5, 1000],
    [1, 100],
    [100, 100],
    [321, 321],
    [5000, 1000],
  ])("that asks for pages of %s gets %s entries", (limit, size) => {
    fill(1500)
    expect(counted(step({ phase: 2, limit }))).toMatchObject({ _tag: "Page", state: size })
  })

  it("gets page after page as of the first one, and with the last one what has changed since", () => {
    fill(250)
    const first = counted(step({ phase: 2, limit: 100 }))
    expect(first).toEqual({
      _tag: "Page",
      type: 1,
      phase: 2,
      epoch: "e",
      offset: 250,
      cursor: "100",
      state: 100,
      publications: 0,
    })
    fill(20, 1)
    const more = { phase: 2, limit: 100, epoch: "e", offset: 250 }
    expect(counted(step({ ...more, cursor: "100" }))).toMatchObject({
      phase: 2,
      offset: 250,
      cursor: "200",
      state: 100,
    })
    expect(counted(step({ ...more, cursor: "200" }))).toEqual({
      _tag: "Live",
      type: 1,
      epoch: "e",
      offset: 270,
      recoverable: true,
      state: 50,
      publications: 20,
    })
  })

  it("gets what has changed in pages too when it is much, and is not recovered by that", () => {
    fill(150)
    step({ phase: 2, limit: 100 })
    fill(150, 1)
    const more = { limit: 100, epoch: "e" }
    expect(counted(step({ ...more, phase: 2, cursor: "100", offset: 150 }))).toEqual({
      _tag: "Page",
      type: 1,
      phase: 2,
      epoch: "e",
      offset: 150,
      state: 0,
      publications: 0,
    })
    expect(counted(step({ ...more, phase: 1, offset: 150 }))).toEqual({
      _tag: "Page",
      type: 1,
      phase: 1,
      epoch: "e",
      offset: 250,
      state: 0,
      publications: 100,
    })
    expect(counted(step({ ...more, phase: 1, offset: 250 }))).toEqual({
      _tag: "Live",
      type: 1,
      epoch: "e",
      offset: 300,
      recoverable: true,
      recovered: false,
      was_recovering: false,
      state: 0,
      publications: 50,
    })
  })

  it("that comes back with its position gets what it missed, without having been here before", () => {
    fill(5)
    entries.apply([{ key: "k1", json: null }])
    expect(step({ phase: 1, recover: true, epoch: "e", offset: 4 })).toEqual({
      _tag: "Live",
      result: {
        type: 1,
        epoch: "e",
        offset: 6,
        recoverable: true,
        recovered: true,
        was_recovering: true,
        publications: [
          { data: "0", offset: 5, key: "k4", removed: false },
          { data: "", offset: 6, key: "k1", removed: true },
        ],
      },
    })
  })

  it.each([
    ["a position of another epoch", { phase: 1, recover: true, epoch: "gone", offset: 1 }],
    ["a position without an epoch", { phase: 1, recover: true, offset: 1 }],
    ["a position that is not reached yet", { phase: 1, recover: true, epoch: "e", offset: 11 }],
    ["more missed than is recovered", { phase: 1, recover: true, epoch: "e", offset: 2 }],
  ])("with %s starts over: 112", (_what, parameters) => {
    fill(10)
    expect(step(parameters, 7)).toEqual(refused(112))
  })

  it.each([
    ["a further page", { phase: 2, cursor: "100", epoch: "e", offset: 250 }],
    ["a page of changes", { phase: 1, epoch: "e", offset: 250 }],
    ["the live phase", { phase: 0, epoch: "e", offset: 250 }],
  ])("that asks for %s and never for the first one is refused: 103", (_what, parameters) => {
    fill(250)
    expect(step(parameters)).toEqual(refused(103))
  })

  it.each([
    ["a phase that there is not", { phase: 3 }],
    ["a phase below zero", { phase: -1 }],
    ["a cursor that is none", { phase: 2, cursor: "next" }],
    ["a cursor below zero", { phase: 2, cursor: "-1" }],
  ])("with %s is refused: 107", (_what, parameters) => {
    expect(step(parameters)).toEqual(refused(107))
  })

  it("that has a page of another epoch starts over: 112", () => {
    fill(250)
    step({ phase: 2, limit: 100 })
    entries = new MapEntries("other")
    expect(step({ phase: 2, limit: 100, cursor: "100", epoch: "e", offset: 250 })).toEqual(refused(112))
    expect(step({ phase: 2, limit: 100, cursor: "100", epoch: "other", offset: 250 })).toEqual(refused(103))
  })

  it("that takes more than 5 s for a step is closed as slow; each step has its own 5 s", () => {
    fill(400)
    const more = { phase: 2, limit: 100, epoch: "e", offset: 400 }
    step({ phase: 2, limit: 100 })
    now += 5000
    expect(counted(step({ ...more, cursor: "100" }))).toMatchObject({ _tag: "Page", cursor: "200" })
    now += 5000
    expect(counted(step({ ...more, cursor: "200" }))).toMatchObject({ _tag: "Page", cursor: "300" })
    now += 5001
    expect(step({ ...more, cursor: "300" })).toEqual({ _tag: "Closed", close: [3008, "slow"] })
  })

  it("counts as on its way until it is there, gives up or is forgotten", () => {
    fill(250)
    step({ phase: 2, limit: 100 })
    step({ phase: 2, limit: 100, channel: "d" })
    expect([flows.besides("c"), flows.besides("d"), flows.besides("x")]).toEqual([1, 1, 2])
    flows.forget("d")
    expect(flows.besides("x")).toBe(1)
    now += 5001
    step({ phase: 2, limit: 100, channel: "other" })
    expect(flows.besides("x")).toBe(1)
  })
})
