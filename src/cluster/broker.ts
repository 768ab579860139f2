/**
 * The wire of production: core NATS, the only file that knows of it. Who has its credentials speaks for the whole cluster: whatever arrives here is believed,
 * who asks and by which right included.
 */
import type { ConnectionOptions, NatsConnection } from "@nats-io/transport-node"
import type { Wire, WireEvents } from "./wire.ts"

/**
 * Nothing of a broker that stands still is noticed but by these: after two of them without an answer the connection is given up. As the package
 * has it, it would be 4 minutes.
 */
const PING_MILLIS = 500
const PINGS_LOST = 2
const RECONNECT_MILLIS = 50
/** Of one attempt: a server that stands still accepts a connection, and says nothing. */
const CONNECT_MILLIS = 2_000
/** Of one message: brokers take 1 MiB unless they are told otherwise, and no frame is longer than this. */
const BYTES_NEEDED = 524_288

/** `nats://user:password@host:4222` or `tls://…`, several with commas: all are of one cluster, and the credentials those of the first. */
export const brokerOptions = (url: string): ConnectionOptions => {
  const servers = url.split(",").map((one) => new URL(one.trim()))
  const { username, password } = servers[0]!
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  return {
    servers: servers.map(({ hostname, port }) => `${hostname}:${port === "" ? 4222 : port}`),
    ...(user === "" ? {} : pass === "" ? { token: user } : { user, pass }),
    ...(servers.some(({ protocol }) => protocol === "tls:") ? { tls: {} } : {}),
  }
}

export interface BrokerParts {
  readonly url: string
  /** Shown by the broker beside the connection. */
  readonly name: string
  /** Of this life of the process alone: where the broker tells of frames without a listener. */
  readonly inbox: string
  readonly prefix: string
  readonly onDefect: (error: unknown) => void
  /** The connection is gone, or back. */
  readonly onChange: (isUp: boolean) => void
}

export interface Broker extends Wire {
  readonly close: () => Promise<void>
}

/** Rejects where no broker answers, or it does not know the credentials; a connection that is lost later comes back by itself, for ever. */
export const connectBroker = async (parts: BrokerParts): Promise<Broker> => {
  // Read by nodes of a cluster alone: it costs 90 ms of processor time and 13 MB.
  const { connect } = await import("@nats-io/transport-node")
  const connection: NatsConnection = await connect({
    ...brokerOptions(parts.url),
    name: parts.name,
    timeout: CONNECT_MILLIS,
    pingInterval: PING_MILLIS,
    maxPingOut: PINGS_LOST,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MILLIS,
    reconnectJitter: RECONNECT_MILLIS,
    reconnectJitterTLS: RECONNECT_MILLIS,
    // Credentials that the broker does not know for a while are tried again: a process that gave up would have to be started anew.
    ignoreAuthErrorAbort: true,
  })
  const bytesMax = connection.info?.max_payload ?? 0
  if (bytesMax < BYTES_NEEDED) {
    await connection.close()
    throw new Error(
      `the broker takes messages of ${bytesMax} bytes at most (max_payload), the gateway needs ${BYTES_NEEDED}`,
    )
  }
  let isUp = true
  let events: WireEvents | undefined
  const change = (now: boolean): void => {
    if (now === isUp) return
    isUp = now
    parts.onChange(now)
    if (now) events?.up()
  }
  const watch = async (): Promise<void> => {
    for await (const { type } of connection.status())
      if (type === "disconnect" || type === "staleConnection") change(false)
      else if (type === "reconnect") change(true)
  }
  watch().catch(parts.onDefect)
  const absent = `${parts.prefix}.absent.${parts.inbox}`
  connection.subscribe(`${absent}.*`, {
    callback: (_error, message) => events?.undelivered(Number(message.subject.slice(absent.length + 1))),
  })
  return {
    isUp: () => isUp,
    send: (subject, frame, number) => {
      connection.publish(subject, frame, number === undefined ? {} : { reply: `${absent}.${number}` })
    },
    listen: (subject, take) => {
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => (error === null ? take(message.data) : parts.onDefect(error)),
      })
      return () => subscription.unsubscribe()
    },
    tell: (to) => {
      events = to
    },
    close: async () => {
      isUp = false
      await connection.close()
    },
  }
}
