/**
 * User data streams: which WebSocket API connections asked for an account's events, and under which subscription id.
 * Binance Spot has no listen keys any more; one connection may carry several subscriptions.
 */
import type { WebSocket } from "ws"

interface Subscription {
  readonly socket: WebSocket
  readonly subscriptionId: number
  readonly apiKey: string
}

export class UserStreams {
  readonly #subscriptions = new Set<Subscription>()
  #lastId = -1

  get size(): number {
    return this.#subscriptions.size
  }

  subscribe(socket: WebSocket, apiKey: string): number {
    this.#lastId += 1
    const subscription = { socket, subscriptionId: this.#lastId, apiKey }
    this.#subscriptions.add(subscription)
    socket.once("close", () => this.#subscriptions.delete(subscription))
    return subscription.subscriptionId
  }

  /** Without an id every subscription of the connection ends. */
  unsubscribe(socket: WebSocket, subscriptionId: number | undefined): void {
    for (const subscription of this.#subscriptions) {
      if (subscription.socket !== socket) continue
      if (subscriptionId === undefined || subscription.subscriptionId === subscriptionId) {
        this.#subscriptions.delete(subscription)
      }
    }
  }

  push(apiKey: string, event: unknown): void {
    for (const { socket, subscriptionId, apiKey: owner } of this.#subscriptions) {
      if (owner !== apiKey || socket.readyState !== socket.OPEN) continue
      socket.send(JSON.stringify({ subscriptionId, event }))
    }
  }
}
