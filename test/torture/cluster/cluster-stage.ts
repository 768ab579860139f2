/**
 * A cluster as operators run it, of processes: three gateways, HAProxy in front by its shipped file, two NATS of one cluster, PostgreSQL and a loopback exchange. The one thing
 * to know: between each gateway and each of its servers stands a proxy of its own, so any of these ways can be parted, unless all go direct; and a gateway that ends is
 * started again, as by a supervisor.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type BinanceExchange, startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { type CutProxy, cutProxy } from "../../kit/proxies/cut-proxy.ts"
import { type Haproxy, startHaproxy } from "../../kit/proxies/haproxy.ts"
import { type ClusterProcess, sharedKeys, startClusterNode } from "../../kit/servers/cluster.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { Api, endGateways, until } from "../../kit/servers/gateway.ts"
import { type NatsServer, startNats } from "../../kit/servers/nats.ts"
import { clockOf } from "../nemesis/clock-steps.ts"
import { type ClusterDatabase, openServer, openServerPair } from "./cluster-database.ts"

/** A supervisor's pause. */
const PAUSE_MILLIS = 300
/** Three processes that start beside a load. */
const PATIENCE_MILLIS = 120_000

export interface Place {
  readonly nodeId: string
  readonly port: number
  readonly toPostgres: CutProxy
  readonly toBrokers: ReadonlyArray<CutProxy>
  /** Its wall clock from now on: `+50m`, `+0`; of a stage with clocks. */
  readonly setClock: (step: string) => void
  /** The process that runs there now; undefined: none does. */
  process: ClusterProcess | undefined
  /** Ends that no one had asked for, by their exit code or signal. */
  readonly ends: Array<string>
}

export interface ClusterStage {
  readonly exchange: BinanceExchange
  readonly haproxy: Haproxy
  readonly brokers: ReadonlyArray<NatsServer>
  readonly places: ReadonlyArray<Place>
  /** Clients' way in. */
  readonly front: Api
  /** The one that owns the database under the highest term that was told; undefined: no process that runs has it. */
  readonly owner: () => { readonly place: Place; readonly term: number } | undefined
  /** Resolves with how long it took until a later owner than that of this term said that it works. */
  readonly nextOwner: (term: number, from: number) => Promise<number>
  /** Three healthy nodes, and one of them the owner. */
  readonly whole: () => Promise<void>
  /** Nodes that give way do so no more. */
  readonly endYielding: () => void
  readonly database: ClusterDatabase
  readonly close: () => Promise<void>
}

/** Of all threads of a process that leads its group. */
const setNice = (pid: number, nice: number): void =>
  void spawn("renice", ["-n", `${nice}`, "-g", `${pid}`], { stdio: "ignore" })

const throughPort = (url: string, port: number): string => {
  const through = new URL(url)
  through.searchParams.delete("host")
  through.host = `127.0.0.1:${port}`
  return through.href
}

/** Two of one cluster, that tell clients of no address but those that they were given. */
const startBrokers = async (): Promise<ReadonlyArray<NatsServer>> => {
  const user = { name: "gateway", password: "of-the-broker" }
  const routes = [await freePort(), await freePort()] as const
  return Promise.all(
    routes.map((own, n) =>
      startNats({
        user,
        args: [
          ...["--cluster", `nats://127.0.0.1:${own}`, "--cluster_name", "torture", "--no_advertise"],
          ...["--routes", `nats://127.0.0.1:${routes[1 - n]}`],
        ],
      }),
    ),
  )
}

/** As it is in production. */
export const NOTICE_MILLIS = 2_000

export interface ClusterStageOptions {
  readonly built: boolean
  readonly env?: Readonly<Record<string, string>>
  /** PostgreSQL has a synchronous standby. */
  readonly isPair?: boolean
  /** No proxies: what all nodes say to PostgreSQL and NATS does not pass through this process, which has the load to make. */
  readonly isDirect?: boolean
  /** A node that is started again gives way to all others (nice 19) until `endYielding`: on machines of their own it would take no time from them. Needs root. */
  readonly isYielding?: boolean
  /** Each node has a wall clock of its own that can be set (libfaketime). */
  readonly hasClocks?: boolean
}

