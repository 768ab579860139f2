/** Settings of venues: where they are reached, through which proxies, in which worker threads. */
import { type Environment, InvalidSetting, object, record, text } from "./environment.ts"

/** The worker threads of one venue, by name. */
export interface VenueThreads {
  readonly public: string
  readonly private: string
}

export const routes = (env: Environment): Readonly<Record<string, string>> | null => {
  const given = record(env, "VENUE_ROUTES")
  if (given === null) return null
  for (const [from, to] of Object.entries(given)) {
    if (!/^[a-z0-9.-]+:\d+$/.test(from))
      throw new InvalidSetting(`VENUE_ROUTES: "${from}" must be host:port, for example api.binance.com:443`)
    if (!/^https?:\/\/[^/]+:\d+\/?$/.test(to))
      throw new InvalidSetting(`VENUE_ROUTES: "${to}" must be a URL with a port, for example http://127.0.0.1:9001`)
  }
  return given
}

const PROXY_PROTOCOLS = ["http:", "https:", "socks5:", "socks5h:"]

/** No error repeats a URL: it may have a password in it. */
export const proxies = (env: Environment): Readonly<Record<string, string | null>> => {
  const given = object(env, "VENUE_PROXIES") ?? {}
  for (const [venue, to] of Object.entries(given)) {
    if (to === null) continue
    const url = typeof to === "string" && URL.canParse(to) ? new URL(to) : undefined
    if (url === undefined || !PROXY_PROTOCOLS.includes(url.protocol) || url.hostname === "")
      throw new InvalidSetting(
        `VENUE_PROXIES: the proxy of "${venue}" must be null or a URL like http://user:password@10.0.0.1:3128 (http, https, socks5)`,
      )
  }
  return given as Readonly<Record<string, string | null>>
}

const isThreadName = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(value)

export const shards = (env: Environment): "auto" | "apart" | Readonly<Record<string, VenueThreads>> => {
  const value = text(env, "VENUE_SHARDS")
  if (value === null || value === "auto" || value === "apart") return value ?? "auto"
  const threads: Record<string, VenueThreads> = {}
  for (const [venue, given] of Object.entries(object(env, "VENUE_SHARDS") ?? {})) {
    const of: Readonly<Record<string, unknown>> =
      typeof given === "object" && given !== null ? { ...given } : { public: given, private: given }
    if (!isThreadName(of["public"]) || !isThreadName(of["private"]))
      throw new InvalidSetting(
        `VENUE_SHARDS: "${venue}" must name a thread, or two as {"public":"a","private":"b"} (letters, digits, - and _)`,
      )
    threads[venue] = { public: of["public"], private: of["private"] }
  }
  return threads
}
