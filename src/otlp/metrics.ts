/**
 * The gateway's figures as OTLP has them. The one thing to know: they are read when a look at them leaves, so that a counter stays a plain
 * number between two looks; effect's own registry cannot be given a histogram that somebody else counted.
 */
import type { HistogramReading, Labels, Reading } from "../ports/meters.ts"
import { METRICS, type MetricRow } from "../ports/metric-names.ts"

const attributesOf = (labels: Labels) =>
  Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: value } }))

/** Milliseconds as OTLP's text of nanoseconds. */
const nanos = (millis: number): string => `${BigInt(Math.round(millis)) * 1_000_000n}`

/** Since the start of the process. */
const CUMULATIVE = 2

const histogramPoint = (one: HistogramReading, times: object, explicitBounds: ReadonlyArray<number>) => ({
  ...times,
  attributes: attributesOf(one.labels),
  count: one.counts.reduce((sum, count) => sum + count, 0),
  sum: one.sum,
  bucketCounts: one.counts,
  explicitBounds,
})

const metricOf = ({ name, samples, histograms }: Reading, startMillis: number, atMillis: number): object => {
  const { type, help, buckets = [] }: MetricRow = METRICS[name]
  const times = { startTimeUnixNano: nanos(startMillis), timeUnixNano: nanos(atMillis) }
  const points = samples.map(({ labels, value }) => ({
    ...times,
    attributes: attributesOf(labels ?? {}),
    asDouble: value,
  }))
  const sort =
    histograms !== undefined
      ? {
          histogram: {
            aggregationTemporality: CUMULATIVE,
            dataPoints: histograms.map((one) => histogramPoint(one, times, buckets)),
          },
        }
      : type === "counter"
        ? { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: points } }
        : { gauge: { dataPoints: points } }
  return { name, description: help, ...sort }
}

export const metricsOf = (
  readings: ReadonlyArray<Reading>,
  startMillis: number,
  atMillis: number,
): ReadonlyArray<object> =>
  readings
    .filter(({ samples, histograms }) => samples.length > 0 || (histograms?.length ?? 0) > 0)
    .map((reading) => metricOf(reading, startMillis, atMillis))
