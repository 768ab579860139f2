/** What a bench prints: lines for people, then one JSON object (hot-path 7). Figures are medians over rounds; times in µs. */
import { cpus, loadavg } from "node:os"
import { stopChildren } from "./child.ts"
import { printProfiles } from "./profile.ts"

export interface Result {
  readonly bench: string
  readonly conditions: Readonly<Record<string, unknown>>
  readonly figures: Readonly<Record<string, unknown>>
  readonly floor: Readonly<Record<string, unknown>>
  /** The figure of the target column. */
  readonly ratio: number
}

export const sleep = (millis: number): Promise<void> => new Promise((done) => setTimeout(done, millis))

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Medians of every figure of the rounds. */
export const medians = <K extends string>(rounds: ReadonlyArray<Readonly<Record<K, number>>>): Record<K, number> => {
  const names = Object.keys(rounds[0] ?? {}) as Array<K>
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => round[name]))])) as Record<
    K,
    number
  >
}

export interface Percentiles {
  readonly p50: number
  readonly p99: number
  readonly p999: number
}

export const percentiles = (samples: ArrayLike<number>): Percentiles => {
  const sorted = Float64Array.from(samples).sort()
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999) }
}

/** Three significant digits are more than a busy machine gives. */
const rounded = (value: unknown): unknown => {
  if (typeof value === "number") return Number.isInteger(value) ? value : Number(value.toPrecision(4))
  if (Array.isArray(value)) return value.map(rounded)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rounded(each)]))
}

export const say = (line: string): void => console.log(line)

/** Fixed columns: the first to the left, numbers to the right. */
export const row = (first: string, ...cells: ReadonlyArray<string | number>): string =>
  first.padEnd(44) +
  cells
    .map((cell) => (typeof cell === "number" ? (cell >= 100 ? cell.toFixed(0) : cell.toFixed(2)) : cell).padStart(12))
    .join("")

/** Runs the bench, prints its result as the last line, and leaves no process behind whatever happens. */
export const runBench = async (
  bench: () => Promise<Result>,
  /** What the bench started beside its children. */
  cleanUp: () => Promise<void> = async () => {},
): Promise<void> => {
  const before = loadavg()[0]
  const stop = async (): Promise<void> => {
    await stopChildren()
    await cleanUp()
  }
  const end = (): void => void stop().finally(() => process.exit(1))
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end)
  try {
    const result = await bench()
    await stop()
    printProfiles()
    const conditions = {
      node: process.version,
      cores: cpus().length,
      loadBefore: before,
      loadAfter: loadavg()[0],
      ...result.conditions,
    }
    say(JSON.stringify(rounded({ ...result, conditions })))
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  } finally {
    await stop()
  }
}
