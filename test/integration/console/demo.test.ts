/** The demo as it is followed in the console: it waits for a sign-in there, and leaves what it made to be looked at. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, expect, it } from "vitest"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import type { SessionRecord } from "../../../src/domain/user/user.ts"
import { api, endGateways, startGateway } from "../../kit/servers/gateway.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

afterAll(endGateways)

it("npm run demo -- --open begins once its user is signed in, and leaves its orders and both sign-ins", async () => {
  const gateway = await startGateway()
  const words = ["--import", "tsx", "scripts/demo.ts", "--open", "--pace", "0", gateway.http, gateway.setupToken ?? ""]
  const demo = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
  const said: Array<string> = []
  let complaints = ""
  demo.stderr.setEncoding("utf8").on("data", (part: string) => {
    complaints += part
  })
  let session: Promise<SessionRecord> | undefined
  createInterface({ input: demo.stdout }).on("line", (line) => {
    said.push(line)
    const [, email = "", password = ""] = /sign in: (\S+), password: (.+)$/.exec(line) ?? []
    if (email === "" || session !== undefined) return
    // Nothing is done before.
    expect(said.filter((it) => it.startsWith("["))).toHaveLength(2)
    session = api(gateway)
      .post<SessionRecord>("/auth/login", { email, password })
      .then(({ record }) => record)
  })
  const code = await new Promise((resolve) => demo.once("close", resolve))
  expect(code, `${said.join("\n")}\n${complaints}`).toBe(0)
  expect(said.join("\n")).not.toContain("no sign-in was seen")
  expect(said).toContain(`      the console: ${gateway.http}/console`)
  const signIns = said
    .filter((line) => line.includes("sign in: "))
    .map((line) => line.replace(/.*sign in: (\w+)-.*/, "$1"))
  expect(signIns).toEqual(["demo", "demo", "client"])
  // The session lives on, and sees what was made.
  const calls = api(gateway).as((await session)?.accessToken ?? "")
  const statuses = (await calls.get<ReadonlyArray<TradeOrderRecord>>("/tradeOrder/list")).record.map((it) => it.status)
  expect(statuses).toContain("CANCELLED")
  expect(statuses).toContain("FILLED")
})
