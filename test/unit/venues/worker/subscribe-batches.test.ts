/** Subscriptions leave together and in order, at most three requests a second; everything else at once. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { CcxtExchange, CcxtSocket } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { batchSubscriptions } from "../../../../src/venues/worker/feed/subscribe-batches.ts"

interface Sent {
  readonly op?: string
  readonly args?: ReadonlyArray<unknown>
}

const makeSocket = () => {
  const sent: Array<Sent | string> = []
  const failures: Array<Error> = []
  let isBroken = false
  const socket = {
    send: (message: unknown) => {
      if (isBroken) return Promise.reject(new Error("gone"))
      sent.push(message as Sent)
      return Promise.resolve()
    },
    onError: (error: Error) => failures.push(error),
  } as unknown as CcxtSocket
  const exchange = { client: () => socket } as unknown as CcxtExchange
  batchSubscriptions(exchange)
  const breaks = () => {
    isBroken = true
  }
  return { sent, failures, socket: exchange.client("wss://venue"), exchange, breaks }
}

const subscribe = (name: string) => ({ op: "subscribe", args: [name] })
const unsubscribe = (name: string) => ({ op: "unsubscribe", args: [name] })

describe("subscriptions of one socket", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("leave in one request, those of one kind together, those of one stream in the order they were asked for", () => {
    const { sent, socket } = makeSocket()
    for (const name of ["a", "b"]) void socket.send(subscribe(name))
    void socket.send(unsubscribe("a"))
    for (const name of ["a", "c"]) void socket.send(subscribe(name))
    vi.advanceTimersByTime(0)
    expect(sent).toEqual([{ op: "subscribe", args: ["a", "b", "c"] }])
    vi.advanceTimersByTime(349)
    expect(sent.length).toBe(1)
    vi.advanceTimersByTime(1)
    vi.advanceTimersByTime(350)
    expect(sent.slice(1)).toEqual([unsubscribe("a"), { op: "subscribe", args: ["a"] }])
  })

  it("let everything else pass at once: a ping, a login", () => {
    const { sent, socket } = makeSocket()
    void socket.send(subscribe("a"))
    void socket.send("ping")
    void socket.send({ op: "login", args: [{}] })
    expect(sent).toEqual(["ping", { op: "login", args: [{}] }])
  })

  it("are cut where a request would become too long", () => {
    const { sent, socket } = makeSocket()
    for (let i = 0; i < 450; i++) void socket.send(subscribe(String(i)))
    vi.advanceTimersByTime(2000)
    expect(sent.map((request) => (typeof request === "string" ? 0 : request.args?.length))).toEqual([200, 200, 50])
  })

  it("end the socket when they cannot be sent, and reject nobody by themselves", async () => {
    const { failures, socket, exchange, breaks } = makeSocket()
    expect(exchange.client("wss://venue")).toBe(socket)
    breaks()
    await socket.send(subscribe("a"))
    await vi.advanceTimersByTimeAsync(1)
    expect(failures.map(({ message }) => message)).toEqual(["gone"])
  })
})
