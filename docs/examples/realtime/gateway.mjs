// What the other examples share: an API key or a session that renews itself, calls of the HTTP API, and a connection.
import { Centrifuge } from "centrifuge"
// Node 22 and browsers have a WebSocket of their own: leave this line and the option `websocket` out there.
import { WebSocket } from "ws"

const { GATEWAY_URL = "http://127.0.0.1:8080", API_KEY } = process.env
// Where there is no key.
const { EMAIL = "me@example.com", PASSWORD = "a good password" } = process.env

export const websocketUrl = `${GATEWAY_URL.replace(/^http/, "ws")}/connection/websocket`

/** Without a key, the session of this process: an access token for an hour, a refresh token for a week. */
let session = null

/**
 * One call of the HTTP API. Answers `data`; a refusal is thrown with its `status`, `errno` and `details`, and with `retryAfter` in seconds.
 * What is thrown without a `status` is no answer: nobody knows what the gateway did.
 */
export const call = async (method, path, body, headers = {}) => {
  if (!API_KEY && session === null && !path.startsWith("auth/")) await getToken()
  const token = API_KEY || session?.accessToken
  const response = await fetch(`${GATEWAY_URL}/api/v3/${path}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(15_000),
  })
  const { success, errno, error, data, details } = await response.json()
  if (success) return data
  // The token expired, or its session ended: nothing was done, so the same call goes out again with a new one. A key that ended stays ended.
  if ((errno === -100004 || errno === -100005) && token !== undefined && !API_KEY) {
    if (token === session?.accessToken) await getToken()
    return call(method, path, body, headers)
  }
  const retryAfter = Number(response.headers.get("Retry-After") ?? 0)
  // What the refusal is about: the parameter and the reason, or the figures.
  const about = Object.entries(details?.metadata ?? {}).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  throw Object.assign(new Error(`${method} ${path}: ${error} (${errno})${about.join("")}`), {
    status: response.status,
    errno,
    details,
    retryAfter,
  })
}

const logIn = async () => {
  session = null
  const person = { email: EMAIL, password: PASSWORD }
  try {
    return await call("POST", "auth/login", person)
  } catch (failure) {
    if (failure.status === 429) {
      console.error(`${failure.message}: again in ${failure.retryAfter} s`)
      await new Promise((resolve) => setTimeout(resolve, failure.retryAfter * 1_000))
      return logIn()
    }
    if (failure.errno !== -100001) throw failure
  }
  // Nobody of that name yet.
  return call("POST", "auth/signup", person).catch((failure) => {
    // There is, so the password is wrong. That is a 401 for the call that waits for a session: a 400 would be taken for its own.
    throw failure.errno === -101001 ? Object.assign(failure, { status: 401 }) : failure
  })
}

const renew = async () => {
  try {
    return await call("POST", "auth/token/refresh", { refreshToken: session.refreshToken })
  } catch (failure) {
    // Only a 401 ends the session. When the network or the gateway is away, the client tries again by itself.
    if (failure.status !== 401) throw failure
    return logIn()
  }
}

/** The renewal that is under way, for all who wait: each log-in counts, five a minute. */
let renewing = null

/** The key, or a fresh access token. The client asks for it before it connects, and again before a token expires. */
export const getToken = async () => {
  if (API_KEY) return API_KEY
  renewing ??= (session === null ? logIn() : renew())
    .then((next) => {
      session = next
      return next.accessToken
    })
    .finally(() => {
      renewing = null
    })
  return renewing
}

/** A connection that mends itself: after a cut it comes back with a delay that grows from 0.5 to 20 seconds. */
export const connect = async (Client = Centrifuge) => {
  const client = new Client(websocketUrl, { getToken, websocket: WebSocket })
  client.on("connecting", ({ code, reason }) => console.error(`connecting: ${reason} (${code})`))
  client.on("disconnected", ({ code, reason }) => console.error(`disconnected: ${reason} (${code})`))
  client.on("error", ({ error }) => console.error(`error: ${error.message} (${error.code})`))
  client.connect()
  await client.ready()
  return client
}

/** The user's trading account at MOCK, the venue inside the gateway; connected where there is none. */
export const mockAccount = async () => {
  // Listed first: a key that only reads, or is limited to accounts, connects none, and sees those that it is for.
  const accounts = await call("GET", "tradingAccount/list?venue=MOCK&accountStatus=ACTIVE")
  const named = accounts.find(({ externalTradingAccountId }) => externalTradingAccountId === "examples")
  return (
    named ??
    accounts[0] ??
    call("POST", "tradingAccount/connect", { venue: "MOCK", externalTradingAccountId: "examples" })
  )
}
