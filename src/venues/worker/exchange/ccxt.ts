/**
 * The parts of a ccxt.pro exchange that connectors use, declared from ccxt 4.5.84. ccxt's own types are mostly `any` and import 104 exchanges;
 * these are what our code may rely on. Numbers are floats on a public instance and strings on a private one.
 */

/** Values ccxt passes through untouched. */
export type Raw = Readonly<Record<string, unknown>>

/** [price, quantity, …]; a few connectors leave the venue's texts in it. */
export type CcxtBookRow = ReadonlyArray<number | string>

export interface CcxtBookSide extends ReadonlyArray<CcxtBookRow> {
  storeArray(row: CcxtBookRow): void
}

export interface CcxtOrderBook {
  readonly bids: CcxtBookSide
  readonly asks: CcxtBookSide
  /** Changes kept for a snapshot that has not come yet. */
  readonly cache: Array<unknown>
  readonly nonce: number | undefined
  readonly timestamp: number | undefined
  readonly symbol: string | undefined
  reset(snapshot?: unknown): unknown
}

export interface CcxtMarket {
  readonly id: string
  /** The id of the market whose public data stand for this one's, too. */
  readonly alias?: string | undefined
  readonly symbol: string
  readonly base: string
  readonly quote: string
  readonly spot: boolean | undefined
  readonly swap: boolean | undefined
  readonly contract?: boolean | undefined
  readonly linear: boolean | undefined
  readonly inverse?: boolean | undefined
  readonly contractSize?: number | undefined
  readonly settle?: string | undefined
  readonly active: boolean | undefined
  readonly precision: { readonly price: number | undefined; readonly amount: number | undefined }
  readonly limits: {
    readonly amount: { readonly min: number | undefined; readonly max: number | undefined } | undefined
    readonly cost: { readonly min: number | undefined } | undefined
  }
  /** The venue's own row. */
  readonly info?: unknown
}

export interface CcxtFee {
  readonly cost: unknown
  readonly currency: string | undefined
}

export interface CcxtTrade {
  readonly id: string | undefined
  readonly order: string | undefined
  readonly symbol: string | undefined
  readonly side: string | undefined
  readonly price: unknown
  readonly amount: unknown
  readonly timestamp: number | undefined
  readonly fee: CcxtFee | undefined
  readonly fees: ReadonlyArray<CcxtFee> | undefined
  readonly info: Raw | undefined
}

export interface CcxtOrder {
  readonly id: string | undefined
  readonly clientOrderId: string | undefined
  readonly symbol: string | undefined
  readonly type: string | undefined
  readonly timeInForce: string | undefined
  readonly postOnly: boolean | undefined
  readonly side: string | undefined
  readonly price: unknown
  readonly amount: unknown
  readonly filled: unknown
  readonly status: string | undefined
  readonly timestamp: number | undefined
  readonly lastUpdateTimestamp: number | undefined
  readonly lastTradeTimestamp: number | undefined
  readonly trades: ReadonlyArray<CcxtTrade> | undefined
  readonly info: Raw | undefined
}

export interface CcxtTicker {
  readonly symbol: string | undefined
  readonly timestamp: number | undefined
  readonly last: unknown
  readonly bid: unknown
  readonly bidVolume: unknown
  readonly ask: unknown
  readonly askVolume: unknown
  readonly info: Raw | undefined
}

export interface CcxtBalance {
  readonly free: Readonly<Record<string, unknown>> | undefined
  readonly used: Readonly<Record<string, unknown>> | undefined
  readonly timestamp: number | undefined
  readonly info: Raw | undefined
}

export interface CcxtCache<A> {
  append(item: A): void
}

export interface CcxtTradeCache extends CcxtCache<CcxtTrade>, Iterable<CcxtTrade> {}

/** [open time, open, high, low, close, volume]; more may follow. */
export type CcxtCandle = ReadonlyArray<number | string | undefined>

export interface CcxtCandleCache extends CcxtCache<CcxtCandle>, Iterable<CcxtCandle> {}

/** The WebSocket of the package `ws`. */
export interface CcxtConnection {
  readonly readyState: number
  ping(): void
  once(event: "pong", heard: () => void): unknown
  off(event: "pong", heard: () => void): unknown
}

export interface CcxtSocket {
  readonly url: string
  readonly subscriptions: Record<string, unknown>
  /** Of venues that have a ping of their own: what to send. */
  readonly ping?: ((socket: CcxtSocket) => unknown) | undefined
  readonly connection?: CcxtConnection | undefined
  /** What is waited for, by key. */
  readonly futures: Record<string, unknown>
  readonly rejections: Record<string, unknown>
  /** Dials; called once, when the socket is first needed. */
  createConnection(): void
  /** Wall ms of the newest pong. */
  readonly lastPong?: number
  readonly startedConnecting?: boolean
  /** Resolves when it is open. */
  readonly connected?: Promise<unknown>
  send(message: unknown): Promise<unknown>
  resolve(result: unknown, key: string): unknown
  /** Rejects the current or next waiter for the key. */
  reject(error: Error, key: string): unknown
  onMessage(event: { readonly data: unknown }): void
  onError(error: Error): void
  close(): unknown
}

