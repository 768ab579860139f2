/** What ships around the code keeps its promises: image, compose file, proxies, systemd unit. What was run with them is in decision 31. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { SETTINGS } from "../../scripts/settings-page.ts"
import { V8_FLAGS } from "../../scripts/v8-flags.ts"
import { readSettings } from "../../src/config.ts"
import { NAMES } from "../../src/settings/names.ts"
import { settingsNames } from "../kit/rules/settings-names.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const manifest = JSON.parse(read("package.json")) as {
  readonly version: string
  readonly engines: { node: string }
  readonly scripts: { start: string }
}
const names = settingsNames()
/** As files, too: settings/secret-files. */
const isSetting = (name: string): boolean =>
  names.has(name) || (name.endsWith("_FILE") && names.has(name.slice(0, -"_FILE".length)))
const SECRET = /PASSWORD|SECRET|SIGNING_KEY|ENCRYPTION|TOKEN|SMTP_URL/

describe("the image", () => {
  const lines = read("Dockerfile")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")))
  const of = (word: string, from = last): ReadonlyArray<string> =>
    from.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1).trim())

  it("is made of one exact Node that the gateway runs on", () => {
    const [image] = of("ARG", lines)
    expect(image).toMatch(/^NODE_IMAGE=docker\.io\/library\/node:22\.\d+\.\d+-bookworm-slim$/)
    expect(manifest.engines.node).toContain("^22.13.0")
  })

  it("runs no script of any package", () => {
    const installs = of("RUN", lines).filter((run) => /\bnpm (ci|install)\b/.test(run))
    expect(installs.length).toBeGreaterThan(0)
    for (const install of installs) expect(install).toMatch(/^npm ci .*--ignore-scripts/)
  })

  it("runs as somebody who is not root, by number", () => {
    expect(of("USER")).toEqual(["1000:1000"])
    expect(of("VOLUME")).toEqual(['["/data"]'])
  })

  it("starts the gateway itself, without a shell, and stops it by SIGTERM", () => {
    const [entry = ""] = of("ENTRYPOINT")
    const [program, ...rest] = JSON.parse(entry) as Array<string>
    expect([program, rest]).toEqual(["node", [...V8_FLAGS, "dist/src/main.js"]])
    expect(existsSync(join(root, "src/main.ts"))).toBe(true)
    expect(of("STOPSIGNAL")).toEqual(["SIGTERM"])
  })

  it("starts with the same options of V8 everywhere", () => {
    const starts = [manifest.scripts.start, read("deploy/venue-gateway.service")]
    for (const start of starts) expect(start).toContain(`node ${V8_FLAGS.join(" ")} `)
  })

  it("is asked after its health at a route that exists and needs no token", () => {
    const [check = ""] = of("HEALTHCHECK")
    const script = (JSON.parse(check.slice(check.indexOf("CMD") + 3)) as Array<string>)[1] ?? ""
    const [, path = ""] = /path: "([^"]+)"/.exec(read(script)) ?? []
    const openapi = JSON.parse(read("docs/openapi.json")) as {
      paths: Record<string, { get?: { security?: unknown[] } }>
    }
    expect(openapi.paths[path]?.get).toBeDefined()
    expect(openapi.paths[path]?.get?.security ?? []).toEqual([])
  })

  it("is not unhealthy while it migrates: the proxy of the compose file waits for its health", () => {
    const [, minutes] = /--start-period=(\d+)m /.exec(of("HEALTHCHECK")[0] ?? "") ?? []
    expect(Number(minutes)).toBeGreaterThanOrEqual(60)
  })

  it("is checked alike in Podman, which counts no start period but by the clock: until its first good answer nothing counts", () => {
    const [command = ""] = /podman run [^#]*/.exec(read("docs/operations/docker.md").replaceAll("\\\n", " ")) ?? []
    const given = Object.fromEntries(
      [...command.matchAll(/--(health-[a-z-]+) ('[^']*'|\S+)/g)].map(([, name, value]) => [
        name,
        value?.replaceAll("'", ""),
      ]),
    )
    const [check = ""] = of("HEALTHCHECK")
    const [, interval, timeout, retries, words = "[]"] =
      /--interval=(\S+) --timeout=(\S+) .*--retries=(\S+) CMD (.*)/.exec(check) ?? []
    const cmd = (JSON.parse(words) as Array<string>).join(" ")
    expect(given).toEqual({
      "health-cmd": cmd,
      "health-interval": interval,
      "health-timeout": timeout,
      "health-retries": retries,
      "health-start-period": "0s",
      "health-startup-cmd": cmd,
      "health-startup-interval": interval,
      "health-startup-timeout": timeout,
      // However often it fails it is not restarted: a migration would begin anew.
      "health-startup-retries": "0",
    })
  })

  it("sets nothing but settings, and no secret", () => {
    const given = of("ENV").flatMap((line) => [...line.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name ?? ""))
    expect(given).toContain("DATA_DIR")
    expect(given.filter((name) => !isSetting(name) || SECRET.test(name))).toEqual([])
  })

  it("gets no more than what is named, and all that it copies", () => {
    const ignore = read(".dockerignore").split("\n")
    expect(ignore.find((line) => line !== "" && !line.startsWith("#"))).toBe("*")
    const allowed = ignore.filter((line) => line.startsWith("!")).map((line) => line.slice(1))
    expect(allowed.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const copied = of("COPY", lines)
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(/\s+/).slice(0, -1))
      .filter((path) => path !== ".")
    expect(copied.filter((path) => !allowed.includes(path))).toEqual([])
    expect(allowed.filter((path) => /(^|\/)(\.git|var|secrets|tls|test|node_modules)(\/|$)/.test(path))).toEqual([])
  })
})

