/**
 * What API keys open: every operation times keys of each scope, over HTTP and the socket, and a key that is limited to one account times
 * everything of its user's other account.
 */
import { beforeAll, describe, expect, it } from "vitest"
import { keyRuleOf } from "../../../src/http/key-scopes.ts"
import { BTC, type People } from "./authorization-people.ts"
import { type DeclaredRoute, type Heard, routes } from "./authorization-routes.ts"
import type { Judge } from "./authorization-sockets.ts"
import type { Fields } from "./authorization-table.ts"

interface Doors {
  /** A request that no operation does anything with. */
  readonly probe: (route: DeclaredRoute, authorization: string) => Promise<Heard>
  readonly call: (route: DeclaredRoute, token: string, data: unknown) => Promise<Heard>
  readonly send: (route: DeclaredRoute, authorization: string, search: string, body?: unknown) => Promise<Heard>
  readonly isAdmitted: (route: DeclaredRoute, heard: Heard) => boolean
  readonly judge: Judge
}

const NOT_BY_KEY = -102_007
const RANKS = { open: 0, read: 1, trade: 2, admin: 3 } as const
const PERMISSIONS = ["read", "write", "admin"]

/** By the person of `Keys`. */
const KEYS = [
  { name: "reading", rank: 1, isLimited: false },
  { name: "trading", rank: 2, isLimited: false },
  { name: "limited", rank: 2, isLimited: true },
  { name: "admin", rank: 3, isLimited: false },
] as const

/** What such a key hears to a probe; undefined: the right thing. */
const faultOfKey = (
  route: DeclaredRoute,
  { rank, isLimited }: (typeof KEYS)[number],
  heard: Heard,
  isAdmitted: Doors["isAdmitted"],
): string | undefined => {
  const [group = "", name = ""] = route.name.split(".")
  const { scope, limited } = keyRuleOf(group, name)
  const { status, envelope } = heard
  const reason = envelope.details?.metadata["reason"]
  if (scope === "session")
    return status === 403 && envelope.errno === NOT_BY_KEY && reason === "SESSION_NEEDED" ? undefined : "session alone"
  if (rank < RANKS[scope]) {
    const errno = scope === "admin" ? -102_003 : -102_002
    const said = JSON.stringify([envelope.details?.required, envelope.details?.provided])
    const right = JSON.stringify([[PERMISSIONS[RANKS[scope] - 1]], PERMISSIONS.slice(0, rank)])
    return status === 403 && envelope.errno === errno && said === right ? undefined : `should be 403 ${errno} ${right}`
  }
  if (isLimited && !limited)
    return status === 403 && envelope.errno === NOT_BY_KEY && reason === "LIMITED_TO_ACCOUNTS"
      ? undefined
      : "not with a key of some accounts"
  return isAdmitted(route, heard) ? undefined : "should be let in"
}

const FORBIDDEN = -102_001
const ORDER_NOT_FOUND = -110_001
const QUOTE_NOT_FOUND = -140_001

