/**
 * What an account at any exchange keeps to, as tests of one venue after another: fills of a time when the gateway was dead are read in pages; silent
 * streams, answers that are lost and cancels that come too late end as the exchange has them; orders of other programs are shown, and a
 * disconnect leaves nothing open. One gateway and one exchange for all of them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type TradeOrderId, venueClientId } from "../../../../src/domain/ids.ts"
import type { Fault } from "../../../exchanges/binance/faults.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../../../exchanges/loopback.ts"
import type { Routes } from "../../../exchanges/route-ccxt.ts"
import { type Api, api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { signUp } from "../users/people.ts"

/** Far from any market: nothing but the tests fills it. */
const PRICE = "10000"
/** The floors of the audits are 10, 30 and 60 s (contract C3). */
const AUDIT_MILLIS = 120_000
/** `torture -- venues` asks for 5,000. */
const TRADES = Number(process.env["ABSENCE_TRADES"] ?? 1_000)

type Placed = { readonly clientOrderId: string; readonly count: number; readonly created: number }
type Exchange<User> = Omit<LoopbackExchange<User, never, Placed, never>, "fault" | "socketCount"> & {
  readonly fills: (apiKey: string) => ReadonlyArray<unknown>
  readonly fault: (fault: Fault) => void
}

export interface ExchangeAccount<User extends LoopbackUser, E extends Exchange<User>> {
  /** In the gateway's words, and the symbol of BTC in the venue's; of the other program in ccxt's. */
  readonly venue: string
  readonly pair: string
  readonly symbol: string
  readonly start: (options: LoopbackOptions<User>) => Promise<E>
  readonly user: User
  /** `METHOD /path` of an order, of a cancel, and of a page of fills, which has so many. */
  readonly place: string
  readonly cancel: string
  readonly list: string
  readonly page: number
  /** How often it trades while the gateway is dead, where its pages take longer than a test may. */
  readonly trades?: number
  /** Cancels are acknowledged and not carried out while it is on; absent: the answer to a cancel is its end there. */
  readonly holdCancels?: (exchange: E, on: boolean) => void
  /** Our client id behind the venue's spelling of it, where that is neither hex nor a uuid. */
  readonly read?: (clientOrderId: string) => string
  /** Where the venue's spelling does not say all of it. */
  readonly isOurs?: (clientOrderId: string, id: TradeOrderId) => boolean
  /** Our name of the account, where the venue has none. */
  readonly name?: string
  /** Of orders that still work at the exchange. */
  readonly countOpen: (exchange: E, apiKey: string) => number
  /** A program of the same user's, which buys 0.06 at 9,000; answers the venue's id of the order. */
  readonly buyElsewhere: (routes: Routes, user: User) => Promise<string | undefined>
}

