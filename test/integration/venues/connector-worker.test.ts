/** The worker's life: it dies in every way it can, and the gateway's process, streams and orders come through. */
import { afterEach, describe, expect, it, vi } from "vitest"
import type { VenueOrderRef } from "../../../src/ports/venue-session.ts"
import { startProxy } from "../../kit/proxies/proxies.ts"
import { BTC_USDT, profileOf, restingOrder, SECRETS, startVenue, until, type VenueUnderTest } from "./venue-kit.ts"

describe("a connector's worker", () => {
  let at: VenueUnderTest | undefined
  afterEach(async () => {
    vi.unstubAllEnvs()
    await at?.stop()
    at = undefined
  })

  it.each(["throw", "exit", "spin", "oom"] as const)(
    "comes back with a fresh snapshot and an open session after %s",
    async (how) => {
      // A hang is seen after 25 beats.
      at = await startVenue({ market: "still" }, { heapMegabytes: 128, times: { heartbeatMillis: 100 } })
      const { sink, source, venue } = at
      source.open("book", BTC_USDT)
      const open = await at.openSession()
      await until(() => sink.book.isWhole && open.last("StreamUp") !== undefined, "everything to be up")
      open.reports.length = 0
      venue.supervisor.break(how)
      await until(() => sink.downs.length > 0, "the news that the book is lost")
      await until(() => sink.book.snapshots === 2, "the fresh snapshot")
      await until(() => open.last("StreamUp") !== undefined, "the session to come back")
      expect(open.reports.map((report) => report._tag)).toEqual(["StreamDown", "StreamUp"])
      const order = restingOrder()
      open.session.submit(order)
      await until(() => open.about(order.tradeOrderId).includes("Accepted"), "an order through the new worker")
    },
  )

  it("is ended with its scope although it hangs", async () => {
    const hanging = await startVenue({ market: "still" }, { times: { missesMax: 1_000_000 } })
    await hanging.run(hanging.venue.instruments(["BTC/USDT"]))
    hanging.venue.supervisor.break("spin")
    await hanging.stop()
    expect(hanging.venue.supervisor.state).toBe("stopped")
  })

  it("survives a stray rejection and counts it", async () => {
    at = await startVenue({ market: "still" })
    const { sink, source, venue, notices } = at
    source.open("book", BTC_USDT)
    await until(() => sink.book.isWhole, "the first snapshot")
    venue.supervisor.break("reject")
    await until(() => notices.some((notice) => notice.includes("stray")), "the notice")
    // One within what the seed covers.
    const [price] = sink.book.bids.keys()
    at.exchange.setLevel("BTCUSDT", "bids", price!, "1.5")
    await until(() => sink.book.bids.get(price!) === "1.50000000", "the next difference")
    expect(sink.downs).toEqual([])
  })

  it("leaves a submit in doubt when it dies with it, and the order is found by our id afterwards", async () => {
    at = await startVenue({ market: "still" })
    const open = await at.openSession()
    const action = { kind: "apply-then-hang" } as const
    at.exchange.fault({ fault: "answer", match: "POST /api/v3/order", action })
    const order = restingOrder()
    open.session.submit(order)
    const { exchange, venue } = at
    await until(() => exchange.orders(SECRETS.apiKey).length === 1, "the order to be taken")
    venue.supervisor.break("exit")
    await until(() => open.last("InDoubt") !== undefined, "the doubt")
    expect(open.about(order.tradeOrderId).filter((tag) => tag !== "OrderSeen")).toEqual(["InDoubt"])
    await until(() => open.last("StreamUp") !== undefined && venue.supervisor.state === "up", "the new worker")
    const ref: VenueOrderRef = { tradeOrderId: order.tradeOrderId, externalOrderId: null, instrumentId: BTC_USDT }
    expect(await at.run(open.session.fetchOrder(ref))).toMatchObject({ _tag: "Found", state: { status: "OPEN" } })
  })

  it("has sent nothing of an order that was prepared when it dies, says nothing of it, and sends it once when it is submitted", async () => {
    at = await startVenue({ market: "still" })
    const open = await at.openSession()
    const { exchange, venue } = at
    const order = restingOrder()
    open.session.prepare?.(order)
    // What is asked after it is answered after it: it is signed, and behind its gate.
    await at.run(open.session.fetchBalances)
    open.reports.length = 0
    venue.supervisor.break("exit")
    await until(() => open.last("StreamUp") !== undefined && venue.supervisor.state === "up", "the new worker")
    expect(exchange.orders(SECRETS.apiKey)).toEqual([])
    expect(open.about(order.tradeOrderId)).toEqual([])
    open.session.submit({ ...order, notAfter: Date.now() + 2_000 })
    await until(() => open.about(order.tradeOrderId).includes("Accepted"), "the order")
    expect(exchange.placements().map(({ count }) => count)).toEqual([1])
  })

  it("sends what was prepared once it is submitted, and what was given up never", async () => {
    at = await startVenue({ market: "still" })
    const open = await at.openSession()
    const [order, given] = [restingOrder(), restingOrder()]
    for (const each of [order, given]) open.session.prepare?.(each)
    open.session.forgo?.(given.tradeOrderId)
    open.session.submit(order)
    await until(() => open.about(order.tradeOrderId).includes("Accepted"), "the order")
    await at.run(open.session.fetchOpenOrders)
    expect(at.exchange.placements()).toHaveLength(1)
    expect(open.about(given.tradeOrderId)).toEqual([])
  })

  it("proves that a submit was not sent while no worker runs", async () => {
    at = await startVenue({ market: "still" }, { times: { restartFirstMillis: 60_000, restartMaxMillis: 60_000 } })
    const open = await at.openSession()
    at.venue.supervisor.break("exit")
    await until(() => at?.venue.supervisor.state === "waiting", "the worker's end")
    const order = restingOrder()
    open.session.submit(order)
    await until(() => open.about(order.tradeOrderId).length > 0, "an outcome")
    expect(open.about(order.tradeOrderId)).toEqual(["NotSent"])
    expect(at.venue.health()).toMatchObject({ status: "down" })
    const failed = at.run(open.session.fetchBalances)
    await expect(failed).rejects.toThrow("Venue unavailable")
  })

  it("pauses long after it has died too often", async () => {
    at = await startVenue(
      { market: "still" },
      { times: { breakerCrashes: 2, breakerPauseMillis: 600_000, restartFirstMillis: 1, restartMaxMillis: 1 } },
    )
    const { sink, source, venue } = at
    source.open("book", BTC_USDT)
    await until(() => sink.book.isWhole, "the first snapshot")
    venue.supervisor.break("exit")
    await until(() => sink.book.snapshots === 2, "the second snapshot")
    venue.supervisor.break("exit")
    await until(() => venue.supervisor.state === "waiting", "the pause")
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(venue.supervisor.state).toBe("waiting")
  })

  it("never dials a host without a route", async () => {
    at = await startVenue({ market: "still" }, { venueRoutes: { "example.com:443": "http://127.0.0.1:9" } })
    const failed = at.run(at.venue.instruments(null))
    await expect(failed).rejects.toThrow("Venue unavailable")
    expect(at.venue.health()).toMatchObject({ status: "down", reason: expect.stringContaining("has no route") })
    expect(Object.keys(at.exchange.counts())).toEqual([])
  })

  it("asks no proxy that the environment names", async () => {
    const nobody = "http://127.0.0.1:9"
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"])
      vi.stubEnv(name, nobody)
    // A thread has the environment of its start.
    at = await startVenue({ market: "still" }, { shards: "auto" })
    at.source.open("book", BTC_USDT)
    const { sink } = at
    await until(() => sink.book.isWhole, "the first snapshot")
  })

  it.each(["http", "socks5"] as const)("leads every connection through the venue's own proxy (%s)", async (kind) => {
    const proxy = await startProxy(kind, "trader:s3cret")
    const urlOf = (user: string) => `${kind}://${user}:s3cret@127.0.0.1:${proxy.port}`
    at = await startVenue({ market: "still" }, { proxies: { "*": urlOf("nobody"), BINANCE: urlOf("trader") } })
    const { exchange, sink, source, notices, venue } = at
    source.open("book", BTC_USDT)
    const open = await at.openSession()
    await until(() => sink.book.isWhole && open.last("StreamUp") !== undefined, "everything to be up")
    const order = restingOrder()
    open.session.submit(order)
    await until(() => open.about(order.tradeOrderId).includes("Accepted"), "an order through the proxy")
    // REST and two sockets at least; the exchange itself has seen no more connections than the proxy made.
    expect(proxy.opened.length).toBeGreaterThanOrEqual(3)
    expect(new Set(proxy.opened)).toEqual(new Set([`127.0.0.1:${exchange.port}`]))
    expect(new Set(proxy.shown)).toEqual(new Set(["trader:s3cret"]))
    proxy.refuses = true
    exchange.fault({ fault: "closeSockets" })
    await until(() => venue.health().status === "down", "the venue to be out of reach")
    proxy.refuses = false
    await until(() => venue.health().status === "up" && sink.book.isWhole, "the venue to be back")
    expect(JSON.stringify([notices, sink.downs, open.reports, venue.health()])).not.toMatch(/s3cret|trader/)
    await at.stop()
    at = undefined
    await proxy.stop()
  })

  it("leaves a venue alone for as long as it asks, and says so", async () => {
    at = await startVenue({ market: "still" })
    const { exchange, stats, notices } = at
    const open = await at.openSession()
    await until(() => open.last("StreamUp") !== undefined, "the private stream")
    const headers = { "retry-after": "1" }
    const action = { kind: "status", status: 429, body: '{"code":-1003,"msg":"Too many."}', headers } as const
    exchange.fault({ fault: "answer", match: "POST /api/v3/order", action })
    const [limited, next, late] = [restingOrder(), restingOrder(), restingOrder({ notAfter: Date.now() + 500 })]
    open.session.submit(limited)
    await until(() => open.about(limited.tradeOrderId).includes("Refused"), "the refusal")
    const heardAt = performance.now()
    open.session.submit(late)
    open.session.submit(next)
    open.session.cancel({ tradeOrderId: limited.tradeOrderId, externalOrderId: null, instrumentId: BTC_USDT })
    await until(() => open.about(late.tradeOrderId).length > 0, "the end of what cannot wait")
    expect(open.about(late.tradeOrderId)).toEqual(["NotSent"])
    await until(() => (stats().connectors[0]?.figures?.budget.answers.limited ?? 0) === 1, "the count")
    expect(notices).toContainEqual(expect.stringContaining("answered 429"))
    await until(() => open.about(next.tradeOrderId).includes("Accepted"), "the order after the pause")
    await until(() => open.about(limited.tradeOrderId).includes("CancelRefused"), "the refusal of the cancel")
    const arrivals = exchange.arrivals()
    const answeredAt = arrivals.find(({ what }) => what === "POST /api/v3/order")?.at ?? Number.NaN
    const later = arrivals.filter(({ at }) => at > heardAt)
    expect(later.map(({ what }) => what)).toContain("POST /api/v3/order")
    expect(later.filter(({ at }) => !(at >= answeredAt + 1_000))).toEqual([])
    const sent = () => stats().connectors[0]?.figures?.budget.sent
    await until(() => sent()?.cancel === 1 && sent()?.submit === 2, "the counts")
  })

  it("is silent after a ban of its address, and its sessions keep their keys", async () => {
    at = await startVenue({ market: "still" })
    const open = await at.openSession()
    await until(() => open.last("StreamUp") !== undefined, "the private stream")
    const body = '{"code":-1003,"msg":"Way too much request weight used; IP banned until 1893456000000."}'
    const action = { kind: "status", status: 418, body, headers: { "retry-after": "60" } } as const
    at.exchange.fault({ fault: "answer", match: "POST /api/v3/order", action })
    const [first, next] = [restingOrder(), restingOrder()]
    open.session.submit(first)
    await until(() => open.about(first.tradeOrderId).includes("Refused"), "the refusal")
    const sent = at.exchange.counts()["POST /api/v3/order"]
    open.session.submit({ ...next, notAfter: Date.now() + 500 })
    await until(() => open.about(next.tradeOrderId).length > 0, "the end of what cannot wait")
    expect(open.about(next.tradeOrderId)).toEqual(["NotSent"])
    expect(at.exchange.counts()["POST /api/v3/order"]).toBe(sent)
    expect(open.last("SessionRefused")).toBeUndefined()
  })

  it("asks for an order in doubt before audits, and counts it so", async () => {
    at = await startVenue({ market: "still" })
    const { stats } = at
    const { session, last } = await at.openSession()
    await until(() => last("StreamUp") !== undefined, "the private stream")
    const sent = () => stats().connectors[0]?.figures?.budget.sent
    await at.run(session.fetchOpenOrders)
    await at.run(session.fetchFills(0, [BTC_USDT]))
    await until(() => sent()?.audit === 2, "two audits")
    const before = sent()?.doubt ?? 0
    const { fetchOpenOrders, fetchFills } = session.forProof ?? {}
    if (fetchOpenOrders === undefined || fetchFills === undefined) throw new Error("no questions for a proof")
    await at.run(fetchOpenOrders)
    await at.run(fetchFills(0, [BTC_USDT]))
    await until(() => (sent()?.doubt ?? 0) === before + 2, "two questions for a proof")
    expect(sent()?.audit).toBe(2)
  })

  it("asks what an account agrees with its venue by, each time, before audits", async () => {
    at = await startVenue({ market: "still" })
    const { stats } = at
    const { session, last } = await at.openSession()
    await until(() => last("StreamUp") !== undefined, "the private stream")
    const sent = () => stats().connectors[0]?.figures?.budget.sent
    for (let time = 1; time <= 2; time++) {
      const lists = session.forOpening?.()
      if (lists === undefined) throw new Error("no questions for an opening")
      await at.run(lists.fetchOpenOrders)
      await at.run(lists.fetchFillsPage!(0, [BTC_USDT], null))
      await at.run(lists.fetchBalances)
      await until(() => sent()?.opening === 3 * time, "three questions for an opening")
    }
    expect(sent()?.audit).toBe(0)
  })

  it("gives sessions that are too many for one thread another one", async () => {
    at = await startVenue({ market: "still" }, { sessionsPerConnector: 1 })
    const first = await at.openSession()
    const second = await at.openSession()
    await until(() => first.last("StreamUp") !== undefined && second.last("StreamUp") !== undefined, "both streams")
    const { supervisor } = at.venue
    supervisor.break("exit")
    await until(() => first.last("StreamDown") !== undefined, "the first thread's end")
    expect(second.last("StreamDown")).toBeUndefined()
    const order = restingOrder()
    second.session.submit(order)
    await until(() => second.about(order.tradeOrderId).includes("Accepted"), "an order through the second thread")
    const ups = () => first.reports.filter((report) => report._tag === "StreamUp").length
    await until(() => ups() === 2, "the first session to come back")
  })

  it("is healthy when the venue can be reached, and only then", async () => {
    at = await startVenue({ market: "still" })
    const { exchange, sink, source, venue } = at
    source.open("book", BTC_USDT)
    await until(() => sink.book.isWhole, "the first snapshot")
    expect(venue.health()).toMatchObject({ venue: "BINANCE", status: "up", reason: null, streams: 1, sessions: 0 })
    exchange.fault({ fault: "refuseWebSockets", on: true })
    exchange.fault({ fault: "closeSockets", kind: "market" })
    await until(() => venue.health().status === "down", "the venue to be down")
    exchange.fault({ fault: "refuseWebSockets", on: false })
    await until(() => venue.health().status === "up" && sink.book.isWhole, "the venue to be back")
  })

  it("costs nothing before its first use", async () => {
    at = await startVenue({ market: "still" }, { shards: "auto" })
    expect(at.venue.supervisor.state).toBe("idle")
    expect(at.venue.health()).toMatchObject({ venue: "BINANCE", status: "idle", reason: null, since: null })
    expect(at.stats().shards).toEqual([])
  })
})

