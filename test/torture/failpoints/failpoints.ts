/**
 * `npm run torture -- failpoints`: at each named place (scoreboard F1) the gateway kills itself as often as asked; it is started again,
 * and must know within seconds what the exchange knows, have lost nothing it acknowledged, and have sent nothing twice.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import { type Launched, until } from "../../kit/servers/gateway.ts"
import { attempt } from "../kill/kill-load.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { SOCKET_PLACES, type SocketVenue } from "./exchanges.ts"
import { SCENES, SCENES_ELSEWHERE, type Scene } from "./scenes.ts"
import { ask, isActive, isLeaving, openStage, type Stage, type Trader } from "./stage.ts"
import { examineUntilTrue, falsehoods, linkedOf, restless } from "./truth.ts"

export interface FailpointOptions {
  readonly runs: number
  readonly seed: number
  /** At the other venues whose orders are proven, in place of BINANCE, MOCK and a dealer's client. */
  readonly elsewhere?: boolean
  /** Whose orders go over its socket; its places alone are played. */
  readonly overSocket?: SocketVenue
  /** Only places whose `venue place` contains one of these. */
  readonly only?: ReadonlyArray<string> | undefined
  /** As in test/kit/servers/gateway.ts. */
  readonly built?: boolean
  /** How late the truth may be after the ready line; where the machine's load says nothing about the gateway, all of the patience. */
  readonly truthMillis: number
  /** How late the exchange tells what became of an order. Default: at once. */
  readonly fillsLateMillis?: number
  /** So many gateways side by side, each with an exchange and a database of its own. Default: 1. */
  readonly lanes?: number
  readonly progress: (line: string) => void
}

/** Given up after this long, so that the figure shows how late it was. */
export const PATIENCE_MILLIS = 60_000
/** A proof takes 2 s to leave, 5 s of the venue's window, 10 s of margin (contract C3), three answers; the rest is for slowness. */
const SETTLE_MILLIS = 300_000
const ROUNDS_MAX = 60

interface Course {
  readonly scene: Scene
  readonly traders: Array<Trader>
  readonly truths: Array<number>
  readonly late: Array<string>
  reached: number
  /** Of what the trader does, until the newest kill. */
  rounds: number
}

interface Task {
  readonly scene: Scene
  readonly hits: ReadonlyArray<number>
  /** Counts the kills of all scenes, from this one's first. */
  readonly firstRun: number
}

const nameOf = ({ venue, place }: Scene): string => `${venue} ${place}`

type Chosen = Pick<FailpointOptions, "only" | "elsewhere" | "overSocket">

export const scenesOf = ({ only = [""], elsewhere = false, overSocket }: Chosen): ReadonlyArray<Scene> =>
  (elsewhere || (overSocket !== undefined && overSocket !== "binance") ? SCENES_ELSEWHERE : SCENES).filter(
    (scene) =>
      (overSocket === undefined || scene.venue === overSocket) && only.some((text) => nameOf(scene).includes(text)),
  )

export const failpoints = async (options: FailpointOptions): Promise<ReadonlyArray<Verdict>> => {
  const random = seededRandom(options.seed)
  const tasks: Array<Task> = scenesOf(options).map((scene, index) => ({
    scene,
    hits: Array.from({ length: options.runs }, () => 1 + Math.floor(random() * scene.hitsMax)),
    firstRun: index * options.runs,
  }))
  const verdicts: Array<Verdict> = []
  const lane = async (): Promise<void> => {
    const venues = scenesOf(options).map(({ venue }) => venue)
    const stage = await openStage(
      options.overSocket === undefined ? {} : { SOCKET_ORDERS: options.overSocket.toUpperCase() },
      options.built,
      { fillsLateMillis: options.fillsLateMillis ?? 0 },
      venues,
    )
    try {
      let task = tasks.shift()
      await stage.start(task && sleeper(task, 0))
      while (task !== undefined) {
        const next = tasks.shift()
        verdicts.push(await play(stage, task, next, options))
        task = next
      }
      if (options.overSocket !== undefined) {
        const { placements, counts } = stage.others[options.overSocket] ?? stage.exchange
        const arrived = placements().reduce((sum, { count }) => sum + count, 0)
        options.progress(
          `${counts()[SOCKET_PLACES[options.overSocket]] ?? 0} of ${arrived} orders came over the socket`,
        )
      }
      const starts = stage.starts.toSorted((a, b) => a - b).map(Math.round)
      options.progress(
        `${starts.length} starts, ready in ${starts[starts.length >> 1]} ms (median), ${starts.at(-1)} ms at most`,
      )
    } finally {
      await stage.close()
    }
  }
  await Promise.all(Array.from({ length: Math.min(options.lanes ?? 1, tasks.length) }, lane))
  return verdicts
}

