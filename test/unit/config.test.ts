/** Settings: defaults, and one clear refusal for each bad one. */
import { describe, expect, it } from "vitest"
import { InvalidSetting, readSettings } from "../../src/config.ts"

describe("the settings", () => {
  it("have a default for everything", () => {
    expect(readSettings({})).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      databaseUrl: null,
      tls: null,
      environment: "PROD",
    })
  })

  it.each<[string, Record<string, string>]>([
    ["PORT", { PORT: "http" }],
    ["PORT", { PORT: "70000" }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://x" }],
    ["TLS_CERT_FILE", { TLS_CERT_FILE: "cert.pem" }],
    ["ENVIRONMENT", { ENVIRONMENT: "TEST" }],
    ["VENUE_ROUTES", { VENUE_ROUTES: "{" }],
    ["VENUE_ROUTES", { VENUE_ROUTES: '{"api.binance.com":"http://127.0.0.1:1"}' }],
    ["VENUE_ROUTES", { VENUE_ROUTES: '{"api.binance.com:443":"127.0.0.1"}' }],
    ["MOCK_BALANCES", { MOCK_BALANCES: '{"BTC":1}' }],
    ["MOCK_BALANCES", { MOCK_BALANCES: '{"BTC":"1e5"}' }],
    ["ACCESS_LOG", { ACCESS_LOG: "maybe" }],
    ["FAILPOINT", { FAILPOINT: "submit.parsed", NODE_ENV: "production" }],
  ])("name %s when it is bad", (name, environment) => {
    expect(() => readSettings(environment)).toThrow(InvalidSetting)
    expect(() => readSettings(environment)).toThrow(name)
  })
})
