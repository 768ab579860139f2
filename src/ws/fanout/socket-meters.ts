/** Metrics of sockets and their commands; carried by the hub, which everything on a socket knows. */
import { performance } from "node:perf_hooks"
import type { Counter, CounterSeries, Histogram, HistogramSeries } from "../../ports/meters.ts"
import { MeterBoard } from "../../ports/meters.ts"
import type { Command } from "../protocol/protocol.ts"

export class SocketMeters {
  readonly messages: CounterSeries
  readonly bytes: CounterSeries
  readonly fanoutLag: HistogramSeries
  private readonly commands: Histogram<"ws_commands_duration_seconds">
  private readonly recoveries: Counter<"ws_recoveries_total">

  constructor(board = new MeterBoard()) {
    this.messages = board.counter("ws_messages_sent_total").of()
    this.bytes = board.counter("ws_bytes_sent_total").of()
    this.fanoutLag = board.histogram("ws_fanout_lag_seconds").of()
    this.commands = board.histogram("ws_commands_duration_seconds")
    this.recoveries = board.counter("ws_recoveries_total")
  }

  /** `since`: monotonic ms. */
  command(method: Command["method"], since: number): void {
    this.commands.of(method).observe((performance.now() - since) / 1000)
  }

  sent(readers: number, frame: string | Uint8Array): void {
    this.messages.value += readers
    this.bytes.value += readers * frame.length
  }

  /** Somebody came back with a position. */
  recovered(isWhole: boolean): void {
    this.recoveries.add(isWhole ? "recovered" : "started_over")
  }
}