export interface CcxtExchange {
  readonly id: string
  readonly urls: Readonly<Record<string, unknown>>
  readonly has: Record<string, unknown>
  /** 4: `precision` is a step; 2: decimal places; 3: significant digits. */
  readonly precisionMode: number
  options: Record<string, unknown>
  tokenBucket: Record<string, unknown>
  markets: Readonly<Record<string, CcxtMarket>> | undefined
  orderbooks: Record<string, CcxtOrderBook>
  /** By symbol, the newest ones. */
  trades: Record<string, CcxtTradeCache>
  /** By symbol and timeframe, the newest ones. */
  ohlcvs: Record<string, Record<string, CcxtCandleCache>>
  /** The intervals that the venue has, and its own names of them. */
  readonly timeframes: Readonly<Record<string, unknown>> | undefined
  clients: Readonly<Record<string, CcxtSocket>>
  orders: CcxtCache<CcxtOrder> | undefined
  myTrades: CcxtCache<CcxtTrade> | undefined

  setSandboxMode(on: boolean): void
  /** Puts settings on top of `options`. */
  extendExchangeOptions(settings: Raw): void
  getDispatcherOptions(isPlainAgent?: boolean): object
  /** Milliseconds that a request of cost 1 takes up. */
  readonly rateLimit: number
  /** In ms; 0: a leaky bucket. */
  readonly rollingWindowSize: number
  /** A request from its throttle to its answer. `api`: as ccxt's table of endpoints has it, "public" or ["v3", "public"]. */
  fetch2(path: string, api: unknown, ...rest: ReadonlyArray<unknown>): Promise<unknown>
  throttle(cost?: unknown): Promise<void>
  /** Sees every answer before ccxt judges it. */
  onRestResponse(
    status: number,
    statusText: string,
    url: string,
    method: string,
    headers: unknown,
    ...rest: ReadonlyArray<unknown>
  ): unknown
  /** What ccxt makes of a response: the answer, or an error of its classes. */
  handleRestResponse(
    response: {
      readonly status: number
      readonly statusText: string
      readonly headers: Readonly<Record<string, string>>
      readonly text: () => Promise<string>
    },
    url: string,
    method?: string,
    headers?: unknown,
    body?: unknown,
  ): Promise<unknown>
  /** Every request goes out through it, its own wrapper included. */
  fetch(url: string, method?: string, headers?: unknown, body?: unknown): Promise<unknown>
  /** Of Binance's socket: with the time, the key and the signature, in alphabetical order. What is given stays. */
  signParams(params: Raw): Raw
  sign(path: string, api: unknown, method: string, params: Raw, headers?: unknown, body?: unknown): unknown
  /** What most venues' signatures are made with. */
  hmac(...given: ReadonlyArray<unknown>): string
  /** The socket of a URL, made when there is none. */
  client(url: string): CcxtSocket
  /** Before a new socket is dialled, in ms. */
  calculateWsBackoffDelay(url: string): number
  onConnected(socket: CcxtSocket, message?: unknown): unknown
  onError(socket: CcxtSocket, error: Error): unknown
  onClose(socket: CcxtSocket, event: unknown): unknown
  /** Waits for the key on the socket of the URL, and sends the message unless `subscription` is a key that was sent. */
  watch(url: string, key: string, message: Raw, subscription: string): Promise<unknown>
  requestId(): unknown
  handleMessage(socket: CcxtSocket, message: unknown): unknown
  numberToString(value: number | string): string
  amountToPrecision(symbol: string, amount: unknown): string
  priceToPrecision(symbol: string, price: unknown): string
  costToPrecision(symbol: string, cost: unknown): string
  currencyToPrecision(code: string, fee: unknown, network?: unknown): string

