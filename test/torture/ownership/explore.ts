/**
 * Two processes on one database in every order of what can happen: asked, carried out, answered, lost, killed, renewed and too late. One that
 * was stopped is one that neither asks nor hears while time passes. What they ask and conclude is the gateway's own protocol (lease.ts), what
 * the server answers is worked out by a real one (server-model.ts). The one thing to know: breadth first, so that a violation's way is a short one.
 */
import {
  type Ask,
  enterSession,
  FENCE,
  granted,
  granting,
  holding,
  type Lease,
  mayAct,
  RENEW,
  type Rows,
  renewed,
} from "../../../src/store/postgres/lease.ts"
import type { ServerModel, ServerState } from "./server-model.ts"

/** In s of the model; every clock is the same. */
const TERMS = { millis: 1_000, marginMillis: 0 }
const SECOND = 1_000

export interface Bounds {
  readonly seconds: number
  /** Of each kind, of both processes together. */
  readonly starts: number
  readonly renewals: number
  readonly writes: number
  readonly cuts: number
  readonly kills: number
}

/** What a session was told and has not carried out yet, or has and nobody has heard. */
interface Sent {
  readonly what: "step" | "enter" | "renew" | "batch" | "change"
  readonly ask: Ask
  readonly askedAt: number
}

interface Session {
  readonly pid: number
  readonly kind: "owner" | "writer" | "pool"
  /** Ended by the server, or by the network: the process may not know yet. */
  readonly isOver: boolean
  readonly sent: ReadonlyArray<Sent>
  readonly heard: ReadonlyArray<{ readonly sent: Sent; readonly rows: Rows | null }>
}

interface Process {
  readonly phase: "down" | "holding" | "granting" | "up"
  readonly answers: ReadonlyArray<Rows>
  /** When the first question of the phase was asked. */
  readonly askedAt: number
  readonly lease: Lease | null
  /** A session of the pool that was let in. */
  readonly isIn: boolean
  readonly sessions: ReadonlyArray<Session>
}

interface State {
  readonly server: ServerState
  readonly processes: readonly [Process, Process]
  readonly left: Omit<Bounds, "seconds">
  readonly lives: number
  /** The newest epoch whose grant was carried out, and the newest whose owner has been told so. */
  readonly granted: number
  readonly ready: number
  /** Ended because its lease had run out. */
  readonly taken: number
}

export interface Explored {
  readonly states: number
  readonly steps: number
  /** Of the longest way that was looked at. */
  readonly depth: number
  /** Everything within the bounds was seen. */
  readonly isWhole: boolean
  readonly violations: ReadonlyArray<{ readonly what: string; readonly way: ReadonlyArray<string> }>
  /** How often what matters came about: an exploration in which nothing happens proves nothing. */
  readonly seen: Readonly<Record<string, number>>
}

const DOWN: Process = {
  phase: "down",
  answers: [],
  askedAt: 0,
  lease: null,
  isIn: false,
  sessions: [],
}

const NAMES = ["A", "B"] as const
const session = (pid: number, kind: Session["kind"]): Session => ({ pid, kind, isOver: false, sent: [], heard: [] })

/** What the gateway's own steps ask next, after these answers. */
const next = (process: Process, node: string, lock: number): IteratorResult<Ask | null, string | number> => {
  const steps: Generator<Ask | null, string | number, Rows> =
    process.phase === "holding" ? holding(lock, 1) : granting(node, 0, TERMS)
  let step = steps.next()
  for (const rows of process.answers) step = steps.next(rows)
  return step
}

interface Step {
  readonly name: string
  readonly state: State
  readonly violation?: string
}

