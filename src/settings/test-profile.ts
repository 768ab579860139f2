/** Settings of the WebSocket's test profile, which accepts every client. */
import { isLoopback } from "../foundation/network.ts"
import { choice, type Environment, InvalidSetting, list, text } from "./environment.ts"

interface Transport {
  readonly host: string
  readonly production: boolean
  readonly tls: object | null
  readonly trustProxy: ReadonlyArray<string>
}

export interface TestProfileSettings {
  /** Signs the tokens of connections and subscriptions (HS256). */
  readonly secret: string
  /** Any of them opens the server API; `*`: no key is asked for. */
  readonly apiKeys: ReadonlyArray<string>
}

/** Allowed on loopback without TLS, proxy or production only, because the profile accepts every client. */
export const testProfile = (env: Environment, transport: Transport): TestProfileSettings | null => {
  if (choice(env, "WS_PROFILE", ["gateway", "test"], "gateway") === "gateway") return null
  if (!isLoopback(transport.host))
    throw new InvalidSetting(
      `WS_PROFILE=test accepts every client: it is served on loopback only, not on ${transport.host}`,
    )
  if (transport.tls !== null || transport.trustProxy.length > 0)
    throw new InvalidSetting("WS_PROFILE=test accepts every client: it is not served with TLS_CERT_FILE or TRUST_PROXY")
  if (transport.production) throw new InvalidSetting("WS_PROFILE=test accepts every client: it is not for production")
  const apiKeys = list(env, "WS_TEST_API_KEY")
  return {
    secret: text(env, "WS_TEST_SECRET") ?? "secret",
    // What the public suites of clients and of server libraries send.
    apiKeys: apiKeys.length > 0 ? apiKeys : ["api_key", "test-api-key"],
  }
}
