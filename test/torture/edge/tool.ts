/** The tools of others that look at the gateway from outside: found on the PATH, run with a deadline, their words returned. */
import { spawn, spawnSync } from "node:child_process"
import { stripVTControlCharacters } from "node:util"

/** Debian's package for each program. */
const PACKAGES = {
  sslscan: "sslscan",
  testssl: "testssl.sh",
  nmap: "nmap",
  slowhttptest: "slowhttptest",
  nginx: "nginx-light",
  haproxy: "haproxy",
  openssl: "openssl",
} as const
export type ToolName = keyof typeof PACKAGES

export class ToolMissing extends Error {}

/** Throws ToolMissing, which says how to get it. */
export const need = (...names: ReadonlyArray<ToolName>): void => {
  const absent = names.filter((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0)
  if (absent.length > 0)
    throw new ToolMissing(
      `${absent.join(", ")} not found: apt-get install ${absent.map((name) => PACKAGES[name]).join(" ")}`,
    )
}

export interface Words {
  readonly code: number | null
  readonly text: string
}

/** Everything that it prints, without colours. It is killed when the time is over. */
export const run = (name: ToolName, args: ReadonlyArray<string>, millis = 300_000): Promise<Words> =>
  new Promise((resolve, reject) => {
    const child = spawn(name, args, { stdio: ["ignore", "pipe", "pipe"], timeout: millis, killSignal: "SIGKILL" })
    let text = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
      })
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, text: stripVTControlCharacters(text) }))
  })
