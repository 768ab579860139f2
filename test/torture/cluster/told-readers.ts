/**
 * Clients of channels that go on behind whatever ends their connection, and the judge of what they were given: one publication after the other, or the word that they start
 * over. The one thing to know: what is told is no fault; a publication that is missing, or comes twice, without a word is.
 */
import { Centrifuge } from "centrifuge"
import { WebSocket } from "ws"

export interface ToldReader {
  readonly name: string
  readonly received: () => number
  /** Times that it came back with all that it had missed; and that it was told to start over. */
  readonly recovered: () => number
  readonly startedOver: () => number
  /** What was missing, came twice, or ended it for good, without a word. */
  readonly faults: () => ReadonlyArray<string>
  /** The offset of the newest publication, or of where it began. */
  readonly at: () => number
  /** performance.now() of the newest publication. */
  readonly heardAt: () => number
  readonly close: () => void
}

interface BookWord {
  readonly updateType?: string
  readonly sequence?: number
  readonly previousSequence?: number | null
}

export const toldReader = (name: string, url: string, token: string, channel: string): ToldReader => {
  const client = new Centrifuge(url, {
    token,
    websocket: WebSocket,
    // A busy machine is no reason to give a connection up.
    timeout: 15_000,
    minReconnectDelay: 50,
    maxReconnectDelay: 500,
  })
  const subscription = client.newSubscription(channel, { minResubscribeDelay: 50, maxResubscribeDelay: 500 })
  const faults: Array<string> = []
  const figures = { received: 0, recovered: 0, startedOver: 0, at: -1, heardAt: performance.now() }
  let isClosed = false
  subscription.on("subscribed", ({ wasRecovering, recovered, streamPosition }) => {
    if (wasRecovering && recovered) {
      figures.recovered++
      return
    }
    if (figures.at >= 0) figures.startedOver++
    figures.at = streamPosition?.offset ?? 0
  })
  subscription.on("publication", ({ offset = 0, data }) => {
    figures.received++
    figures.heardAt = performance.now()
    // A book that is told whole says by itself that it starts over; it may have no offset of the channel, but its sequence is the offset.
    const { updateType, previousSequence, sequence = offset } = data as BookWord
    const isWhole = updateType === "SNAPSHOT"
    // Only how good it is: of an edge that has lost the owner, or found it.
    if (offset === 0 && previousSequence === figures.at && sequence === figures.at) return
    if (offset !== figures.at + 1 && !isWhole) faults.push(`${name}: ${offset} after ${figures.at}`)
    figures.at = isWhole ? sequence : offset
  })
  subscription.on("unsubscribed", ({ code, reason }) => {
    if (!isClosed) faults.push(`${name}: unsubscribed ${code} ${reason}`)
  })
  client.on("disconnected", ({ code, reason }) => {
    if (!isClosed) faults.push(`${name}: disconnected ${code} ${reason}`)
  })
  subscription.subscribe()
  client.connect()
  return {
    name,
    received: () => figures.received,
    recovered: () => figures.recovered,
    startedOver: () => figures.startedOver,
    faults: () => faults,
    at: () => figures.at,
    heardAt: () => figures.heardAt,
    close: () => {
      isClosed = true
      client.disconnect()
    },
  }
}

/** Where a newcomer stands in a channel now. */
export const positionOf = (url: string, token: string, channel: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const client = new Centrifuge(url, { token, websocket: WebSocket, timeout: 15_000 })
    const subscription = client.newSubscription(channel)
    const end = (): void => client.disconnect()
    subscription.once("subscribed", ({ streamPosition }) => {
      resolve(streamPosition?.offset ?? 0)
      end()
    })
    subscription.once("unsubscribed", ({ code, reason }) => {
      reject(new Error(`unsubscribed ${code} ${reason}`))
      end()
    })
    subscription.subscribe()
    client.connect()
  })
