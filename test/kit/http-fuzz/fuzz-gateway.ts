/**
 * A gateway for fuzzing: MOCK, PAPER and INTERNAL work, one real venue is offered and unreachable, there are no rate limits, and nothing leaves
 * this machine.
 */
import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import { type Gateway, type GatewayOptions, startGateway } from "../servers/gateway.ts"

/** Calls of its connector are refused before they reach the network. */
const UNREACHABLE = "BINANCE_UAT"

export const fuzzEnvironment = {
  VENUES_INACTIVE: PROFILES.map(({ venue }) => venue)
    .filter((venue) => venue !== UNREACHABLE)
    .join(","),
  // Every host that is not named here is refused.
  VENUE_ROUTES: JSON.stringify({ "nowhere.invalid:443": "http://127.0.0.1:9" }),
  WALLETS_MAX: "100000",
  ACCOUNTS_MAX: "100000",
  INTERNAL_ACCOUNTS_MAX: "10000",
  RATE_LIMITS: "off",
} as const

export const startFuzzedGateway = (databaseUrl: string, options: GatewayOptions = {}): Promise<Gateway> =>
  startGateway({ ...options, env: { ...fuzzEnvironment, DATABASE_URL: databaseUrl, ...options.env } })
