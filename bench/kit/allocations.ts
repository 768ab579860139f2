/**
 * What a process allocates on its main thread, by V8's sampling heap profiler, dead objects included. The one thing to know: this module is
 * loaded into the process (`--import`) and asked over its IPC channel. Figures of the time meanwhile are no results; counts are.
 */
import type { ChildProcess } from "node:child_process"
import { Session } from "node:inspector"
import { isMainThread } from "node:worker_threads"

export interface Allocated {
  readonly bytes: number
  /** By function, the most first. */
  readonly byFunction: ReadonlyArray<readonly [where: string, bytes: number]>
}

/** On the average one object in so many bytes is looked at: of 100 MB some 6,000. */
const INTERVAL_BYTES = 16_384
const ANSWER_MILLIS = 30_000

type Ask = "start allocations" | "stop allocations"
interface Said {
  readonly allocated: Allocated | null
}

/** Node's options for a process whose allocations are asked for; it has to have an IPC channel. */
export const ALLOCATION_OPTIONS: ReadonlyArray<string> = ["--import", import.meta.url]

const asked = (child: ChildProcess, ask: Ask): Promise<Allocated | null> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer to: ${ask}`)), ANSWER_MILLIS)
    child.once("message", (said) => {
      clearTimeout(timer)
      resolve((said as Said).allocated)
    })
    child.send(ask)
  })

export const startAllocations = async (child: ChildProcess): Promise<void> => {
  await asked(child, "start allocations")
}

/** Since `startAllocations`. */
export const stopAllocations = async (child: ChildProcess): Promise<Allocated> =>
  (await asked(child, "stop allocations")) ?? { bytes: 0, byFunction: [] }

// In the process that is looked at

interface Node {
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly selfSize: number
  readonly children: ReadonlyArray<Node>
}

/** What is built in is named with who called it. */
const nameOf = ({ callFrame: { functionName, url, lineNumber } }: Node, caller: string): string => {
  const name = functionName || "(anonymous)"
  if (url === "") return `${name} < ${caller.replace(/^.* < /, "")}`
  return `${name} ${url.replace(/^.*\/(dist|node_modules|node:)/, "$1").replace("dist/bench-tree/", "")}:${lineNumber + 1}`
}

const summed = (root: Node): Allocated => {
  const sums = new Map<string, number>()
  let bytes = 0
  const open: Array<readonly [node: Node, caller: string]> = [[root, ""]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, caller] = next
    const name = nameOf(node, caller)
    bytes += node.selfSize
    if (node.selfSize > 0) sums.set(name, (sums.get(name) ?? 0) + node.selfSize)
    for (const child of node.children) open.push([child, name])
  }
  return { bytes, byFunction: [...sums].sort((a, b) => b[1] - a[1]).slice(0, 200) }
}

const serve = (): void => {
  const session = new Session()
  session.connect()
  const say = (said: Said): void => void process.send?.(said)
  process.on("message", (ask: Ask) => {
    if (ask === "start allocations")
      session.post(
        "HeapProfiler.startSampling",
        {
          samplingInterval: INTERVAL_BYTES,
          ...{ includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true },
        },
        () => say({ allocated: null }),
      )
    else
      session.post("HeapProfiler.stopSampling", (error, answer) => {
        if (error !== null) throw error
        say({ allocated: summed(answer.profile.head as Node) })
      })
  })
  // It ends when it would without.
  process.channel?.unref()
}

if (isMainThread && process.execArgv.includes(import.meta.url)) serve()
