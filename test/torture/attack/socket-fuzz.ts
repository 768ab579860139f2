/** Very many absurd messages for a socket server in a process of its own; what it is sent and judged by is in test/kit/socket-fuzz. */
import { loadavg } from "node:os"
import { socketFuzz } from "../../kit/socket-fuzz/socket-fuzz.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

export interface SocketFuzzOptions {
  readonly frames: number
  readonly seed: number
  readonly progress: (line: string) => void
}

/** What a heap may hold more in the end than at the beginning: code that was compiled later, and what is cached once. */
const HEAP_GROWTH_MAX = 16 * 1_048_576

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`

export const runSocketFuzz = async ({ frames, seed, progress }: SocketFuzzOptions): Promise<ReadonlyArray<Verdict>> => {
  const startedAt = performance.now()
  const facts = await socketFuzz({ frames, seed, progress })
  const seconds = (performance.now() - startedAt) / 1000
  const { memory, left, faults } = facts
  return [
    {
      name: "crashes",
      passed: facts.crash === "",
      says: facts.crash === "" ? `0 in ${facts.frames} messages of ${facts.connections} connections` : facts.crash,
    },
    {
      name: "codes",
      passed: facts.faultCount === 0,
      says:
        `${facts.faultCount} wrong of ${facts.replies} replies to ${facts.commands} commands, seed ${seed}; errors ` +
        `${JSON.stringify(facts.errors)}, closes ${JSON.stringify(facts.closes)}${faults.map((fault) => `\n     ${fault}`).join("")}`,
    },
    {
      name: "memory",
      passed: memory.endHeap - memory.baseHeap < HEAP_GROWTH_MAX,
      says:
        `heap ${megabytes(memory.baseHeap)} before, ${megabytes(memory.endHeap)} after; resident ${megabytes(memory.baseRss)} ` +
        `before, ${megabytes(memory.endRss)} after`,
    },
    {
      name: "what is left",
      passed: left.connections + left.subscriptions + left.topics === 0,
      says: `${left.connections} connections, ${left.subscriptions} subscriptions, ${left.topics} topics (${seconds.toFixed(0)} s, load ${loadavg()[0]?.toFixed(1)})`,
    },
  ]
}