export const explore = async (
  server: ServerModel,
  bounds: Bounds,
  /** One name as today, or two. */
  nodes: readonly [string, string],
  limits: { readonly untilMillis?: number; readonly statesMax?: number } = {},
): Promise<Explored> => {
  const seen: Record<string, number> = {}
  const saw = (what: string): void => {
    seen[what] = (seen[what] ?? 0) + 1
  }
  const { owner: lock } = server.locks
  const nowOf = (state: State): number => state.server.now * SECOND
  const first: State = {
    server: { now: 0, rows: [], locks: [], epoch: 0 },
    processes: [DOWN, DOWN],
    left: {
      starts: bounds.starts,
      renewals: bounds.renewals,
      writes: bounds.writes,
      cuts: bounds.cuts,
      kills: bounds.kills,
    },
    lives: 0,
    granted: 0,
    ready: 0,
    taken: 0,
  }

  const put = (state: State, at: number, process: Process): State => ({
    ...state,
    processes: at === 0 ? [process, state.processes[1]] : [state.processes[0], process],
  })
  const spend = (state: State, what: keyof State["left"]): State => ({
    ...state,
    left: { ...state.left, [what]: state.left[what] - 1 },
  })
  const withSession = (process: Process, pid: number, change: (it: Session) => Session): Process => ({
    ...process,
    sessions: process.sessions.map((it) => (it.pid === pid ? change(it) : it)),
  })
  const send = (process: Process, kind: Session["kind"], sent: Sent): Process => ({
    ...process,
    sessions: process.sessions.map((it) => (it.kind === kind && !it.isOver ? { ...it, sent: [...it.sent, sent] } : it)),
  })
  const unlocked = (server: ServerState, pids: ReadonlyArray<number>): ServerState => ({
    ...server,
    locks: server.locks.filter(([pid]) => !pids.includes(pid)),
  })
  /** The process is gone; what it had sent may still arrive on sessions that the server has not ended. */
  const gone = (state: State, at: number): State => {
    const process = state.processes[at]!
    const pids = process.sessions.map(({ pid }) => pid)
    return { ...put(state, at, DOWN), server: unlocked(state.server, pids) }
  }

  /** Asks on, until there is something to wait for. */
  const goOn = (state: State, at: number): State => {
    const process = state.processes[at]!
    const step = next(process, nodes[at]!, lock)
    const now = nowOf(state)
    if (step.done !== true) {
      if (step.value === null) throw new Error("one attempt waits for no other")
      return put(state, at, send(process, "owner", { what: "step", ask: step.value, askedAt: now }))
    }
    if (process.phase === "holding") {
      if (step.value === "owned") {
        saw("a start was refused")
        return gone(state, at)
      }
      return goOn(put(state, at, { ...process, phase: "granting", answers: [], askedAt: now }), at)
    }
    const epoch = Number(step.value)
    saw("an owner began")
    const up: Process = {
      ...process,
      phase: "up",
      answers: [],
      lease: granted(epoch, process.askedAt, TERMS),
      sessions: [...process.sessions, session(10 * state.lives + 1, "writer"), session(10 * state.lives + 2, "pool")],
    }
    const asked = send(up, "pool", {
      what: "enter",
      ask: { text: enterSession(nodes[at]!, epoch), values: [] },
      askedAt: now,
    })
    return { ...put(state, at, asked), ready: Math.max(state.ready, epoch) }
  }

  /** The server carries out what a session was told first. */
  const carryOut = async (state: State, at: number, of: Session): Promise<Step> => {
    const process = state.processes[at]!
    const sent = of.sent[0]!
    const epoch = process.lease?.epoch ?? 0
    const name = `the server carries out ${NAMES[at]}'s ${sent.what}`
    let violation: string | undefined
    let rows: Rows
    let after = state
    if (sent.what === "change") {
      rows = []
      saw("a session of the pool wrote")
      if (state.ready > epoch) violation = `a session of epoch ${epoch} wrote after epoch ${state.ready} had begun`
    } else {
      const answered = await server.ask(state.server, of.pid, sent.ask)
      rows = answered.rows
      const ending = (it: Process): Process => ({
        ...it,
        sessions: it.sessions.map((one) =>
          answered.ended.includes(one.pid) ? { ...one, isOver: true, sent: [] } : one,
        ),
      })
      const before = new Map(state.server.rows.map(([node, was]) => [node, was]))
      after = { ...state, server: answered.state, processes: [ending(state.processes[0]), ending(state.processes[1])] }
      if (answered.state.epoch > state.server.epoch && sent.what === "step") {
        if (answered.ended.length > 0) throw new Error("an epoch and sessions in one statement")
        if (process.phase === "granting")
          after = { ...after, granted: Math.max(after.granted, Number(rows[0]?.["epoch"])) }
        else {
          saw("an owner was taken over")
          const ended = answered.state.rows.flatMap(([node, is]) =>
            before.get(node) === is ? [] : [before.get(node) ?? 0],
          )
          after = { ...after, taken: Math.max(after.taken, ...ended) }
        }
      }
      if (sent.what === "batch" && rows.length > 0) {
        saw("a batch was committed")
        const newest = Math.max(state.granted, state.taken + (state.taken > 0 && state.taken >= epoch ? 1 : 0))
        if (epoch < newest) violation = `a batch of epoch ${epoch} was committed after epoch ${newest} was granted`
      }
    }
    const moved = withSession(after.processes[at]!, of.pid, (it) => ({
      ...it,
      sent: it.sent.slice(1),
      heard: [...it.heard, { sent, rows }],
    }))
    return { name, state: put(after, at, moved), ...(violation === undefined ? {} : { violation }) }
  }

  /** A process hears what a session was answered. */
  const hear = (state: State, at: number, of: Session): Step => {
    const [{ sent, rows }] = of.heard as [Session["heard"][number]]
    const name = `${NAMES[at]} hears of its ${sent.what}`
    const process = withSession(state.processes[at]!, of.pid, (it) => ({ ...it, heard: it.heard.slice(1) }))
    const heard = put(state, at, process)
    if (rows === null) return { name, state: gone(heard, at) }
    switch (sent.what) {
      case "step":
        return { name, state: goOn(put(heard, at, { ...process, answers: [...process.answers, rows] }), at) }
      case "enter":
        return rows[0]?.["is_owner"] === true
          ? { name, state: put(heard, at, { ...process, isIn: true }) }
          : { name, state: gone(heard, at) }
      case "renew": {
        const lease = renewed(process.lease!, sent.askedAt, rows.length > 0, TERMS)
        saw(lease._tag === "Lost" ? "a renewal came too late" : "a lease was renewed")
        return { name, state: lease._tag === "Lost" ? gone(heard, at) : put(heard, at, { ...process, lease }) }
      }
      case "batch":
        return { name, state: rows.length > 0 ? heard : gone(heard, at) }
      case "change":
        return { name, state: heard }
    }
  }

  const stepsOf = async (state: State): Promise<ReadonlyArray<Step>> => {
    const steps: Array<Step> = []
    const now = nowOf(state)
    if (state.server.now < bounds.seconds)
      steps.push({
        name: "a second passes",
        state: { ...state, server: { ...state.server, now: state.server.now + 1 } },
      })
    for (const at of [0, 1] as const) {
      const process = state.processes[at]
      const name = NAMES[at]
      for (const of of process.sessions) {
        if (of.sent.length > 0 && !of.isOver) steps.push(await carryOut(state, at, of))
        if (of.heard.length > 0) steps.push(hear(state, at, of))
      }
      if (process.phase === "down") {
        if (state.left.starts === 0) continue
        const lives = state.lives + 1
        const begun: Process = { ...DOWN, phase: "holding", askedAt: now, sessions: [session(10 * lives, "owner")] }
        steps.push({ name: `${name} starts`, state: goOn(put({ ...spend(state, "starts"), lives }, at, begun), at) })
        continue
      }
      if (state.left.kills > 0) steps.push({ name: `${name} is killed`, state: gone(spend(state, "kills"), at) })
      const owner = process.sessions.find(({ kind }) => kind === "owner")
      if (owner !== undefined && !owner.isOver && state.left.cuts > 0) {
        const cut = withSession(process, owner.pid, (it) => ({ ...it, isOver: true, sent: [] }))
        const cutOff = put(spend(state, "cuts"), at, cut)
        steps.push({
          name: `${name}'s session is lost`,
          state: { ...cutOff, server: unlocked(state.server, [owner.pid]) },
        })
      }
      // It hears of the end of its session some time, or never.
      if (owner?.isOver === true) steps.push({ name: `${name} hears that its session is over`, state: gone(state, at) })
      if (process.phase !== "up" || process.lease?._tag !== "Held") continue
      const { epoch } = process.lease
      if (mayAct(process.lease, now)) {
        saw("an order was signed")
        if (state.taken >= epoch)
          steps.push({
            name: `${name} signs an order`,
            state,
            violation: `epoch ${epoch} signed after it was taken over`,
          })
      } else saw("an order was kept back")
      const isAsking = (what: Sent["what"]): boolean =>
        process.sessions.some(({ sent, heard }) =>
          [...sent, ...heard.map((it) => it.sent)].some((it) => it.what === what),
        )
      const values = [nodes[at], epoch]
      if (state.left.renewals > 0 && !isAsking("renew")) {
        // By another way where that of its session is lost.
        const by = owner?.isOver === false ? "owner" : "writer"
        const asked = send(process, by, {
          what: "renew",
          ask: { text: RENEW, values: [...values, TERMS.millis] },
          askedAt: now,
        })
        steps.push({ name: `${name} renews`, state: put(spend(state, "renewals"), at, asked) })
      }
      if (state.left.writes > 0) {
        if (!isAsking("batch"))
          steps.push({
            name: `${name} writes a batch`,
            state: put(
              spend(state, "writes"),
              at,
              send(process, "writer", { what: "batch", ask: { text: FENCE, values }, askedAt: now }),
            ),
          })
        if (process.isIn && !isAsking("change"))
          steps.push({
            name: `${name} writes by its pool`,
            state: put(
              spend(state, "writes"),
              at,
              send(process, "pool", { what: "change", ask: { text: "", values: [] }, askedAt: now }),
            ),
          })
      }
    }
    return steps
  }

  const known = new Set<string>([JSON.stringify(first)])
  const violations: Array<Explored["violations"][number]> = []
  interface Way {
    readonly state: State
    readonly name: string
    readonly from: Way | null
  }
  const wayTo = (way: Way | null): ReadonlyArray<string> => (way === null ? [] : [...wayTo(way.from), way.name])
  let level: ReadonlyArray<Way> = [{ state: first, name: "", from: null }]
  let steps = 0
  let depth = 0
  const { untilMillis = Number.POSITIVE_INFINITY, statesMax = Number.POSITIVE_INFINITY } = limits
  let isWhole = true
  while (level.length > 0 && violations.length === 0 && isWhole) {
    const following: Array<Way> = []
    for (const from of level) {
      if (performance.now() > untilMillis || known.size > statesMax) {
        isWhole = false
        break
      }
      for (const { name, state, violation } of await stepsOf(from.state)) {
        steps++
        const way: Way = { state, name, from }
        if (violation !== undefined) violations.push({ what: violation, way: wayTo(way).slice(1) })
        const key = JSON.stringify(state)
        if (known.has(key)) continue
        known.add(key)
        following.push(way)
      }
    }
    level = following
    depth++
  }
  return { states: known.size, steps, depth, isWhole: isWhole && violations.length === 0, violations, seen }
}
