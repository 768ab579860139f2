/**
 * The guides as a reader has them: every program and command of them runs, in their order, against one gateway beside the loopback exchange
 * that they name; and /docs as a browser gets it. What the guides say of output is what was printed.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { GUIDES } from "../../../src/http/docs/pages.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import { blocksOf, layPrograms, missingLine, runCommands, runShell } from "../../kit/servers/guide.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const scratch = scratchDirectory("guides")
const folder = join(scratch, "bot")

/** The two commands of the guide to venues, at a port of this run. */
const commandsOfVenues = async (): Promise<{ readonly exchange: string; readonly routes: string }> => {
  const port = String(await freePort())
  const [exchange = "", start = ""] = blocksOf("venues")
    .filter(({ language }) => language === "console")
    .map(({ code }) => code.trim().replaceAll("9001", port))
  const [, routes = ""] = /^VENUE_ROUTES='(.*)' npm start$/.exec(start) ?? []
  return { exchange, routes }
}

let gateway: Gateway
let exchange: ChildProcess
let keys: { readonly apiKey: string; readonly apiSecret: string }

beforeAll(async () => {
  const commands = await commandsOfVenues()
  let said = ""
  exchange = spawn("bash", ["-c", `exec ${commands.exchange}`], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  })
  exchange.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  // As it is shipped: a reader has these limits, and proofs that become stale.
  gateway = await startGateway({ env: { VENUE_ROUTES: commands.routes, RATE_LIMITS: "", FRESH_SECONDS: "" } })
  const [, line = ""] = await until("the exchange", () => /^exchange (\{.*\})$/m.exec(said))
  keys = JSON.parse(line)
})

afterAll(async () => {
  try {
    // Of npm, too: the whole of what it started.
    if (exchange.pid !== undefined) process.kill(-exchange.pid, "SIGKILL")
  } finally {
    await endGateways()
    rmSync(scratch, { recursive: true, force: true })
  }
})

