/** A dealer that hedges at the loopback Binance, and a client of it, over HTTP. */
import { randomBytes, randomUUID } from "node:crypto"
import type { DealerConfigRecord } from "../../../src/domain/dealer/config.ts"
import type { DealerRecord } from "../../../src/domain/dealer/dealer.ts"
import type { HedgeReportRecord } from "../../../src/domain/dealer/hedging/hedge-report.ts"
import type { QuoteRecord } from "../../../src/domain/dealer/quote.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import type { WalletRecord } from "../../../src/domain/wallet/wallet.ts"
import type { BinanceExchange } from "../../exchanges/binance/exchange.ts"
import { type Answer, type Api, api, type Ready, until } from "../servers/gateway.ts"

export interface Desk {
  /** Speaks as the admin, who owns the linked account too. */
  readonly calls: Api
  readonly dealerAccountId: string
  /** The dealer's own account on INTERNAL, and its wallet. */
  readonly tradingAccountId: string
  readonly walletId: string
  /** At Binance. */
  readonly linkedAccountId: string
  readonly credentialId: string
  readonly apiKey: string
}

export interface Client {
  readonly calls: Api
  readonly tradingAccountId: string
  readonly walletId: string
}

export type DealerDetail = DealerRecord & { readonly hedging: ReadonlyArray<HedgeReportRecord> }

export interface DeskOptions {
  readonly config?: DealerConfigRecord
  readonly riskThreshold?: string
  /** What the linked account has at the exchange. */
  readonly balances?: Readonly<Record<string, string>>
}

export const INVENTORY = { BTC: "100", USDT: "10000000" }

