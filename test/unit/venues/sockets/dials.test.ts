/** How often a venue that refuses everything is dialled, over ten minutes of a clock that is turned by hand. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { adapterOf } from "../../../../src/venues/adapters/adapters.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { CcxtExchange, CcxtSocket } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { Dials } from "../../../../src/venues/worker/exchange/dials.ts"
import { redialMillis } from "../../../../src/venues/worker/waits.ts"

const MINUTES_10 = 600_000
const LONGEST_MILLIS = 1000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** An instance as far as it dials: what `dialled` makes of each connection decides how long it lives, in ms; null: it is not opened. */
const instance = (
  dials: Dials,
  paces: boolean,
  dialled: (at: number) => { readonly lives: number | null; readonly error?: string },
) => {
  const clients: Record<string, CcxtSocket> = {}
  const exchange = {
    clients,
    client: (url: string): CcxtSocket => {
      const made = { url, createConnection: () => connect(made) } as unknown as CcxtSocket
      clients[url] ??= made
      return clients[url]
    },
    onConnected: () => undefined,
    onError: (socket: CcxtSocket) => {
      if (clients[socket.url] === socket) delete clients[socket.url]
    },
    onClose: () => undefined,
  } as unknown as CcxtExchange
  const connect = (socket: CcxtSocket): void => {
    const { lives, error = "refused" } = dialled(performance.now())
    if (lives !== null) exchange.onConnected(socket)
    setTimeout(() => exchange.onError(socket, new Error(error)), lives ?? 5)
  }
  dials.install(exchange, paces)
  return { exchange, clients }
}

/** Something wants each of these sockets all the time, as the streams on it do. */
const wanting = async (exchange: CcxtExchange, urls: ReadonlyArray<string>, millis: number): Promise<void> => {
  for (let passed = 0; passed < millis; passed += 100) {
    for (const url of urls) if (exchange.clients[url] === undefined) exchange.client(url).createConnection()
    await vi.advanceTimersByTimeAsync(100)
  }
}

const mostWithin = (at: ReadonlyArray<number>, millis: number): number =>
  Math.max(0, ...at.map((from) => at.filter((it) => it >= from && it < from + millis).length))

const venues = PROFILES.map((profile) => [profile.venue, profile] as const)

describe.each(venues)("%s, which refuses everything for ten minutes", (_, profile) => {
  it("is dialled once in half a minute after ten failures, and never above its rate", async () => {
    const at: Array<number> = []
    const { exchange } = instance(new Dials(profile), true, (now) => {
      at.push(now)
      return { lives: null }
    })
    await wanting(exchange, ["wss://venue"], MINUTES_10)
    expect(at.length).toBeGreaterThan(10)
    expect(at.length).toBeLessThanOrEqual(10 + MINUTES_10 / 30_000)
    expect(mostWithin(at.slice(11), 29_900)).toBeLessThanOrEqual(1)
    expect(mostWithin(at, profile.connects.withinMillis)).toBeLessThanOrEqual(profile.connects.most)
  })

  it("is not dialled above its rate by four hundred accounts at once, whose sessions pause by themselves", async () => {
    const at: Array<number> = []
    const dials = new Dials(profile)
    const accounts = Array.from({ length: 400 }, () =>
      instance(dials, false, (now) => {
        at.push(now)
        return { lives: null }
      }),
    )
    for (let passed = 0; passed < 120_000; passed += LONGEST_MILLIS) {
      for (const { exchange } of accounts)
        if (exchange.clients["wss://venue"] === undefined) exchange.client("wss://venue").createConnection()
      await vi.advanceTimersByTimeAsync(LONGEST_MILLIS)
    }
    const { most, withinMillis } = profile.connects
    expect(at.length).toBeGreaterThanOrEqual(Math.min(most, 400))
    expect(mostWithin(at.slice(0, 2000), withinMillis)).toBeLessThanOrEqual(most)
  })
})

