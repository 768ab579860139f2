/** A start that cannot be ends before anything is begun: the database is never touched for it. */
import { rmSync } from "node:fs"
import { type AddressInfo, createServer, type Server } from "node:net"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startChecks } from "../../src/composition/start-checks.ts"
import { readSettings } from "../../src/config.ts"
import { scratchDirectory } from "../kit/postgres.ts"

const dataDir = scratchDirectory("start")
let other: Server
let taken: string
let free: string
const listening = (server: Server) =>
  new Promise<string>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`${(server.address() as AddressInfo).port}`))
  })
beforeAll(async () => {
  other = createServer()
  taken = await listening(other)
  const passing = createServer()
  free = await listening(passing)
  await new Promise((resolve) => passing.close(resolve))
})
afterAll(() => {
  other.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const refusal = (env: Readonly<Record<string, string>>): Promise<string> =>
  Effect.runPromise(
    startChecks({ settings: readSettings({ DATA_DIR: dataDir, HOST: "127.0.0.1", ...env }) }).pipe(
      Effect.match({ onSuccess: () => "none", onFailure: ({ message }) => message }),
    ),
  )

it("refuses a port that is taken, the API's or that of the metrics", async () => {
  expect(await refusal({ PORT: taken })).toContain(`127.0.0.1:${taken} is taken`)
  expect(await refusal({ PORT: "0", METRICS_PORT: taken })).toBe(`METRICS_PORT ${taken} is taken`)
})

it("refuses one port for both", async () => {
  const tls = { TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem" }
  expect(await refusal({ ...tls, PORT: free, PLAIN_HTTP_PORT: free })).toBe(`PLAIN_HTTP_PORT ${free} is taken`)
  expect(await refusal({ PORT: free, METRICS_PORT: free })).toBe(`METRICS_PORT ${free} is taken`)
})

it("lets go of what it looked at", async () => {
  expect([await refusal({ PORT: free, METRICS_PORT: "0" }), await refusal({ PORT: "0", METRICS_PORT: free })]).toEqual([
    "none",
    "none",
  ])
})
