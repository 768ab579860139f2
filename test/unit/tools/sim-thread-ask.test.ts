/** A simulation that stands still for another thread gets the answer to its own question, whenever that thread wakes it. */
import { once } from "node:events"
import { MessageChannel, Worker } from "node:worker_threads"
import { afterEach, describe, expect, it } from "vitest"
import { askingThread } from "../../sim/postgres/thread-ask.ts"

interface Question {
  readonly _tag: "now" | "with the next"
}

/** Wakes the one who asks before anything is answered. */
const HASTY = `
  const { workerData: { port, flag }, parentPort } = require("node:worker_threads")
  let waiting = []
  port.on("message", ({ number, call }) => {
    for (const after of [5, 10, 15]) setTimeout(() => Atomics.notify(flag, 0), after)
    waiting.push({ number, ok: number })
    if (call._tag === "with the next") return
    setTimeout(() => {
      for (const answer of waiting) port.postMessage(answer)
      waiting = []
      Atomics.add(flag, 0, 1)
      Atomics.notify(flag, 0)
    }, 50)
  })
  parentPort.postMessage("ready")
`

const opened: Array<() => void> = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

const asking = async (millis: number) => {
  const { port1, port2 } = new MessageChannel()
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(HASTY, { eval: true, workerData: { port: port2, flag }, transferList: [port2] })
  opened.push(() => {
    port1.close()
    void worker.terminate()
  })
  await once(worker, "message")
  return askingThread<Question>(port1, flag, millis)
}

describe("a question to another thread", () => {
  it("is not taken for answered by a wake-up alone", async () => {
    const ask = await asking(10_000)
    for (const number of [1, 2, 3]) expect(ask({ _tag: "now" })).toBe(number)
  })

  it("is not answered by what answers an earlier one too late", async () => {
    const ask = await asking(2_000)
    expect(() => ask({ _tag: "with the next" })).toThrow("no answer to with the next")
    expect(ask({ _tag: "now" })).toBe(2)
  })
})
