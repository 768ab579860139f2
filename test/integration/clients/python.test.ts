/**
 * The Python client against a real gateway: its own tests (clients/python/tests: the cases of the TypeScript client, for asyncio and without
 * it), its wheel, its examples, and the bot of the torture. The one thing to know: the proxies that lose answers and cut connections are in
 * those tests, so that they run against any gateway.
 */
import { randomUUID } from "node:crypto"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pythonWith } from "../../../scripts/python.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { api, endGateways, type Gateway, startGateway } from "../../kit/servers/gateway.ts"
import { clientFolder, python, runPython, SKIPPED } from "../../kit/servers/python.ts"

const examples = fileURLToPath(new URL("../../../docs/examples/bots/python", import.meta.url))

describe.skipIf(python === null)(`the Python client (${SKIPPED})`, () => {
  let gateway: Gateway
  const scratch = scratchDirectory("python")

  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(async () => {
    await endGateways()
    rmSync(scratch, { recursive: true, force: true })
  })

  const env = (): Readonly<Record<string, string>> => ({ GATEWAY_URL: gateway.http, GATEWAY_PID: String(gateway.pid) })

  it.each([
    ["tests.test_retry", "the pace of what is repeated"],
    ["tests.test_keep_alive", "the pace of renewals"],
    ["tests.test_texts", "with asyncio and without it, one thing is said"],
    ["tests.test_stream", "what each word of the gateway does to the stream"],
    ["tests.test_aio", "asyncio: each helper at the failure that it is there for"],
    ["tests.test_blocking", "without asyncio"],
  ])("%s: %s", async (module) => {
    const { code, output } = await runPython(["-W", "error::ResourceWarning", "-m", "unittest", "-v", module], {
      env: env(),
    })
    expect(code, output).toBe(0)
    expect(output).toMatch(/^Ran [1-9]\d* tests/m)
    expect(output).not.toContain("skipped")
  })

  /** As a reader runs it: from its folder, with a user of its own. */
  const example = (name: string, more: Readonly<Record<string, string>> = {}) =>
    runPython([name], { cwd: examples, env: { ...env(), EMAIL: `${randomUUID()}@example.com`, ...more } })

  it("the first bot buys, and leaves nothing behind", async () => {
    const { code, output } = await example("first_bot.py")
    expect(code, output).toBe(0)
    expect(output).toMatch(/^kept \S+\nFILLED 0\.01 at [\d.]+\nopen orders 0 events Proof\(.*gaps=0\)\n$/)
  })

  it("the README's program and the first bot run with a key that is limited to an account", async () => {
    const [, program = ""] =
      /^```py\n([\s\S]*?)^```$/m.exec(readFileSync(join(clientFolder, "README.md"), "utf8")) ?? []
    writeFileSync(join(scratch, "readme.py"), program)
    const owner = api(gateway).as((await api(gateway).signup(`${randomUUID()}@example.com`)).record.accessToken)
    const { tradingAccountId } = (await owner.connectMock("examples")).record
    const terms = { name: "first bot", scopes: ["trade"], tradingAccountIds: [tradingAccountId] }
    const { apiKey } = (await owner.post<{ apiKey: string }>("/apiKey/create", terms)).record
    const readme = await runPython(["readme.py"], { cwd: scratch, env: { ...env(), GATEWAY_KEY: apiKey } })
    expect(readme.output).toMatch(/^(?:FILLED: 0\.01 at [\d.]+|OPEN: .*)\n$/)
    const first = await example("first_bot.py", { GATEWAY_KEY: apiKey })
    expect(first.code, first.output).toBe(0)
  })

  it("the market maker quotes both sides; started again, it resolves what a killed one had sent", async () => {
    const JOURNAL = join(scratch, "maker.json")
    const EMAIL = `${randomUUID()}@example.com`
    const first = await example("market_maker.py", { SECONDS: "2", JOURNAL, EMAIL })
    expect(first.code, first.output).toBe(0)
    expect(first.output).toMatch(/^BUY 0\.01 at /m)
    expect(first.output).toMatch(/^SELL 0\.01 at /m)
    expect(first.output).toMatch(/left open 0, Proof\(.*gaps=0\)/)
    expect(JSON.parse(readFileSync(JOURNAL, "utf8"))).toEqual({})
    // As one that was killed before the answer came: its order is in the journal.
    const calls = api(gateway).as((await api(gateway).login(EMAIL, "a good password")).record.accessToken)
    const accounts = await calls.get<ReadonlyArray<{ tradingAccountId: string }>>("/tradingAccount/list")
    const tradingAccountId = accounts.record[0]!.tradingAccountId
    const order = {
      tradingAccountId,
      instrumentId: "MOCK:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT_MAKER",
      quantity: "0.01",
      limitPrice: "40000",
      idempotencyKey: `killed-${randomUUID()}`,
    }
    expect((await calls.post("/tradeOrder/submit", order)).envelope.success).toBe(true)
    writeFileSync(JOURNAL, JSON.stringify({ [order.idempotencyKey]: order }))
    const total = async () => (await calls.get("/tradeOrder/list", { tradingAccountId })).envelope.pagination?.total
    const before = await total()
    const second = await example("market_maker.py", { SECONDS: "0", JOURNAL, EMAIL })
    expect(second.code, second.output).toBe(0)
    expect(second.output).toContain("BUY 0.01 at 40000")
    expect(await total()).toBe(before)
    expect(JSON.parse(readFileSync(JOURNAL, "utf8"))).toEqual({})
  })

  it("the recorder's file has every DIFF behind the one before it", async () => {
    const { code, output } = await example("recorder.py", { SECONDS: "2", RECORD: join(scratch, "record.jsonl") })
    expect(code, output).toBe(0)
    expect(output).toMatch(/^recorded [1-9]\d*, breaks 0, book at \d+\n$/)
  })

  // As a user's pip does it, by the hook of pyproject.toml alone.
  it.skipIf(pythonWith("setuptools", "wheel", "httpx", "websockets") === null)(
    "its wheel has code, types and the mark of types, and is what a program imports",
    async () => {
      // Built from a copy: setuptools writes beside its sources.
      const program = `
import os, shutil, sys, zipfile
from setuptools import build_meta
shutil.copytree(${JSON.stringify(clientFolder)}, "source", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
os.chdir("source")
name = build_meta.build_wheel("..")
print(sorted(it.split("/")[-1] for it in zipfile.ZipFile("../" + name).namelist() if it.endswith(("py.typed", "METADATA", "records.py", "test_aio.py"))))
print(name)
`
      const built = await runPython(["-c", program], { cwd: scratch })
      expect(built.code, built.output).toBe(0)
      expect(built.stdout).toContain("['METADATA', 'py.typed', 'records.py']")
      const [wheel = ""] = /venue_gateway-\S+\.whl/.exec(built.stdout.split("\n").at(-2) ?? "") ?? []
      const says = "import venue_gateway as v; print(v.__version__, v.Errno.TOKEN_EXPIRED.value, '.whl' in v.__file__)"
      const loaded = await runPython(["-c", says], { cwd: scratch, env: { PYTHONPATH: join(scratch, wheel) } })
      const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"))
      expect(loaded.output).toBe(`${version} -100004 True\n`)
    },
  )
})