  orderBook(...options: ReadonlyArray<unknown>): CcxtOrderBook
  countedOrderBook(...options: ReadonlyArray<unknown>): CcxtOrderBook
  indexedOrderBook(...options: ReadonlyArray<unknown>): CcxtOrderBook
  safeFloat(source: unknown, key: unknown, otherwise?: unknown): unknown
  safeFloat2(source: unknown, key1: unknown, key2: unknown, otherwise?: unknown): unknown
  safeNumber(source: unknown, key: unknown, otherwise?: unknown): unknown
  parseNumber(value: unknown, otherwise?: unknown): unknown
  parseOrderBookBidAsk(row: unknown, priceKey?: unknown, amountKey?: unknown, countKey?: unknown): CcxtBookRow
  safeCurrencyCode(id: string): string
  parseOHLCV(candle: unknown, market?: unknown): CcxtCandle
  /** What ccxt knows of a method at this venue, for the kind of market that the symbol is. */
  featureValue(symbol: string, method: string, parameter: string): unknown
  market(symbol: string): CcxtMarket
  parseOrder(order: Raw, market: object): CcxtOrder
  parseOrders(orders: ReadonlyArray<unknown>): ReadonlyArray<CcxtOrder>
  parseTrades(trades: ReadonlyArray<unknown>, market?: object): ReadonlyArray<CcxtTrade>
  /** Binance's POST /api/v3/orderList/oco. */
  privatePostOrderListOco?(params: Raw): Promise<Raw>
  safeTrade(trade: Raw, market?: unknown): CcxtTrade
  safeTicker(ticker: Raw, market?: unknown): CcxtTicker

  loadMarkets(reload?: boolean): Promise<unknown>
  /** What every call that needs markets waits for, and fails with. */
  marketsLoading: Promise<unknown> | undefined
  readonly currencies: Readonly<Record<string, unknown>>
  setMarkets(markets: ReadonlyArray<unknown>, currencies?: Readonly<Record<string, unknown>>): unknown
  setMarketsFromExchange(source: CcxtExchange): unknown
  loadTimeDifference(): Promise<unknown>
  /** At most venues of parameters; of the URL at BYBIT and GATE. */
  authenticate(...given: ReadonlyArray<unknown>): Promise<unknown>
  close(): Promise<unknown>

  fetchOrderBook(symbol: string, ...rest: ReadonlyArray<unknown>): Promise<CcxtOrderBook>
  /** Where in the kept changes a snapshot joins; below 0 when it is older than all of them. */
  getCacheIndex(snapshot: CcxtOrderBook, kept: ReadonlyArray<unknown>): number
  handleDeltas(book: CcxtOrderBook, changes: ReadonlyArray<unknown>): void
  fetchTicker(symbol: string): Promise<CcxtTicker>
  fetchTrades(symbol: string, since?: number, limit?: number, params?: Raw): Promise<ReadonlyArray<CcxtTrade>>
  watchOrderBook(symbol: string): Promise<CcxtOrderBook>
  unWatchOrderBook(symbol: string): Promise<unknown>
  watchTrades(symbol: string): Promise<ReadonlyArray<CcxtTrade>>
  unWatchTrades(symbol: string): Promise<unknown>
  watchTicker(symbol: string, params?: Raw): Promise<CcxtTicker>
  unWatchTicker(symbol: string, params?: Raw): Promise<unknown>
  watchOHLCV(symbol: string, timeframe: string): Promise<ReadonlyArray<CcxtCandle>>
  unWatchOHLCV(symbol: string, timeframe: string): Promise<unknown>
  fetchOHLCV(symbol: string, timeframe: string, since?: number, limit?: number): Promise<ReadonlyArray<CcxtCandle>>
  watchOrders(): Promise<unknown>
  watchMyTrades(): Promise<unknown>
  watchBalance(): Promise<CcxtBalance>

  createOrder(
    symbol: string,
    type: string,
    side: string,
    amount: string,
    price: string | undefined,
    params: Raw,
  ): Promise<CcxtOrder>
  cancelOrder(id: string | undefined, symbol: string, params: Raw): Promise<CcxtOrder>
  editOrder(
    id: string | undefined,
    symbol: string,
    type: string,
    side: string | undefined,
    amount: string,
    price: string | undefined,
    params: Raw,
  ): Promise<CcxtOrder>
  fetchOrder(id: string | undefined, symbol: string, params: Raw): Promise<CcxtOrder>
  fetchClosedOrders: CcxtExchange["fetchOpenOrders"]
  fetchCanceledOrders: CcxtExchange["fetchOpenOrders"]
  fetchOrders: CcxtExchange["fetchOpenOrders"]
  fetchCanceledAndClosedOrders: CcxtExchange["fetchOpenOrders"]
  fetchOpenOrders(symbol?: string, since?: number, limit?: number, params?: Raw): Promise<ReadonlyArray<CcxtOrder>>
  fetchMyTrades(
    symbol: string | undefined,
    since: number | undefined,
    limit: number | undefined,
    params: Raw,
  ): Promise<ReadonlyArray<CcxtTrade>>
  fetchBalance(): Promise<CcxtBalance>
}

export type CcxtExchangeClass = new (settings: Record<string, unknown>) => CcxtExchange
