/** The loopback Kraken's judge of signatures, against the example of the venue's documentation. */
import { describe, expect, it } from "vitest"
import type { KrakenAccount } from "../../../exchanges/kraken/model.ts"
import { verify } from "../../../exchanges/kraken/wire/signature.ts"

const SECRET = "kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg=="
const PATH = "/0/private/AddOrder"
const BODY = "nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25"
const SIGNATURE = "4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ=="

const accounts = (): ReadonlyMap<string, KrakenAccount> =>
  new Map([
    [
      "key",
      {
        apiKey: "key",
        apiSecret: SECRET,
        accountNumber: 1,
        balances: new Map(),
        orders: new Map(),
        byClientOrderId: new Map(),
        fills: [],
        lastNonce: 0n,
        calls: { points: 0, countedAt: 0 },
        trading: new Map(),
      },
    ],
  ])

describe("Kraken's signature", () => {
  it("is the one of the venue's documentation, once", () => {
    const known = accounts()
    expect(verify(known, PATH, "key", SIGNATURE, BODY).parameters).toMatchObject({ pair: "XBTUSD", volume: "1.25" })
    expect(() => verify(known, PATH, "key", SIGNATURE, BODY)).toThrow("EAPI:Invalid nonce")
  })

  it("is refused for another body and under another key", () => {
    expect(() => verify(accounts(), PATH, "key", SIGNATURE, BODY.replace("1.25", "9"))).toThrow(
      "EAPI:Invalid signature",
    )
    expect(() => verify(accounts(), PATH, "other", SIGNATURE, BODY)).toThrow("EAPI:Invalid key")
  })
})
