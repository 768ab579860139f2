/** What the two sides of `http` agree on. */
export type Variant = "floor" | "bare" | "shipped"

/** As long as an access token of the gateway. */
export const TOKEN = `bench.${"t".repeat(480)}`
export const PATH = "/api/v3/tradeOrder/submit"
