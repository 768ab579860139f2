/**
 * Scoreboard B8: sqlmap, level 3, against fields that end in statements, of a gateway of its own. Needs Debian's `sqlmap`; each target takes
 * minutes.
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fuzzEnvironment } from "../../kit/http-fuzz/fuzz-gateway.ts"
import { type Api, api, endGateways, startGateway } from "../../kit/servers/gateway.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

interface Target {
  readonly name: string
  readonly path: string
  /** A right body; a read has none. */
  readonly body?: Readonly<Record<string, unknown>>
}

const targetsOf = (tradingAccountId: string): ReadonlyArray<Target> => [
  { name: "instrument/list", path: "/market/instrument/list?symbol=BTC%2FUSDT&venue=MOCK&securityType=SPOT" },
  {
    name: "tradeOrder/list",
    path: `/tradeOrder/list?tradingAccountId=${tradingAccountId}&instrumentId=MOCK%3ABTC%2FUSDT&clientOrderId=one`,
  },
  { name: "auth/login", path: "/auth/login", body: { email: "nobody@example.com", password: "correct horse" } },
  { name: "wallet/create", path: "/wallet/create", body: { nickname: "mine" } },
]

const sqlmap = (base: string, token: string, target: Target, scratch: string): Promise<string> =>
  new Promise((resolve) => {
    const given = [
      ...["-u", `${base}/api/v3${target.path}`, "--batch", "--level=3", "--risk=2", "--threads=4", "--technique=BEUT"],
      ...["--dbms=PostgreSQL", "--time-sec=3", "--ignore-code=*", "--disable-coloring", "--flush-session"],
      ...["--headers", `Authorization: Bearer ${token}\nContent-Type: application/json`, "--output-dir", scratch],
      ...[
        "--skip",
        "user-agent,referer,host",
        ...(target.body === undefined ? [] : ["--data", JSON.stringify(target.body)]),
      ],
    ]
    const child = spawn("sqlmap", given, { stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part
    })
    const kill = (): void => void child.kill("SIGKILL")
    process.once("exit", kill)
    child.on("close", () => {
      process.off("exit", kill)
      resolve(text)
    })
  })

/** A run that tested nothing proves nothing: every field is told of by name. */
const judge = ({ name }: Target, text: string): Verdict => {
  const tested = /testing if|parameter '.*' does not (seem|appear) to be/.test(text)
  const found = [...text.matchAll(/^Parameter: (.*)$|is vulnerable|injection point\(s\)/gm)].map(([line]) => line)
  const last = text.trimEnd().split("\n").slice(-3).join(" ").slice(-300)
  return {
    name,
    passed: tested && found.length === 0,
    says: `${found.length} findings${tested ? "" : ", nothing tested"}; ${last}`,
  }
}

export const sqlInjection = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  if (spawnSync("sqlmap", ["--version"]).status !== 0)
    return [{ name: "sqlmap", passed: false, says: "is not installed: apt-get install sqlmap" }]
  const scratch = mkdtempSync(join(tmpdir(), "venue-gateway-sqlmap-"))
  try {
    const gateway = await startGateway({ env: { ...fuzzEnvironment, MOCK_TICK_MS: "0" } })
    const { accessToken } = (await api(gateway).signup("ada@example.com")).record
    const ada: Api = api(gateway).as(accessToken)
    const { tradingAccountId } = (await ada.connectMock()).record
    const verdicts: Array<Verdict> = []
    for (const target of targetsOf(tradingAccountId)) {
      progress(`sql-injection: ${target.name}`)
      verdicts.push(judge(target, await sqlmap(gateway.http, accessToken, target, scratch)))
    }
    const { status } = await ada.user()
    return [...verdicts, { name: "the gateway", passed: status === 200, says: `answers ${status} afterwards` }]
  } finally {
    await endGateways()
    rmSync(scratch, { recursive: true, force: true })
  }
}
