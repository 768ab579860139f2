/**
 * `npm run bench -- NAME [--json] [--profile MODULE] [--minutes N]`: builds and runs one bench; its last line is one JSON object (hot-path 7).
 * `--json` prints only that; `--profile http-server` shows where the CPU of that child process went; `--minutes` is of `console`.
 * The one thing to know: benches run compiled. A loader that rewrites names on the fly costs microseconds on every closure, and the
 * figures would be the loader's.
 */
import { spawn, spawnSync } from "node:child_process"
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { buildConsole } from "../scripts/console.mjs"

const NAMES = [
  "http",
  "fanout",
  "channels",
  "order",
  "cost",
  "cable",
  "idle",
  "fills",
  "lists",
  "book",
  "venue",
  "venues",
  "ledger",
  "matcher",
  "quote",
  "client",
  "console",
]

const root = fileURLToPath(new URL("..", import.meta.url))
const tree = join(root, "dist/bench-tree")

const compile = (): boolean => {
  const compiler = join(root, "node_modules/typescript-native/bin/tsc")
  const build = spawnSync(process.execPath, [compiler, "-p", join(root, "bench/tsconfig.json")], { encoding: "utf8" })
  if (build.status !== 0) process.stderr.write(`${build.stdout}${build.stderr}`)
  cpSync(join(root, "src"), join(tree, "src"), {
    recursive: true,
    filter: (path) => !path.endsWith(".ts"),
  })
  // The gateway serves them, as it does from the build.
  for (const folder of ["docs/examples", "docs/guide", "docs/operations", "docs/openapi.json"])
    cpSync(join(root, folder), join(tree, folder), { recursive: true })
  return build.status === 0
}

/** Where a gateway of the bench's tree looks for it. */
const layConsole = async (): Promise<void> => {
  await buildConsole(root)
  rmSync(join(tree, "console"), { recursive: true, force: true })
  cpSync(join(root, "dist/console"), join(tree, "console"), { recursive: true })
}

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    options: { json: { type: "boolean", default: false }, profile: { type: "string" }, minutes: { type: "string" } },
    allowPositionals: true,
  })
  const [name, ...rest] = positionals
  if (name === undefined || rest.length > 0 || !NAMES.includes(name)) {
    console.error(
      `usage: npm run bench -- NAME [--json] [--profile MODULE] [--minutes N]; NAME is one of ${NAMES.join(", ")}`,
    )
    process.exitCode = 1
    return
  }
  if (!compile()) {
    console.error("the benches do not compile, see above")
    process.exitCode = 1
    return
  }
  if (name === "console") await layConsole()
  const bench = spawn(process.execPath, ["--enable-source-maps", join(tree, "bench", `${name}.js`)], {
    cwd: root,
    env: {
      ...process.env,
      ...(values.profile === undefined ? {} : { BENCH_PROFILE: values.profile }),
      ...(values.minutes === undefined ? {} : { BENCH_MINUTES: values.minutes }),
    },
    stdio: ["ignore", values.json ? "pipe" : "inherit", "inherit"],
  })
  let printed = ""
  bench.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk.toString("utf8")
  })
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => bench.kill(signal))
  bench.on("close", (code) => {
    if (values.json) process.stdout.write(`${printed.trimEnd().split("\n").at(-1) ?? ""}\n`)
    process.exitCode = code ?? 1
  })
}

await main()
