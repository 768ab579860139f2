/** A dealer over HTTP, priced by MOCK: an admin who runs it, and clients with an account each on INTERNAL. */
import { randomUUID } from "node:crypto"
import type { DealerRecord } from "../../../src/domain/dealer/dealer.ts"
import type { QuoteRecord } from "../../../src/domain/dealer/quote.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import type { WalletRecord } from "../../../src/domain/wallet/wallet.ts"
import type { DealerDetail } from "../../../src/http/dealer/endpoints.ts"
import { type Answer, type Api, api, type Ready, until } from "../servers/gateway.ts"

type Fields = Readonly<Record<string, unknown>>

export interface Client {
  readonly calls: Api
  readonly tradingAccountId: string
  readonly walletId: string
  readonly ask: (fields?: Fields) => Promise<Answer<QuoteRecord>>
  /** A firm quote, for a buy of 0.5 BTC unless the fields say otherwise. */
  readonly quote: (fields?: Fields) => Promise<QuoteRecord>
  /** As a client that does what the quote says. */
  readonly execute: (quote: QuoteRecord, fields?: Fields) => Promise<Answer<TradeOrderRecord>>
  readonly quoteNow: (quoteId: string) => Promise<QuoteRecord>
}

export interface Desk {
  readonly admin: Api
  readonly dealer: DealerRecord
  readonly dealerNow: () => Promise<DealerDetail>
  readonly linkedAccountId: string
  readonly client: (balances?: Readonly<Record<string, string>>) => Promise<Client>
  readonly deposit: (walletId: string, asset: string, amount: string) => Promise<void>
  /** asset → [available, held] */
  readonly wallet: (walletId: string) => Promise<Readonly<Record<string, readonly [string, string]>>>
}

export const INVENTORY = { BTC: "100", USDT: "10000000" } as const

export const signUp = async (gateway: Ready): Promise<Api> => {
  const { accessToken } = (await api(gateway).signup(`user-${randomUUID()}@example.com`)).record
  return api(gateway).as(accessToken)
}

/** `admin`: one who may make dealers. */
export const openDesk = async (gateway: Ready, admin: Api, terms: Fields = {}): Promise<Desk> => {
  const config = { pricing: { allowSimulatedVenues: true } }
  const created = await admin.post<DealerRecord>("/dealer/create", {
    name: "Desk",
    baseCurrencies: ["USDT"],
    config,
    ...terms,
  })
  const dealer = created.record
  const { dealerAccountId } = dealer
  const linkedAccountId = (await admin.connectMock()).record.tradingAccountId
  const linked = await admin.post("/dealer/account/link", { dealerAccountId, tradingAccountId: linkedAccountId })
  if (!linked.envelope.success) throw new Error(linked.text)
  const deposit: Desk["deposit"] = async (walletId, asset, amount) => {
    const answer = await admin.post("/wallet/deposit", { walletId, asset, amount })
    if (!answer.envelope.success) throw new Error(answer.text)
  }
  for (const [asset, amount] of Object.entries(INVENTORY)) await deposit(dealer.walletId!, asset, amount)
  return {
    admin,
    dealer,
    linkedAccountId,
    deposit,
    dealerNow: async () => (await admin.get<DealerDetail>("/dealer/get", { dealerAccountId })).record,
    wallet: async (walletId) => {
      const { balances } = (await admin.get<WalletRecord>("/wallet/get", { walletId })).record
      return Object.fromEntries(balances.map(({ asset, available, held }) => [asset, [available, held] as const]))
    },
    client: async (balances = { BTC: "10", USDT: "1000000" }) => {
      const calls = await signUp(gateway)
      const account = (await calls.connect({ venue: "INTERNAL" })).record
      const { tradingAccountId } = account
      const walletId = account.walletId ?? ""
      for (const [asset, amount] of Object.entries(balances)) await deposit(walletId, asset, amount)
      const ask: Client["ask"] = (fields = {}) =>
        calls.post<QuoteRecord>("/quote/request", {
          dealerAccountId,
          instrumentId: "INTERNAL:BTC/USDT",
          orderSide: "BUY",
          ...(fields["quoteQuantity"] === undefined && { quantity: "0.5" }),
          ...fields,
        })
      return {
        calls,
        tradingAccountId,
        walletId,
        ask,
        // The book of MOCK moves four times a second: one is there in a moment.
        quote: (fields) =>
          until("a firm quote", async () => {
            const { record } = await ask(fields)
            return record.status === "CREATED" ? record : null
          }),
        execute: (quote, fields = {}) =>
          calls.submit({
            tradingAccountId,
            orderType: "QUOTED",
            quoteId: quote.quoteId,
            orderSide: quote.orderSide,
            quantity: quote.quantity,
            awaitClosed: true,
            ...fields,
          }),
        quoteNow: async (quoteId) => (await calls.get<QuoteRecord>("/quote/get", { quoteId })).record,
      }
    },
  }
}
