/**
 * What an account has open at an exchange of contracts keeps to, as tests of one venue after another: it is shown with the currency of its margin, and as
 * the venue says it; orders that name it close it, and never open or turn one. One gateway and one exchange for all of them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Fault } from "../../../exchanges/binance/faults.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../../../exchanges/loopback.ts"
import type { Routes } from "../../../exchanges/route-ccxt.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { signUp, type Trader } from "../users/people.ts"

/** The floors of the audits are 10, 30 and 60 s (contract C3). */
const AUDIT_MILLIS = 120_000

type Keys = Pick<LoopbackUser, "apiKey" | "apiSecret">

type Exchange = Omit<LoopbackExchange<LoopbackUser, never, unknown, never>, "fault" | "socketCount"> & {
  readonly fault: (fault: Fault) => void
  readonly orders: (apiKey: string) => ReadonlyArray<{ readonly reduceOnly: boolean }>
  readonly liquidate: (apiKey: string, symbol: string) => void
  readonly levels: (symbol: string, side: "bids" | "asks") => ReadonlyArray<{ readonly price: string }>
}

export interface ExchangePositions<E extends Exchange> {
  /** In the gateway's words, and the symbol of BTC in the venue's. */
  readonly venue: string
  readonly pair: string
  readonly symbol: string
  readonly start: (options: LoopbackOptions<LoopbackUser>) => Promise<E>
  readonly keysOf: () => Keys
  /** Signed, as the venue has it; "0" where there is none. */
  readonly positionOf: (exchange: E, apiKey: string) => string
  /** The venue's ids of what an account sold, oldest first. */
  readonly soldBy: (exchange: E, apiKey: string) => ReadonlyArray<string>
  /** A way of keeping accounts that the gateway does not follow, and a word of the answer that says the way out. */
  readonly notTaken?: {
    readonly name: string
    readonly set: (exchange: E, apiKey: string) => void
    readonly word: string
  }
  /** Another program of the same user's, in ccxt's words. */
  readonly connect: (
    routes: Routes,
    keys: { readonly apiKey: string; readonly secret: string },
  ) => Promise<{
    readonly createOrder: (symbol: string, type: "market", side: "buy", amount: number) => Promise<unknown>
    readonly close: () => Promise<unknown>
  }>
}

