/** The limits of the loopback Binance USDⓈ-M bite by themselves: by weight, then by a ban; orders by account. */
import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startUsdmExchange, type UsdmExchange } from "../../exchanges/binance-usdm/exchange.ts"

const KEY = { apiKey: "k".repeat(64), apiSecret: "s".repeat(64) }

describe("the limits of the loopback Binance USDⓈ-M", () => {
  let exchange: UsdmExchange
  // One minute for all of it, so that no count begins anew.
  const started = Date.now()
  beforeAll(async () => {
    const users = [{ ...KEY, balances: { USDT: "1000000" } }]
    exchange = await startUsdmExchange({ users, market: "still", clockAheadMillis: () => started - Date.now() })
  })
  afterAll(() => exchange.stop())

  const place = async (n: number) => {
    const fields = {
      symbol: "BTCUSDT",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: "0.001",
      price: "50000",
    }
    const asked = { ...fields, newClientOrderId: `order-${n}`, timestamp: String(started) }
    const query = new URLSearchParams(asked).toString()
    const signature = createHmac("sha256", KEY.apiSecret).update(query).digest("hex")
    const url = `${exchange.url}/fapi/v1/order?${query}&signature=${signature}`
    return fetch(url, { method: "POST", headers: { "X-MBX-APIKEY": KEY.apiKey } })
  }

  it("take 300 orders of an account in ten seconds, which weigh nothing, and refuse the next with -1015", async () => {
    const answers = await Promise.all(Array.from({ length: 301 }, (_, n) => place(n)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ status }) => status)).toEqual([429])
    expect(await refused[0]?.json()).toMatchObject({ code: -1015 })
    expect(answers[0]?.headers.get("x-mbx-used-weight-1m")).toBe("0")
    expect(exchange.orders(KEY.apiKey)).toHaveLength(300)
  })

  it("take a weight of 2,400 a minute of an address, answer 429 above it, and ban who goes on", async () => {
    const ask = () => fetch(`${exchange.url}/fapi/v1/depth?symbol=BTCUSDT&limit=1000`)
    const statuses: Array<number> = []
    for (let n = 0; n < 120; n++) statuses.push((await ask()).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    const over = await ask()
    expect([over.status, over.headers.get("x-mbx-used-weight-1m")]).toEqual([429, "2420"])
    expect(await over.json()).toMatchObject({ code: -1003 })
    for (let n = 0; n < 19; n++) expect((await ask()).status).toBe(429)
    const banned = await ask()
    expect([banned.status, banned.headers.get("retry-after")]).toEqual([418, "120"])
    expect((await place(1000)).status).toBe(418)
  })
})
