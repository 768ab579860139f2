// What the bots share: the gateway by an API key (`node make-key.mjs` makes one), and a trading account on MOCK.
import { Gateway } from "@venue-gateway/client"

const { GATEWAY_URL = "http://127.0.0.1:8080", GATEWAY_KEY } = process.env
if (GATEWAY_KEY === undefined) throw new Error("GATEWAY_KEY is not set: node make-key.mjs makes one")

// Node 20 has no WebSocket of its own: add `webSocket: (await import("ws")).WebSocket`.
export const gateway = new Gateway({ url: GATEWAY_URL, as: { apiKey: GATEWAY_KEY } })

/** The account of that name, made the first time; of a key that connects none (limited to accounts, or reading), the one that it is for. */
export const accountOf = async (name) => {
  const accounts = await gateway.get("tradingAccount/list", { venue: "MOCK", accountStatus: "ACTIVE" })
  const named = accounts.find(({ externalTradingAccountId }) => externalTradingAccountId === name)
  if (named !== undefined) return named.tradingAccountId
  try {
    const made = await gateway.post("tradingAccount/connect", { venue: "MOCK", externalTradingAccountId: name })
    return made.tradingAccountId
  } catch (error) {
    if (error.status !== 403 || accounts.length === 0) throw error
    return accounts[0].tradingAccountId
  }
}
