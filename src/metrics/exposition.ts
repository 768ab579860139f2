/** Renders readings in Prometheus' text format 0.0.4. A name's type, help and buckets come from the table (ports/metric-names). */
import type { HistogramReading, Labels, Reading, Sample } from "../ports/meters.ts"
import { METRICS, type MetricName, type MetricRow } from "../ports/metric-names.ts"

const escaped = (text: string): string => text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")

const labelText = (labels: Labels = {}): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

/** A number that JavaScript writes as Infinity or NaN has its own words. */
const numberText = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : `${value}`

/** Buckets are summed up: each holds what the smaller ones hold. */
const histogramLines = (name: string, bounds: ReadonlyArray<number>, one: HistogramReading): string => {
  let text = ""
  let count = 0
  for (const [index, inBucket] of one.counts.entries()) {
    count += inBucket
    const le = numberText(bounds[index] ?? Number.POSITIVE_INFINITY)
    text += `${name}_bucket${labelText({ ...one.labels, le })} ${count}\n`
  }
  return `${text}${name}_sum${labelText(one.labels)} ${one.sum}\n${name}_count${labelText(one.labels)} ${count}\n`
}

const lines = ({ name, samples, histograms }: Reading, { buckets = [] }: MetricRow): string =>
  histograms === undefined
    ? samples.map(({ labels, value }) => `${name}${labelText(labels)} ${numberText(value)}\n`).join("")
    : histograms.map((one) => histogramLines(name, buckets, one)).join("")

/** Of names without a series yet it says what they are. */
export const exposition = (readings: ReadonlyArray<Reading>): string =>
  readings
    .map((reading) => {
      const row: MetricRow = METRICS[reading.name]
      const help = row.help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")
      return `# HELP ${reading.name} ${help}\n# TYPE ${reading.name} ${row.type}\n${lines(reading, row)}`
    })
    .join("")

export const reading = (name: MetricName, samples: ReadonlyArray<Sample> | number): Reading => ({
  name,
  samples: typeof samples === "number" ? [{ value: samples }] : samples,
})

/** One sample per entry, told apart by a label. */
export const by = (label: string, values: Readonly<Record<string, number>>, labels: Labels = {}): Array<Sample> =>
  Object.entries(values).map(([name, value]) => ({ labels: { ...labels, [label]: name }, value }))
