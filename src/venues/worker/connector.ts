/**
 * The Piscina task: one connector, for as long as its port is open. It executes commands (the main thread holds the desired state and repeats it
 * to a new connector), answers in batches, and owns nothing that cannot be rebuilt. Other connectors may run in its thread.
 */
import { AsyncResource } from "node:async_hooks"
import { threadId } from "node:worker_threads"
import type { VenueSecrets } from "../../domain/account/credential.ts"
import type { InstrumentId } from "../../domain/ids.ts"
import type { ConnectorFigures, Purpose } from "../../ports/venue-stats.ts"
import { adapterOf } from "../adapters/adapters.ts"
import type {
  BreakHow,
  CallName,
  CallRequest,
  Calls,
  Command,
  ConnectorSettings,
  ConnectorTask,
} from "../connector/wire.ts"
import { Budgets } from "./budget/budgets.ts"
import type { CcxtExchange, CcxtExchangeClass } from "./exchange/ccxt.ts"
import { classify, LOST_PLACE } from "./exchange/errors.ts"
import { privateInstances, publicInstance } from "./exchange/instance.ts"
import { loadExchange } from "./exchange/load.ts"
import { instrumentRow, Markets } from "./exchange/markets.ts"
import { hasRoomForAudits } from "./feed/book-audits.ts"
import { KlinePages } from "./feed/kline-pages.ts"
import { PublicFeed } from "./feed/public-feed.ts"
import { Outbox } from "./outbox.ts"
import { PrivateSession } from "./session/private-session.ts"
import { Slices } from "./slices.ts"
import { inhabitants } from "./thread.ts"
import { doing, doingFor, ordering } from "./work.ts"

/** A cancel that could not leave for so long is in doubt; its account asks and cancels again. */
const CANCEL_WAIT_MILLIS = 15_000

/** Of calls that do not say it themselves. */
const PURPOSES = {
  instruments: "market",
  verify: "submit",
  ready: "doubt",
  order: "doubt",
  klines: "market",
  confirm: "market",
} as const satisfies Partial<Record<CallName, Purpose>>

class Connector {
  readonly #settings: ConnectorSettings
  readonly #outbox: Outbox
  readonly #budgets: Budgets
  readonly #exchange
  readonly #instanceOf: (secrets: VenueSecrets) => CcxtExchange
  readonly #markets: Markets
  readonly #feed: PublicFeed
  readonly #klines: KlinePages
  readonly #sessions = new Map<string, PrivateSession>()

