/**
 * How a part exposes a number. A row in `metric-names.ts` first; then, in the part, one of two ways:
 *
 *     const limited = (yield* Meters).counter("rate_limited_total")   // once, when the part is made
 *     limited.add("login")                                            // whenever it happens; labels in the table's order
 *
 *     meters.read("ws_connections", () => connections.size)           // for what the part counts anyway: read at each scrape
 *
 * The one thing to know: where it is hot, keep the series itself (`of`) and write `series.value++`: no look-up, nothing allocated.
 * A label is a word of ours, never a client's; beyond 500 series of one name further ones are counted together as "other".
 */
import { Context } from "effect"
import { METRICS, type MetricName, type MetricRow } from "./metric-names.ts"

export type Labels = Readonly<Record<string, string>>

export interface Sample {
  readonly labels?: Labels
  readonly value: number
}

/** One family, as it is read. */
export interface Reading {
  readonly name: MetricName
  readonly samples: ReadonlyArray<Sample>
  /** Of a histogram, instead of samples. */
  readonly histograms?: ReadonlyArray<HistogramReading>
}

export interface HistogramReading {
  readonly labels: Labels
  /** Per bucket, not summed up; the last one is above every bound. */
  readonly counts: ReadonlyArray<number>
  readonly sum: number
}

const SERIES_MAX = 500

type Row<N extends MetricName> = (typeof METRICS)[N]
type LabelsOf<N extends MetricName> =
  Row<N> extends { readonly labels: infer L extends ReadonlyArray<string> } ? L : readonly []
type Texts<L extends ReadonlyArray<string>> = { readonly [K in keyof L]: string }
/** One text per label of the table's row. */
type Values<N extends MetricName> = Texts<LabelsOf<N>>
type OfType<T extends MetricRow["type"]> = {
  readonly [N in MetricName]: Row<N>["type"] extends T ? N : never
}[MetricName]
export type CounterName = OfType<"counter">
export type HistogramName = OfType<"histogram">

const labelsOf = (row: MetricRow, values: ReadonlyArray<string>): Labels =>
  Object.fromEntries((row.labels ?? []).map((name, index) => [name, values[index] ?? ""]))

/** Series of one name by their labels. */
class Series<One> {
  private readonly known = new Map<string, { readonly labels: Labels; readonly one: One }>()
  constructor(
    private readonly row: MetricRow,
    private readonly make: () => One,
  ) {}

  of(values: ReadonlyArray<string>): One {
    const found = this.known.get(values.length === 1 ? values[0]! : values.join("\u0000"))
    if (found !== undefined) return found.one
    const isFull = this.known.size >= SERIES_MAX
    const kept = isFull ? values.map(() => "other") : values
    const key = kept.join("\u0000")
    const entry = this.known.get(key) ?? { labels: labelsOf(this.row, kept), one: this.make() }
    this.known.set(key, entry)
    return entry.one
  }

  all(): ReadonlyArray<{ readonly labels: Labels; readonly one: One }> {
    return [...this.known.values()]
  }
}

export interface CounterSeries {
  value: number
}

export class Counter<N extends MetricName = MetricName> {
  private readonly series: Series<CounterSeries>
  constructor(row: MetricRow) {
    this.series = new Series(row, () => ({ value: 0 }))
    // Without labels it is there from the start: a rate begins at 0.
    if (row.labels === undefined) this.series.of([])
  }

  /** The series of these labels: always the same object. */
  of(...values: Values<N>): CounterSeries {
    return this.series.of(values)
  }

  add(...values: Values<N>): void {
    this.series.of(values).value++
  }

  samples(): ReadonlyArray<Sample> {
    return this.series.all().map(({ labels, one }) => ({ labels, value: one.value }))
  }
}

export class HistogramSeries {
  readonly counts: Array<number>
  sum = 0
  constructor(private readonly bounds: ReadonlyArray<number>) {
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const { bounds } = this
    let index = 0
    while (index < bounds.length && value > bounds[index]!) index++
    this.counts[index]!++
    this.sum += value
  }
}

export class Histogram<N extends MetricName = MetricName> {
  private readonly series: Series<HistogramSeries>
  constructor(row: MetricRow) {
    this.series = new Series(row, () => new HistogramSeries(row.buckets ?? []))
    if (row.labels === undefined) this.series.of([])
  }

  of(...values: Values<N>): HistogramSeries {
    return this.series.of(values)
  }

  histograms(): ReadonlyArray<HistogramReading> {
    return this.series.all().map(({ labels, one }) => ({ labels, counts: one.counts, sum: one.sum }))
  }
}

/** All numbers of one gateway. */
export class MeterBoard {
  private readonly counters = new Map<MetricName, Counter>()
  private readonly distributions = new Map<MetricName, Histogram>()
  private readonly readers: Array<() => ReadonlyArray<Reading>> = []

  /** The counter of that name: the same instance for every caller. */
  counter<N extends CounterName>(name: N): Counter<N> {
    const counter = this.counters.get(name) ?? new Counter(METRICS[name])
    this.counters.set(name, counter)
    return counter as unknown as Counter<N>
  }

  histogram<N extends HistogramName>(name: N): Histogram<N> {
    const histogram = this.distributions.get(name) ?? new Histogram(METRICS[name])
    this.distributions.set(name, histogram)
    return histogram as unknown as Histogram<N>
  }

  /** What a part knows of itself, read at each scrape. A later reader of the same name adds its samples. */
  read(name: MetricName, read: () => number | ReadonlyArray<Sample>): void {
    this.readAll(() => {
      const value = read()
      return [{ name, samples: typeof value === "number" ? [{ value }] : value }]
    })
  }

  readAll(read: () => ReadonlyArray<Reading>): void {
    this.readers.push(read)
  }

  /** Everything as it is now, in the order of the table; names without a reading are omitted. */
  readings(): ReadonlyArray<Reading> {
    const samples = new Map<MetricName, Array<Sample>>()
    const take = (name: MetricName, more: ReadonlyArray<Sample>): void => {
      const known = samples.get(name)
      if (known === undefined) samples.set(name, [...more])
      else known.push(...more)
    }
    for (const [name, counter] of this.counters) take(name, counter.samples())
    for (const read of this.readers) for (const reading of read()) take(reading.name, reading.samples)
    const names = Object.keys(METRICS) as ReadonlyArray<MetricName>
    return names.flatMap((name): ReadonlyArray<Reading> => {
      const distribution = this.distributions.get(name)
      if (distribution !== undefined) return [{ name, samples: [], histograms: distribution.histograms() }]
      const found = samples.get(name)
      return found === undefined ? [] : [{ name, samples: found }]
    })
  }
}

/** The gateway's own, provided by the composition root; without it a part's counts are discarded. */
export class Meters extends Context.Reference<Meters>()("ports/Meters", {
  defaultValue: (): MeterBoard => new MeterBoard(),
}) {}