export const describeAccount = <User extends LoopbackUser, E extends Exchange<User>>(at: ExchangeAccount<User, E>) =>
  describe(`an account at ${at.venue}`, { timeout: 300_000 }, () => {
    // Some write it as the uuid that it is.
    const { trades = TRADES, read = (it: string) => it.replaceAll("-", "") } = at
    const { isOurs = (it: string, id: TradeOrderId) => read(it) === venueClientId(id) } = at
    const [base = "", quote = ""] = at.pair.split("/")
    const { apiKey } = at.user
    let exchange: E
    let gateway: Gateway
    let calls: Api
    let env: Readonly<Record<string, string>>
    let tradingAccountId: string
    beforeAll(async () => {
      const user = { ...at.user, balances: { [quote]: "1000000", [base]: "5" } }
      exchange = await at.start({ users: [user], market: "empty" })
      env = { VENUE_ROUTES: JSON.stringify(exchange.routes) }
      gateway = await startGateway({ env })
      const newcomer = await signUp(gateway)
      calls = newcomer.calls
      const { balances: _, ...keys } = at.user
      const { credentialId } = (await calls.createCredential({ venue: at.venue, ...keys })).record
      const name = at.name === undefined ? {} : { externalTradingAccountId: at.name }
      const account = (await calls.connect({ venue: at.venue, ...name, credentialIds: [credentialId] })).record
      tradingAccountId = account.tradingAccountId
      await until("the account takes orders", async () =>
        (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
      )
    })
    afterAll(async () => {
      await endGateways()
      await exchange.stop()
    })

    const resting = (quantity: string) => ({
      tradingAccountId,
      instrumentId: `${at.venue}:${at.pair}`,
      orderSide: "BUY",
      orderType: "LIMIT",
      limitPrice: PRICE,
      quantity,
    })
    const order = async (tradeOrderId: string) => (await calls.order(tradingAccountId, tradeOrderId)).record
    const reaches = (tradeOrderId: string, status: string) =>
      until(
        `${status} of ${tradeOrderId}`,
        async () => {
          const record = await order(tradeOrderId)
          return record.orderStatus === status && record
        },
        AUDIT_MILLIS,
      )

    // Before thousands of trades of the same minute: its audits would read them all again.
    it("hears by its audits what a private stream did not say", async () => {
      const { tradeOrderId } = await calls.submitted({ ...resting("0.04"), awaitAccepted: true })
      exchange.fault({ fault: "suppressUserEvents", on: true })
      exchange.trade(at.symbol, "SELL", "0.04")
      expect(await reaches(tradeOrderId, "FILLED")).toMatchObject({ executedQuantity: "0.04" })
      exchange.fault({ fault: "suppressUserEvents", on: false })
    })

    it("opens and takes orders after an absence, and reads each of its trades once", async () => {
      const { tradeOrderId } = await calls.submitted({ ...resting("10"), awaitAccepted: true })
      gateway.kill("SIGKILL")
      await gateway.exited
      const before = exchange.fills(apiKey).length
      for (let n = 0; n < trades; n++) exchange.trade(at.symbol, "SELL", "0.001")
      expect(exchange.fills(apiKey)).toHaveLength(before + trades)
      const asked = exchange.counts()[at.list] ?? 0

      gateway = await startGateway({ env, dataDir: gateway.dataDir })
      calls = api(gateway).as(calls.token)
      const small = await until("an order of the meantime", async () => {
        const answer = await calls.submit(resting("0.01"))
        return answer.status === 200 && answer.record
      })
      const read = await until(
        "all trades of the absence",
        async () => {
          const record = await order(tradeOrderId)
          return record.executions.length >= trades && record
        },
        AUDIT_MILLIS,
      )
      const executed = String(trades / 1000)
      expect(read.executedQuantity).toBe(executed)
      expect(read.executions.filter(({ inferred }) => inferred)).toEqual([])
      expect(new Set(read.executions.map(({ externalTradeId }) => externalTradeId)).size).toBe(trades)
      expect((exchange.counts()[at.list] ?? 0) - asked).toBeLessThan(4 * Math.ceil(trades / at.page))
      for (const id of [small.tradeOrderId, tradeOrderId]) await calls.cancelled(tradingAccountId, id)
      expect(await order(tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", executedQuantity: executed })
    })

    it.each(["apply-then-destroy", "apply-then-hang"] as const)(
      "finds its order after an answer that was lost (%s), and has sent it once",
      async (kind) => {
        exchange.fault({ fault: "answer", match: at.place, action: { kind } })
        const { tradeOrderId } = (await calls.submit(resting("0.02"))).record
        await until("the order, found by our id", async () => (await order(tradeOrderId)).externalOrderId)
        const id = tradeOrderId as TradeOrderId
        const placed = exchange.placements().find(({ clientOrderId }) => isOurs(clientOrderId, id))
        expect(placed).toMatchObject({ count: 1, created: 1 })
        await calls.cancelled(tradingAccountId, tradeOrderId)
      },
    )

    const { holdCancels } = at
    if (holdCancels !== undefined)
      it("has an order FILLED that filled behind its acknowledged cancel", async () => {
        const { tradeOrderId } = await calls.submitted({ ...resting("0.03"), awaitAccepted: true })
        holdCancels(exchange, true)
        const sent = exchange.counts()[at.cancel] ?? 0
        await calls.cancel(tradingAccountId, tradeOrderId)
        await until("the cancel at the venue", () => (exchange.counts()[at.cancel] ?? 0) > sent)
        exchange.trade(at.symbol, "SELL", "0.03")
        expect(await reaches(tradeOrderId, "FILLED")).toMatchObject({ executedQuantity: "0.03" })
        holdCancels(exchange, false)
      })

    it("shows the order of another program, and disconnects so that nothing stays open at the exchange", async () => {
      const mine = await calls.submitted({ ...resting("0.05"), awaitAccepted: true })
      // A disconnect reads the trades of 5 s up to the newest, and those of the absence were made in one second: each of its looks would read them all.
      exchange.trade(at.symbol, "SELL", "0.01")
      await until("a trade of now", async () => (await order(mine.tradeOrderId)).executedQuantity === "0.01")
      const id = await at.buyElsewhere(exchange.routes, at.user)
      const foreign = await until("the foreign order", async () =>
        (await calls.orders({ tradingAccountId })).record.find(({ externalOrderId }) => externalOrderId === id),
      )
      expect(foreign).toMatchObject({ quantity: "0.06", limitPrice: "9000" })
      await calls.disconnect(tradingAccountId).then(({ record }) => record)
      await until("nothing open at the exchange", () => at.countOpen(exchange, apiKey) === 0)
      expect((await order(mine.tradeOrderId)).orderStatus).toBe("CANCELLED")
    })
  })
