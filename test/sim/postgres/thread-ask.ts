/**
 * Questions to another thread while this one stands still. The flag counts what the other thread has answered; a wake-up says nothing by
 * itself, since the other thread's notice of an answer that was taken already may come after the next question.
 */
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads"

export interface Asked<C> {
  readonly number: number
  readonly call: C
}

export type Answered = { readonly number: number } & ({ readonly ok: unknown } | { readonly error: string })

/** What is answered later than `millis` is left aside when it comes. */
export const askingThread = <C extends { readonly _tag: string }>(
  port: MessagePort,
  flag: Int32Array,
  millis: number,
) => {
  let asked = 0
  return (call: C): unknown => {
    const number = ++asked
    port.postMessage({ number, call } satisfies Asked<C>)
    const until = performance.now() + millis
    for (;;) {
      const count = Atomics.load(flag, 0)
      for (let found = receiveMessageOnPort(port); found !== undefined; found = receiveMessageOnPort(port)) {
        const answered = found.message as Answered
        if (answered.number !== number) continue
        if ("error" in answered) throw new Error(answered.error)
        return answered.ok
      }
      const left = until - performance.now()
      if (left <= 0 || Atomics.wait(flag, 0, count, left) === "timed-out") throw new Error(`no answer to ${call._tag}`)
    }
  }
}

/** The other side: one question after the other, also when the asking side has given up. */
export const answerThread = <C>(port: MessagePort, flag: Int32Array, answer: (call: C) => Promise<unknown>): void => {
  let before: Promise<void> = Promise.resolve()
  port.on("message", ({ number, call }: Asked<C>) => {
    before = before
      .then(() => answer(call))
      .then((ok) => port.postMessage({ number, ok } satisfies Answered))
      .catch((reason: unknown) => {
        const error = reason instanceof Error ? (reason.stack ?? reason.message) : `${reason}`
        port.postMessage({ number, error } satisfies Answered)
      })
      .then(() => {
        Atomics.add(flag, 0, 1)
        Atomics.notify(flag, 0)
      })
  })
}