export const openClusterStage = async (options: ClusterStageOptions): Promise<ClusterStage> => {
  const ends: Array<() => Promise<unknown> | unknown> = []
  let isClosing = false
  const close = async (): Promise<void> => {
    isClosing = true
    await endGateways()
    for (const end of ends.reverse()) await end()
  }
  try {
    const exchange = await startBinanceExchange()
    ends.push(exchange.stop)
    const folder = mkdtempSync(join(tmpdir(), "clocks-"))
    ends.push(() => rmSync(folder, { recursive: true, force: true }))
    const database = await (options.isPair === true ? openServerPair() : openServer())
    ends.push(database.close)
    const brokers = await startBrokers()
    for (const broker of brokers) ends.push(broker.kill)
    const env = {
      ...sharedKeys(),
      VENUE_ROUTES: JSON.stringify(exchange.routes),
      MOCK_TICK_MS: "100",
      RATE_LIMITS: "off",
      SHUTDOWN_NOTICE_MS: String(NOTICE_MILLIS),
      ...options.env,
    }
    const places: Array<Place> = []
    for (const nodeId of ["a", "b", "c"]) {
      const toPostgres = await cutProxy(database.target, { isHeard: false })
      const toBrokers: Array<CutProxy> = []
      for (const { port } of brokers) toBrokers.push(await cutProxy({ host: "127.0.0.1", port }, { isHeard: false }))
      for (const proxy of [toPostgres, ...toBrokers]) ends.push(proxy.close)
      const setClock = (step: string): void => writeFileSync(join(folder, nodeId), step)
      setClock("+0")
      places.push({ nodeId, port: await freePort(), toPostgres, toBrokers, setClock, process: undefined, ends: [] })
    }
    const envOf = ({ nodeId, port, toPostgres, toBrokers }: Place): Readonly<Record<string, string>> => ({
      ...env,
      ...(options.hasClocks === true ? clockOf(join(folder, nodeId)) : {}),
      PORT: String(port),
      DATABASE_URL: options.isDirect === true ? database.url : throughPort(database.url, toPostgres.port),
      NATS_URL: brokers
        .map(({ url }, n) => (options.isDirect === true ? url : throughPort(url, toBrokers[n]!.port)))
        .join(","),
    })
    const yielding = new Set<number>()
    const keep = async (place: Place): Promise<void> => {
      const began = (pid: number): void => {
        if (options.isYielding !== true || place.ends.length === 0) return
        yielding.add(pid)
        setNice(pid, 19)
      }
      while (!isClosing) {
        try {
          place.process = await startClusterNode(place.nodeId, envOf(place), options.built, began)
          const { code, signal } = await place.process.exited
          const words = place.process.stderr().trimEnd().split("\n").at(-1) ?? ""
          place.ends.push(code === 0 ? "0" : `${signal ?? code} (${words.slice(0, 300)})`)
        } catch (error) {
          // What it needs is away: a supervisor tries again.
          if (!isClosing)
            place.ends.push(error instanceof Error ? (error.message.split("\n").at(-1) ?? "") : String(error))
        }
        place.process = undefined
        await sleep(PAUSE_MILLIS)
      }
    }
    for (const place of places) void keep(place)
    const owner: ClusterStage["owner"] = () =>
      places
        .flatMap((place) => {
          const term = place.process?.core()?.term
          return term === undefined ? [] : [{ place, term }]
        })
        .sort((a, b) => b.term - a.term)[0]
    const isWell = async ({ port }: Place): Promise<boolean> => {
      const { http } = await new Api(`http://127.0.0.1:${port}`).health().catch(() => ({ http: 0 }))
      return http === 200
    }
    const whole = async (): Promise<void> => {
      await until(
        () => `three healthy nodes:\n${places.map(({ process }) => process?.stderr().slice(-1_000)).join("\n")}`,
        async () => owner() !== undefined && (await Promise.all(places.map(isWell))).every(Boolean),
        PATIENCE_MILLIS,
      )
    }
    await whole()
    const haproxy = await startHaproxy(places.map(({ port }) => port))
    ends.push(haproxy.stop)
    const front = new Api(haproxy.url)
    await until("HAProxy to reach a node", () =>
      front.health().then(
        ({ http }) => http === 200,
        () => false,
      ),
    )
    return {
      exchange,
      haproxy,
      brokers,
      places,
      front,
      owner,
      whole,
      endYielding: () => {
        for (const pid of yielding) setNice(pid, 0)
        yielding.clear()
      },
      nextOwner: async (term, from) => {
        await until("the next node to own the database", () => (owner()?.term ?? 0) > term, PATIENCE_MILLIS)
        return Math.round(performance.now() - from)
      },
      database,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
