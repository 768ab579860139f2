/** `OTLP_*`: the collector that traces, metrics and logs are sent to. */
import { type Environment, InvalidSetting, list, text } from "./environment.ts"

export interface OtlpSettings {
  readonly url: string
  /** May open the collector's door: never shown. */
  readonly headers: Readonly<Record<string, string>>
  /** Share of the traces that are kept, 0 to 1. */
  readonly sample: number
}

const headersOf = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    list(env, "OTLP_HEADERS").map((pair) => {
      const at = pair.indexOf("=")
      const name = pair.slice(0, at).trim()
      const value = pair.slice(at + 1).trim()
      // The value is a secret: only its place is told.
      if (at < 1 || !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || !/^[\x20-\x7e]*$/.test(value))
        throw new InvalidSetting("OTLP_HEADERS must be like name=value,name=value")
      return [name, value]
    }),
  )

/** Null: nothing is sent. */
export const otlp = (env: Environment): OtlpSettings | null => {
  const url = text(env, "OTLP_URL")
  const headers = headersOf(env)
  const given = text(env, "OTLP_SAMPLE")
  const sample = given === null ? 0.01 : Number(given)
  if (!(sample >= 0 && sample <= 1)) throw new InvalidSetting(`OTLP_SAMPLE must be from 0 to 1, not "${given}"`)
  if (url === null) return null
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (
    parsed === null ||
    !/^https?:$/.test(parsed.protocol) ||
    parsed.search !== "" ||
    parsed.username + parsed.password !== ""
  )
    throw new InvalidSetting(
      "OTLP_URL must be like http://127.0.0.1:4318, without /v1/…, a query or a password: those go into OTLP_HEADERS",
    )
  return { url, headers, sample }
}
