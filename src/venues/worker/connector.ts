/**
 * The Piscina task: the connectors of one shard, for as long as its port is open. It plays what it is told (the main thread holds
 * the desired state and repeats it to a new worker), answers in batches, and owns nothing that cannot be rebuilt.
 */
import { threadId } from "node:worker_threads"
import type { VenueSecrets } from "../../domain/credential.ts"
import type { CallRequest, Command, ShardSettings, ShardTask } from "../wire.ts"
import type { CcxtExchangeClass } from "./ccxt.ts"
import { classify } from "./errors.ts"
import { privateInstance, publicInstance } from "./instance.ts"
import { KlinePages } from "./kline-pages.ts"
import { loadExchange } from "./load.ts"
import { Markets } from "./markets.ts"
import { instrumentRow } from "./normalise.ts"
import { Outbox } from "./outbox.ts"
import { PrivateSession } from "./private-session.ts"
import { PublicFeed } from "./public-feed.ts"
import { quirksOf } from "./quirks.ts"

/** Stray rejections of this thread; ccxt leaks one when a socket dies under a queued subscribe (venues.md 4.1). */
let rejections = 0
const outboxes = new Set<Outbox>()

// Per thread: without it such a rejection would end the thread, and every connector in it.
process.on("unhandledRejection", (reason) => {
  rejections += 1
  for (const outbox of outboxes) outbox.push({ _tag: "Noticed", what: `stray rejection: ${classify(reason).text}` })
})

class Connector {
  readonly #shard: ShardSettings
  readonly #outbox: Outbox
  readonly #Exchange: CcxtExchangeClass
  readonly #exchange
  readonly #markets: Markets
  readonly #feed: PublicFeed
  readonly #klines: KlinePages
  readonly #sessions = new Map<string, PrivateSession>()

  constructor(shard: ShardSettings, outbox: Outbox, Exchange: CcxtExchangeClass) {
    this.#shard = shard
    this.#outbox = outbox
    this.#Exchange = Exchange
    this.#exchange = publicInstance(Exchange, shard)
    this.#markets = new Markets(shard.profile, this.#exchange, (failure) =>
      outbox.push({ _tag: "Reachable", reason: failure === undefined ? null : classify(failure).text }),
    )
    this.#feed = new PublicFeed(shard, this.#exchange, this.#markets, outbox)
    this.#klines = new KlinePages({
      exchange: this.#exchange,
      digits: this.#feed.digits,
      venueNow: () => this.#markets.venueNow(),
      perPage: shard.profile.klinesPerPage,
    })
  }

  play(command: Command): void {
    switch (command._tag) {
      case "Open":
        this.#feed.open(command.stream, command.instrumentId)
        return
      case "Close":
        this.#feed.close(command.stream, command.instrumentId)
        return
      case "Resync":
        this.#feed.resync(command.instrumentId)
        return
      case "OpenSession":
        this.#openSession(command.session, command.secrets)
        return
      case "CloseSession": {
        const session = this.#sessions.get(command.session)
        this.#sessions.delete(command.session)
        if (session !== undefined) void session.stop()
        return
      }
      case "Submit":
        void this.#session(command.session).submit(command.order)
        return
      case "Cancel":
        void this.#session(command.session).cancel(command.order)
        return
      case "Call":
        void this.#answer(command.call, command.request)
        return
      case "Ping":
        this.#outbox.push({ _tag: "Pong", beat: command.beat, heapUsed: process.memoryUsage().heapUsed, rejections })
        return
      case "Acknowledge":
        this.#outbox.acknowledge(command.batch)
        return
      case "Break":
        if (this.#shard.breakable) fail(command.how)
        return
    }
  }

  async stop(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    await Promise.allSettled([this.#feed.stop(), ...sessions.map((session) => session.stop())])
  }

  #openSession(name: string, secrets: VenueSecrets): void {
    if (this.#sessions.has(name)) return
    const exchange = privateInstance(this.#Exchange, this.#shard, secrets)
    const session = new PrivateSession(this.#shard.profile, exchange, this.#markets, (report) =>
      this.#outbox.push({ _tag: "Report", session: name, report }),
    )
    this.#sessions.set(name, session)
  }

  /** Desired state comes before everything else through the same port: an unknown session is a defect of ours. */
  #session(name: string): PrivateSession {
    const session = this.#sessions.get(name)
    if (session === undefined) throw new Error("no such session")
    return session
  }

  async #answer(call: number, request: CallRequest): Promise<void> {
    try {
      this.#outbox.push({ _tag: "Answer", call, value: await this.#ask(request) })
    } catch (error) {
      const { category, code, text } = classify(error)
      this.#outbox.push({ _tag: "Failed", call, failure: { category, code, text } })
    }
  }

  async #ask(request: CallRequest): Promise<unknown> {
    switch (request.name) {
      case "instruments":
        return this.#instruments(request.symbols)
      case "verify":
        return this.#verify(request.secrets)
      case "ready":
        await this.#session(request.session).ready()
        return null
      case "order":
        return this.#session(request.session).order(request.order)
      case "openOrders":
        return this.#session(request.session).openOrders()
      case "fills":
        return this.#session(request.session).fills(request.since, request.instruments)
      case "balances":
        return this.#session(request.session).balances()
      case "klines":
        await this.#markets.loaded()
        return this.#klines.read(this.#markets.listing.symbolOf(request.bars.instrumentId), request.bars)
    }
  }

  async #instruments(symbols: ReadonlyArray<string> | null): Promise<ReadonlyArray<unknown>> {
    await this.#markets.loaded()
    const wanted = symbols === null ? null : new Set(symbols)
    return this.#markets.listing
      .all()
      .filter(({ name }) => wanted === null || wanted.has(name))
      .map((listed) => instrumentRow(listed, this.#exchange))
  }

  /** A signed question that changes nothing. The account's id comes with it as `uid`, or is asked for; some venues do not say it. */
  async #verify(secrets: VenueSecrets): Promise<{ readonly externalAccountId: string | null }> {
    await this.#markets.loaded()
    const exchange = privateInstance(this.#Exchange, this.#shard, secrets)
    this.#markets.share(exchange)
    try {
      const { info } = await exchange.fetchBalance()
      const { accountId } = quirksOf(this.#shard.profile)
      const uid = accountId === undefined ? info?.["uid"] : await accountId(exchange)
      return { externalAccountId: typeof uid === "string" || typeof uid === "number" ? String(uid) : null }
    } finally {
      this.#markets.unshare(exchange)
      await exchange.close()
    }
  }
}

const fail = (how: Extract<Command, { readonly _tag: "Break" }>["how"]): void => {
  switch (how) {
    case "throw":
      setImmediate(() => {
        throw new Error("broken on purpose")
      })
      return
    case "exit":
      process.exit(7)
      return
    case "spin":
      for (;;) Math.sqrt(2)
    case "reject":
      void Promise.reject(new Error("stray on purpose"))
      return
  }
}

/** Ends when the port closes. */
export default async ({ shard, port }: ShardTask): Promise<void> => {
  const outbox = new Outbox(port)
  outboxes.add(outbox)
  // Before anything that takes time: a port that closes meanwhile says so only once.
  const closed = new Promise<void>((resolve) => port.once("close", () => resolve()))
  const connector = new Connector(shard, outbox, await loadExchange(shard.profile.exchange))
  outbox.push({ _tag: "Hello", threadId })
  outbox.flush()
  port.on("message", (command: Command) => connector.play(command))
  await closed
  await connector.stop()
  outboxes.delete(outbox)
}
