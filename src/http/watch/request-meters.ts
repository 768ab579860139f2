/**
 * Counts and times responses. The one thing to know: labels are the routes' own templates and a handful of methods, so that no client
 * can make series; each route's are built once and only counted up after that.
 */
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { Counter, CounterSeries, Histogram, HistogramSeries, MeterBoard } from "../../ports/meters.ts"
import { ERRNO } from "../edge/errno.ts"

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "RPC"])

interface RouteSeries {
  readonly seconds: HistogramSeries
  /** By method, by status. */
  readonly answers: Map<string, Array<CounterSeries | undefined>>
  /** Of the newest answer: nearly every route has one method. */
  method: string
  byStatus: Array<CounterSeries | undefined>
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
      series = { seconds: this.seconds.of(route.template), answers: new Map(), method: "", byStatus: [] }
      this.routes.set(route.template, series)
    }
    series.seconds.observe(millis / 1000)
    if (series.method !== route.method) this.turnTo(series, route.method)
    const known = series.byStatus[status]
    if (known !== undefined) known.value++
    else {
      const answers = this.requests.of(route.template, METHODS.has(route.method) ? route.method : "OTHER", `${status}`)
      series.byStatus[status] = answers
      answers.value++
    }
  }

  private turnTo(series: RouteSeries, method: string): void {
    const label = METHODS.has(method) ? method : "OTHER"
    const byStatus = series.answers.get(label) ?? []
    series.answers.set(label, byStatus)
    series.byStatus = byStatus
    series.method = method
  }

  /** `handedOver`: its operation had begun. */
  refused(failure: DomainError, handedOver: boolean): void {
    const { status, code } = ERRNO[failure._tag]
    const reason = code.toLowerCase()
    if (!handedOver) this.rejected.add(reason)
    if (status === 429) this.limited.add("bucket" in failure ? `${failure.bucket}` : reason)
  }
}
