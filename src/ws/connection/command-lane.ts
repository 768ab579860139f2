/**
 * Bounds the commands one connection may send and have in flight. Each has two: cancels go in a lane of their own, so that no other
 * command of the client's ever holds one up.
 */

import type { Command } from "../protocol/protocol.ts"
import type { CommandRate } from "./command-rate.ts"

/** Calls and reads of storage in one lane at a time. */
const IN_FLIGHT_MAX = 128

const CANCELS: ReadonlySet<unknown> = new Set([
  "tradeOrder.cancel",
  "tradeOrder.cancelAll",
  "tradeOrder.cancelAllAfter",
])

export const isCancel = (command: Command): boolean =>
  command.method === "rpc" && CANCELS.has(command.parameters.method)

export class CommandLane {
  /** Whose answers are still to come. */
  private inFlight = 0

  constructor(
    /** Null: as often as the client likes. */
    private readonly rate: CommandRate | null,
  ) {}

  judge(): ReturnType<CommandRate["judge"]> {
    return this.rate === null ? "within" : this.rate.judge()
  }

  /** Begins what is answered later; false when too much of it is going on. `ended` follows each that began. */
  begins(): boolean {
    if (this.inFlight >= IN_FLIGHT_MAX) return false
    this.inFlight++
    return true
  }

  ended(): void {
    this.inFlight--
  }
}
