/** Two requests with one meaning have one fingerprint (contract C2). */
import { describe, expect, it } from "vitest"
import { fingerprint, type SubmitRequest } from "../../../src/domain/order/submit-request.ts"
import { ACCOUNT } from "../../sim/world.ts"

const of = (patch: object): string =>
  fingerprint({
    tradingAccountId: ACCOUNT,
    instrumentId: "SIM:BTC/USDT",
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "1",
    limitPrice: "100",
    ...patch,
  } as unknown as SubmitRequest)

describe("a fingerprint", () => {
  it.each([
    ["trailing zeros", { quantity: "1.000", limitPrice: "100.0" }],
    ["the default time in force", { timeInForce: "GTC" }],
    ["the default quantity type, by either name", { orderQuantityType: "BASE" }],
    ["null for absent", { stopPrice: null, leverage: null, trailingDelta: null, trailingAmount: null }],
    ["how long the caller waits", { awaitClosed: true, awaitAccepted: true }],
    ["fields nobody knows", { colour: "green" }],
  ])("is blind to %s", (_name, patch) => {
    expect(of(patch)).toBe(of({}))
  })

  it("is blind to the case of the letters of uuids, and of nothing else", () => {
    const uuids = {
      positionId: "0bbbbbbb-0000-4000-8000-00000000000f",
      quoteId: "0ccccccc-0000-4000-8000-00000000000f",
    }
    const upper = Object.fromEntries(Object.entries(uuids).map(([name, value]) => [name, value.toUpperCase()]))
    expect(of({ ...upper, tradingAccountId: ACCOUNT.toUpperCase() })).toBe(of(uuids))
    expect(of({ clientOrderId: "MINE" })).not.toBe(of({ clientOrderId: "mine" }))
  })

  it.each([
    ["quantity", { quantity: "1.001" }],
    ["price", { limitPrice: "100.01" }],
    ["side", { orderSide: "SELL" }],
    ["time in force", { timeInForce: "IOC" }],
    ["client order id", { clientOrderId: "c" }],
    ["trailing distance", { trailingDelta: 100 }],
    ["trailing amount", { trailingAmount: "1" }],
    ["take-profit", { takeProfitPrice: "110" }],
    ["account", { tradingAccountId: "0aaaaaaa-0000-4000-8000-000000000002" }],
  ])("tells another %s", (_name, patch) => {
    expect(of(patch)).not.toBe(of({}))
  })

  it("is the same in every version: keys of stored orders are compared with it", () => {
    expect(of({})).toBe("7beb4209a9516b44361677b681af78ec2cccd0cdc5e674cf70bc80611fe9cfe7")
  })
})
