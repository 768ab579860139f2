/** The runs that look at the gateway from outside, with tools of others. */
import type { Verdict } from "../kill/kill-verdict.ts"
import { ports } from "./ports.ts"
import { proxy } from "./proxy.ts"
import { slowHttp } from "./slow-http.ts"
import { tls } from "./tls.ts"
import { ToolMissing } from "./tool.ts"

type Progress = (line: string) => void

/** A tool that is not there fails its run with a sentence instead of a stack. */
const withTools =
  (run: (progress: Progress) => Promise<ReadonlyArray<Verdict>>) =>
  (progress: Progress): Promise<ReadonlyArray<Verdict>> =>
    run(progress).catch((error: unknown) => {
      if (!(error instanceof ToolMissing)) throw error
      return [{ name: "tools", passed: false, says: error.message }]
    })

export const EDGE_RUNS = {
  tls: { usage: "(sslscan, testssl, openssl): what the direct TLS port offers", run: withTools(tls) },
  ports: { usage: "(nmap): which ports are open, and methods that nobody declared", run: withTools(ports) },
  "slow-http": {
    usage: "(slowhttptest): 500 slow headers, bodies and readers, beside a service that goes on",
    run: withTools(slowHttp),
  },
  proxy: { usage: "(nginx, haproxy): the examples of deploy/ in front of a gateway", run: withTools(proxy) },
} as const