export const describeKeys = (people: () => People, { probe, call, send, isAdmitted, judge }: Doors): void => {
  describe("an API key", () => {
    it("opens what its scopes let through, and nothing that is for sessions alone", async () => {
      const wrong: Array<string> = []
      for (const key of KEYS) {
        const token = people().keys[key.name]
        for (const route of routes) {
          const heard = await probe(route, `Bearer ${token}`)
          judge(wrong, `${route.name} × ${key.name} key`, faultOfKey(route, key, heard, isAdmitted), heard)
          if (route.rpc === undefined) continue
          const called = await call(route, token, route.hasBody ? [] : {})
          judge(wrong, `rpc ${route.rpc} × ${key.name} key`, faultOfKey(route, key, called, isAdmitted), called)
        }
      }
      expect(wrong).toEqual([])
    })
  })

  describe("an API key of one account", () => {
    const other = { account: "", order: "", clientOrderId: "another-order" }
    beforeAll(async () => {
      const { api } = people().ada
      other.account = (await api.connectMock("another")).record.tradingAccountId
      const order = {
        tradingAccountId: other.account,
        instrumentId: BTC,
        orderSide: "BUY",
        orderType: "LIMIT",
        quantity: "0.001",
        limitPrice: "20000",
        clientOrderId: other.clientOrderId,
        awaitAccepted: true,
      }
      other.order = (await api.submit(order)).record.tradeOrderId
    })

    const order = { instrumentId: BTC, orderSide: "BUY", orderType: "LIMIT", quantity: "0.001", limitPrice: "20000" }

    /** The errno of what reaches for the other account; 0: a success without anything of it. */
    const reaching = (): ReadonlyArray<readonly [route: string, fields: Fields, errno: number]> => {
      const { account, internal, quote, userId, dealer } = people().ada.things
      const ofOther = { tradingAccountId: other.account }
      const named = { tradeOrderId: other.order }
      return [
        ["tradeOrder.submit", { ...ofOther, ...order }, FORBIDDEN],
        ["tradeOrder.cancel", { ...ofOther, ...named }, FORBIDDEN],
        ["tradeOrder.cancel", { tradingAccountId: account, ...named }, ORDER_NOT_FOUND],
        ["tradeOrder.replace", { ...ofOther, ...named, limitPrice: "20001" }, FORBIDDEN],
        ["tradeOrder.replace", { tradingAccountId: account, ...named, limitPrice: "20001" }, ORDER_NOT_FOUND],
        ["tradeOrder.cancelAll", ofOther, FORBIDDEN],
        ["tradeOrder.cancelAllAfter", { ...ofOther, timeoutMs: 60_000 }, FORBIDDEN],
        ["tradeOrder.get", { ...ofOther, ...named }, FORBIDDEN],
        ["tradeOrder.get", { tradingAccountId: account, ...named }, ORDER_NOT_FOUND],
        ["tradeOrder.get", named, ORDER_NOT_FOUND],
        ["tradeOrder.list", ofOther, FORBIDDEN],
        ["tradeOrder.list", named, 0],
        ["tradeOrder.list", { clientOrderId: other.clientOrderId }, 0],
        ["tradeOrder.list", {}, 0],
        ["tradeOrder.list", { userId }, 0],
        ["tradingAccount.update", { ...ofOther, nickname: "taken" }, FORBIDDEN],
        ["tradingAccount.disconnect", ofOther, FORBIDDEN],
        ["tradingAccount.list", ofOther, 0],
        ["tradingAccount.list", {}, 0],
        ["tradingAccount.list", { userId }, 0],
        ["tradingAccount.portfolioList", ofOther, FORBIDDEN],
        ["tradingAccount.portfolioList", {}, 0],
        ["tradingAccount.portfolioList", { userId }, 0],
        [
          "quote.request",
          {
            dealerAccountId: dealer,
            traderAccountId: internal,
            baseAsset: "BTC",
            quoteAsset: "USDT",
            orderSide: "BUY",
            quantity: "0.5",
          },
          FORBIDDEN,
        ],
        ["quote.get", { quoteId: quote }, QUOTE_NOT_FOUND],
      ]
    }

    it("reaches nothing of its user's other accounts, by no field, over HTTP and the socket", async () => {
      const wrong: Array<string> = []
      const { limited } = people().keys
      const { internal } = people().ada.things
      for (const [name, fields, errno] of reaching()) {
        const route = routes.find((it) => it.name === name)!
        const search = new URLSearchParams(fields as Record<string, string>).toString()
        const ask = () =>
          route.hasBody ? send(route, `Bearer ${limited}`, "", fields) : send(route, `Bearer ${limited}`, search)
        const doors = [
          [name, ask] as const,
          ...(route.rpc === undefined ? [] : [[`rpc ${route.rpc}`, () => call(route, limited, fields)] as const]),
        ]
        for (const [door, knock] of doors) {
          const heard = await knock()
          const named = JSON.stringify(fields)
          const tells = [other.account, other.order, internal].some(
            (id) => heard.text.includes(id) && !named.includes(id),
          )
          const fault =
            heard.envelope.errno !== errno ? `should be ${errno}` : tells ? "tells of another account" : undefined
          judge(wrong, `${door} ${named} × limited key`, fault, heard.text)
        }
      }
      expect(wrong).toEqual([])
    })

    it("does all with its own that a session does", async () => {
      const wrong: Array<string> = []
      const { limited } = people().keys
      const { account } = people().ada.things
      const ask = async (name: string, fields: Fields): Promise<Heard> => {
        const route = routes.find((it) => it.name === name)!
        const search = new URLSearchParams(fields as Record<string, string>).toString()
        const heard = await (route.hasBody
          ? send(route, `Bearer ${limited}`, "", fields)
          : send(route, `Bearer ${limited}`, search))
        judge(
          wrong,
          `${name} of its own × limited key`,
          heard.status === 200 ? undefined : "should be done",
          heard.text,
        )
        return heard
      }
      const mine = { tradingAccountId: account }
      const { envelope } = await ask("tradeOrder.submit", { ...mine, ...order, awaitAccepted: true })
      const { tradeOrderId } = envelope.data as { tradeOrderId: string }
      await ask("tradeOrder.get", { ...mine, tradeOrderId })
      await ask("tradeOrder.cancel", { ...mine, tradeOrderId })
      await ask("tradingAccount.portfolioList", mine)
      const { text } = await ask("tradingAccount.list", {})
      judge(wrong, "its account is listed", text.includes(account) ? undefined : "should be", text)
      await ask("market.orderBookGet", { instrumentId: BTC })
      expect(wrong).toEqual([])
    })
  })
}
