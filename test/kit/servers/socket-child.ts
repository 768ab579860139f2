/** The parent's side of `socket-process.ts`: starts it, asks it, and knows when it ended. */
import { V8_FLAGS } from "../../../scripts/v8-flags.ts"
import { type Line, startLine } from "./process-line.ts"
import type { SocketAsks } from "./socket-process.ts"
import type { TestSocketOptions } from "./socket-server.ts"

export interface SocketChild extends Omit<Line<SocketAsks>, "ask"> {
  readonly url: string
  readonly ask: <K extends keyof SocketAsks>(name: K, question?: SocketAsks[K][0]) => Promise<SocketAsks[K][1]>
}

/** The options must survive a message: no functions. */
export const startSocketChild = async (
  options: Omit<TestSocketOptions, "rpc" | "sources"> = {},
): Promise<SocketChild> => {
  const line = startLine<SocketAsks>(new URL("./socket-process.ts", import.meta.url), {
    flags: ["--expose-gc", ...V8_FLAGS],
  })
  const ask: SocketChild["ask"] = (name, question) => line.ask(name, question)
  return { ...line, ask, url: await ask("start", options) }
}
