/**
 * Builds the console: console/src and the TypeScript client into dist/console, a few files with hashed names, each beside itself in brotli and
 * gzip. Plain node; esbuild is loaded only when there is something to build.
 *
 * The one thing to know: what a state of an order means is taken from the tables of the guide to orders, so that the page explains it in the
 * words of the documents.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, join } from "node:path"
import { argv } from "node:process"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

/** Folders below the root that the console is made of. */
export const CONSOLE_SOURCES = ["console/src", "clients/typescript/src"]
const GUIDE = "docs/guide/orders.md"
const EVENTS = "docs/guide/market-data.md"
const RUNNING = "docs/operations/running.md"
const OUT = "dist/console"

export const hasConsole = (root) => existsSync(join(root, "console/src/main.tsx"))
export const consoleIsBuilt = (root) => existsSync(join(root, OUT, "index.html"))

const plain = (markdown) =>
  markdown
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .trim()

/** Rows of the Markdown table whose first heading is this one: code → the words of that column. Several codes of one row each have them. */
export const meaningsOf = (markdown, heading, column = 2) => {
  const lines = markdown.split("\n")
  const at = lines.findIndex((line) => line.startsWith("|") && plain(line.split("|")[1] ?? "") === heading)
  if (at < 0) throw new Error(`the guide has no table of ${heading}`)
  const meanings = {}
  for (const line of lines.slice(at + 2)) {
    if (!line.startsWith("|")) break
    const cells = line.split("|")
    for (const code of (cells[1] ?? "").split(",")) meanings[plain(code)] = plain(cells[column] ?? "")
  }
  return meanings
}

/** What each trading mode lets through, a sentence each: the table's columns with their headings. */
export const modesOf = (markdown) => {
  const [heads, ...columns] = [1, 2, 3, 4, 5].map((column) => meaningsOf(markdown, "mode", column))
  const titles = ["Submits and changes", "quotes", "cancels", "hedges of executed quotes"]
  return Object.fromEntries(
    Object.keys(heads).map((mode) => [
      mode,
      `${titles.map((title, at) => `${title}: ${columns[at][mode]}`).join("; ")}. What was accepted before continues.`,
    ]),
  )
}

const meanings = (root) => {
  const orders = readFileSync(join(root, GUIDE), "utf8")
  const read = (heading, column) => meaningsOf(orders, heading, column)
  const events = readFileSync(join(root, EVENTS), "utf8")
  return {
    status: read("status"),
    rejectReason: read("rejectReason"),
    cancelReason: read("cancelReason"),
    orderType: read("orderType", 3),
    event: meaningsOf(events, "kind"),
    mode: modesOf(readFileSync(join(root, RUNNING), "utf8")),
  }
}

const words = (root) => ({
  name: "words of the guides",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^guide:meanings$/ }, ({ path }) => ({ path, namespace: "guide" }))
    onLoad({ filter: /.*/, namespace: "guide" }, () => ({ contents: JSON.stringify(meanings(root)), loader: "json" }))
  },
})

const hashOf = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 8)

const written = (folder, name, contents) => {
  const bytes = Buffer.from(contents)
  writeFileSync(join(folder, name), bytes)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }))
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
}

/** The licences of the packages whose code is in the bundle. */
const licences = (root, inputs) => {
  const packages = new Set(
    Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  )
  return [...packages]
    .sort()
    .map((name) => {
      const folder = join(root, "node_modules", name)
      const file = readdirSync(folder).find((it) => /^licen[cs]e/i.test(it))
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      return `${name} ${version} (${license})\n\n${file === undefined ? "" : readFileSync(join(folder, file), "utf8")}`
    })
    .join("\n\n----\n\n")
}

/** Throws what esbuild has to say. */
export const buildConsole = async (root) => {
  const require = createRequire(join(root, "package.json"))
  const { build } = require("esbuild")
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["console/src/main.tsx"],
    outdir: OUT,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "silent",
    plugins: [words(root)],
  })
  const folder = join(root, OUT)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const names = outputFiles.map(({ path }) => basename(path))
  for (const { path, contents } of outputFiles) written(folder, basename(path), contents)
  const icon = readFileSync(join(root, "console/src/icon.svg"))
  const iconName = `icon-${hashOf(icon)}.svg`
  written(folder, iconName, icon)
  written(folder, "licences.txt", licences(root, metafile.inputs))
  // What the first script imports is asked for beside it, not after it.
  const [first] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint === "console/src/main.tsx")
  const needed = first.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => basename(path))
  const named = (pattern) => `/console/${names.find((name) => pattern.test(name))}`
  const page = readFileSync(join(root, "console/src/index.html"), "utf8")
    .replace("{script}", named(/^main-.*\.js$/))
    .replace("{style}", named(/^main-.*\.css$/))
    .replace("{preload}", needed.map((name) => `<link rel="modulepreload" href="/console/${name}">`).join("\n    "))
    .replace("{icon}", `/console/${iconName}`)
  // Last: what is half written has no page.
  written(folder, "index.html", page)
}

const script = fileURLToPath(import.meta.url)
if (argv[1] === script) await buildConsole(fileURLToPath(new URL("..", import.meta.url)))
