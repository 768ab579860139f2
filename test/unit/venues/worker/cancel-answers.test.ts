/**
 * What the answer to a cancel means, venue by venue, in the venue's own words: where it only says that the cancel was asked for, the
 * order's end has to be seen, and an order that fills meanwhile is told as filled.
 */
import { describe, expect, it } from "vitest"
import { type Asked, scripted, TRADE_ORDER_ID, VENUE_ORDER_ID } from "../../../kit/worlds/scripted-session.ts"

type Status = "open" | "cancelled" | "filled"

interface Words {
  readonly market: string
  /** The answer to the cancel; null for every other request. */
  readonly cancel: (asked: Asked) => unknown
  /** The venue's own order. */
  readonly order: (status: Status) => unknown
}

const AT = 1_700_000_000_000
const executed = (status: Status): string => (status === "filled" ? "1" : "0")

const okxOrder = (status: Status) => ({
  instId: "BTC-USDT",
  instType: "SPOT",
  ordId: VENUE_ORDER_ID,
  clOrdId: "",
  side: "buy",
  ordType: "limit",
  px: "50000",
  sz: "1",
  accFillSz: executed(status),
  state: { open: "live", cancelled: "canceled", filled: "filled" }[status],
  cTime: String(AT),
  uTime: String(AT + 5),
})

const REQUESTED: Readonly<Record<string, Words>> = {
  COINBASE: {
    market: "BTC-USDT",
    cancel: ({ url }) =>
      url.includes("batch_cancel")
        ? { results: [{ success: true, failure_reason: "UNKNOWN_CANCEL_FAILURE_REASON", order_id: VENUE_ORDER_ID }] }
        : null,
    order: (status) => ({
      order: {
        order_id: VENUE_ORDER_ID,
        product_id: "BTC-USDT",
        side: "BUY",
        status: status.toUpperCase(),
        filled_size: executed(status),
        created_time: new Date(AT).toISOString(),
        order_configuration: { limit_limit_gtc: { base_size: "1", limit_price: "50000", post_only: false } },
      },
    }),
  },
  BYBIT: {
    market: "BTCUSDT",
    cancel: ({ url }) =>
      url.includes("/order/cancel")
        ? { retCode: 0, retMsg: "OK", result: { orderId: VENUE_ORDER_ID, orderLinkId: "" }, time: AT }
        : null,
    order: (status) => ({
      retCode: 0,
      result: {
        list: [
          {
            orderId: VENUE_ORDER_ID,
            orderLinkId: "",
            symbol: "BTCUSDT",
            side: "Buy",
            orderType: "Limit",
            timeInForce: "GTC",
            price: "50000",
            qty: "1",
            cumExecQty: executed(status),
            orderStatus: { open: "New", cancelled: "Cancelled", filled: "Filled" }[status],
            createdTime: String(AT),
            updatedTime: String(AT + 5),
          },
        ],
      },
    }),
  },
  KUCOIN: {
    market: "BTC-USDT",
    cancel: ({ url, method }) =>
      method === "DELETE" && url.includes(`/orders/${VENUE_ORDER_ID}`)
        ? { code: "200000", data: { orderId: VENUE_ORDER_ID } }
        : null,
    order: (status) => ({
      code: "200000",
      data: {
        id: VENUE_ORDER_ID,
        symbol: "BTC-USDT",
        type: "limit",
        side: "buy",
        price: "50000",
        size: "1",
        dealSize: executed(status),
        dealFunds: "0",
        active: status === "open",
        cancelExist: status !== "filled",
        createdAt: AT,
        lastUpdatedAt: AT + 5,
      },
    }),
  },
  BITFINEX: {
    market: "tBTCUST",
    cancel: ({ url }) =>
      url.includes("/order/cancel")
        ? [AT, "oc-req", null, null, bitfinexOrder("open"), null, "SUCCESS", "Submitted for cancellation"]
        : null,
    order: (status) => [bitfinexOrder(status)],
  },
  BITSTAMP: {
    market: "btcusdt",
    cancel: ({ url }) =>
      url.includes("cancel_order")
        ? { id: VENUE_ORDER_ID, amount: "1", price: "50000", type: 0, status: "Cancel pending" }
        : null,
    order: (status) => ({
      id: VENUE_ORDER_ID,
      currency_pair: "BTC/USDT",
      status: { open: "Open", cancelled: "Canceled", filled: "Finished" }[status],
      type: "0",
      amount: "1",
      amount_remaining: status === "filled" ? "0" : "1",
      price: "50000",
      datetime: "2023-11-14 22:13:20",
      transactions: [],
    }),
  },
  OKX: {
    market: "BTC-USDT",
    cancel: ({ url }) =>
      url.includes("cancel-order")
        ? { code: "0", data: [{ ordId: VENUE_ORDER_ID, clOrdId: "", sCode: "0", sMsg: "" }] }
        : null,
    order: (status) => ({ code: "0", data: [okxOrder(status)] }),
  },
}

const bitfinexOrder = (status: Status) => {
  const left = status === "filled" ? 0 : 1
  const words = { open: "ACTIVE", cancelled: "CANCELED", filled: "EXECUTED @ 50000.0(1.0)" }
  const row: Array<unknown> = [Number(VENUE_ORDER_ID), null, 7, "tBTCUST", AT, AT + 5, left, 1, "EXCHANGE LIMIT"]
  row[13] = words[status]
  row[16] = 50000
  return [...row, 0, 0, 0]
}

