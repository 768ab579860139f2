/**
 * The private stream of an account, which the venue has market by market: subscribed is what the account has orders in. A market is added before the first
 * order goes there, or is asked for, and stays; the stream is up once all of them are acknowledged, after which the venue is asked for a sign of life.
 */
import type { CcxtExchange, CcxtSocket, Raw } from "../../worker/exchange/ccxt.ts"
import { endSocket } from "../../worker/exchange/sockets.ts"
import { pause } from "../../worker/waits.ts"
import { doingFor } from "../../worker/work.ts"
import { record } from "../adapter.ts"

export interface StreamingExchange extends CcxtExchange {
  watch(url: string, key: string, message: Raw | undefined, subscription: string, said?: Raw): Promise<unknown>
  readonly privatePostWebsocketsToken: (params: Raw) => Promise<unknown>
}

export const BEAT = "bts:heartbeat"
const ALIVE = "account"
export const ORDERS = "private-my_orders"
export const TRADES = "private-my_trades"

/** A token is good for 60 s: so long it is used, ms. */
const TOKEN_MILLIS = 45_000
/** An order waits for its market's channels no longer; what happens then is heard by audits. */
const BEFORE_ORDER_MILLIS = 1000

interface Login {
  readonly token: string
  readonly userId: string
  readonly at: number
}

export class MarketStreams {
  readonly #exchange: StreamingExchange
  readonly #acknowledgedMillis: number
  /** By symbol; resolved when both channels are acknowledged. */
  readonly #markets = new Map<string, Promise<void> | null>()
  readonly #waiting = new Map<string, () => void>()
  #begun: Promise<void> | null = null
  #isUp = false
  #login: Promise<Login> | null = null

  constructor(exchange: StreamingExchange, acknowledgedMillis: number) {
    this.#exchange = exchange
    this.#acknowledgedMillis = acknowledgedMillis
  }

  get #url(): string {
    return String(record(this.#exchange.urls["api"])["ws"])
  }

  /** In place of ccxt's watches: rejects when the socket is gone. */
  async watch(): Promise<unknown> {
    this.#begun ??= this.#begin()
    await this.#begun
    return this.#exchange.watch(this.#url, ALIVE, undefined, ALIVE)
  }

  /** The socket is gone, or about to be. */
  forget(): void {
    this.#begun = null
    this.#isUp = false
    this.#login = null
    this.#waiting.clear()
    for (const symbol of this.#markets.keys()) this.#markets.set(symbol, null)
  }

  /** Resolves when the account hears of the market, at once where its stream is away: that begins with all of them. */
  async want(symbol: string): Promise<void> {
    if (!this.#markets.has(symbol)) this.#markets.set(symbol, null)
    if (!this.#isUp) return
    // Its requests are no part of the order's, which may be built ahead and held back.
    const subscribed = doingFor("doubt", Date.now() + this.#acknowledgedMillis, () => this.#subscribed(symbol))
    await Promise.race([subscribed, pause(BEFORE_ORDER_MILLIS)])
  }

  acknowledged(channel: string): void {
    this.#waiting.get(channel)?.()
    this.#waiting.delete(channel)
  }

  async #begin(): Promise<void> {
    await this.#token()
    await Promise.all([...this.#markets.keys()].map((symbol) => this.#subscribe(symbol)))
    // Answered behind whatever was asked before.
    void this.#asks(BEAT, { event: BEAT })
    this.#isUp = true
    // Those that were added meanwhile.
    for (const symbol of this.#markets.keys()) void this.#subscribed(symbol)
  }

  /** Never rejects: a channel that is not acknowledged ends the socket. */
  async #subscribed(symbol: string): Promise<void> {
    const known = this.#markets.get(symbol) ?? null
    const subscribed = known ?? this.#subscribe(symbol)
    if (known === null) this.#markets.set(symbol, subscribed)
    // The stream tells of its end, and begins anew with this market.
    await subscribed.catch(() => undefined)
  }

  async #subscribe(symbol: string): Promise<void> {
    const { token, userId } = await this.#token()
    const { id } = this.#exchange.market(symbol)
    const channels = [ORDERS, TRADES].map((kind) => `${kind}_${id}-${userId}`)
    const late = setTimeout(() => this.#end("a market was not acknowledged"), this.#acknowledgedMillis)
    try {
      await Promise.all(
        channels.map(
          (channel) =>
            new Promise<void>((resolve, reject) => {
              this.#waiting.set(channel, resolve)
              this.#asks(channel, { event: "bts:subscribe", data: { channel, auth: token } }, { symbol }).catch(reject)
            }),
        ),
      )
    } finally {
      clearTimeout(late)
    }
  }

  #asks(key: string, message: Raw, said?: Raw): Promise<unknown> {
    const asked = this.#exchange.watch(this.#url, key, message, key, said)
    asked.catch(() => undefined)
    return asked
  }

  #end(reason: string): void {
    const socket: CcxtSocket | undefined = this.#exchange.clients[this.#url]
    if (socket !== undefined) endSocket(socket, reason)
  }

  async #token(): Promise<Login> {
    const known = this.#login
    if (known !== null) {
      const login = await known
      if (performance.now() - login.at < TOKEN_MILLIS) return login
    }
    if (this.#login === known) {
      this.#login = this.#ask()
      this.#login.catch(() => undefined)
    }
    return this.#login ?? this.#ask()
  }

  async #ask(): Promise<Login> {
    const at = performance.now()
    const { token, user_id } = record(await this.#exchange.privatePostWebsocketsToken({}))
    return { token: String(token), userId: String(user_id), at }
  }
}