describe("dials", () => {
  const [profile] = PROFILES
  if (profile === undefined) throw new Error("no venue")

  it("take the end of a socket that was given up for its own, not for that of the one in its place", async () => {
    const at: Array<number> = []
    const dials = new Dials(profile)
    const { exchange, clients } = instance(dials, true, (now) => {
      at.push(now)
      return { lives: MINUTES_10 * 10 }
    })
    for (let nth = 0; nth < 15; nth++) {
      exchange.client("wss://venue").createConnection()
      await vi.advanceTimersByTimeAsync(8000)
      const socket = clients["wss://venue"]
      if (socket === undefined) throw new Error("it was not dialled")
      // We tear it down, the next one is dialled at once, and only then the old one's end is heard.
      exchange.onError(socket, new Error("torn down"))
      setTimeout(() => exchange.onClose(socket, {} as never), 1)
    }
    const gaps = at.slice(1).map((time, nth) => time - (at[nth] ?? 0))
    expect(gaps).toEqual(gaps.map(() => 8000))
  })

  it("count a connection that is opened and closed at once as one that failed, and forget failures once one lasted", async () => {
    const at: Array<number> = []
    const { exchange } = instance(new Dials(profile), true, (now) => {
      at.push(now)
      return { lives: at.length === 9 ? 8000 : 50 }
    })
    await wanting(exchange, ["wss://venue"], 120_000)
    const gaps = at.slice(1).map((time, nth) => time - (at[nth] ?? 0))
    expect(gaps[6]).toBeGreaterThan(gaps[2] ?? Number.POSITIVE_INFINITY)
    // The tenth is at once behind the ninth, which lasted.
    expect(gaps[8]).toBeLessThan(8500)
  })

  it("are not made for what nobody wants any more when its turn comes", async () => {
    const at: Array<number> = []
    const { exchange } = instance(new Dials(profile), true, (now) => {
      at.push(now)
      return { lives: null }
    })
    await wanting(exchange, ["wss://venue"], 5000)
    const made = at.length
    const socket = exchange.client("wss://venue")
    socket.createConnection()
    exchange.onError(socket, new Error("given up"))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(at.length).toBeLessThanOrEqual(made + 1)
  })

  it("wait while the venue has banned the address, and after an answer 429 to one of them", async () => {
    const at: Array<number> = []
    const dials = new Dials(profile)
    const { exchange } = instance(dials, true, (now) => {
      at.push(now)
      return { lives: null, error: "Unexpected server response: 429" }
    })
    dials.pause(30_000)
    await wanting(exchange, ["wss://venue"], 29_000)
    expect(at).toEqual([])
    await wanting(exchange, ["wss://venue"], 59_000)
    expect(at.length).toBe(1)
  })

  it("of one account wait a minute when its handshake was refused with 403; nobody else's do", async () => {
    const at = { refused: [] as Array<number>, other: [] as Array<number>, market: [] as Array<number> }
    const dials = new Dials(profile)
    const dialling = (name: keyof typeof at, paces: boolean, error: string) =>
      instance(dials, paces, (now) => {
        at[name].push(now)
        return { lives: null, error }
      }).exchange
    const refused = dialling("refused", false, "Unexpected server response: 403")
    await wanting(refused, ["wss://venue"], 1000)
    expect(at.refused.length).toBe(1)
    const from = performance.now()
    dialling("other", false, "cut").client("wss://venue").createConnection()
    dialling("market", true, "cut").client("wss://market").createConnection()
    await wanting(refused, ["wss://venue"], 58_000)
    expect([at.refused.length, at.other.length, at.market.length]).toEqual([1, 1, 1])
    expect([...at.other, ...at.market].every((it) => it - from < 10_000)).toBe(true)
    await wanting(refused, ["wss://venue"], 3000)
    expect(at.refused.length).toBe(2)
  })

  it.each([
    ["a public handshake refused with 403", "BINANCE", true, 403, 60],
    ["an account's refused with 429", "BINANCE", false, 429, 60],
    ["an account's refused with 418", "BINANCE", false, 418, 60],
    ["an account's refused with 403 where the venue bans with it", "BYBIT", false, 403, 600],
  ] as const)("all wait after %s", async (_, venue, paces, status, seconds) => {
    const banning = PROFILES.find((it) => it.venue === venue)
    if (banning === undefined) throw new Error(`no profile of ${venue}`)
    const dials = new Dials(banning, adapterOf(banning).stops)
    const { exchange } = instance(dials, paces, () => ({ lives: null, error: `Unexpected server response: ${status}` }))
    await wanting(exchange, ["wss://venue"], 1000)
    const other: Array<number> = []
    const { exchange: another } = instance(dials, false, (now) => {
      other.push(now)
      return { lives: null }
    })
    await wanting(another, ["wss://venue"], (seconds - 2) * 1000)
    expect(other).toEqual([])
    await wanting(another, ["wss://venue"], 3000)
    expect(other.length).toBeGreaterThan(0)
  })

  it("are half a minute apart, or more, from the tenth failure in a row on", () => {
    for (let failures = 10; failures < 40; failures++) expect(redialMillis(failures)).toBeGreaterThanOrEqual(30_000)
    expect(redialMillis(1)).toBeLessThan(200)
  })
})