interface Service {
  readonly image: string
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
  readonly security_opt?: ReadonlyArray<string>
  readonly mem_limit?: string
  readonly stop_grace_period?: string
  readonly network_mode?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly secrets?: ReadonlyArray<string>
  readonly networks?: ReadonlyArray<string> | Readonly<Record<string, { readonly ipv4_address?: string }>>
}

describe("the compose file", () => {
  const file = parse(read("compose.yaml"), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly secrets: Readonly<Record<string, { readonly file: string }>>
    readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
    readonly volumes: Readonly<Record<string, unknown>>
  }
  const services = Object.entries(file.services)
  const gateways = ["gateway", "gateway-uat"].map((name) => file.services[name]!)
  const address = (service: Service | undefined): string | undefined => {
    const networks = service?.networks
    return networks !== undefined && "front" in networks ? networks.front?.ipv4_address : undefined
  }

  it("hardens every service", () => {
    for (const [name, service] of services) {
      expect([name, service.read_only, service.cap_drop, service.security_opt]).toEqual([
        name,
        true,
        ["ALL"],
        ["no-new-privileges:true"],
      ])
      expect([name, service.mem_limit]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)])
      expect([name, service.image]).toEqual([name, expect.stringMatching(/:[v\d][\w.-]+$/)])
    }
  })

  it("runs a production and a test gateway that share no data and no password", () => {
    expect(gateways.map(({ environment }) => environment?.["ENVIRONMENT"])).toEqual(["PROD", "UAT"])
    for (const of of [
      ({ environment }: Service) => environment?.["DATABASE_URL"],
      ({ environment }: Service) => environment?.["DATABASE_PASSWORD_FILE"],
      ({ volumes }: Service) => volumes?.[0],
      address,
    ])
      expect(new Set(gateways.map(of)).size).toBe(2)
    for (const { image } of gateways) expect(image).toBe(`venue-gateway:${manifest.version}`)
  })

  it("gives the gateways settings that exist, passwords as files only", () => {
    for (const { environment = {}, secrets = [] } of gateways) {
      expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([])
      for (const [name, value] of Object.entries(environment))
        if (SECRET.test(name)) expect(secrets.map((secret) => `/run/secrets/${secret}`)).toContain(value)
      expect(environment["DATABASE_URL"]).not.toMatch(/\/\/[^@/]*:[^@/]*@/)
    }
  })

  it("lets the proxy speak for its clients, the health check for itself, and nobody else", () => {
    const proxy = address(file.services["proxy"])
    expect(proxy).toMatch(/^172\./)
    for (const { environment } of gateways) expect(environment?.["TRUST_PROXY"]).toBe(`${proxy},127.0.0.1`)
  })

  it("has nobody beside the proxy and the gateways in the network where an address is believed", () => {
    const there = services.filter(([, { networks = [] }]) =>
      Array.isArray(networks) ? networks.includes("front") : "front" in networks,
    )
    expect(there.map(([name]) => name)).toEqual(["gateway", "gateway-uat", "proxy"])
    for (const [, service] of there) expect(address(service)).toMatch(/^172\.30\.73\./)
  })

  it("tells the proxy the addresses that it gives the gateways", () => {
    const upstreams = read("deploy/nginx/upstreams.compose.conf")
    for (const gateway of gateways)
      expect(upstreams).toContain(`server ${address(gateway)}:${gateway.environment?.["PORT"]};`)
  })

  it("opens two ports to the world, both of the proxy", () => {
    const open = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`))
    expect(open.filter((line) => !line.includes(" 127.0.0.1:"))).toEqual(["proxy 443:443", "proxy 8443:8443"])
    expect(file.services["postgres"]?.network_mode).toBe("none")
    expect(file.networks["front"]?.internal).toBe(true)
  })

  it("waits longer for the end than the gateway takes", () => {
    for (const { stop_grace_period: grace = "0" } of gateways) expect(Number.parseInt(grace, 10)).toBeGreaterThan(10)
  })

  it("names files of this tree, secrets that are declared, volumes that exist", () => {
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(":")[0] ?? ""))
    const deployed = mounts.filter((path) => path.startsWith("./deploy/"))
    expect(deployed.length).toBeGreaterThan(3)
    expect(deployed.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(mounts.filter((path) => !path.startsWith("./") && !(path in file.volumes))).toEqual([])
    const asked = services.flatMap(([, { secrets = [] }]) => secrets)
    expect(asked.filter((name) => !(name in file.secrets))).toEqual([])
  })

  it("keeps its secrets and certificates out of git", ({ skip }) => {
    skip(!existsSync(join(root, ".git")), "this tree is no checkout of git")
    const paths = [...Object.values(file.secrets).map((secret) => secret.file), "tls/key.pem"]
    const ignored = execFileSync(
      "git",
      ["check-ignore", "--no-index", ...paths.map((path) => path.replace("./", ""))],
      {
        cwd: root,
        encoding: "utf8",
      },
    )
    expect(ignored.trim().split("\n")).toHaveLength(paths.length)
  })
})

describe("the proxies", () => {
  const ciphers = [...read("src/http/edge/server.ts").matchAll(/"(ECDHE-[A-Z0-9-]+)"/g)]
    .map(([, name]) => name)
    .join(":")

  it("offer the suites of the gateway itself", () => {
    expect(ciphers.split(":")).toHaveLength(6)
    expect(read("deploy/nginx/nginx.conf")).toContain(`ssl_ciphers ${ciphers};`)
    expect(read("deploy/haproxy.cfg")).toContain(`ssl-default-bind-ciphers ${ciphers}`)
  })

  it("never pass on what a client says about itself", () => {
    expect(read("deploy/nginx/nginx.conf")).toContain("proxy_set_header X-Forwarded-For $remote_addr;")
    expect(read("deploy/nginx/nginx.conf")).not.toContain("$proxy_add_x_forwarded_for")
    const fronts = read("deploy/haproxy.cfg").split("\nfrontend ").slice(1)
    for (const front of fronts) expect(front).toContain("http-request del-header X-Forwarded-For")
    // Without del-header (two hops) a client's own line would be all that the gateway sees.
    expect(read("deploy/haproxy.cfg")).not.toContain("if-none")
  })

  it("never send an order twice", () => {
    expect(read("deploy/nginx/nginx.conf")).toContain("proxy_next_upstream off;")
    expect(read("deploy/haproxy.cfg")).toMatch(/^ {2}retries 0$/m)
  })
})

describe("HAProxy", () => {
  it("has a gateway that is ending out of the way while that one still works", () => {
    const servers = read("deploy/haproxy.cfg")
      .split("\n")
      .filter((line) => line.startsWith("  server "))
    expect(servers).toHaveLength(2)
    const { shutdownNoticeMillis } = readSettings({ NODE_ENV: "production" }).operation
    for (const server of servers) {
      const [, seconds, fall] = /check inter (\d+)s fall (\d+) /.exec(server) ?? []
      expect(Number(seconds) * Number(fall) * 1_000).toBeLessThan(shutdownNoticeMillis)
    }
  })
})

describe("the systemd unit", () => {
  const lines = read("deploy/venue-gateway.service").split("\n")

  it("starts what is built, and lets it end by itself", () => {
    expect(lines).toContain(
      `ExecStart=/opt/venue-gateway/node_modules/.bin/node ${V8_FLAGS.join(" ")} --max-old-space-size=1536 dist/src/main.js`,
    )
    // Unheard in the first second it ends the process, which systemd would call clean.
    expect(lines).toEqual(
      expect.arrayContaining(["ExecReload=/bin/kill -HUP $MAINPID", "RestartForceExitStatus=SIGHUP SIGUSR2"]),
    )
    expect(lines).toContain("TimeoutStopSec=15")
    expect(lines).toContain("Restart=on-failure")
  })

  it("has started when its program runs, so that no timeout of the start ends a migration", () => {
    expect(lines.filter((line) => /^(Type|ExecStartPre|ExecStartPost|WatchdogSec)=/.test(line))).toEqual(["Type=exec"])
  })

  it("tries again for as long as the database is away", () => {
    expect(lines).toContain("StartLimitIntervalSec=0")
    const seconds = Number(/^RestartSec=(\d+)$/m.exec(lines.join("\n"))?.[1])
    expect(seconds).toBeGreaterThanOrEqual(2)
    expect(seconds).toBeLessThanOrEqual(5)
  })

  it("has a command line that becomes the gateway's user, in the unit's places, and shows no secret to whoever lists processes", () => {
    const script = read("deploy/gateway-admin")
    expect(lines).toContain("User=venue-gateway")
    expect(lines).toContain("WorkingDirectory=/opt/venue-gateway")
    expect(script).toMatch(/^user=\$\{GATEWAY_USER:-venue-gateway\}$/m)
    expect(script).toMatch(/^home=\$\{GATEWAY_HOME:-\/opt\/venue-gateway\}$/m)
    expect(script.match(/DATABASE_URL/g)).toHaveLength(2)
    expect(statSync(join(root, "deploy/gateway-admin")).mode & 0o111).toBe(0o111)

    const home = mkdtempSync(join(tmpdir(), "gateway-admin-"))
    try {
      mkdirSync(join(home, "dist/src/admin"), { recursive: true })
      mkdirSync(join(home, "secrets"))
      const told =
        "const { HOST, LIMITS, DATA_DIR, DATABASE_URL } = process.env; console.log(JSON.stringify([process.argv.slice(2), HOST, LIMITS, DATA_DIR, DATABASE_URL]))"
      for (const name of ["main", "backup"])
        writeFileSync(join(home, `dist/src/admin/${name}.js`), `process.stdout.write("${name} "); ${told}`)
      writeFileSync(join(home, "settings"), '# ours\nHOST=127.0.0.1\nLIMITS={"a b":1}\nDATA_DIR="/srv/a b"')
      writeFileSync(join(home, "secrets/database-url"), "postgresql://ada:$secret@db/x\n")
      const env = {
        PATH: process.env["PATH"] ?? "",
        GATEWAY_HOME: home,
        GATEWAY_ETC: home,
        GATEWAY_USER: userInfo().username,
        GATEWAY_NODE: process.execPath,
      }
      const run = (...words: ReadonlyArray<string>): string =>
        execFileSync(join(root, "deploy/gateway-admin"), words, { env, encoding: "utf8" }).trim()
      const rest = '"127.0.0.1","{\\"a b\\":1}","/srv/a b","postgresql://ada:$secret@db/x"]'
      expect(run("ban", "a@b.c", "left the firm")).toBe(`main [["ban","a@b.c","left the firm"],${rest}`)
      expect(run("backup", "/x y")).toBe(`backup [["/x y"],${rest}`)
    } finally {
      rmSync(home, { recursive: true })
    }
  })

  it("is hardened", () => {
    for (const line of [
      "NoNewPrivileges=true",
      "CapabilityBoundingSet=",
      "ProtectSystem=strict",
      "PrivateTmp=true",
      "StateDirectory=venue-gateway",
      "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
      "SystemCallFilter=@system-service",
      "MemoryMax=3G",
    ])
      expect(lines).toContain(line)
  })

  it("sets settings that exist, and no secret", () => {
    const given = lines
      .filter((line) => /^#?Environment=/.test(line))
      .flatMap((line) => [...line.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name ?? ""))
    expect(given.filter((name) => !isSetting(name))).toEqual([])
  })
})

describe("the README", () => {
  it("leads to every page for operators, and to no page that is not there", () => {
    const text = read("README.md")
    const pages = readdirSync(join(root, "docs/operations")).map((name) => `docs/operations/${name}`)
    expect(pages.filter((page) => !text.includes(`(${page})`))).toEqual([])
    for (const from of ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", ...pages]) {
      const links = [...read(from).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) =>
        join(from, "..", link ?? ""),
      )
      expect([from, links.filter((link) => !existsSync(join(root, link)))]).toEqual([from, []])
    }
  })
})

describe("the table of settings", () => {
  const rows = Object.values(SETTINGS).flat()

  it("has every setting that the sources read, once, and no other", () => {
    // For tests and for developers, or of PostgreSQL's own.
    const inner = /^(FAILPOINT|PG_BIN_DIR|PGSSLMODE|WS_PROFILE|WS_TEST_)/
    const wanted = [...names].filter((name) => !inner.test(name))
    expect(rows.flatMap((row) => row.names).toSorted()).toEqual(wanted.toSorted())
  })

  it("is what the start holds the environment against", () => {
    expect([...NAMES].toSorted()).toEqual([...names].toSorted())
  })

  it("says the defaults of the sources", () => {
    const said = new Map(rows.flatMap((row) => row.names.map((name, at) => [name, row.defaults[at] ?? ""] as const)))
    // Not set, they are off: the number is a fallback that is never reached.
    for (const port of ["METRICS_PORT", "PLAIN_HTTP_PORT"]) said.set(port, "0")
    said.set("SHUTDOWN_NOTICE_MS", "2000")
    const sources = ["src/config.ts", ...readdirSync(join(root, "src/settings")).map((name) => `src/settings/${name}`)]
    const patterns = [
      /(?:integer|flag)\(env, "(\w+)", (?:production \? )?([\d_]+|true|false)\b/g,
      /(?:tenantName|feeBps)\(env, "(\w+)", "(\w+)"\)/g,
      /choice\(env, "(\w+)", [^)]*, "(\w+)"\)/g,
      /text\(env, "(\w+)"\) \?\? "([\w.]+)"/g,
    ]
    const read = sources.flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8")
      return patterns.flatMap((pattern) =>
        [...text.matchAll(pattern)].map((m) => [m[1]!, m[2]!.replaceAll("_", "")] as const),
      )
    })
    const settings = read.filter(([name]) => said.has(name))
    expect(settings.length).toBeGreaterThan(25)
    expect(settings.filter(([name, value]) => said.get(name) !== value)).toEqual([])
  })
})
