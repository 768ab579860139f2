/** A gateway that kills itself on the way of a quote, and the one after it: what was promised is kept, once, and told once. */

import { afterAll, describe, expect, it, vi } from "vitest"
import type { FailpointName } from "../../../../src/ports/failpoint.ts"
import { INVENTORY, openDesk } from "../../../kit/desks/quoting.ts"
import { founder } from "../../../kit/servers/founder.ts"
import { type Api, api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { type AccountEvent, closeClients, connectClient } from "../markets/socket.ts"

vi.setConfig({ testTimeout: 300_000 })
afterAll(async () => {
  closeClients()
  await endGateways()
})

/** Two processes start for each: one place by default, all with QUOTE_PLACES=all. */
const PLACES: ReadonlyArray<FailpointName> =
  process.env["QUOTE_PLACES"] === "all"
    ? [
        "quote.handedToLedger",
        "quote.committed",
        "quote.taken",
        "quote.held",
        "submit.handedToWriter",
        "quote.settling",
        "quote.settled",
        "report.committed",
      ]
    : ["quote.settling"]

const digits = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(18, "0"))
}

const eventsOf = async (gateway: Gateway, token: string, tradingAccountId: string) => {
  const client = await connectClient(gateway, token)
  const subscription = client.newSubscription(`tradingAccount:${tradingAccountId}`)
  subscription.subscribe()
  await subscription.ready(60_000)
  const { publications } = await subscription.history({ limit: 1_000 })
  return publications.map(({ data }) => data as AccountEvent)
}

describe("a process that dies on the way of a quote", () => {
  it.concurrent.each(PLACES)("at %s", async (place) => {
    const dying = await startGateway({ env: { FAILPOINT: `${place}:1:kill:armed` } })
    const admin = await founder(dying)
    const desk = await openDesk(dying, admin)
    const client = await desk.client()
    await client.quote({ ttl: 1 })
    dying.kill("SIGWINCH")
    await until("the failpoint to be awake", () => dying.stdout.some((line) => line.startsWith("armed ")))
    const ask = (calls = client.calls) =>
      calls.post<{
        readonly quoteId: string
        readonly status: string
        readonly price: string
        readonly quantity: string
      }>("/quote/request", {
        dealerAccountId: desk.dealer.dealerAccountId,
        instrumentId: "INTERNAL:BTC/USDT",
        orderSide: "BUY",
        quantity: "0.5",
        ttl: 120,
        quoteRequestId: "the-one",
      })
    const submit = (calls: Api, quoteId: string) =>
      calls.submit({
        tradingAccountId: client.tradingAccountId,
        orderType: "QUOTED",
        quoteId,
        orderSide: "BUY",
        quantity: "0.5",
        idempotencyKey: "the-order",
        awaitClosed: true,
      })
    let isOver = false
    void dying.exited.then(() => {
      isOver = true
    })
    let promised: string | undefined
    // The book that it quotes from may not be there for the first of them.
    await until("the end of the process", async () => {
      const quote = (await ask().catch(() => null))?.envelope.data
      if (quote?.status === "CREATED") {
        promised = quote.quoteId
        await submit(client.calls, quote.quoteId).catch(() => null)
      }
      return isOver
    })
    expect((await dying.exited).signal).toBe("SIGKILL")

    const last = await startGateway({ dataDir: dying.dataDir })
    const calls = api(last).as(client.calls.token!)
    const wallets = api(last).as(admin.token!)
    // The same request under its key: the quote that there is, or the first one.
    const quote = await until("the quote", async () => {
      const answer = await ask(calls)
      return answer.envelope.success && answer.record.status !== "REJECTED" && answer.record
    })
    if (promised !== undefined) expect(quote.quoteId).toBe(promised)
    const order = await until("the order to be over", async () => {
      const answer = await submit(calls, quote.quoteId)
      return answer.envelope.success && answer.record.status === "FILLED" && answer.record
    })
    expect(order).toMatchObject({ executedQuantity: "0.5", averagePrice: quote.price })
    expect(order.executions).toHaveLength(1)
    expect((await calls.orders({ tradingAccountId: client.tradingAccountId })).record).toHaveLength(1)
    const balancesOf = async (walletId: string) => {
      const { balances } = (
        await wallets.get<{ readonly balances: ReadonlyArray<Record<"asset" | "balance" | "held", string>> }>(
          "/wallet/get",
          { walletId },
        )
      ).record
      return Object.fromEntries(balances.map(({ asset, balance, held }) => [asset, [balance, held] as const]))
    }
    const mine = await balancesOf(client.walletId)
    const theirs = await balancesOf(desk.dealer.walletId!)
    expect([mine["BTC"], theirs["BTC"]]).toEqual([
      ["10.5", "0"],
      ["99.5", "0"],
    ])
    expect(digits(mine["USDT"]![0]) + digits(theirs["USDT"]![0])).toBe(digits("1000000") + digits(INVENTORY.USDT))
    expect([mine["USDT"]![1], theirs["USDT"]![1]]).toEqual(["0", "0"])
    const words = await until("the word of its execution", async () => {
      const told = (await eventsOf(last, client.calls.token!, client.tradingAccountId)).filter(
        ({ kind, data }) => kind === "QUOTE.UPDATED" && data["quoteId"] === quote.quoteId,
      )
      const found = told.map(({ data }) => data["status"])
      return found.includes("EXECUTED") && found
    })
    expect(words.filter((word) => word === "EXECUTED")).toHaveLength(1)
    expect(words.filter((word) => word === "CREATED")).toHaveLength(1)
    await last.stop()
  })
})