describe("a connector's questions", () => {
  let at: VenueUnderTest
  afterEach(() => at.stop())

  it("prove a good key and name the account behind it", async () => {
    at = await startVenue({ market: "still" })
    const answer = await at.run(at.venue.verify(SECRETS))
    expect(answer.externalAccountId).toMatch(/^\d+$/)
  })

  it.each([
    ["an unknown key", { ...SECRETS, apiKey: "x".repeat(64) }],
    ["a wrong secret", { ...SECRETS, apiSecret: "x".repeat(64) }],
  ])("refuse %s as invalid credentials", async (_, secrets) => {
    at = await startVenue({ market: "still" })
    await expect(at.run(at.venue.verify(secrets))).rejects.toThrow(/credentials/i)
  })

  it("tell a venue that is down from a key that is wrong", async () => {
    at = await startVenue({ market: "still" })
    at.exchange.fault({
      fault: "answer",
      match: "GET /api/v3/account",
      action: { kind: "status", status: 503 },
      times: "always",
    })
    await expect(at.run(at.venue.verify(SECRETS))).rejects.toThrow("Venue unavailable")
  })

  it("load the markets again after a first load that failed", async () => {
    at = await startVenue({ market: "still" })
    at.exchange.fault({ fault: "answer", match: "GET /api/v3/exchangeInfo", action: { kind: "status", status: 503 } })
    await expect(at.run(at.venue.instruments(null))).rejects.toThrow("Venue unavailable")
    const instruments = await at.run(at.venue.instruments(["BTC/USDT"]))
    expect(instruments.map(({ instrumentId }) => instrumentId)).toEqual([BTC_USDT])
    expect(instruments[0]?.tickSize.toString()).toBe("0.01")
    expect(instruments[0]?.status).toBe("ACTIVE")
  })

  it("go to the testnet's hosts for BINANCE_UAT", async () => {
    const uat = profileOf("BINANCE_UAT")
    at = await startVenue({ market: "still" }, { venue: "BINANCE_UAT" })
    expect(uat.sandbox).toBe(true)
    await at.stop()
    // Only the testnet's hosts have a route now: production must not be asked for anything.
    const first = await startVenue({ market: "still" })
    const routes = Object.fromEntries(uat.hosts.map((host) => [host, first.exchange.url]))
    at = await startVenue({ market: "still" }, { venue: "BINANCE_UAT", venueRoutes: routes })
    const instruments = await at.run(at.venue.instruments(["BTC/USDT"]))
    expect(instruments[0]?.instrumentId).toBe("BINANCE_UAT:BTC/USDT")
    await first.stop()
  })
})
