/** A start that cannot be ends before anything is begun: the database is never touched for it. */
import { chmodSync, readFileSync, rmSync } from "node:fs"
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
  expect(await refusal({ PORT: taken })).toContain(`127.0.0.1:${taken} is in use`)
  expect(await refusal({ PORT: "0", METRICS_PORT: taken })).toBe(`METRICS_PORT ${taken} is in use`)
})

it("lets go of what it looked at", async () => {
  expect([await refusal({ PORT: free, METRICS_PORT: "0" }), await refusal({ PORT: "0", METRICS_PORT: free })]).toEqual([
    "none",
    "none",
  ])
})

const FIRST_FREE_FOR_ALL = "/proc/sys/net/ipv4/ip_unprivileged_port_start"
it.runIf(process.getuid?.() === 0 && Number(readFileSync(FIRST_FREE_FOR_ALL, "utf8")) > 80)(
  "does not call a port taken that its user may not open",
  async () => {
    chmodSync(dataDir, 0o777)
    const tls = { TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem" }
    process.seteuid?.(65_534)
    try {
      expect(await refusal({ ...tls, PORT: "0", PLAIN_HTTP_PORT: "80" })).toContain(
        "PLAIN_HTTP_PORT 80 may not be opened by this user",
      )
      expect(await refusal({ ...tls, PORT: "80" })).toContain("127.0.0.1:80 may not be opened by this user")
    } finally {
      process.seteuid?.(0)
    }
  },
)
