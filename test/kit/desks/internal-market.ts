/** The platform's own venue over HTTP: an admin who lists instruments and funds wallets, and traders with an account each. */

import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import type { WalletRecord } from "../../../src/domain/wallet/wallet.ts"
import { restsOf } from "../readers/order-waits.ts"
import { founder } from "../servers/founder.ts"
import { type Api, api, type Gateway, type Ready, until } from "../servers/gateway.ts"

export interface InternalTrader {
  readonly tradingAccountId: string
  readonly walletId: string
  readonly calls: Api
  readonly limit: (
    side: "BUY" | "SELL",
    quantity: string,
    limitPrice: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => Promise<TradeOrderRecord>
  readonly submit: (fields: Readonly<Record<string, unknown>>) => Promise<TradeOrderRecord>
  readonly order: (tradeOrderId: string) => Promise<TradeOrderRecord>
  readonly rests: (tradeOrderId: string, ...states: ReadonlyArray<string>) => Promise<TradeOrderRecord>
  /** Of the ledger: asset → [available, held]. */
  readonly wallet: () => Promise<Readonly<Record<string, readonly [available: string, held: string]>>>
  /** Of the account: asset → [available, locked]. */
  readonly portfolio: () => Promise<Readonly<Record<string, readonly [available: string, locked: string]>>>
}

export interface InternalMarket {
  readonly gateway: Ready
  readonly admin: Api
  readonly instrumentId: string
  readonly trader: (balances?: Readonly<Record<string, string>>) => Promise<InternalTrader>
  readonly deposit: (walletId: string, asset: string, amount: string) => Promise<void>
  readonly book: () => Promise<{ readonly bids: ReadonlyArray<string>; readonly asks: ReadonlyArray<string> }>
  readonly again: (gateway: Ready) => InternalMarket
}

export const traderOf = (
  calls: Api,
  tradingAccountId: string,
  walletId: string,
  instrumentId: string,
): InternalTrader => {
  const order = async (tradeOrderId: string) => (await calls.order(tradingAccountId, tradeOrderId)).record
  const submit: InternalTrader["submit"] = (fields) =>
    calls.submitted({ tradingAccountId, instrumentId, awaitAccepted: true, ...fields })
  const rests = restsOf(order)
  return {
    tradingAccountId,
    walletId,
    calls,
    submit,
    limit: (orderSide, quantity, limitPrice, fields = {}) =>
      submit({ orderSide, orderType: "LIMIT", quantity, limitPrice, ...fields }),
    order,
    rests,
    wallet: async () => {
      const { balances } = (await calls.get<WalletRecord>("/wallet/get", { walletId })).record
      return Object.fromEntries(balances.map(({ asset, available, held }) => [asset, [available, held] as const]))
    },
    portfolio: async () => {
      const positions = (await calls.portfolio(tradingAccountId)).record
      return Object.fromEntries(
        positions.map(({ currency, available, locked }) => [currency, [available, locked] as const]),
      )
    },
  }
}

/** For an installation without an admin. */
export const internalMarket = async (
  gateway: Gateway,
  terms: Readonly<Record<string, string>> = {},
): Promise<InternalMarket> => {
  const admin = await founder(gateway)
  const listed = await admin.post<{ readonly securityId: string }>("/market/instrument/create", {
    baseAsset: "BTC",
    quoteAsset: "USD",
    tickSize: "0.01",
    lotSize: "0.001",
    ...terms,
  })
  return marketOf(gateway, admin, listed.record.securityId)
}

const member = async (gateway: Ready): Promise<Api> => {
  const email = `user-${randomUUID()}@example.com`
  const { accessToken } = (await api(gateway).signup(email)).record
  return api(gateway).as(accessToken)
}

const marketOf = (gateway: Ready, admin: Api, instrumentId: string): InternalMarket => {
  const deposit: InternalMarket["deposit"] = async (walletId, asset, amount) => {
    const answer = await admin.post("/wallet/deposit", { walletId, asset, amount })
    expect(answer.envelope).toMatchObject({ errno: 0 })
  }
  return {
    gateway,
    admin,
    instrumentId,
    deposit,
    trader: async (balances = {}) => {
      const calls = await member(gateway)
      const connected = (await calls.connect({ venue: "INTERNAL" })).record
      const walletId = connected.walletId ?? ""
      const { tradingAccountId } = connected
      for (const [asset, amount] of Object.entries(balances)) await deposit(walletId, asset, amount)
      const trader = traderOf(calls, tradingAccountId, walletId, instrumentId)
      await until("the account sees its money", async () => {
        const held = await trader.portfolio()
        return Object.entries(balances).every(([asset, amount]) => held[asset]?.[0] === amount)
      })
      return trader
    },
    book: async () => {
      const { bids, asks } = (await admin.orderBook(instrumentId)).record
      const rows = (levels: typeof bids) => levels.map(([price, quantity]) => `${quantity} @ ${price}`)
      return { bids: rows(bids), asks: rows(asks) }
    },
    again: (next) => marketOf(next, api(next).as(admin.token), instrumentId),
  }
}
