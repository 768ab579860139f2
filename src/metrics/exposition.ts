/** Metrics as Prometheus reads them: the text format 0.0.4. Plain numbers, read when they are asked for. */

export type Labels = Readonly<Record<string, string>>

export interface Sample {
  readonly labels?: Labels
  readonly value: number
}

export interface Family {
  /** By Prometheus' rules: counters end in `_total`, units are seconds and bytes. */
  readonly name: string
  readonly type: "counter" | "gauge"
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

const escaped = (text: string): string => text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")

const labelText = (labels: Labels = {}): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

/** A number that JavaScript writes as Infinity or NaN has its own words. */
const numberText = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : `${value}`

export const exposition = (families: ReadonlyArray<Family>): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(
      ({ name, type, help, samples }) =>
        `# HELP ${name} ${help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}\n# TYPE ${name} ${type}\n` +
        samples.map(({ labels, value }) => `${name}${labelText(labels)} ${numberText(value)}\n`).join(""),
    )
    .join("")

export const counter = (name: string, help: string, samples: ReadonlyArray<Sample> | number): Family => ({
  name,
  type: "counter",
  help,
  samples: typeof samples === "number" ? [{ value: samples }] : samples,
})

export const gauge = (name: string, help: string, samples: ReadonlyArray<Sample> | number): Family => ({
  ...counter(name, help, samples),
  type: "gauge",
})

/** One sample per entry, told apart by a label. */
export const by = (label: string, values: Readonly<Record<string, number>>, labels: Labels = {}): Array<Sample> =>
  Object.entries(values).map(([name, value]) => ({ labels: { ...labels, [label]: name }, value }))
