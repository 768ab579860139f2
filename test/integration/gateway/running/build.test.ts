/** What runs, and how it is: told to the operator on this machine, in production and behind a proxy, and not to strangers. */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { scratchDirectory } from "../../../kit/postgres.ts"
import { endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { withDatabaseServer } from "./database.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }
const stamp = join(root, "dist/build.json")
const commit: string = existsSync(stamp) ? JSON.parse(readFileSync(stamp, "utf8")).commit : "unknown"
const build = { version, commit }

const makeDatabase = withDatabaseServer()
let gateway: Gateway
let local: string
let keys: string

beforeAll(async () => {
  const dataDir = scratchDirectory("build")
  keys = join(dataDir, "keys")
  mkdirSync(keys)
  chmodSync(keys, 0o750)
  const { url } = await makeDatabase()
  const env = { DATABASE_URL: url, NODE_ENV: "production", TRUST_PROXY: "10.0.0.1", METRICS_PORT: "0" }
  gateway = await startGateway({ dataDir, env, built: true })
  const found = await until("the metrics", () => /(http:\/\/127\.0\.0\.1:\d+)\/metrics/.exec(gateway.stderr()))
  local = found[1] ?? ""
})
afterAll(endGateways)

it("answers health to a check on this machine that speaks plain HTTP, and to nobody else", async () => {
  expect((await fetch(`${gateway.http}/health`)).status).toBe(403)
  const health = await fetch(`${local}/health`)
  expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ version: "3.0.1", build })])
  for (const path of ["/health/live", "/api/v3/health/live", "/api/v3/health"])
    expect([path, (await fetch(local + path)).status]).toEqual([path, 200])
  expect((await fetch(`${local}/health`, { method: "POST" })).status).toBe(405)

  const check = (env: Readonly<Record<string, string>>): string =>
    execFileSync(process.execPath, [join(root, "scripts/health.mjs")], { env, encoding: "utf8" }).trim()
  const port = new URL(local).port
  expect(check({ PORT: "1", METRICS_PORT: port })).toBe("HTTP 200")
  expect(() => check({ PORT: new URL(gateway.http).port })).toThrow(expect.objectContaining({ stdout: "HTTP 403\n" }))
})

it("names the program and its commit to the operator: metrics, the ready line, the log, --version", async () => {
  const text = await (await fetch(`${local}/metrics`)).text()
  expect(text).toContain(`build_info{version="${version}",commit="${commit}",node="${process.version}"} 1`)
  expect(gateway).toMatchObject({ version: "3.0.1" })
  expect(JSON.parse(gateway.stdout[0]?.slice("ready ".length) ?? "")).toMatchObject({ version: "3.0.1", build })
  const line = gateway
    .stderr()
    .split("\n")
    .find((one) => one.includes('"msg":"the gateway starts"'))
  expect(JSON.parse(line ?? "{}")).toMatchObject({
    ...build,
    interface: "3.0.1",
    database: "DATABASE_URL",
    production: true,
  })
  const said = (program: string): string =>
    execFileSync(process.execPath, [join(root, "dist/src", program), "--version"], {
      env: { PORT: "bad" },
      encoding: "utf8",
    })
  expect(said("main.js")).toBe(`venue-gateway ${version} (${commit}), interface 3.0.1\n`)
  expect(said("admin/main.js")).toBe(`venue-gateway ${version} (${commit})\n`)
})

it("tells of keys that others reach", () => {
  expect(gateway.stderr()).toContain(`${keys} has mode 0750: users other than its owner can read the keys`)
  expect(statSync(keys).mode & 0o777).toBe(0o750)
})