/** As many kills as there are hits, and what must then be true. */
const play = async (
  stage: Stage,
  task: Task,
  following: Task | undefined,
  { truthMillis, progress }: FailpointOptions,
): Promise<Verdict> => {
  const { scene, hits } = task
  const course: Course = { scene, traders: [], truths: [], late: [], reached: 0, rounds: 0 }
  for (const [run, hit] of hits.entries()) {
    // The gateway that comes back from one death is the one that dies next, wherever it need not be watched from its start on.
    const isLast = run + 1 === hits.length
    const nextFailpoint = isLast ? following && sleeper(following, 0) : sleeper(task, run + 1)
    const death = sleeper(task, run) === undefined ? "from its start" : "awake"
    await once(stage, course, { hit, death, nextFailpoint }, truthMillis)
    const truth = Math.round(course.truths.at(-1) ?? 0)
    progress(`${nameOf(scene)}:${hit} ${run + 1}/${hits.length}, ${course.rounds} rounds, truth after ${truth} ms`)
  }
  await comeToRest(course)
  const verdict = await judge(stage, course, hits.length, truthMillis)
  progress(`${verdict.name}: ${verdict.says}`)
  await leave(course)
  return verdict
}

/** Of so many kills one is of a gateway whose hits count from the beginning of its start. */
const FROM_START_EVERY = 5

/** The failpoint that sleeps until then. A gateway that is killed from outside, or whose start alone leads to the place, has none. */
const sleeper = ({ scene: { provoke, place }, hits, firstRun }: Task, run: number): string | undefined =>
  provoke !== undefined && !place.endsWith(".unanswered") && (firstRun + run) % FROM_START_EVERY !== 0
    ? `${place}:${hits[run]}`
    : undefined

interface Kill {
  readonly hit: number
  /** awake: the gateway that runs already, started with its failpoint asleep. */
  readonly death: "awake" | "from its start"
  /** What the gateway that comes back is started with. */
  readonly nextFailpoint: string | undefined
}

/** One kill: to the place, dead, back again, and asked. */
const once = async (stage: Stage, course: Course, kill: Kill, truthMillis: number): Promise<void> => {
  const { scene } = course
  let trader = course.traders.at(-1)
  if (trader === undefined || scene.endsAccount === true) {
    trader = await stage.enter(scene.venue)
    course.traders.push(trader)
  }
  await scene.prepare?.(stage, trader)
  if (scene.place.endsWith(".unanswered")) {
    await scene.provoke?.(trader, stage)
    await stage.kill()
    course.reached += 1
  } else {
    if (kill.death === "from its start") await stage.kill()
    const armed = kill.death === "awake" ? await stage.wake() : stage.arm(`${scene.place}:${kill.hit}`)
    if (await dies(course, trader, stage, armed)) course.reached += 1
  }
  for (const exchange of [stage.exchange, ...Object.values(stage.others)]) exchange.fault({ fault: "clear" })
  await stage.start(kill.nextFailpoint)
  await learns(stage, course, trader, truthMillis)
  await repeats(trader)
}

/** False: it was never there. It is dead in any case. */
const dies = async (course: Course, trader: Trader, stage: Stage, armed: Launched): Promise<boolean> => {
  const { scene } = course
  course.rounds = 0
  let isOver = false
  void armed.exited.then(() => (isOver = true))
  const isReady = await armed.ready.then(
    () => true,
    () => false,
  )
  if (isReady && scene.provoke !== undefined)
    await until("an ACTIVE account, or the end", async () => isOver || (await isActive(trader)), PATIENCE_MILLIS)
  // The hedging of a pair waits while one of its hedges is in doubt: a proof takes 17 s and three answers.
  const provokedFrom = performance.now()
  const isEnough = (round: number): boolean => round >= ROUNDS_MAX && performance.now() - provokedFrom > PATIENCE_MILLIS
  for (let round = 0; isReady && !isOver && !isEnough(round); round += 1) {
    await scene.provoke?.(trader, stage)
    course.rounds += 1
    await Promise.race([armed.exited, sleep(50)])
  }
  // What it does by itself takes as long as the machine takes.
  if (isReady) await Promise.race([armed.exited, sleep(PATIENCE_MILLIS, undefined, { ref: false })])
  const hasDied = isOver
  if (!hasDied) armed.kill("SIGKILL")
  const { signal } = await armed.exited
  return hasDied && signal === "SIGKILL"
}

