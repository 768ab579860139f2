/** The gateway's requests to one venue, counted by outcome: orders by the venue's response, queries by their answer. */
import { performance } from "node:perf_hooks"
import type { Counter, Histogram, MeterBoard } from "../ports/meters.ts"
import type { SessionReport } from "../ports/venue-session.ts"
import type { CallName, VenueFailure } from "./connector/wire.ts"

const OF_REPORT = {
  Accepted: ["submit", "ok"],
  Refused: ["submit", "refused"],
  NotSent: ["submit", "not_sent"],
  InDoubt: ["submit", "unknown"],
  CancelAccepted: ["cancel", "ok"],
  CancelRefused: ["cancel", "refused"],
  CancelInDoubt: ["cancel", "unknown"],
  AmendAccepted: ["amend", "ok"],
  AmendRefused: ["amend", "refused"],
  AmendInDoubt: ["amend", "unknown"],
} as const satisfies Partial<Record<SessionReport["_tag"], readonly [string, string]>>

export class VenueMeters {
  private readonly ended: Counter<"venue_requests_total">
  private readonly took: Histogram<"venue_request_duration_seconds">

  constructor(
    board: MeterBoard,
    private readonly venue: string,
    private readonly debug: (what: string, fields: () => Readonly<Record<string, unknown>>) => void = () => undefined,
  ) {
    this.ended = board.counter("venue_requests_total")
    this.took = board.histogram("venue_request_duration_seconds")
  }

  /** What an order, its cancel or its change was answered; `since`: monotonic ms of its leaving. */
  reported(report: keyof typeof OF_REPORT, since: number | undefined): void {
    const [op, outcome] = OF_REPORT[report]
    this.count(op, outcome, since)
  }

  answered(call: CallName, failure: VenueFailure | null, since: number): void {
    this.count(call, failure === null ? "ok" : failure.category.toLowerCase(), since)
  }

  private count(op: string, outcome: string, since: number | undefined): void {
    this.ended.add(this.venue, op, outcome)
    const millis = since === undefined ? null : performance.now() - since
    if (millis !== null) this.took.of(this.venue, op).observe(millis / 1000)
    this.debug("a venue answered", () => ({ venue: this.venue, op, outcome, millis }))
  }
}
