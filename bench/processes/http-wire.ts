/** What the two sides of `http` agree on. */
export type Variant = "floor" | "bare" | "shipped" | "session" | "key"

/** What a server answers when it has started. */
export interface Listening {
  readonly port: number
  /** That its requests are sent with. */
  readonly token: string
}

/** As long as an access token of the gateway. */
export const TOKEN = `bench.${"t".repeat(480)}`
export const PATH = "/api/v3/tradeOrder/submit"
