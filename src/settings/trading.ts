/**
 * Settings of trading: where venues are reached, through which proxies and in which threads; starting balances, digits of assets, fees, the
 * source of PAPER's prices.
 */

import type { ShortfallTerms } from "../domain/dealer/shortfall.ts"
import { Decimal } from "../domain/decimal.ts"
import { isAsset } from "../domain/wallet/wallet.ts"
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

export const balances = (env: Environment, name: string): Readonly<Record<string, string>> => {
  const given = record(env, name)
  if (given === null) return { USDT: "1000000", BTC: "100", ETH: "1000", SOL: "10000", EUR: "1000000" }
  for (const [asset, quantity] of Object.entries(given)) {
    if (!isAsset(asset)) throw new InvalidSetting(`${name}: "${asset}" is not an asset (upper case, like BTC)`)
    if (!/^(0|[1-9]\d{0,35})(\.\d{1,18})?$/.test(quantity))
      throw new InvalidSetting(`${name}: "${asset}" must be a decimal string`)
  }
  return given
}

export const assetDigits = (env: Environment): Readonly<Record<string, number>> => {
  const given = object(env, "ASSET_DIGITS") ?? {}
  for (const [asset, digits] of Object.entries(given)) {
    if (!isAsset(asset)) throw new InvalidSetting(`ASSET_DIGITS: "${asset}" is not an asset (upper case, like BTC)`)
    if (typeof digits !== "number" || !Number.isInteger(digits) || digits < 0 || digits > 18)
      throw new InvalidSetting(`ASSET_DIGITS: "${asset}" must be an integer from 0 to 18`)
  }
  return given as Readonly<Record<string, number>>
}

/** Share in percent, and by asset the amount below which nothing is told. */
export const shortfalls = (env: Environment): ShortfallTerms => {
  const percent = text(env, "EXCHANGE_SHORTFALL_PERCENT") ?? "1"
  if (!/^(0|[1-9]\d{0,2})(\.\d{1,4})?$/.test(percent) || Number(percent) > 100)
    throw new InvalidSetting(`EXCHANGE_SHORTFALL_PERCENT must be a decimal from 0 to 100, not "${percent}"`)
  const dust = new Map<string, Decimal>()
  for (const [asset, amount] of Object.entries(record(env, "EXCHANGE_SHORTFALL_DUST") ?? {})) {
    if (!isAsset(asset)) throw new InvalidSetting(`EXCHANGE_SHORTFALL_DUST: "${asset}" is not an asset`)
    if (!/^(0|[1-9]\d{0,23})(\.\d{1,18})?$/.test(amount))
      throw new InvalidSetting(`EXCHANGE_SHORTFALL_DUST: "${asset}" must be a decimal string, not "${amount}"`)
    dust.set(asset, Decimal.of(amount))
  }
  return { percent: Decimal.of(percent), dust }
}

/** Basis points, at most 1,000. */
export const feeBps = (env: Environment, name: string, fallback: string): string => {
  const value = text(env, name) ?? fallback
  if (!/^(0|[1-9]\d{0,3})(\.\d{1,4})?$/.test(value) || Number(value) > 1_000)
    throw new InvalidSetting(`${name} must be a decimal from 0 to 1000, not "${value}"`)
  return value
}

/** `none` switches PAPER off. */
export const paperSource = (env: Environment): string | null => {
  const given = text(env, "PAPER_SOURCE") ?? "BINANCE"
  return given === "none" ? null : given
}
