/** The parent's side of `soak-gateway.ts`: starts the process with a pulse in every thread of it, and asks it. */
import { type Line, startLine } from "../../kit/servers/process-line.ts"
import type { SoakAsks } from "./soak-gateway.ts"

export interface SoakChild extends Pick<Line<SoakAsks>, "ask" | "stop"> {
  /** What it wrote for its operator: lines, the newest last. */
  readonly notices: () => ReadonlyArray<string>
}

export const startSoakChild = (): SoakChild => {
  const { ask, stop, stderr } = startLine<SoakAsks>(new URL("./soak-gateway.ts", import.meta.url), {
    flags: ["--expose-gc"],
    // Threads have arguments of their own, but the environment of the process.
    env: { NODE_OPTIONS: `--import ${new URL("./soak-pulse.mjs", import.meta.url).href}` },
  })
  return {
    ask,
    stop,
    notices: () =>
      stderr()
        .split("\n")
        .filter((line) => line !== ""),
  }
}
