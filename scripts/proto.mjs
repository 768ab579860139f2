/**
 * Generates src/ws/generated/ from proto/: for each .proto an ES module that reads and writes its messages, and its types. Plain node,
 * so that it can run before everything else that needs the code.
 *
 * The one thing to know: an output carries the hash of what it was made from in its first line. While it matches, nothing is written
 * and the generator (a development package) is not needed. A build makes the modules alone: the types take five times as long.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { argv } from "node:process"
import { fileURLToPath } from "node:url"

/** Where the code goes; not in git. */
export const GENERATED = "src/ws/generated"
const script = fileURLToPath(import.meta.url)

/** `es6` modules of encode and decode alone. 64-bit integers are typed as numbers, though a decoder gives Longs when it finds that package. */
const FLAGS = [
  ...["--target", "static-module", "--wrap", "esm", "--dependency", "protobufjs/minimal.js", "--keep-case"],
  ...["--force-number", "--no-create", "--no-verify", "--no-convert", "--no-delimited", "--no-typeurl"],
]

const hashOf = (...texts) => {
  const hash = createHash("sha256")
  for (const text of texts) hash.update(`${text.length}\0${text}`)
  return hash.digest("hex")
}

/** Which pbjs package.json asks for: another version writes other code. */
const generatorVersion = (root) => {
  const path = join(root, "package.json")
  return existsSync(path) ? String(JSON.parse(readFileSync(path, "utf8")).devDependencies?.["protobufjs-cli"]) : ""
}

/** What the folder should hold: one entry per .proto, with the paths relative to `root`. */
export const generatedModules = (root) => {
  if (!existsSync(join(root, "proto"))) return []
  const common = [readFileSync(script, "utf8"), generatorVersion(root)]
  return readdirSync(join(root, "proto"))
    .filter((name) => name.endsWith(".proto"))
    .sort()
    .map((file) => {
      const name = file.slice(0, -".proto".length)
      const digest = hashOf(...common, readFileSync(join(root, "proto", file), "utf8"))
      return {
        name,
        proto: `proto/${file}`,
        module: `${GENERATED}/${name}.js`,
        types: `${GENERATED}/${name}.d.ts`,
        digest,
      }
    })
}

const opening = (digest) => `// Generated from proto/ by scripts/proto.mjs: ${digest}\n`

const isFresh = (path, digest) => existsSync(path) && readFileSync(path, "utf8").startsWith(opening(digest))

/** Written aside and moved into place, whole or not at all. */
const write = (root, { name, proto, module, types, digest }, withTypes) => {
  const generator = join(root, "node_modules/protobufjs-cli/bin/pbjs")
  if (!existsSync(generator)) {
    throw new Error(`${module} is missing or older than ${proto}, and pbjs is not installed: run \`npm ci\` first`)
  }
  const aside = join(root, GENERATED, `.${name}-${process.pid}`)
  mkdirSync(aside, { recursive: true })
  try {
    const made = { module: join(aside, `${name}.js`), types: join(aside, `${name}.d.ts`) }
    const flags = withTypes ? [...FLAGS, "--dts"] : FLAGS
    const args = [generator, ...flags, "--root", name, "--out", made.module, join(root, proto)]
    const run = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
    if (run.error) throw new Error(`pbjs did not start: ${run.error.message}`)
    if (run.status !== 0) throw new Error(`pbjs refuses ${proto}:\n${(run.stdout + run.stderr).trim()}`)
    writeFileSync(made.module, opening(digest) + readFileSync(made.module, "utf8"))
    if (withTypes) {
      // With numbers alone the types need nothing of `long`, which is not ours to import.
      const declarations = readFileSync(made.types, "utf8").replace(/^import Long = require\("long"\);\n/m, "")
      writeFileSync(made.types, opening(digest) + declarations)
      renameSync(made.types, join(root, types))
    }
    renameSync(made.module, join(root, module))
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** The modules, which is all that runs; throws an Error that says what is wrong in words for its user. */
export const generateCode = (root) => {
  for (const each of generatedModules(root)) {
    if (!isFresh(join(root, each.module), each.digest)) write(root, each, false)
  }
}

/** The modules and their types, which the compiler, the tests and the editor read. */
const generate = (root) => {
  for (const each of generatedModules(root)) {
    const isWhole = [each.module, each.types].every((path) => isFresh(join(root, path), each.digest))
    if (!isWhole) write(root, each, true)
  }
}

if (argv[1] === script) {
  try {
    generate(argv[2] ?? fileURLToPath(new URL("..", import.meta.url)))
  } catch (error) {
    process.stderr.write(`proto: ${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}
