/**
 * `npm run torture -- NAME... [options]`: long, destructive runs against real processes, by their own names or by those of the scoreboard
 * (`S1 F3`), which have its figures as options. Each prints its progress and what it judged; the last line is `N passed, N failed`, the exit
 * code 1 when anything failed.
 */
import { parseArgs } from "node:util"
import { endGateways } from "../kit/servers/gateway.ts"
import { httpFuzzRun } from "./attack/http-fuzz.ts"
import { regexTime } from "./attack/regex-time.ts"
import { smuggling } from "./attack/smuggling.ts"
import { runSocketFuzz } from "./attack/socket-fuzz.ts"
import { sqlInjection } from "./attack/sql-injection.ts"
import { timing } from "./attack/timing.ts"
import { clients } from "./clients/clients.ts"
import { runSdkBook, verdictOf } from "./clients/sdk-book.ts"
import { sdkBots } from "./clients/sdk-bots.ts"
import { SDK_CLIENTS } from "./clients/sdk-process.ts"
import { cableSeeds } from "./cluster/cable-seeds.ts"
import { cluster } from "./cluster/cluster.ts"
import { KIND_NAMES, type KindName } from "./cluster/cluster-faults.ts"
import { rolling } from "./cluster/rolling.ts"
import { EDGE_RUNS } from "./edge/runs.ts"
import type { SocketVenue } from "./failpoints/exchanges.ts"
import { failpoints } from "./failpoints/failpoints.ts"
import { type KillVenue, killOrders } from "./kill/kill-orders.ts"
import type { Verdict } from "./kill/kill-verdict.ts"
import { actRaces } from "./ledger/act-races.ts"
import { audit } from "./ledger/audit.ts"
import { bank } from "./ledger/bank.ts"
import { dealerHistory } from "./ledger/dealer-history.ts"
import { ledgerAudit } from "./ledger/ledger-audit.ts"
import { ledgerModel } from "./ledger/ledger-model.ts"
import { ledgerSabotage } from "./ledger/ledger-sabotage.ts"
import { fairness } from "./load/fairness.ts"
import { growth } from "./load/growth.ts"
import { loginStorm } from "./load/login-storm.ts"
import { manyAccounts } from "./load/many-accounts.ts"
import { overload } from "./load/overload.ts"
import { readerStorms } from "./load/reader-storm.ts"
import { reconnectStorm } from "./load/reconnect-storm.ts"
import { recovery } from "./load/recovery.ts"
import { slowReaders } from "./load/slow-readers.ts"
import { steady } from "./load/steady.ts"
import { upkeep } from "./load/upkeep.ts"
import { clockSteps } from "./nemesis/clock-steps.ts"
import { diskFull } from "./nemesis/disk-full.ts"
import { failover } from "./nemesis/failover.ts"
import { fdLimit } from "./nemesis/fd-limit.ts"
import { loopStall } from "./nemesis/loop-stall.ts"
import { postgresKills } from "./nemesis/postgres.ts"
import { postgresFrozen } from "./nemesis/postgres-frozen.ts"
import { shutdown } from "./nemesis/shutdown.ts"
import { twoGateways } from "./nemesis/two-gateways.ts"
import { venueFaults } from "./nemesis/venue-faults.ts"
import { oracle } from "./oracle/oracle.ts"
import { hasDays, readDays } from "./oracle/recorded-day.ts"
import { ownership } from "./ownership/ownership.ts"
import { clusterSabotages } from "./ownership/sabotages.ts"
import { absence, checkOf, SCOREBOARD, type Step } from "./scoreboard.ts"
import { soak } from "./soak/soak.ts"
import { PROVEN_VENUES } from "./venues/venue-proofs.ts"
import { venueSabotages } from "./venues/venue-sabotages.ts"
import { STORM_VENUES, venueStorm } from "./venues/venue-storm.ts"
import { venueTable } from "./venues/venues.ts"
import { workerFaults } from "./workers/worker-faults.ts"

