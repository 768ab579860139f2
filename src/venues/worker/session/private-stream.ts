/**
 * The private stream of one session: subscribed, kept alive, and restarted. Events of orders, fills and balances are tapped, so none is merged
 * away (venues 4.5); the watch loops only detect that the socket is gone. Up means that the venue acknowledged every subscription: later changes
 * are reported, earlier ones must be queried by the account. Only a stream that lasted resets the backoff.
 */
import type { SessionReport, VenueBalance } from "../../../ports/venue-session.ts"
import { record } from "../../adapters/adapter.ts"
import { adapterOf, type ExchangeAdapter } from "../../adapters/adapters.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import { tapCache } from "../exchange/cache-tap.ts"
import type { CcxtExchange, CcxtOrder, CcxtSocket, CcxtTrade } from "../exchange/ccxt.ts"
import { STABLE_MILLIS } from "../exchange/dials.ts"
import { classify, type Failure } from "../exchange/errors.ts"
import type { Listing } from "../exchange/markets.ts"
import { endAll, endSocket } from "../exchange/sockets.ts"
import { pause, redialMillis, waitsOf } from "../waits.ts"
import type { KnownOrders } from "./client-ids.ts"
import { balances, fill, orderState } from "./normalise.ts"

export interface PrivateStreamOptions {
  readonly profile: VenueProfile
  readonly exchange: CcxtExchange
  readonly known: KnownOrders
  readonly report: (report: SessionReport) => void
  readonly listing: Listing
  /** Asks for an order that the stream spoke of. */
  readonly look: (order: CcxtOrder) => void
  /** Asks for the trades of an order that the stream said more was executed of. */
  readonly lookAtFills: (order: CcxtOrder) => void
  /** Resolves when the instance has markets. */
  readonly ready: () => Promise<void>
  /** The venue's clock, in ms. */
  readonly venueNow: () => number
  /** Hears of every failure; false ends the stream for good. */
  readonly failed: (failure: Failure) => Promise<boolean>
  /** Balances moved, and the stream does not say what is available. */
  readonly balancesMoved: () => void
}

/** The venue's rate of connects has it wait for its turn. */
const waitsForDial = ({ startedConnecting, connection }: CcxtSocket): boolean =>
  startedConnecting === true && connection === undefined

export class PrivateStream {
  readonly #options: PrivateStreamOptions
  readonly #adapter: ExchangeAdapter
  #open = true
  #isUp = false
  /** Channels that are not acknowledged yet, and what to do when none is left. */
  #missing = new Set<string>()
  /** Of frames that subscribe, by the number under which the venue answers. */
  readonly #asked = new Map<string, ReadonlyArray<string>>()
  #complete: () => void = () => undefined
  #tried: () => void = () => undefined
  /** Resolves when the first attempt came up or did not: who agrees with the venue before would have to do it again. */
  readonly tried = new Promise<void>((resolve) => {
    this.#tried = resolve
  })

