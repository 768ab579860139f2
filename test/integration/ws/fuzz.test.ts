/** Five thousand messages that nobody should send: the server lives, says the right thing to each, and forgets them; more: `npm run torture -- socket-fuzz`. */
import { expect, it } from "vitest"
import { socketFuzz } from "../../kit/socket-fuzz/socket-fuzz.ts"

const MEGABYTE = 1_048_576

it("a socket server survives absurd messages and answers each by the protocol's rules", {
  timeout: 900_000,
}, async () => {
  const { faults, crash, left, memory, frames, errors, closes } = await socketFuzz({ frames: 5_000, seed: 1 })
  expect({ crash, faults }).toEqual({ crash: "", faults: [] })
  expect(frames).toBeGreaterThanOrEqual(5_000)
  // Every error that a command without storage can meet was met, and every close.
  expect(Object.keys(errors)).toEqual(
    expect.arrayContaining(["102", "103", "104", "105", "106", "107", "108", "109", "112"]),
  )
  expect(Object.keys(closes)).toEqual(expect.arrayContaining(["1006", "1009", "3005", "3500", "3501", "3506"]))
  expect(left).toEqual({ connections: 0, subscriptions: 0, topics: 0 })
  expect(memory.endHeap - memory.baseHeap).toBeLessThan(16 * MEGABYTE)
})
