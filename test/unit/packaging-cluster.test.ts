/** The compose file of several nodes, its proxy and its broker: they name what there is, and each other; where the programs are installed they read these files. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { readSettings } from "../../src/config.ts"
import { settingsNames } from "../kit/rules/settings-names.ts"

const folder = fileURLToPath(new URL("../../deploy/cluster", import.meta.url))
const read = (path: string): string => readFileSync(join(folder, path), "utf8")

interface Service {
  readonly image: string
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
  readonly security_opt?: ReadonlyArray<string>
  readonly mem_limit?: string
  readonly stop_grace_period?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly networks?: ReadonlyArray<string> | Readonly<Record<string, { readonly ipv4_address?: string }>>
}

const file = parse(read("compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
}
const services = Object.entries(file.services)
const nodes = services.filter(([, { environment }]) => environment?.["NODE_ID"] !== undefined)
const networksOf = ({ networks = [] }: Service): ReadonlyArray<string> =>
  Array.isArray(networks) ? networks : Object.keys(networks)
const address = ({ networks }: Service): string | undefined =>
  networks !== undefined && "front" in networks ? networks.front?.ipv4_address : undefined
const proxy = read("haproxy.cfg")

describe("the compose file of several nodes", () => {
  it("hardens every service", () => {
    for (const [name, it] of services) {
      expect([name, it.read_only, it.cap_drop, it.security_opt]).toEqual([
        name,
        true,
        ["ALL"],
        ["no-new-privileges:true"],
      ])
      expect([name, it.mem_limit, it.image]).toEqual([
        name,
        expect.stringMatching(/^\d+[mg]$/),
        expect.stringMatching(/:[v\d][\w.-]+$/),
      ])
    }
  })

  it("gives three nodes all settings alike but their names, and what is secret as files", () => {
    expect(nodes).toHaveLength(3)
    const names = settingsNames()
    const shared = nodes.map(([name, { environment = {}, secrets = [], stop_grace_period: grace = "0" }]) => {
      const { NODE_ID, ...rest } = environment
      expect(NODE_ID).toBe(name)
      expect(Number.parseInt(grace, 10)).toBeGreaterThan(10)
      for (const [setting, value] of Object.entries(rest)) {
        const isFile = setting.endsWith("_FILE")
        expect(names.has(isFile ? setting.slice(0, -"_FILE".length) : setting)).toBe(true)
        if (isFile) expect(secrets.map((secret) => `/run/secrets/${secret}`)).toContain(value)
      }
      return JSON.stringify(rest)
    })
    expect(new Set(shared).size).toBe(1)
    const whole = ["SIGNING_KEY", "ENCRYPTION_KEYS", "CURSOR_KEY", "NATS_URL"].map((name) => `${name}_FILE`)
    expect(Object.keys(nodes[0]![1].environment ?? {})).toEqual(expect.arrayContaining(whole))
    expect(new Set(nodes.map(([, { volumes }]) => volumes?.[0])).size).toBe(3)
  })

  it("has nobody but the nodes and the broker where one speaks for all, and opens one port, the proxy's", () => {
    const inBroker = services.filter(([, it]) => networksOf(it).includes("broker")).map(([name]) => name)
    expect(inBroker).toEqual([...nodes.map(([name]) => name), "nats"])
    const inFront = services.filter(([, it]) => networksOf(it).includes("front")).map(([name]) => name)
    expect(inFront).toEqual([...nodes.map(([name]) => name), "proxy"])
    expect(services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`))).toEqual([
      "proxy 443:443",
    ])
    for (const [, { environment }] of nodes)
      expect(environment?.["TRUST_PROXY"]).toBe(`${address(file.services["proxy"]!)},127.0.0.1`)
  })

  it("names files of this tree, secrets that are declared and kept out of the repository, volumes that exist", () => {
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(":")[0] ?? ""))
    const files = mounts.filter((path) => path.startsWith(".") && path !== "../../tls")
    expect(files).toHaveLength(3)
    expect(files.filter((path) => !existsSync(join(folder, path)))).toEqual([])
    expect(mounts.filter((path) => !path.startsWith(".") && !(path in file.volumes))).toEqual([])
    for (const secret of services.flatMap(([, { secrets = [] }]) => secrets))
      expect(file.secrets[secret]?.file).toBe(`../../secrets/${secret}`)
  })
})

describe("its proxy", () => {
  it("sends clients to each node by its address, and looks at it within the notice of its end", () => {
    const servers = [...proxy.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, name, to]) => [name, to])
    expect(servers).toEqual(nodes.map(([name, node]) => [name, `${address(node)}:${node.environment?.["PORT"]}`]))
    const [, seconds, fall] = /check inter (\d+)s fall (\d+) /.exec(proxy) ?? []
    const { shutdownNoticeMillis } = readSettings({ NODE_ENV: "production" }).operation
    expect(Number(seconds) * Number(fall) * 1_000).toBeLessThan(shutdownNoticeMillis)
  })

  it("passes on nothing that a client says of itself, and tries again only what found no connection", () => {
    const [, front = ""] = proxy.split("\nfrontend ")
    expect(front).toContain("http-request del-header X-Forwarded-For")
    expect(proxy.match(/^ {2}retry-on .*$/gm)).toEqual(["  retry-on conn-failure"])
    const alone = readFileSync(join(folder, "../haproxy.cfg"), "utf8")
    const suites = (text: string) => text.match(/^ {2}ssl-default-bind.*$/gm)
    expect(suites(proxy)).toEqual(suites(alone))
    for (const text of [proxy, alone]) {
      expect(text).toMatch(/^ {2}http-reuse never$/m)
      expect(text).toMatch(/^ {2}timeout http-keep-alive 6s$/m)
    }
  })
})

describe("the programs themselves", () => {
  let scratch = ""
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), "cluster-files-"))
  })
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  const isThere = (program: string): boolean => {
    try {
      execFileSync(program, ["-v"], { stdio: "ignore" })
      return true
    } catch {
      return false
    }
  }

  it.skipIf(!isThere("haproxy"))("HAProxy reads its file", () => {
    const pem = (name: string): string => join(scratch, name)
    const made = ["-nodes", "-days", "1", "-subj", "/CN=localhost", "-keyout", pem("key"), "-out", pem("cert")]
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    execFileSync("openssl", ["req", "-x509", ...curve, ...made], { stdio: "ignore" })
    writeFileSync(pem("both.pem"), readFileSync(pem("cert"), "utf8") + readFileSync(pem("key"), "utf8"))
    writeFileSync(pem("haproxy.cfg"), proxy.replace("/etc/venue-gateway/tls/both.pem", pem("both.pem")))
    execFileSync("haproxy", ["-c", "-f", pem("haproxy.cfg")], { encoding: "utf8" })
  })

  it.skipIf(!isThere("nats-server"))("NATS reads its file, with the users from beside it", () => {
    for (const path of ["etc/nats", "run/secrets"]) mkdirSync(join(scratch, path), { recursive: true })
    const path = join(scratch, "etc/nats/nats.conf")
    writeFileSync(path, read("nats.conf"))
    writeFileSync(join(scratch, "run/secrets/nats_users"), 'user: gateway, password: "of the installation"\n')
    execFileSync("nats-server", ["-t", "-c", path], { stdio: "pipe" })
  })
})