  constructor(options: PrivateStreamOptions) {
    const { exchange, profile } = options
    this.#options = options
    this.#adapter = adapterOf(profile)
    this.#watchMessages()
    this.#watchOpening()
    this.#watchRequests()
    tapCache<CcxtOrder, "orders">(exchange, "orders", (order) => this.#onOrder(order))
    tapCache<CcxtTrade, "myTrades">(exchange, "myTrades", (trade) => this.#onFill(trade))
    void this.#run()
  }

  stop(): void {
    this.#open = false
    this.#tried()
  }

  /** It has nothing but orders, and outlives the stream. */
  #isOfOrders(socket: CcxtSocket): boolean {
    const { orderSocket } = this.#adapter
    return orderSocket?.open !== undefined && socket.url === orderSocket.urlOf(this.#options.exchange)
  }

  #endSockets(reason: string): void {
    endAll(this.#options.exchange, reason, (socket) => this.#isOfOrders(socket))
  }

  async #run(): Promise<void> {
    const { exchange, report, ready, failed } = this.#options
    for (let failures = 0; this.#open; ) {
      let upAt: number | null = null
      try {
        await ready()
        const watching = await this.#begun()
        if (!this.#open) return
        upAt = performance.now()
        this.#isUp = true
        report({ _tag: "StreamUp" })
        this.#tried()
        await watching.end
      } catch (error) {
        // A login or subscription that was refused stands in ccxt's socket as if it were there, and would never be sent again.
        this.#endSockets("the private stream is restarting")
        this.#adapter.forgetLogin?.(exchange)
        if (!this.#open) return
        const failure = classify(error)
        if (upAt !== null && performance.now() - upAt >= STABLE_MILLIS) failures = 0
        failures += 1
        if (this.#isUp || failures === 1) {
          this.#isUp = false
          report({ _tag: "StreamDown", reason: `${failure.category}: ${failure.text}` })
        }
        this.#tried()
        if (!(await failed(failure))) return
        await pause(redialMillis(failures))
      }
    }
  }

  /**
   * Resolves when the venue has taken the login and every channel; `end` rejects when a watch does. Wrapped, because a promise of a
   * promise is waited for.
   */
  async #begun(): Promise<{ readonly end: Promise<void> }> {
    const { exchange, profile } = this.#options
    const { channels = [], upWhenOpen = false } = this.#adapter
    this.#missing = new Set(channels)
    this.#asked.clear()
    const taken = new Promise<void>((resolve) => {
      this.#complete = resolve
    })
    // ccxt would wait for ever for an answer that is lost.
    const { acknowledgedMillis } = waitsOf(profile)
    const late = setInterval(() => {
      const sockets = Object.values(exchange.clients).filter((socket) => !this.#isOfOrders(socket))
      if (!sockets.some(waitsForDial)) this.#endSockets("the private stream was not acknowledged")
    }, acknowledgedMillis)
    try {
      await exchange.authenticate()
      const end = this.#watchAll()
      // Its waiters must be rejected too.
      end.catch(() => undefined)
      if (channels.length > 0 || upWhenOpen) await Promise.race([taken, end])
      return { end }
    } finally {
      clearInterval(late)
    }
  }

  /** Rejects as soon as one of the watches does; they share their socket. */
  async #watchAll(): Promise<void> {
    const { exchange, profile } = this.#options
    let watching = true
    const repeat = async (watch: () => Promise<unknown>): Promise<void> => {
      while (watching && this.#open) await watch()
    }
    const watches = [repeat(() => exchange.watchOrders())]
    const { changedBalances, channels = [], fillsOf } = this.#adapter
    if (changedBalances === null || channels.length > 0) {
      watches.push(
        repeat(async () => {
          const seen = await exchange.watchBalance()
          if (changedBalances === null) this.#changed(balances(seen, false), seen.timestamp)
        }),
      )
    }
    if (!profile.fillsWithOrders && fillsOf === undefined) watches.push(repeat(() => exchange.watchMyTrades()))
    try {
      await Promise.race(watches)
    } finally {
      watching = false
    }
  }

  #watchMessages(): void {
    const { exchange } = this.#options
    const handle = exchange.handleMessage.bind(exchange)
    exchange.handleMessage = (socket, message) => {
      const outer = record(message)
      const event = typeof outer["event"] === "object" ? record(outer["event"]) : outer
      if (this.#adapter.misleads(event)) return undefined
      const result = handle(socket, message)
      const changed = this.#adapter.changedBalances?.(event)
      if (changed !== null && changed !== undefined) {
        const named = changed.rows.map(({ assetId, available, locked }) => ({
          asset: exchange.safeCurrencyCode(assetId),
          available,
          locked,
        }))
        this.#changed(named, changed.at)
      }
      if (this.#adapter.balancesMoved?.(event) === true) this.#options.balancesMoved()
      const news = this.#adapter.channelNews?.(event) ?? []
      for (const it of news)
        if (it.isTaken) this.#taken("asked" in it ? (this.#asked.get(it.asked) ?? []) : [it.channel])
      if (news.some(({ isTaken }) => !isTaken) || this.#adapter.endsPrivateStream(event))
        endSocket(socket, "the venue ended the private stream")
      return result
    }
  }

  #taken(channels: ReadonlyArray<string>): void {
    let isNews = false
    for (const channel of channels) isNews = this.#missing.delete(channel) || isNews
    if (isNews && this.#missing.size === 0) this.#complete()
  }

  /** ccxt binds the handler when it makes a socket. */
  #watchOpening(): void {
    if (this.#adapter.upWhenOpen !== true) return
    const { exchange } = this.#options
    const { onConnected } = exchange
    exchange.onConnected = (socket, message) => {
      this.#complete()
      return onConnected.call(exchange, socket, message)
    }
  }

  #watchRequests(): void {
    const { exchange } = this.#options
    const { asksFor } = this.#adapter
    const client = exchange.client.bind(exchange)
    const seen = new WeakSet<CcxtSocket>()
    exchange.client = (url) => {
      const socket = client(url)
      if (seen.has(socket)) return socket
      seen.add(socket)
      const send = socket.send.bind(socket)
      socket.send = (message) => {
        const asked = asksFor?.(record(message)) ?? null
        if (asked !== null) this.#asked.set(asked.id, asked.channels)
        const sent = send(message)
        // ccxt awaits none of what waited for its turn on a socket that died meanwhile (venues 4.1).
        sent.catch(() => undefined)
        return sent
      }
      return socket
    }
  }

  /** `at` is the venue's own time of the change, where it says one. */
  #changed(changed: ReadonlyArray<VenueBalance>, at: number | null | undefined): void {
    const { report, venueNow } = this.#options
    if (changed.length === 0) return
    report({ _tag: "BalancesSeen", balances: { complete: false, balances: changed, at: at ?? venueNow() } })
  }

  #onOrder(order: CcxtOrder): void {
    const { profile, known, report, listing, look, lookAtFills } = this.#options
    const { eventsAreHints = false, fillsOf } = this.#adapter
    const state = orderState(profile, listing.named(order), this.#adapter)
    if (typeof eventsAreHints === "function" ? eventsAreHints(order) : eventsAreHints) look(order)
    else if (state !== undefined) {
      known.remember(state)
      report({ _tag: "OrderSeen", state })
    }
    if (fillsOf !== undefined && /[1-9]/.test(String(order.filled ?? ""))) lookAtFills(order)
  }

  #onFill(trade: CcxtTrade): void {
    const { profile, known, report, listing, venueNow } = this.#options
    const row = listing.named(trade)
    const clientId = this.#adapter.fillClientId(trade) ?? known.clientIdOfTrade(profile.venue, row)
    const found = fill(profile.venue, row, { clientId, at: venueNow() })
    if (found !== undefined) report({ _tag: "Filled", fill: found })
  }
}