describe("the guides", () => {
  it("name every program, and use every one that they name", () => {
    const programs = layPrograms(folder)
    expect(programs.filter(({ file }) => file === undefined)).toEqual([])
    const all = GUIDES.flatMap(({ name }) => blocksOf(name))
    const code = all.filter(({ language }) => ["sh", "js", "py"].includes(language)).map((it) => it.code)
    for (const { file = "" } of programs)
      expect(
        code.some((it) => it.includes(` ${file}`) || it.includes(`"./${file}"`)),
        file,
      ).toBe(true)
    expect(
      all.filter(({ language }) => !["sh", "js", "py", "client", "text", "json", "console"].includes(language)),
    ).toEqual([])
    // One name is one text, also where the real-time reference shows it.
    expect(new Set(programs.map(({ file }) => file)).size).toBe(programs.length)
    const examples = readdirSync(join(root, "docs/examples/realtime"))
    const shared = programs.filter(({ file = "" }) => examples.includes(file))
    expect(shared.map(({ file }) => file)).toEqual(["gateway.mjs"])
    for (const { file, code } of shared)
      expect(code).toBe(readFileSync(join(root, "docs/examples/realtime", file!), "utf8"))
  })

  it("begin where the README's first order by hand ends", async () => {
    const blocks = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    const [, commands = ""] = blocks.find(([, code]) => code?.includes("auth/signup")) ?? []
    const orders = new Set<string>()
    // The second time there is such a user, and such an account. Another one than that of the guides, whose log-ins are counted.
    for (let run = 1; run <= 2; run++) {
      const here = commands
        .replace("http://127.0.0.1:8080", gateway.http)
        .replace("me@example.com", "reader@example.com")
      const { code, stdout, stderr } = await runShell(here, folder)
      expect(code, stdout + stderr).toBe(0)
      const { success, data } = JSON.parse(stdout)
      expect({ success, data }).toMatchObject({
        success: true,
        data: { instrumentId: "MOCK:BTC/USDT", quantity: "0.01" },
      })
      orders.add(data.tradeOrderId)
    }
    expect(orders.size).toBe(2)
  })

  const withCommands = GUIDES.map(({ name }) => name).filter((name) =>
    blocksOf(name).some((it) => it.language === "sh"),
  )
  // Those of the guide to venues started what this runs against.
  it.each(withCommands)("run: %s prints what it shows", async (name) => {
    // A reader's shell goes on from one guide to the next with what was exported there.
    const key = join(folder, "key.txt")
    const session = await runCommands(name, folder, {
      ...(existsSync(key) && { API_KEY: readFileSync(key, "utf8").trim() }),
      GATEWAY_URL: gateway.http,
      SETUP_TOKEN: gateway.setupToken ?? "",
      EXCHANGE_KEY: keys.apiKey,
      EXCHANGE_SECRET: keys.apiSecret,
    })
    expect(session.code, session.stdout + session.stderr).toBe(0)
    expect(missingLine(name, session.stdout), session.stdout + session.stderr).toBeUndefined()
  })

  it("find the account for a key that only reads, and for one that is limited to it", async () => {
    const calls = api(gateway)
    const owner = calls.as((await calls.signup("keys@example.com", "a good password")).record.accessToken)
    const { tradingAccountId } = (await owner.connectMock("another name")).record
    for (const terms of [{ scopes: ["read"] }, { scopes: ["trade"], tradingAccountIds: [tradingAccountId] }]) {
      const { apiKey } = (await owner.post<{ apiKey: string }>("/apiKey/create", { name: "bot", ...terms })).record
      const program = `import { call, mockAccount } from "./gateway.mjs"
        console.log((await mockAccount()).tradingAccountId)
        await call("GET", "tradeOrder/list?limit=none").catch(({ message }) => console.log(message))`
      const env = { GATEWAY_URL: gateway.http, API_KEY: apiKey }
      const { stdout, stderr } = await runShell(`node --input-type=module -e '${program}'`, folder, env)
      const [found, refusal] = stdout.split("\n")
      expect(found, stderr).toBe(tradingAccountId)
      expect(refusal).toMatch(/Invalid parameter \(-104003\) parameter="limit" reason="/)
    }
  })

  it("show the first bots of the clients as their READMEs do", () => {
    const shown = blocksOf("clients").filter(({ language }) => language === "client")
    expect(shown.map(({ file }) => file)).toEqual(["sdk-first.mjs", "sdk_first.py"])
    const readmes = ["typescript", "python"].map((it) => readFileSync(join(root, "clients", it, "README.md"), "utf8"))
    for (const [n, { code }] of shown.entries()) expect(readmes[n]).toContain(code)
  })

  it("wait for a login when there were too many, and then have it", async () => {
    const env = { GATEWAY_URL: gateway.http, EMAIL: "hasty@example.com" }
    expect((await api(gateway).signup(env.EMAIL, "a good password")).status).toBe(200)
    // At once, and there are five a minute: six programs that find no session yet. Two calls of one log in once.
    const program = `const tokens = Array.from({ length: 6 }, async (_, n) => {
        const { getToken } = await import("./gateway.mjs?" + n)
        return Promise.all([getToken(), getToken()])
      })
      console.log(new Set((await Promise.all(tokens)).flat()).size)`
    const { code, stdout, stderr } = await runShell(`node --input-type=module -e '${program}'`, folder, env)
    expect([code, stdout], stderr).toEqual([0, "6\n"])
    expect(stderr).toMatch(/^POST auth\/login: .*: again in \d+ s$/m)
  })
})

interface Served {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Its connection had another request before. */
  readonly isReused: boolean
}

/** As it comes over the wire: fetch would unpack it. */
const get = (path: string, headers: Readonly<Record<string, string>> = {}, agent?: Agent): Promise<Served> =>
  new Promise((resolve, reject) => {
    const asked = request(`${gateway.http}${path}`, { headers, ...(agent && { agent }) }, (answer) => {
      const chunks: Array<Buffer> = []
      answer.on("data", (chunk: Buffer) => chunks.push(chunk))
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks),
          isReused: asked.reusedSocket,
        }),
      )
    })
    asked.on("error", reject).end()
  })

