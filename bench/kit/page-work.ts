/**
 * What a page makes the browser do, from the browser's own trace. The one thing to know: counts per frame say the same on a busy machine as on
 * an idle one; milliseconds do not.
 */
import type { Browser, Page } from "playwright-core"
import { sleep } from "./report.ts"

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** µs. */
  readonly dur?: number
  readonly args?: {
    readonly elementCount?: number
    readonly beginData?: { readonly dirtyObjects?: number; readonly totalObjects?: number }
  }
}

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]

/** Names of the trace, by what they are called here. */
const STEPS = {
  script: "FunctionCall",
  style: "UpdateLayoutTree",
  layout: "Layout",
  prePaint: "PrePaint",
  paint: "Paint",
  layers: "Layerize",
  commit: "Commit",
} as const
type Step = keyof typeof STEPS

export interface PageWork {
  readonly frames: number
  /** Of each step: how often a frame, and ms a frame. */
  readonly perFrame: Readonly<Record<Step, { readonly times: number; readonly ms: number }>>
  /** A frame: elements whose style was found anew, objects that were to be laid out, and of how many. */
  readonly styled: number
  readonly dirty: number
  readonly laidOut: number
}

/** Of the thread that has the most animation frames in that time. */
export const workOf = async (browser: Browser, page: Page, millis: number): Promise<PageWork> => {
  await browser.startTracing(page, { categories: CATEGORIES })
  await sleep(millis)
  const text = (await browser.stopTracing()).toString("utf8")
  const { traceEvents } = JSON.parse(text) as { readonly traceEvents: ReadonlyArray<TraceEvent> }
  const threads = new Map<string, Array<TraceEvent>>()
  for (const event of traceEvents) {
    const key = `${event.pid} ${event.tid}`
    const known = threads.get(key)
    if (known === undefined) threads.set(key, [event])
    else known.push(event)
  }
  const framesOf = (events: ReadonlyArray<TraceEvent>): number =>
    events.filter(({ name }) => name === "FireAnimationFrame").length
  const [own = []] = [...threads.values()].sort((a, b) => framesOf(b) - framesOf(a))
  const frames = framesOf(own) || Number.NaN
  const step = (name: string) => {
    const found = own.filter((it) => it.name === name && it.ph === "X")
    return { times: found.length / frames, ms: found.reduce((sum, { dur = 0 }) => sum + dur, 0) / 1000 / frames }
  }
  const sum = (of: (args: NonNullable<TraceEvent["args"]>) => number | undefined): number =>
    own.reduce((total, { args }) => total + ((args === undefined ? undefined : of(args)) ?? 0), 0) / frames
  return {
    frames,
    perFrame: Object.fromEntries(Object.entries(STEPS).map(([key, name]) => [key, step(name)])) as PageWork["perFrame"],
    styled: sum(({ elementCount }) => elementCount),
    dirty: sum(({ beginData }) => beginData?.dirtyObjects),
    laidOut: sum(({ beginData }) => beginData?.totalObjects),
  }
}