/** An ACTIVE account at the exchange, of whoever calls. */
export const connectExchange = async (
  calls: Api,
  exchange: Pick<BinanceExchange, "addUser">,
  balances: Readonly<Record<string, string>> = INVENTORY,
  venue = "BINANCE",
): Promise<{ readonly tradingAccountId: string; readonly credentialId: string; readonly apiKey: string }> => {
  const keys = { apiKey: randomBytes(32).toString("hex"), apiSecret: randomBytes(32).toString("hex") }
  exchange.addUser({ ...keys, balances })
  // A thread that gets no turn for a second is taken for one that hangs, and the venue is away until it begins anew.
  const { credentialId } = await until("the venue to prove the credential", async () => {
    const answer = await calls.createCredential({ venue, ...keys })
    return answer.envelope.errno !== -130001 && answer.record
  })
  const { tradingAccountId } = (await calls.connect({ venue, credentialIds: [credentialId] })).record
  await until("an ACTIVE account at the exchange", async () =>
    (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
  )
  return { tradingAccountId, credentialId, apiKey: keys.apiKey }
}

const deposit = async (calls: Api, walletId: string, funds: Readonly<Record<string, string>>): Promise<void> => {
  for (const [asset, amount] of Object.entries(funds))
    await calls.post("/wallet/deposit", { walletId, asset, amount }).then(({ record }) => record)
}

export const openDesk = async (
  calls: Api,
  exchange: Pick<BinanceExchange, "addUser">,
  options: DeskOptions = {},
): Promise<Desk> => {
  const linked = await connectExchange(calls, exchange, options.balances)
  const dealer = (
    await calls.post<DealerRecord>("/dealer/create", {
      name: "Desk",
      baseCurrencies: ["BTC"],
      ...(options.riskThreshold && { riskThreshold: options.riskThreshold }),
      config: options.config ?? {},
    })
  ).record
  const { dealerAccountId, tradingAccountId, walletId } = dealer
  if (tradingAccountId === null || walletId === null) throw new Error("the dealer is not shown whole to its admin")
  const link = { dealerAccountId, tradingAccountId: linked.tradingAccountId }
  await calls.post("/dealer/account/link", link).then(({ record }) => record)
  await deposit(calls, walletId, INVENTORY)
  return {
    calls,
    dealerAccountId,
    tradingAccountId,
    walletId,
    linkedAccountId: linked.tradingAccountId,
    credentialId: linked.credentialId,
    apiKey: linked.apiKey,
  }
}

export const openClient = async (gateway: Ready, desk: Desk, funds = INVENTORY): Promise<Client> => {
  const session = (await api(gateway).signup(`client-${randomUUID()}@example.com`)).record
  const calls = api(gateway).as(session.accessToken)
  const account = (await calls.connect({ venue: "INTERNAL", dealerAccountId: desk.dealerAccountId })).record
  const { walletId } = account
  if (walletId === null || walletId === undefined) throw new Error("an internal account without a wallet")
  await deposit(desk.calls, walletId, funds)
  return { calls, tradingAccountId: account.tradingAccountId, walletId }
}

export const requestQuote = (
  client: Client,
  desk: Desk,
  asked: Readonly<Record<string, unknown>> = {},
): Promise<Answer<QuoteRecord>> =>
  client.calls.post("/quote/request", {
    dealerAccountId: desk.dealerAccountId,
    traderAccountId: client.tradingAccountId,
    instrumentId: "INTERNAL:BTC/USDT",
    orderSide: "BUY",
    quantity: "0.04",
    ttl: 300,
    ...asked,
  })

export const executionOf = (client: Client, quote: QuoteRecord) => ({
  tradingAccountId: client.tradingAccountId,
  instrumentId: quote.instrumentId,
  orderSide: quote.orderSide,
  orderType: "QUOTED",
  quoteId: quote.quoteId,
  quantity: quote.quantity,
  idempotencyKey: `execute-${quote.quoteId}`,
  awaitClosed: true,
})

/** A quote, executed. The dealer may have to see its market first. */
export const trade = async (
  client: Client,
  desk: Desk,
  asked: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly quote: QuoteRecord; readonly order: TradeOrderRecord }> => {
  const quote = await until("a firm quote", async () => {
    const { envelope, text } = await requestQuote(client, desk, asked)
    if (envelope.data?.status === "CREATED") return envelope.data
    if (envelope.data?.rejectReason !== "INSUFFICIENT_LIQUIDITY") throw new Error(`no quote: ${text}`)
    return undefined
  })
  return { quote, order: await client.calls.submitted(executionOf(client, quote)) }
}

export const dealerDetail = async (desk: Desk): Promise<DealerDetail> =>
  (await desk.calls.get<DealerDetail>("/dealer/get", { dealerAccountId: desk.dealerAccountId })).record

/** Of BTC/USDT; undefined before the first executed quote. */
export const hedgingOf = async (desk: Desk): Promise<HedgeReportRecord | undefined> =>
  (await dealerDetail(desk)).hedging.find(({ symbol }) => symbol === "BTC/USDT")

/** A trade whose hedge the exchange executes and never answers: it is at work until something else happens. */
export const tradeUnanswered = async (
  client: Client,
  desk: Desk,
  exchange: Pick<BinanceExchange, "fault">,
): Promise<HedgeReportRecord> => {
  exchange.fault({ fault: "suppressUserEvents", on: true })
  exchange.fault({ fault: "answer", match: "POST /api/v3/order", action: { kind: "apply-then-hang" } })
  await trade(client, desk)
  return until("a hedge at work", async () => {
    const hedging = await hedgingOf(desk)
    return hedging?.openHedgeIds.length === 1 ? hedging : undefined
  })
}

/** The linked account has no credential any more: nobody can ask what became of its orders. */
export const loseCredential = async (desk: Desk): Promise<HedgeReportRecord> => {
  await desk.calls.post("/credential/revoke", { credentialId: desk.credentialId, force: true }).then((it) => it.record)
  return until("what is in doubt there is carried", async () => {
    const hedging = await hedgingOf(desk)
    return hedging?.state === "CARRIED" ? hedging : undefined
  })
}

/** What the exchange takes of a buy in base is below its smallest order, unless a test trades more than 0.08. */
const DUST = 0.0001

/** Nothing is open any more but what fees took. */
export const untilHedged = (desk: Desk): Promise<HedgeReportRecord> =>
  until("everything is hedged", async () => {
    const hedging = await hedgingOf(desk)
    const isDust = hedging?.state === "ACCUMULATING" && Math.abs(Number(hedging.position)) < DUST
    return hedging?.state === "FLAT" || isDust ? hedging : undefined
  })

/** Orders of the linked account that are hedges, oldest first. */
export const hedgesOf = async (desk: Desk): Promise<ReadonlyArray<TradeOrderRecord>> =>
  (await desk.calls.orders({ tradingAccountId: desk.linkedAccountId, limit: 500 })).record
    .filter(({ dealerAccountId }) => dealerAccountId === desk.dealerAccountId)
    .toReversed()

export const balancesOf = async (calls: Api, walletId: string): Promise<Readonly<Record<string, string>>> => {
  const { balances } = (await calls.get<WalletRecord>("/wallet/get", { walletId })).record
  return Object.fromEntries(balances.map(({ asset, balance }) => [asset, balance]))
}