describe("/docs", () => {
  const known = new Map<string, Served>()
  /** Each page once: one address may not ask for all of them again and again. */
  const read = async (path: string): Promise<Served> => {
    const page = known.get(path) ?? (await get(path))
    known.set(path, page)
    return page
  }

  it("has every guide with links that lead somewhere, and asks no other host for anything", async () => {
    const pages = new Map<string, string>()
    const open = ["/docs", ...GUIDES.map(({ name }) => `/docs/${name}`)]
    for (const path of open) {
      const { status, headers, body } = await read(path)
      expect([path, status]).toEqual([path, 200])
      if (!headers["content-type"]?.startsWith("text/html")) continue
      const html = body.toString()
      pages.set(path, html)
      expect([path, /(?:src|href)="https?:[^"]*/.exec(html)?.[0]]).toEqual([path, undefined])
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'/)
      for (const [, link = ""] of html.matchAll(/(?:src|href)="(\/[^"#]*)/g)) if (!open.includes(link)) open.push(link)
    }
    expect(open.filter((path) => path.startsWith("/docs/operations/")).length).toBeGreaterThan(10)
    // Of the pages that are made of Markdown: the reference makes its own while it runs.
    for (const [path, html] of pages)
      for (const [, link = path, anchor = ""] of html.matchAll(/href="(\/docs\/[^"#]*)?#([^"]+)"/g))
        if (pages.has(link))
          expect([path, link, pages.get(link)?.includes(`id="${anchor}"`) && anchor]).toEqual([path, link, anchor])
  })

  it("has the same pages as Markdown, with links that lead to what is served", async () => {
    const open = ["/llms.txt"]
    for (const path of open) {
      const { status, headers, body } = await read(path)
      expect([path, status]).toEqual([path, 200])
      if (path.startsWith("/docs/examples/")) {
        expect(body.toString()).toBe(readFileSync(join(root, path.slice(1)), "utf8"))
        continue
      }
      if (!/^text\/(?:markdown|plain)/.test(headers["content-type"] ?? "")) continue
      const text = body.toString().replaceAll(/^```[\s\S]*?^```$/gm, "")
      for (const [, href = ""] of text.matchAll(/\]\(([^)\s]*)\)/g)) {
        const { origin, pathname, hash } = new URL(href, `${gateway.http}${path}`)
        if (origin !== gateway.http) expect([path, href]).toEqual([path, expect.stringMatching(/^https:/)])
        else if (!open.includes(pathname)) open.push(pathname)
        if (hash === "" || !pathname.endsWith(".md")) continue
        const page = (await read(pathname.replace("/guide/", "/").replace(/\.md$/, ""))).body.toString()
        expect([path, href, page.includes(`id="${hash.slice(1)}"`)]).toEqual([path, href, true])
      }
    }
    expect(open).toContain("/docs/examples/bots/python/journal.py")
    expect(open.filter((path) => path.endsWith(".md")).length).toBeGreaterThan(GUIDES.length + 10)
  })

  it("lists every page for programs that read, in the form of llms.txt", async () => {
    const { headers, body } = await read("/llms.txt")
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8")
    const text = body.toString()
    expect(text).toMatch(/^# [^\n]+\n\n> [^\n]+\n\n[^\n]+\n\n## Guides\n\n- \[/)
    const items = text.split("\n").filter((line) => line.startsWith("- "))
    for (const item of items) {
      const [, path = ""] = /^- \[[^\]]+\]\((\/[^)]+)\): \S/.exec(item) ?? []
      expect([item, (await read(path)).status]).toEqual([item, 200])
    }
    for (const { name } of GUIDES) expect(text).toContain(`(/docs/guide/${name}.md)`)
    expect(text).toContain("(/docs/operations/systemd.md): One hardened unit, ")
    expect(text).toMatch(
      /: The gateway serves HTTPS itself \(TLS_CERT_FILE, TLS_KEY_FILE: .*\), or runs behind a proxy/,
    )
    const markdown = await read("/docs/guide/orders.md")
    const file = readFileSync(join(root, "docs/guide/orders.md"), "utf8")
    const withoutTargets = (it: string) => it.replaceAll(/\]\([^)]*\)/g, "]")
    expect(withoutTargets(markdown.body.toString())).toBe(withoutTargets(file))
  })

  it("is sent compressed as the client takes it, and not again while it has not changed", async () => {
    const path = "/docs/swagger-ui-bundle.js"
    const plain = await get(path)
    expect([plain.headers["content-encoding"], plain.headers.vary]).toEqual([undefined, "Accept-Encoding"])
    const br = await get(path, { "Accept-Encoding": "gzip;q=0.8, br" })
    const gzip = await get(path, { "Accept-Encoding": "gzip, br;q=0" })
    expect([br.headers["content-encoding"], gzip.headers["content-encoding"]]).toEqual(["br", "gzip"])
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
    expect(br.body.length).toBeLessThan(plain.body.length / 4)
    const refused = await get(path, { "Accept-Encoding": "br;q=0, *;q=0" })
    expect(refused.headers["content-encoding"]).toBeUndefined()

    const tags = [plain, br, gzip].map(({ headers }) => headers.etag ?? "")
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (const isReused of [false, true]) {
      const asked = { "Accept-Encoding": "br", "If-None-Match": `"other", W/${tags[1]}` }
      const again = await get(path, asked, agent)
      expect([again.status, again.body.length, again.headers.etag, again.isReused]).toEqual([304, 0, tags[1], isReused])
    }
    agent.destroy()
    const other = await get(path, { "Accept-Encoding": "br", "If-None-Match": tags[0] ?? "" })
    expect(other.status).toBe(200)
  })
})
