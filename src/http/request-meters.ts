/**
 * Answers in numbers. The one thing to know: labels are the routes' own templates and a handful of methods, so that no client can make
 * series; each route's are built once and only counted up after that.
 */
import type { DomainError } from "../domain/errors.ts"
import type { Counter, CounterSeries, Histogram, HistogramSeries, MeterBoard } from "../ports/meters.ts"
import { ERRNO } from "./errno.ts"

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "RPC"])

interface RouteSeries {
  readonly seconds: HistogramSeries
  /** By method, by status. */
  readonly answers: Map<string, Array<CounterSeries | undefined>>
}

export class RequestMeters {
  private readonly requests: Counter<"http_requests_total">
  private readonly seconds: Histogram<"http_request_duration_seconds">
  private readonly rejected: Counter<"http_rejected_total">
  private readonly limited: Counter<"rate_limited_total">
  private readonly routes = new Map<string, RouteSeries>()

  constructor(board: MeterBoard) {
    this.requests = board.counter("http_requests_total")
    this.seconds = board.histogram("http_request_duration_seconds")
    this.rejected = board.counter("http_rejected_total")
    this.limited = board.counter("rate_limited_total")
  }

  /** `status` 0: nobody was there to hear it. */
  answered(route: { readonly template: string; readonly method: string }, status: number, millis: number): void {
    let series = this.routes.get(route.template)
    if (series === undefined) {
      series = { seconds: this.seconds.of(route.template), answers: new Map() }
      this.routes.set(route.template, series)
    }
    series.seconds.observe(millis / 1000)
    const method = METHODS.has(route.method) ? route.method : "OTHER"
    let byStatus = series.answers.get(method)
    if (byStatus === undefined) {
      byStatus = []
      series.answers.set(method, byStatus)
    }
    const answers = byStatus[status] ?? this.requests.of(route.template, method, `${status}`)
    byStatus[status] = answers
    answers.value++
  }

  /** `handedOver`: its operation had begun. */
  refused(failure: DomainError, handedOver: boolean): void {
    const { status, code } = ERRNO[failure._tag]
    const reason = code.toLowerCase()
    if (!handedOver) this.rejected.add(reason)
    if (status === 429) this.limited.add("bucket" in failure ? `${failure.bucket}` : reason)
  }
}
