/** Queues a connection's commands for a channel behind a pending subscribe to the same channel. */
import { LeanMap } from "../../foundation/lean.ts"
import { MAP_TYPE } from "../maps/pages.ts"
import { CLOSES, ERRORS } from "../protocol/error-codes.ts"
import type { Command } from "../protocol/protocol.ts"
import type { Client } from "./client.ts"

/** Behind one subscribe. */
const WAITING_MAX = 100

/** Empty for those that are about none. */
const channelOf = ({ parameters }: Command): string => ("channel" in parameters ? (parameters.channel ?? "") : "")

export class WaitingCommands {
  /** By the client's names of the channels. */
  private readonly behind = new LeanMap<string, Array<Command>>()

  /** Commands behind all of them. */
  backlog = 0

  constructor(private readonly connection: Client) {}

  /** Subscribes that wait. */
  get size(): number {
    return this.behind.size
  }

  /** Whether the command was kept for later, or refused because it would come too early. */
  defers(command: Command): boolean {
    if (this.behind.size === 0) return false
    const behind = this.behind.get(channelOf(command))
    if (behind === undefined) return false
    const isPage = command.method === "subscribe" && command.parameters.type === MAP_TYPE
    if (isPage && behind.every(({ method }) => method !== "unsubscribe"))
      this.connection.refuse(command, ERRORS.concurrentPagination)
    else {
      this.backlog++
      if (behind.push(command) > WAITING_MAX) this.connection.close(CLOSES.tooManyRequests)
    }
    return true
  }

  /** Holds commands for the channel back until `start` calls back, then goes on in one turn. */
  wait<A>(channel: string, start: (done: (answer: A) => void) => void, then: (answer: A) => void): void {
    const behind: Array<Command> = []
    this.behind.set(channel, behind)
    start((answer) => {
      if (!this.connection.isOpen) return
      this.connection.socket.cork(() => {
        this.behind.delete(channel)
        this.backlog -= behind.length
        this.connection.attempt(() => then(answer))
        for (const next of behind) this.connection.take(next)
      })
    })
  }

  clear(): void {
    this.behind.clear()
    this.backlog = 0
  }
}