export const describePositions = <E extends Exchange>(at: ExchangePositions<E>) =>
  describe(`a position at ${at.venue}`, () => {
    const { venue, pair, symbol: BTC } = at
    const instrumentId = `${venue}:${pair}`
    const quote = pair.split("/")[1] ?? ""
    let exchange: E
    let gateway: Gateway
    let env: Readonly<Record<string, string>>
    beforeAll(async () => {
      exchange = await at.start({ market: "still" })
      env = { VENUE_ROUTES: JSON.stringify(exchange.routes) }
      gateway = await startGateway({ env })
    })
    afterAll(async () => {
      await endGateways()
      await exchange.stop()
    })

    const trader = async (): Promise<Trader & Keys> => {
      const user = await signUp(gateway)
      const keys = at.keysOf()
      exchange.addUser({ ...keys, balances: { [quote]: "100000" } })
      const { credentialId } = (await user.calls.createCredential({ venue, ...keys })).record
      const connected = (await user.calls.connect({ venue, credentialIds: [credentialId] })).record
      const { tradingAccountId } = connected
      await until("the account is ACTIVE", async () =>
        (await user.calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
      )
      return { ...user, tradingAccountId, ...keys }
    }

    const market = ({ tradingAccountId }: Trader, orderSide: "BUY" | "SELL", quantity: string) => ({
      tradingAccountId,
      instrumentId,
      orderSide,
      orderType: "MARKET",
      quantity,
      awaitClosed: true,
    })

    const shown = async ({ calls, tradingAccountId }: Trader) => (await calls.portfolio(tradingAccountId)).record

    it("is shown with its margin, never as a balance of its base asset, under the id of its orders, also after a restart", async () => {
      const who = await trader()
      const order = await who.calls.submitted(market(who, "SELL", "0.5"))
      const [row, ...others] = await until("the position", async () => {
        const rows = await shown(who)
        return rows.some(({ contracts }) => contracts !== undefined) && rows
      })
      expect(others).toEqual([])
      const contract = {
        positionId: order.positionId,
        instrumentId,
        side: "SHORT",
        quantity: "0.5",
        entryPrice: expect.stringMatching(/^59\d{3}/),
        unrealizedProfit: expect.any(String),
      }
      expect(row).toMatchObject({ currency: quote, contracts: [contract] })
      // A twentieth of some 30,000 is its margin.
      expect(Number(row?.locked)).toBeGreaterThan(1_400)
      expect(Number(row?.balance)).toBeGreaterThan(99_000)

      gateway.kill("SIGKILL")
      await gateway.exited
      gateway = await startGateway({ env, dataDir: gateway.dataDir })
      const again = { ...who, calls: api(gateway).as(who.calls.token) }
      const rows = await until("the position behind the restart", async () => {
        const answer = await again.calls.portfolio(who.tradingAccountId)
        return answer.status === 200 && answer.record.length > 0 && answer.record
      })
      expect(rows).toMatchObject([{ currency: quote, contracts: [contract] }])

      await again.calls.submitted(market(again, "BUY", "0.5"))
      await until("its end", async () => (await shown(again)).every(({ contracts }) => contracts === undefined))
      expect(at.positionOf(exchange, who.apiKey)).toBe("0")
    })

    it("is closed by orders that name it, which never open or turn one", async () => {
      const who = await trader()
      const bought = await who.calls.submitted(market(who, "BUY", "0.5"))
      const { positionId } = bought
      const errnoOf = async (body: object) =>
        (await who.calls.submit({ ...market(who, "SELL", "0.5"), ...body })).envelope.errno
      // Before the venue is asked again: its own execution is counted.
      expect(await errnoOf({ positionId, quantity: "0.501" })).toBe(-112033)
      expect(await errnoOf({ positionId, orderSide: "BUY" })).toBe(-112033)
      const half = { positionId, quantity: "0.5", quantityType: "POSITION_RATIO" }
      const sold = await who.calls.submitted({ ...market(who, "SELL", "0.5"), ...half })
      expect(sold).toMatchObject({
        baseQuantity: "0.25",
        executedQuantity: "0.25",
        orderStatus: "FILLED",
        reduceOnly: true,
      })
      expect(bought).not.toHaveProperty("reduceOnly")
      expect(exchange.orders(who.apiKey).map(({ reduceOnly }) => reduceOnly)).toEqual([false, true])
      const rest = await who.calls.submitted({ ...market(who, "SELL", "0.25"), positionId })
      expect(rest.orderStatus).toBe("FILLED")
      expect(at.positionOf(exchange, who.apiKey)).toBe("0")
      expect(await errnoOf({ positionId, quantity: "0.001" })).toBe(-110016)
    })

    it("that another program opens is told on the stream's word, and on an audit's where the stream is silent", {
      timeout: 180_000,
    }, async () => {
      const who = await trader()
      const elsewhere = await at.connect(exchange.routes, { apiKey: who.apiKey, secret: who.apiSecret })
      const opened = (quantity: string) =>
        until(
          `a position of ${quantity}`,
          async () => (await shown(who)).some(({ contracts = [] }) => contracts[0]?.quantity === quantity),
          AUDIT_MILLIS,
        )
      try {
        await elsewhere.createOrder(`${pair}:${quote}`, "market", "buy", 0.1)
        await opened("0.1")
        exchange.fault({ fault: "suppressUserEvents", on: true })
        await elsewhere.createOrder(`${pair}:${quote}`, "market", "buy", 0.2)
        await opened("0.3")
      } finally {
        exchange.fault({ fault: "clear" })
        await elsewhere.close()
      }
    })

    it("that the venue liquidates is gone, and its executions are those of the venue's list, each once", async () => {
      const who = await trader()
      await who.calls.submitted(market(who, "BUY", "0.4"))
      exchange.liquidate(who.apiKey, BTC)
      const order = await until("the venue's order and its trades", async () => {
        const { record } = await who.calls.orders({ tradingAccountId: who.tradingAccountId })
        return record.find(({ origin, orderStatus }) => origin === "EXTERNAL" && orderStatus === "FILLED")
      })
      expect(order).toMatchObject({ orderSide: "SELL", quantity: "0.4", executedQuantity: "0.4" })
      const trades = at.soldBy(exchange, who.apiKey)
      expect(order.executions.map(({ externalTradeId, inferred }) => [externalTradeId, inferred])).toEqual(
        trades.map((id) => [id, false]),
      )
      await until("its end", async () => (await shown(who)).every(({ contracts }) => contracts === undefined))
    })

    it.each(["is open", "was closed meanwhile"])(
      "whose stop fires is closed where it %s, and never opened the other way",
      async (state) => {
        const who = await trader()
        const { positionId } = await who.calls.submitted(market(who, "BUY", "0.4"))
        const { tradingAccountId, instrumentId } = market(who, "SELL", "0.4")
        const stop = {
          tradingAccountId,
          instrumentId,
          orderSide: "SELL",
          orderType: "STOP_LOSS",
          quantity: "0.4",
          positionId,
        }
        // Without a price the first trade would decide whether it is refused.
        await until("the price above the stop", async () => {
          const { status, record } = await who.calls.ticker(instrumentId)
          return status === 200 && Number(record.lastPrice) > 59_000
        })
        const { tradeOrderId } = (await who.calls.submit({ ...stop, stopPrice: "59000" })).record
        const order = async () => (await who.calls.order(tradingAccountId, tradeOrderId)).record
        await until("the stop is armed", async () => (await order()).orderStatus === "ACCEPTED")
        if (state !== "is open") await who.calls.submitted({ ...market(who, "SELL", "0.4"), positionId })
        exchange.setLevel(BTC, "bids", "58900", "5")
        for (const { price } of exchange.levels(BTC, "bids"))
          if (Number(price) > 58_900) exchange.setLevel(BTC, "bids", price, "0")
        const end = await until("its end", async () => {
          // The first may come before the gateway hears the market's trades.
          exchange.trade(BTC, "SELL", "0.001")
          const record = await order()
          return ["FILLED", "REJECTED"].includes(record.orderStatus) && record
        })
        expect(end).toMatchObject(
          state === "is open"
            ? { orderStatus: "FILLED", reduceOnly: true }
            : { orderStatus: "REJECTED", executedQuantity: "0" },
        )
        expect(at.positionOf(exchange, who.apiKey)).toBe("0")
      },
    )

    const { notTaken } = at
    if (notTaken !== undefined)
      it(`of ${notTaken.name} is none: it is not connected, and the answer says the way out`, async () => {
        const user = await signUp(gateway)
        const keys = at.keysOf()
        exchange.addUser({ ...keys, balances: { [quote]: "100000" } })
        notTaken.set(exchange, keys.apiKey)
        const answer = await user.calls.createCredential({ venue, ...keys })
        expect([answer.status, answer.envelope.errno]).toEqual([400, -130005])
        expect(JSON.stringify(answer.envelope)).toContain(notTaken.word)
      })
  })