  constructor(settings: ConnectorSettings, outbox: Outbox, Exchange: CcxtExchangeClass) {
    this.#settings = settings
    this.#outbox = outbox
    this.#budgets = new Budgets(settings.profile, (what) => outbox.push({ _tag: "Noticed", what }))
    this.#exchange = publicInstance(Exchange, settings, this.#budgets)
    this.#instanceOf = privateInstances(Exchange, settings, this.#budgets)
    this.#markets = new Markets(settings.profile, this.#exchange, (failure) =>
      outbox.push({ _tag: "Reachable", reason: failure === undefined ? null : classify(failure).text }),
    )
    this.#feed = new PublicFeed(settings, this.#exchange, this.#markets, outbox, {
      isQueueing: () => this.#budgets.isQueueing("market"),
      hasRoomForAudits: () => hasRoomForAudits(this.#budgets.load()),
      used: () => this.#budgets.load().used,
    })
    this.#klines = new KlinePages({
      exchange: this.#exchange,
      digits: this.#feed.digits,
      venueNow: () => this.#feed.barClock.now(),
      perPage: settings.profile.klinesPerPage,
      kept: settings.profile.klinesKept,
    })
  }

  play(command: Command): void {
    switch (command._tag) {
      case "Open":
        this.#feed.open(command.stream, command.instrumentId, command.told)
        return
      case "Close":
        this.#feed.close(command.stream, command.instrumentId)
        return
      case "Resync":
        this.#feed.resync(command.instrumentId)
        return
      case "OpenSession":
        doingFor("doubt", null, () => this.#openSession(command.session, command.secrets))
        return
      case "CloseSession": {
        const session = this.#sessions.get(command.session)
        this.#sessions.delete(command.session)
        if (session !== undefined) void session.stop()
        return
      }
      case "Prepare": {
        const { session, order } = command
        ordering(order, order.notAfter, () => this.#session(session).prepare(order))
        return
      }
      case "Forgo":
        this.#session(command.session).forgo(command.tradeOrderId)
        return
      case "Submit": {
        const { session, order } = command
        void ordering(order, order.notAfter, () => this.#session(session).submit(order))
        return
      }
      case "Cancel": {
        const { session, order } = command
        void doingFor("cancel", Date.now() + CANCEL_WAIT_MILLIS, () => this.#session(session).cancel(order))
        return
      }
      case "Amend": {
        const { session, order, to } = command
        void ordering(order, to.notAfter, () => this.#session(session).amend(order, to))
        return
      }
      case "Call": {
        const { call, request, deadlineMillis } = command
        const purpose = "errand" in request ? request.errand : PURPOSES[request.name]
        void doingFor(purpose, Date.now() + deadlineMillis, () => this.#answer(call, request))
        return
      }
      case "Share":
        this.#budgets.share(command.of)
        return
      case "Acknowledge":
        this.#outbox.acknowledge(command.weight)
        return
      case "Break":
        if (this.#settings.breakable) fail(command.how)
        return
    }
  }

  /** The changes held back for a slow reader were more than a book: it gets a snapshot instead. */
  overgrown(instrumentId: InstrumentId): void {
    const reason = `${LOST_PLACE} too many changes before the next read`
    this.#outbox.push({ _tag: "StreamLost", stream: "book", instrumentId, reason })
    this.#feed.resync(instrumentId)
  }

  figures(): ConnectorFigures {
    return {
      ...this.#outbox.figures(),
      bookAudits: this.#feed.auditFigures(),
      budget: this.#budgets.load(),
    }
  }

  async stop(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    this.#budgets.close()
    await Promise.allSettled([this.#feed.stop(), ...sessions.map((session) => session.stop())])
  }

  #openSession(name: string, secrets: VenueSecrets): void {
    if (this.#sessions.has(name)) return
    const exchange = this.#instanceOf(secrets)
    const session = new PrivateSession(
      this.#settings.profile,
      exchange,
      this.#markets,
      (report) => {
        this.#outbox.push({ _tag: "Report", session: name, report })
      },
      this.#settings.owned ?? null,
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
      const value = await this.#ask(request)
      this.#outbox.push({ _tag: "Answer", call, value })
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
        await this.#session(request.session).opened()
        return null
      case "order":
        return this.#session(request.session).questions.order(request.order)
      case "openOrders":
        return this.#session(request.session).questions.openOrders()
      case "fills":
        return this.#session(request.session).questions.fills(request.since, request.instruments, request.cursor)
      case "ended":
        return this.#session(request.session).questions.ended(request.markets, request.cursor)
      case "balances":
        return this.#session(request.session).questions.balances()
      case "confirm":
        return this.#feed.confirm(request.instrumentId)
      case "klines":
        await this.#markets.loaded()
        return this.#klines.read(this.#markets.listing.symbolOf(request.bars.instrumentId), request.bars)
    }
  }

  async #instruments(symbols: ReadonlyArray<string> | null): Promise<ReadonlyArray<unknown>> {
    await this.#markets.fresh()
    const wanted = symbols === null ? null : new Set(symbols)
    return this.#markets.listing
      .all()
      .filter(({ name }) => wanted === null || wanted.has(name))
      .map((listed) => instrumentRow(listed, this.#exchange))
  }

  /** A signed question that changes nothing. The account's id comes with it as `uid`, or is asked for; some venues do not say it. */
  async #verify(secrets: VenueSecrets): Promise<Calls["verify"]["answer"]> {
    await this.#markets.timed()
    const exchange = this.#instanceOf(secrets)
    this.#markets.share(exchange)
    try {
      const { info } = await exchange.fetchBalance()
      const { accountId, notTaken } = adapterOf(this.#settings.profile)
      const uid = accountId === undefined ? info?.["uid"] : await accountId(exchange)
      return {
        externalAccountId: typeof uid === "string" || typeof uid === "number" ? String(uid) : null,
        notTaken: (await notTaken?.(exchange)) ?? null,
      }
    } finally {
      this.#markets.unshare(exchange)
      await exchange.close()
    }
  }
}

const fail = (how: BreakHow): void => {
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
    case "oom":
      // Large ones: V8 ends the thread between two of them, where small ones may end the process in the midst of a collection.
      for (const kept: Array<object> = []; ; ) kept.push(new Array(50_000).fill(kept))
    case "reject":
      void Promise.reject(new Error("stray on purpose"))
      return
  }
}

/** Ends when the port closes. */
export default ({ settings, port }: ConnectorTask): Promise<void> =>
  doing({ connector: settings.connector, purpose: "market", until: null }, async () => {
    let connector: Connector | undefined
    const outbox = new Outbox(port, (instrumentId) => connector?.overgrown(instrumentId))
    // Before anything that takes time: a port that closes meanwhile says so only once.
    const closed = new Promise<void>((resolve) => port.once("close", () => resolve()))
    const made = new Connector(settings, outbox, await loadExchange(settings.profile.exchange))
    connector = made
    const inhabitant = { outbox, figures: () => made.figures() }
    inhabitants.set(settings.connector, inhabitant)
    outbox.push({ _tag: "Hello", threadId })
    outbox.flush()
    const commands = new Slices(AsyncResource.bind((command: Command) => made.play(command)))
    port.on("message", (command: Command) => commands.take(command))
    await closed
    await commands.empty()
    await made.stop()
    // Its successor may be here already.
    if (inhabitants.get(settings.connector) === inhabitant) inhabitants.delete(settings.connector)
  })