const { values, positionals, tokens } = parseArgs({
  allowPositionals: true,
  tokens: true,
  options: {
    kills: { type: "string" },
    cuts: { type: "string", default: "200" },
    publications: { type: "string", default: "10000" },
    connections: { type: "string" },
    accounts: { type: "string", default: "1000" },
    orders: { type: "string", default: "10000" },
    acts: { type: "string", default: "10000" },
    quotes: { type: "string", default: "3000000" },
    frames: { type: "string", default: "1000000" },
    requests: { type: "string", default: "200000" },
    events: { type: "string", default: "5000000" },
    transfers: { type: "string", default: "5000000" },
    minutes: { type: "string", default: "30" },
    rounds: { type: "string", default: "6" },
    runs: { type: "string", default: "20" },
    seconds: { type: "string" },
    rate: { type: "string", default: "500" },
    stall: { type: "string", default: "60" },
    samples: { type: "string", default: "300" },
    lanes: { type: "string", default: "3" },
    built: { type: "boolean", default: false },
    yielding: { type: "boolean", default: false },
    only: { type: "string" },
    kinds: { type: "string" },
    venue: { type: "string" },
    pairs: { type: "string", default: "60" },
    client: { type: "string", default: "typescript" },
    database: { type: "string", default: "embedded" },
    browser: { type: "string", default: "/usr/bin/chromium" },
    seeds: { type: "string", default: "5000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
})

const defaults = { ...values }
/** Those that were written down: they win over the scoreboard's. */
const written: Partial<typeof values> = Object.fromEntries(
  tokens.flatMap((it) => (it.kind === "option" ? [[it.name, values[it.name as keyof typeof values]]] : [])),
)

type Progress = (line: string) => void

interface Run {
  readonly usage: string
  readonly run: (progress: Progress) => Promise<ReadonlyArray<Verdict>>
}

class Misused extends Error {}

type Count =
  | "lanes"
  | "pairs"
  | "kills"
  | "cuts"
  | "publications"
  | "connections"
  | "accounts"
  | "orders"
  | "acts"
  | "quotes"
  | "frames"
  | "requests"
  | "events"
  | "transfers"
  | "minutes"
  | "rounds"
  | "runs"
  | "seconds"
  | "rate"
  | "stall"
  | "samples"
  | "seeds"
  | "seed"

const count = (name: Count, min: number, fallback?: number): number => {
  const n = Number(values[name] ?? fallback)
  if (!Number.isInteger(n) || n < min) throw new Misused(`--${name} is a whole number from ${min}`)
  return n
}

const provenVenue = (): string | undefined => {
  const { venue } = values
  if (venue === undefined || PROVEN_VENUES.some((it) => it === venue)) return venue
  throw new Misused(`--venue is one of ${PROVEN_VENUES.join(", ")}; without it all are run`)
}

const killVenues = (): ReadonlyArray<KillVenue> => {
  const { venue } = values
  if (venue === undefined) return ["mock", "binance"]
  if (venue === "mock" || venue === "binance") return [venue]
  throw new Misused("--venue is mock or binance; without it both are run")
}

const clusterKinds = (): ReadonlyArray<KindName> => {
  if (values.kinds === undefined) return KIND_NAMES
  return values.kinds.split(",").map((named) => {
    const kind = KIND_NAMES.find((it) => it === named)
    if (kind === undefined) throw new Misused(`--kinds takes names of ${KIND_NAMES.join(", ")}, not "${named}"`)
    return kind
  })
}

const killRun = async (progress: Progress): Promise<ReadonlyArray<Verdict>> => {
  const { database } = values
  if (database !== "embedded" && database !== "url") throw new Misused("--database is embedded or url")
  const verdicts: Array<Verdict> = []
  for (const venue of killVenues()) {
    const found = await killOrders({ venue, kills: count("kills", 1, 100), seed: count("seed", 0), database, progress })
    verdicts.push(...found.map((verdict) => ({ ...verdict, name: `${venue}: ${verdict.name}` })))
  }
  return verdicts
}

const socketVenues = (): ReadonlyArray<SocketVenue> => {
  const { venue } = values
  if (venue === undefined) return ["binance", "okx", "bybit"]
  if (venue === "binance" || venue === "okx" || venue === "bybit") return [venue]
  throw new Misused("--venue is binance, okx or bybit; without it all are run")
}

const socketRun = async (progress: Progress): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  for (const overSocket of socketVenues()) {
    const asked = { overSocket, runs: count("runs", 1), seed: count("seed", 0), only: values.only?.split(",") }
    const truthMillis = 1000 * count("seconds", 1, overSocket === "binance" ? 10 : 60)
    verdicts.push(
      ...(await failpoints({ ...asked, truthMillis, built: values.built, lanes: count("lanes", 1), progress })),
    )
  }
  return verdicts
}

const RUNS: Readonly<Record<string, Run>> = {
  "kill-orders": {
    usage: "[--kills 100] [--venue mock|binance] [--database embedded|url] [--seed N]",
    run: killRun,
  },
  "sdk-bots": {
    usage:
      "[--kills 20] [--cuts 50] [--client typescript|python] [--built] [--seed N]: bots on our clients; the gateway is killed, the network cut",
    run: (progress) => {
      const client = SDK_CLIENTS.find((it) => it === values.client)
      if (client === undefined) throw new Misused(`--client is ${SDK_CLIENTS.join(" or ")}`)
      const [kills, cuts] = [count("kills", 0, 20), Number(written.cuts ?? 50)]
      return sdkBots({ client, kills, cuts, seed: count("seed", 0), built: values.built, progress })
    },
  },
  "sdk-book": {
    usage:
      "[--cuts 50] [--built]: the client's book at the checkpoints of a recorded day, in JSON and Protobuf, through cuts",
    run: async (progress) => {
      if (!hasDays) return [{ name: "captures", passed: true, says: "skipped: they are not beside the repository" }]
      const { days, remove } = await readDays(["20240808"])
      try {
        const cuts = Number(written.cuts ?? 50)
        return [verdictOf(await runSdkBook({ recorded: days[0]!, cuts, built: values.built, progress }))]
      } finally {
        await remove()
      }
    },
  },
  failpoints: {
    usage:
      "[--runs 20] [--only TEXT,TEXT] [--lanes 3] [--seconds 10] [--built] [--seed N]: the process kills itself at every named place; lanes: gateways side by side; seconds: how late the truth may be",
    run: (progress) =>
      failpoints({
        runs: count("runs", 1),
        seed: count("seed", 0),
        only: values.only?.split(","),
        truthMillis: 1000 * count("seconds", 1, 10),
        built: values.built,
        lanes: count("lanes", 1),
        progress,
      }),
  },
  "venue-failpoints": {
    usage:
      "as failpoints: at the places on an order's way at OKX, KRAKEN, BYBIT, COINBASE, BINANCEUSDM, KUCOIN, GATE, KRAKENFUTURES, BITSTAMP, BITFINEX, GEMINI and DERIBIT",
    run: (progress) =>
      failpoints({
        elsewhere: true,
        runs: count("runs", 1),
        seed: count("seed", 0),
        only: values.only?.split(","),
        truthMillis: 1000 * count("seconds", 1, 60),
        built: values.built,
        lanes: count("lanes", 1),
        progress,
      }),
  },
  "socket-failpoints": {
    usage:
      "[--venue binance|okx|bybit] as failpoints: at the venue's places, with its orders, cancels and changes over its socket",
    run: socketRun,
  },
  "postgres-kills": {
    usage: "[--rounds 10] [--built]: the database's server dies and comes back; --built runs dist/",
    run: (progress) => postgresKills({ rounds: count("rounds", 1), built: values.built, progress }),
  },
  "postgres-frozen": {
    usage: "[--seconds 30] [--built]: the database's server stands still, its connections stay",
    run: (progress) => postgresFrozen({ seconds: count("seconds", 5, 30), built: values.built, progress }),
  },
  failover: {
    usage:
      "[--rounds 6] [--built]: PostgreSQL's primary dies and its synchronous standby takes over; each round has a pair of its own",
    run: (progress) => failover({ rounds: count("rounds", 1), built: values.built, progress }),
  },
  "two-gateways": {
    usage:
      "[--built]: a second process on the same database, beside a first one that works, and in the place of one that hangs",
    run: (progress) => twoGateways({ built: values.built, progress }),
  },
  cluster: {
    usage: `[--rounds 6] [--kinds ${KIND_NAMES.join(",")}] [--minutes M] [--built] (nats-server, haproxy): three nodes under orders and readers; rounds: of each kind, none begun after M minutes of it`,
    run: (progress) => {
      const minutes = written.minutes === undefined ? null : count("minutes", 1)
      const [rounds, kinds] = [count("rounds", 1), clusterKinds()]
      return cluster({ rounds, kinds, minutes, built: values.built, progress })
    },
  },
  ownership: {
    usage:
      "[--minutes 10]: the lease on a database, and two nodes that share shards, in every order of events, and with each of their conditions taken out",
    run: (progress) => ownership({ minutes: Number(written.minutes ?? 10), progress }),
  },
  "cluster-sabotages": {
    usage:
      "[--only TEXT] (nats-server, haproxy): what several processes on one database rely on, taken out one condition at a time; the test that is named for it must fail",
    run: (progress) => clusterSabotages(values.only, progress),
  },
  "loop-stall": {
    usage: "[--built]: the event loop stands still for 2 s under orders and sockets",
    run: (progress) => loopStall({ built: values.built, progress }),
  },
  "clock-steps": {
    usage: "(with libfaketime): the gateway's clock is set forward and back by 50 minutes",
    run: clockSteps,
  },
  "fd-limit": {
    usage: "[--built]: more clients than the process may have files",
    run: (progress) => fdLimit({ built: values.built, progress }),
  },
  "disk-full": { usage: "(as root): the database's disk is full for a while", run: diskFull },
  "venue-faults": {
    usage: "[--stall 60]: the exchange disconnects, stalls, fails and cuts",
    run: (progress) => venueFaults({ stallMillis: count("stall", 1) * 1000, progress }),
  },
  shutdown: {
    usage: "[--rounds 6] [--connections 1000]: SIGTERM under order load",
    run: (progress) => shutdown({ rounds: count("rounds", 1), connections: count("connections", 1, 1_000), progress }),
  },
  steady: {
    usage: "[--minutes 30] [--rate 500] [--built]: orders with fills at a steady rate",
    run: (progress) =>
      steady({ minutes: count("minutes", 1), ratePerSecond: count("rate", 1), built: values.built, progress }),
  },
  growth: {
    usage: "[--minutes 20] [--rate 5]: what orders leave in each table and file, and after they were archived",
    run: (progress) =>
      growth({ minutes: Number(written.minutes ?? 20), ratePerSecond: Number(written.rate ?? 5), progress }),
  },
  upkeep: {
    usage:
      "[--events 5000000] [--rate 200] [--seconds 20]: a day of so many events is dropped under steady commits, and a start beside a reader",
    run: (progress) =>
      upkeep({
        events: count("events", 10_000),
        ratePerSecond: Number(written.rate ?? 200),
        seconds: count("seconds", 5, 20),
        progress,
      }),
  },
  recovery: {
    usage: "[--cuts 200] [--publications 10000] [--seed N]: a stream through a line that breaks",
    run: (progress) =>
      recovery({ cuts: count("cuts", 1), publications: count("publications", 1), seed: count("seed", 0), progress }),
  },
  "cable-seeds": {
    usage:
      "[--seeds 5000] [--seed N] [--minutes 10] [--only asks|mirrors]: nodes over a cable in memory that loses, delays, repeats and reorders; minutes: of asks, and of mirrors; and each of four parts taken out",
    run: (progress) =>
      cableSeeds({
        seeds: count("seeds", 1),
        from: count("seed", 0),
        minutes: Number(written.minutes ?? 10),
        only: values.only,
        progress,
      }),
  },
  "cluster-rolling": {
    usage:
      "[--rate 500] [--connections 1000] [--accounts 20] [--built] [--yielding] (nats-server, haproxy): three nodes are replaced one by one under orders and sockets, each of which hears one of the accounts; yielding: those that come back have the lowest priority (root)",
    run: (progress) =>
      rolling({
        ratePerSecond: count("rate", 1),
        connections: count("connections", 1, 1_000),
        accounts: Number(written.accounts ?? 20),
        built: values.built,
        isYielding: values.yielding,
        progress,
      }),
  },
  "cluster-recovery": {
    usage:
      "[--cuts 200] [--publications 10000] [--seed N] (nats-server, haproxy): a stream at three edges behind HAProxy; another one after each cut",
    run: (progress) =>
      recovery({
        cuts: count("cuts", 1),
        publications: count("publications", 1),
        seed: count("seed", 0),
        isCluster: true,
        progress,
      }),
  },
  "reconnect-storm": {
    usage: "[--connections 10000] [--built]: all sockets are cut at once and come back at once",
    run: (progress) => reconnectStorm({ connections: count("connections", 1, 10_000), built: values.built, progress }),
  },
  "reader-storm": {
    usage:
      "[--acts 10000] [--only VENUE] [--seed N]: readers come and go at random at each venue; a tenth of the acts at each",
    run: (progress) =>
      readerStorms({
        steps: Math.ceil(count("acts", 100) / 10),
        instruments: 50,
        seed: count("seed", 0),
        venue: values.only,
        progress,
      }),
  },
  "slow-readers": {
    usage: "[--connections 1000]: half of them stop reading",
    run: (progress) => {
      const connections = count("connections", 2, 1_000)
      return slowReaders({ connections, stopped: Math.floor(connections / 2), progress })
    },
  },
  "socket-fuzz": {
    usage: "[--frames 1000000] [--seed N]: messages that nobody should send",
    run: (progress) => runSocketFuzz({ frames: count("frames", 100), seed: count("seed", 0), progress }),
  },
  venues: {
    usage:
      "[--venue BYBIT]: what is proven of each venue's orders, scenario by scenario: the named tests against its loopback exchange, passed of run",
    run: (progress) => venueTable({ venue: provenVenue(), progress }),
  },
  "venue-sabotages": {
    usage:
      "[--venue BYBIT]: each fact of each proven venue turned into a lie, and which of its connector's tests sees it",
    run: (progress) => venueSabotages({ venue: provenVenue(), progress }),
  },
  "venue-storm": {
    usage:
      "[--venue binance|okx|kucoin] [--seconds 60] [--pairs 60] [--built]: one tenant sends more than the venue takes, so many orders and cancels a second; the cancels of another beside it",
    run: async (progress) => {
      const asked = STORM_VENUES.filter((it) => values.venue === undefined || it === values.venue)
      if (asked.length === 0) throw new Misused(`--venue is one of ${STORM_VENUES.join(", ")}; without it all are run`)
      const verdicts: Array<Verdict> = []
      for (const venue of asked)
        verdicts.push(
          ...(await venueStorm({
            venue,
            seconds: count("seconds", 5, 60),
            pairsPerSecond: count("pairs", 1),
            built: values.built,
            progress,
          })),
        )
      return verdicts
    },
  },
  "worker-faults": {
    usage:
      "[--rounds 6] [--seconds S]: threads of connectors that crash, hang or fill their heap while three venues stream; fresh again within 2 s, or within S without a word on delays",
    run: (progress) => {
      const patienceMillis = values.seconds === undefined ? null : count("seconds", 1) * 1_000
      return workerFaults({ rounds: count("rounds", 1), patienceMillis, progress })
    },
  },
  bank: {
    usage:
      "[--seconds 60] [--connections 18] [--kills 2] [--built] [--seed N]: money moves over HTTP while gateway and PostgreSQL are killed, each --kills times",
    run: (progress) =>
      bank({
        seconds: count("seconds", 1, 60),
        connections: count("connections", 1, 18),
        kills: count("kills", 1, 2),
        seed: count("seed", 0),
        built: values.built,
        progress,
      }),
  },
  "act-races": {
    usage:
      "[--runs 20] [--seed N]: acts on one wallet at the same time against their serial orders; 5000 races before a release",
    run: (progress) => actRaces({ runs: count("runs", 1), seed: count("seed", 0), progress }),
  },
  "dealer-history": {
    usage:
      "[--quotes 3000000]: the start of a dealer after so many executed quotes, and thousands that cannot be hedged",
    run: (progress) => dealerHistory({ quotes: count("quotes", 1_000), progress }),
  },
  audit: {
    usage:
      "[--acts 10000] [--kills 20] [--connections 8] [--built] [--seed N]: acts of every kind while the gateway is killed; each has its row",
    run: (progress) =>
      audit({
        acts: count("acts", 100),
        kills: count("kills", 1, 20),
        connections: count("connections", 1, 8),
        seed: count("seed", 0),
        built: values.built,
        progress,
      }),
  },
  "ledger-audit": {
    usage: "[--transfers 5000000]: the audit of a long ledger, its first look and later ones, and what is planted",
    run: (progress) => ledgerAudit({ transfers: count("transfers", 1_000), progress }),
  },
  "ledger-model": {
    usage: "[--runs 20] [--seed N]: random requests against the ledger and its model; 1000 runs before a release",
    run: (progress) => ledgerModel({ runs: count("runs", 1), seed: count("seed", 0), progress }),
  },
  "ledger-sabotage": {
    usage: "[--only TEXT]: the ledger is broken on purpose, one thing at a time; each must turn a check red",
    run: (progress) => ledgerSabotage(progress, values.only),
  },
  oracle: {
    usage:
      "[--seed N] [--only venues]: what was recorded of each venue, and two days of a book, with and without faults of the line",
    run: (progress) => oracle({ seed: count("seed", 0), venuesOnly: values.only === "venues", progress }),
  },
  timing: {
    usage: "[--samples 300] [--built]: whether the time of an answer tells who is registered",
    run: (progress) => timing({ samples: count("samples", 20), built: values.built, progress }),
  },
  fairness: {
    usage: "[--seconds 20] [--built]: one user storms with all the accounts that a user may have while others trade",
    run: (progress) => fairness({ seconds: count("seconds", 5, 20), built: values.built, progress }),
  },
  "login-storm": {
    usage: "[--seconds 20] [--built]: passwords tried in three shapes, and 300 logins a second while orders run",
    run: (progress) => loginStorm({ seconds: count("seconds", 5, 20), built: values.built, progress }),
  },
  "many-accounts": {
    usage:
      "[--accounts 1000] [--orders 10000] [--seconds 600] [--built]: a start with connected accounts that have many past orders",
    run: (progress) =>
      manyAccounts({
        accounts: count("accounts", 2),
        orders: count("orders", 1),
        seconds: count("seconds", 10, 600),
        built: values.built,
        progress,
      }),
  },
  overload: {
    usage: "[--seconds 10] [--built]: three times as many orders as can be taken",
    run: (progress) => overload({ seconds: count("seconds", 2, 10), built: values.built, progress }),
  },
  soak: {
    usage: "[--minutes 30]: the captures of eight venues, again and again",
    run: (progress) => soak({ minutes: count("minutes", 1), progress }),
  },
  "http-fuzz": {
    usage: "[--requests 200000] [--built] [--seed N]: requests for every endpoint that nobody should send",
    run: (progress) =>
      httpFuzzRun({ requests: count("requests", 100), seed: count("seed", 0), built: values.built, progress }),
  },
  "regex-time": { usage: ": regular expressions that some text keeps busy", run: regexTime },
  "sql-injection": { usage: ": Debian's sqlmap at fields that end in statements", run: sqlInjection },
  smuggling: { usage: ": requests with two readings, behind HAProxy (Debian's haproxy)", run: smuggling },
  clients: {
    usage: "[--browser /usr/bin/chromium]: without a browser there only Node is run",
    run: (progress) => clients(values.browser, progress),
  },
  ...EDGE_RUNS,
}

const progress: Progress = (line) => {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[2K${line}`)
  else console.log(line)
}

const runStep = (step: Step): Promise<ReadonlyArray<Verdict>> => {
  if (!("run" in step)) return checkOf(step, progress)
  const chosen = RUNS[step.run]
  if (chosen === undefined) throw new Misused(`there is no run ${step.run}`)
  Object.assign(values, defaults, step.options, written)
  return chosen.run(progress)
}

const stepsOf = (name: string): ReadonlyArray<Step> => {
  if (Object.hasOwn(RUNS, name)) return [{ run: name }]
  const row = Object.hasOwn(SCOREBOARD, name) ? SCOREBOARD[name] : undefined
  const missing = absence(name, row, (run) => Object.hasOwn(RUNS, run))
  if (row === undefined || missing !== undefined) throw new Misused(missing ?? `nobody knows ${name}`)
  return row.steps
}

const main = async (): Promise<number> => {
  // All names are looked at first: nobody waits for an hour to hear that the last one was mistyped.
  const chosen = positionals.map((name) => ({ name, steps: stepsOf(name) }))
  if (chosen.length === 0) throw new Misused("name one run or more")
  let passed = 0
  let failed = 0
  for (const { name, steps } of chosen) {
    const verdicts: Array<Verdict> = []
    for (const step of steps) verdicts.push(...(await runStep(step)))
    if (process.stdout.isTTY) process.stdout.write("\n")
    for (const verdict of verdicts) {
      console.log(`${verdict.passed ? "ok  " : "FAIL"} ${name}: ${verdict.name}: ${verdict.says}`)
      if (verdict.passed) passed++
      else failed++
    }
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

// Whoever stops the run in the middle leaves no gateway behind: the exit hook of the kit kills them.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    console.error(`${signal}: the run ends without its verdicts`)
    process.exit(130)
  })

void main()
  .catch((error: unknown) => {
    if (!(error instanceof Misused)) {
      console.error(error)
      console.log("0 passed, 1 failed")
      return 1
    }
    const usage = Object.entries(RUNS).map(([name, run]) => `  ${name} ${run.usage}`)
    const rows = Object.entries(SCOREBOARD).map(
      ([name, row]) => `  ${absence(name, row, (run) => Object.hasOwn(RUNS, run)) ?? `${name} ${row.what}`}`,
    )
    console.error([error.message, "npm run torture -- NAME... [options]", ...usage, ...rows].join("\n"))
    return 2
  })
  .finally(endGateways)
  .then((code) => process.exit(code))
