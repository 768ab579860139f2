/**
 * The pace of the TypeScript client's renewals, by a clock that the test turns. The one thing to know: the requests are the client's own, ended at
 * its `fetch`; that the gateway does cancel is tested in test/integration/clients.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Gateway, type KeptAlive, keepAlive, NoAnswer } from "../../../clients/typescript/src/index.ts"

const TIMEOUT_MS = 20_000

/** A network that answers, refuses connections, or swallows requests. */
let network: "answers" | "refuses" | "swallows"
/** When each request left, and what it armed. */
let asked: Array<{ readonly at: number; readonly timeoutMs: number }>
let late: Array<unknown>
let startedAt: number

const fetching = (_url: unknown, init?: RequestInit): Promise<Response> => {
  asked.push({ at: performance.now() - startedAt, timeoutMs: JSON.parse(String(init?.body)).timeoutMs })
  if (network === "answers") return Promise.resolve(Response.json({ success: true, data: {} }))
  if (network === "refuses") return Promise.reject(new TypeError("fetch failed"))
  return new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
}

const begin = (): Promise<KeptAlive> =>
  keepAlive(new Gateway({ url: "http://gateway", fetch: fetching as typeof fetch }), "account", {
    timeoutMs: TIMEOUT_MS,
    onLate: (error) => late.push(error),
  })

beforeEach(() => {
  vi.useFakeTimers()
  startedAt = performance.now()
  network = "answers"
  asked = []
  late = []
})
afterEach(() => void vi.useRealTimers())

describe("the renewals of keepAlive", () => {
  it("leave so often that two in a row may be lost: the third one is there before the time is over", async () => {
    const kept = await begin()
    await vi.advanceTimersByTimeAsync(3 * TIMEOUT_MS)
    const times = asked.map(({ at }) => at)
    expect(times[0]).toBe(0)
    for (const [nth, at] of times.slice(3).entries()) expect(at - times[nth]!).toBeLessThan(TIMEOUT_MS)
    expect(times.at(-1)! + TIMEOUT_MS / 3).toBeGreaterThan(3 * TIMEOUT_MS)
    expect(asked.every(({ timeoutMs }) => timeoutMs === TIMEOUT_MS)).toBe(true)
    // Nor much more often: each is a request of the account's allowance.
    expect(times.length).toBeLessThanOrEqual(3 * 4 + 1)
    expect(late).toEqual([])
    await kept.stop({ disarm: true })
    expect(asked.at(-1)!.timeoutMs).toBe(0)
    const count = asked.length
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS)
    expect(asked).toHaveLength(count)
  })

  it.each(["refuses", "swallows"] as const)(
    "go on at their pace in a network that %s, tell it before the time is over, once, and again the next time",
    async (trouble) => {
      const kept = await begin()
      // Never at the moment of a renewal.
      await vi.advanceTimersByTimeAsync(1_000)
      for (const times of [1, 2]) {
        network = trouble
        const before = asked.length
        await vi.advanceTimersByTimeAsync(TIMEOUT_MS - 2_000)
        expect(asked.length - before).toBe(3)
        expect(late).toHaveLength(times)
        expect(late.at(-1)).toBeInstanceOf(NoAnswer)
        await vi.advanceTimersByTimeAsync(TIMEOUT_MS)
        expect(late).toHaveLength(times)
        network = "answers"
        await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 2_000)
      }
      void kept.stop({ disarm: false })
    },
  )
})
