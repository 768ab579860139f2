/** The parts of ccxt 4.5.84's Kraken, beyond those of every exchange, that the connector uses or replaces. */
import type { CcxtOrder, CcxtSocket, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import type { NonceSigned } from "../nonces.ts"

export interface KrakenSocket extends CcxtSocket {
  /** By what is waited for. */
  readonly futures: Readonly<Record<string, unknown>>
  /** What the next one that waits is told at once. */
  readonly rejections: Record<string, unknown>
  resolve(value: unknown, hash: string): unknown
}

export interface KrakenExchange extends NonceSigned {
  readonly clients: Readonly<Record<string, KrakenSocket>>
  readonly secret: string | undefined
  readonly commonCurrencies: Record<string, string>
  enableLastHttpResponse: boolean
  requestId(): number
  fetchTime(): Promise<number | undefined>
  fetchClosedOrders(symbol?: string, since?: number, limit?: number, params?: Raw): Promise<ReadonlyArray<CcxtOrder>>
  watch(url: string, hash: string, message: Raw, subscription: string): Promise<unknown>
  handleOrderBook(socket: KrakenSocket, message: Raw): void
  handleTrades(socket: KrakenSocket, message: Raw): void
  handlePong(socket: KrakenSocket, message: Raw): unknown
  handleOrders(socket: CcxtSocket, message: Raw): void
  handleMyTrades(socket: CcxtSocket, message: Raw): void
  parseOrder(order: Raw, market?: unknown): CcxtOrder
  parseWsOrder(order: Raw): Partial<CcxtOrder>
  parseWsTrade(trade: Raw): Partial<CcxtTrade>
}

export const PUBLIC_URL = "wss://ws.kraken.com/v2"

/**
 * Assets that ccxt renames although Kraken's streams do not: asked for under ccxt's names, their markets would be unknown there. (XBT
 * and XDG are BTC and DOGE on the streams as well.)
 */
export const ASSET_NAMES: Readonly<Record<string, string>> = {
  LUNA: "LUNA",
  LUNA2: "LUNA2",
  REP: "REP",
  REPV2: "REPV2",
  UST: "UST",
}