const DONE: Readonly<Record<string, Words>> = {
  GATE: {
    market: "BTC_USDT",
    cancel: ({ method }) => (method === "DELETE" ? gateOrder("cancelled") : null),
    order: (status) => gateOrder(status),
  },
  GEMINI: {
    market: "btcusdt",
    cancel: ({ url }) => (url.includes("/order/cancel") ? geminiOrder("cancelled") : null),
    order: (status) => geminiOrder(status),
  },
  KRAKEN: {
    market: "XBTUSDT",
    cancel: ({ url }) => (url.includes("CancelOrder") ? { error: [], result: { count: 1 } } : null),
    order: (status) => krakenOrder(status),
  },
}

const gateOrder = (status: Status) => ({
  id: VENUE_ORDER_ID,
  text: "t-1",
  currency_pair: "BTC_USDT",
  type: "limit",
  side: "buy",
  time_in_force: "gtc",
  amount: "1",
  price: "50000",
  left: status === "filled" ? "0" : "1",
  filled_total: "0",
  status: status === "filled" ? "closed" : status,
  ...(status !== "open" && { finish_as: status }),
  create_time_ms: AT,
  update_time_ms: AT + 5,
})

const geminiOrder = (status: Status) => ({
  order_id: VENUE_ORDER_ID,
  symbol: "btcusdt",
  side: "buy",
  type: "exchange limit",
  timestampms: AT,
  is_live: status === "open",
  is_cancelled: status === "cancelled",
  executed_amount: executed(status),
  original_amount: "1",
  remaining_amount: status === "filled" ? "0" : "1",
  price: "50000",
  options: [],
})

const krakenOrder = (status: Status) => ({
  error: [],
  result: {
    [VENUE_ORDER_ID]: {
      status: { open: "open", cancelled: "canceled", filled: "closed" }[status],
      opentm: AT / 1000,
      ...(status !== "open" && { closetm: AT / 1000 + 1 }),
      descr: { pair: "XBTUSDT", type: "buy", ordertype: "limit", price: "50000" },
      vol: "1",
      vol_exec: executed(status),
      oflags: "fciq",
    },
  },
})

const tagsOf = (reports: ReadonlyArray<{ readonly _tag: string }>): ReadonlyArray<string> =>
  reports.map(({ _tag }) => _tag).filter((tag) => tag !== "StreamDown")

const at = (venue: string, words: Words, status: () => Status, cancel = words.cancel) =>
  scripted(venue, words.market, (asked) => cancel(asked) ?? words.order(status()), {
    waits: { cancelLooksMillis: [0, 1, 2] },
  })

describe.each(Object.entries(REQUESTED))("a cancel at %s", (venue, words) => {
  it("that was taken is not the order's end: one that fills meanwhile is told as filled", async () => {
    const { session, reports, ref } = await at(venue, words, () => "filled")
    await session.cancel(ref)
    expect(tagsOf(reports)).toEqual(["OrderSeen", "CancelRefused"])
    expect(reports).toContainEqual(expect.objectContaining({ _tag: "CancelRefused", unknownOrder: true }))
    const [seen] = reports.flatMap((it) => (it._tag === "OrderSeen" ? [it.state] : []))
    expect(seen).toMatchObject({ status: "FILLED", executedQuantity: expect.stringMatching(/^1(\.0+)?$/) })
    await session.stop()
  })

  it("is in doubt while the venue shows the order as open", async () => {
    const { session, reports, ref } = await at(venue, words, () => "open")
    await session.cancel(ref)
    expect(tagsOf(reports)).toEqual(["CancelInDoubt"])
    await session.stop()
  })

  it("is done once the venue shows it", async () => {
    let looks = 0
    const { session, reports, ref } = await at(venue, words, () => (++looks > 1 ? "cancelled" : "open"))
    await session.cancel(ref)
    expect(tagsOf(reports)).toEqual(["OrderSeen", "CancelAccepted"])
    expect(reports.at(-1)).toMatchObject({ tradeOrderId: TRADE_ORDER_ID })
    await session.stop()
  })
})

describe.each(Object.entries(DONE))("a cancel at %s", (venue, words) => {
  it("is done when it is answered, and the order is not asked for", async () => {
    const { session, reports, asked, ref } = await at(venue, words, () => "open")
    await session.cancel(ref)
    expect(tagsOf(reports).at(-1)).toBe("CancelAccepted")
    expect(tagsOf(reports)).not.toContain("CancelInDoubt")
    expect(asked.filter((it) => words.cancel(it) === null && it.url.includes(VENUE_ORDER_ID))).toEqual([])
    await session.stop()
  })
})

describe("a cancel at KRAKEN", () => {
  it("that is pending is looked at until the venue shows its end", async () => {
    const words = DONE["KRAKEN"] as Words
    const pending = ({ url }: Asked) =>
      url.includes("CancelOrder") ? { error: [], result: { count: 1, pending: true } } : null
    const { session, reports, ref } = await at("KRAKEN", words, () => "filled", pending)
    await session.cancel(ref)
    expect(tagsOf(reports)).toEqual(["OrderSeen", "CancelRefused"])
    await session.stop()
  })
})