/** The first moment after the ready line at which nothing is shown otherwise than the venue has it. */
const learns = async (stage: Stage, course: Course, trader: Trader, truthMillis: number): Promise<void> => {
  const readyAt = performance.now()
  let wrong: ReadonlyArray<string> = []
  const isTrue = await until(
    "the venue's truth",
    async () => {
      wrong = await falsehoods(stage, trader)
      return wrong.length === 0 ? "yes" : performance.now() - readyAt > PATIENCE_MILLIS ? "no" : undefined
    },
    2 * PATIENCE_MILLIS,
  )
  const tookMillis = performance.now() - readyAt
  // What MOCK never got is in doubt for no time at all; what another venue never got is not among what it shows.
  course.truths.push(tookMillis)
  if (isTrue === "no" || tookMillis > truthMillis) {
    const words = stage.gateway().stderr().slice(-1000)
    course.late.push(`${Math.round(tookMillis)} ms: ${wrong.join("; ")}: ${words}`)
  }
}

/** A careful client: what was not answered is asked again, with its key, until it is. */
const repeats = async (trader: Trader): Promise<void> => {
  await until(
    () => `an answer for ${trader.unanswered.size} keys: ${trader.trouble}`,
    async () => {
      for (const [key, body] of trader.unanswered) await ask(trader, key, body)
      return trader.unanswered.size === 0
    },
    PATIENCE_MILLIS,
  )
}

/** Each start agrees with the venue about every account there is: as many as these would use up what it allows in a minute. */
const leave = async ({ traders }: Course): Promise<void> => {
  for (const { calls, tradingAccountId } of traders.flatMap((trader) => [trader, ...linkedOf(trader)]))
    await attempt(() => calls.post("/tradingAccount/disconnect", { tradingAccountId, force: true }))
}

const comeToRest = async ({ traders }: Course): Promise<void> => {
  const deadlineAt = performance.now() + SETTLE_MILLIS
  const isAtRest = async (trader: Trader): Promise<boolean> =>
    !(await isLeaving(trader)) && (await restless(trader)).length === 0
  await until(
    "orders to come to rest",
    async () => {
      const rests = await Promise.all(traders.map(isAtRest))
      if (rests.every((it) => it) || performance.now() > deadlineAt) return true
      await sleep(500)
      return false
    },
    2 * SETTLE_MILLIS,
  )
}

const judge = async (stage: Stage, course: Course, runs: number, truthMillis: number): Promise<Verdict> => {
  const all = await examineUntilTrue(stage, course.traders, truthMillis)
  const { reached, late, truths, scene, traders } = course
  const leaving = await Promise.all(traders.map(isLeaving))
  const wrong = [
    ...traders.flatMap(({ tradingAccountId }, i) => (leaving[i] ? [`still LOCKED ${tradingAccountId}`] : [])),
    ...all.flatMap(({ lost }) => lost.map((it) => `lost ${it}`)),
    ...all.flatMap(({ twice }) => twice.map((it) => `twice ${it}`)),
    ...all.flatMap(({ stuck }) => stuck.map((it) => `stuck ${it}`)),
    ...all.flatMap(({ different }) => different.map((it) => `different ${it}`)),
    ...late.map((it) => `late ${it}`),
  ]
  const count = (name: "lost" | "twice" | "stuck" | "different"): number =>
    all.reduce((sum, findings) => sum + findings[name].length, 0)
  const proofs = all.flatMap((findings) => findings.proofs)
  // A definite no is no lie: for example funds that a market order holds while no book is known yet.
  const refused = course.traders.reduce((sum, trader) => sum + trader.refused.size, 0)
  const acknowledged = course.traders.reduce((sum, trader) => sum + trader.acknowledged.size, 0)
  const proven =
    proofs.length === 0 ? "" : `, ${proofs.length} never placed, known after ${Math.max(...proofs)} ms at most`
  return {
    name: nameOf(scene),
    passed: wrong.length === 0 && reached === runs,
    says:
      `${reached} of ${runs} kills, ${acknowledged} acknowledged, ${refused} refused: ${count("lost")} lost, ${count("twice")} twice, ` +
      `${count("stuck")} stuck, ${count("different")} different; truth ${Math.round(Math.max(0, ...truths))} ms at most${proven}` +
      (wrong.length === 0 ? "" : ` (${wrong.slice(0, 4).join("; ")}): ${stage.gateway().stderr().slice(-3000)}`),
  }
}
