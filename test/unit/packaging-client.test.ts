/** The TypeScript client as npm publishes it: what is in the package, that plain Node loads it, and that a browser's bundle needs nothing else. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"
import { describe, expect, it } from "vitest"

const folder = fileURLToPath(new URL("../../clients/typescript", import.meta.url))
const compiler = fileURLToPath(new URL("../../node_modules/typescript-native/bin/tsc", import.meta.url))

// No script of a package runs by itself here (.npmrc), `prepack` neither.
execFileSync(process.execPath, [compiler, "-p", "tsconfig.json"], { cwd: folder })

describe("the TypeScript client's package", () => {
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--silent"], { cwd: folder, encoding: "utf8" }),
  ) as [{ files: ReadonlyArray<{ path: string }> }]
  const paths = packed.files.map(({ path }) => path)

  it("has code, types, sources and a page to read, and nothing else", () => {
    expect(paths).toEqual(expect.arrayContaining(["README.md", "package.json", "dist/index.js", "dist/index.d.ts"]))
    expect(paths.filter((path) => !/^(README\.md|package\.json|(dist|src)\/.+)$/.test(path))).toEqual([])
  })

  it("is loaded by Node as it is", () => {
    const entry = pathToFileURL(join(folder, "dist/index.js")).href
    const says = execFileSync(process.execPath, [
      "--input-type=module",
      "-e",
      `import { ERRNO, submit, Gateway } from ${JSON.stringify(entry)}; console.log(ERRNO.TOKEN_EXPIRED, typeof submit, typeof Gateway)`,
    ])
    expect(says.toString().trim()).toBe("-100004 function function")
  })

  it("makes one bundle for browsers, without a module of Node", async () => {
    const bundle = await build({
      entryPoints: [join(folder, "dist/index.js")],
      bundle: true,
      write: false,
      format: "esm",
      platform: "browser",
      logLevel: "silent",
    })
    expect(bundle.errors).toEqual([])
    // `node:` modules would be errors; a global of Node would be found only at run time.
    expect(bundle.outputFiles[0]!.text).not.toMatch(/\b(process\.|Buffer\.|require\()/)
  })
})
