/** Bybit, served as ccxt has it. Source: createOrder and fetchOrder of ccxt 4.5.84. */
import type { ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { type RestAnswer, type Stop, saysCode } from "../stops.ts"

/** "403, access too frequent … please wait for at least 10 minutes": of the address. */
const BANNED_MILLIS = 600_000

/** 10006, "Too many visits", comes with HTTP 200 and counts an account's requests of one kind; 10018 those of an address. */
const stops = (answer: RestAnswer): Stop | undefined => {
  if (answer.status === 403) return { scope: "BAN", millis: BANNED_MILLIS }
  const resetAt = Number(answer.headers.get("x-bapi-limit-reset-timestamp") ?? Number.NaN)
  const millis = Number.isFinite(resetAt) && resetAt > Date.now() ? resetAt - Date.now() : null
  if (saysCode(answer, /"retCode":\s*10006\b/)) return { scope: answer.ofAccount ? "ACCOUNT" : "ADDRESS", millis }
  return saysCode(answer, /"retCode":\s*10018\b/) ? { scope: "ADDRESS", millis } : undefined
}

export const bybit: ExchangeAdapter = adapterByScheme(
  {
    ...commonScheme,
    lookup: { acknowledged: true },
    lists: [
      ["fetchClosedOrders", {}],
      ["fetchCanceledOrders", {}],
    ],
  },
  {
    stops,
    channels: ["order", "wallet", "execution"],
    // An acknowledgement has the number of its request alone.
    asksFor: (frame) =>
      frame["op"] === "subscribe" && Array.isArray(frame["args"])
        ? { id: String(frame["req_id"]), channels: frame["args"].map(String) }
        : null,
    channelNews: (event) =>
      event["op"] === "subscribe" ? [{ asked: String(event["req_id"]), isTaken: event["success"] === true }] : [],
  },
)
