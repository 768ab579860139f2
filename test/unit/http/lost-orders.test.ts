/** What a call about an order answers when the account's actor is lost on the way: -110014 with the order's id, wherever that is known. */
import { describe, expect, it } from "vitest"
import type { AccountCommand } from "../../../src/actors/account/messages.ts"
import { OutcomeUnknown } from "../../../src/domain/errors/trade-order.ts"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import { type TradeOrderParts, tradeOrderHandlers } from "../../../src/http/trade-order/handlers.ts"
import { principal } from "../../kit/servers/http-server.ts"

const ID = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f" as TradeOrderId
const ACCOUNT = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e50"

/** `isMade`: the order had its id when the actor was lost. */
const told = (call: "submit" | "cancel" | "replace", body: object, isMade: boolean): unknown => {
  const { userId, tenantId } = principal()
  const account = { tradingAccountId: ACCOUNT, userId, tenantId, venue: "MOCK" }
  const parts = {
    reach: { accounts: { find: () => account } },
    tradingAccounts: {
      post: (_id: string, command: AccountCommand) => {
        if (isMade && command._tag === "SubmitOrder") command.named(ID)
        command.reply?.fail(new OutcomeUnknown({ tradeOrderId: null }))
      },
    },
    gate: { closedTo: () => undefined, canonicalInstrumentId: (id: string) => id },
  } as unknown as TradeOrderParts
  let heard: unknown
  const reply = { ok: () => undefined, fail: () => undefined, onDeadline: () => undefined }
  const request = { receivedAt: 0, header: () => "" }
  const input = { body: { tradingAccountId: ACCOUNT, ...body }, principal: principal(), request }
  const handle = tradeOrderHandlers(parts)[call] as (input: unknown, reply: unknown) => void
  handle(input, {
    ...reply,
    relay: (error: unknown) => {
      heard = error
    },
  })
  return heard
}

describe("an account that is lost", () => {
  it.each([
    ["submit", {}, true, ID],
    ["submit", {}, false, null],
    ["cancel", { tradeOrderId: ID }, false, ID],
    ["cancel", { clientOrderId: "mine" }, false, null],
    ["replace", { tradeOrderId: ID, limitPrice: "1" }, false, ID],
  ] as const)("leaves a %s with %j the id that is known (made: %s): %s", (call, body, isMade, tradeOrderId) => {
    expect(told(call, body, isMade)).toMatchObject({ _tag: "OutcomeUnknown", tradeOrderId })
  })
})
