/**
 * Two processes on one database in every order of what can happen: asked, carried out, answered, lost, killed, renewed and too late. One that
 * was stopped is one that neither asks nor hears while time passes. What they ask and conclude is the gateway's own protocol (lease.ts), what
 * the server answers is worked out by a real one (server-model.ts). The one thing to know: breadth first, so that a violation's way is a short one.
 */
import {
  type Ask,
  beginning,
  enterSession,
  FENCE,
  granted,
  granting,
  grantingNode,
  holding,
  joining,
  LEAVE,
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
  /** Of nodes of a cluster: looks of one that waits beyond its first, and nodes that leave. */
  readonly looks?: number
  readonly leaves?: number
}

/** What a session was told and has not carried out yet, or has and nobody has heard. */
interface Sent {
  readonly what: "step" | "enter" | "renew" | "batch" | "change" | "leave"
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

/** A node of a cluster joins, marks its session, tries the lock, waits, is granted and begins (keeper-thread.ts); a process that is alone holds and is granted. */
type Phase = "down" | "joining" | "marking" | "holding" | "waiting" | "granting" | "beginning" | "up" | "leaving"

interface Process {
  readonly phase: Phase
  /** Of a node of a cluster: the epoch of its row before it owns the database. */
  readonly joined: number
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
  readonly left: Required<Omit<Bounds, "seconds">>
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
  joined: 0,
  answers: [],
  askedAt: 0,
  lease: null,
  isIn: false,
  sessions: [],
}

const NAMES = ["A", "B"] as const
const session = (pid: number, kind: Session["kind"]): Session => ({ pid, kind, isOver: false, sent: [], heard: [] })

function* one(ask: Ask): Generator<Ask, Rows[number] | undefined, Rows> {
  return (yield ask)[0]
}

type Found = string | number | Rows[number] | undefined

const stepsOfPhase = (
  process: Process,
  node: string,
  lock: number,
  isCluster: boolean,
): Generator<Ask | null, Found, Rows> => {
  const { phase, joined, lease } = process
  switch (phase) {
    case "joining":
      return one(joining(node, 0, TERMS))
    case "marking":
      return one({ text: enterSession(node, joined), values: [] })
    case "granting":
      return isCluster ? one(grantingNode(node, joined, TERMS)) : granting(node, 0, TERMS)
    case "beginning":
      return beginning(joined, lease?.epoch ?? 0)
    default:
      return holding(lock, 1)
  }
}

/** What the gateway's own steps ask next, after these answers. */
const next = (process: Process, node: string, lock: number, isCluster: boolean): IteratorResult<Ask | null, Found> => {
  const steps = stepsOfPhase(process, node, lock, isCluster)
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
  /** One name, or two. */
  nodes: readonly [string, string],
  limits: {
    /** They are nodes of a cluster. */
    readonly isCluster?: boolean
    readonly untilMillis?: number
    readonly statesMax?: number
  } = {},
): Promise<Explored> => {
  const seen: Record<string, number> = {}
  const saw = (what: string): void => {
    seen[what] = (seen[what] ?? 0) + 1
  }
  const { owner: lock } = server.locks
  const { isCluster = false } = limits
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
      looks: bounds.looks ?? 0,
      leaves: bounds.leaves ?? 0,
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

  /** The next phase begins, in which something is asked at once. */
  const enterPhase = (state: State, at: number, process: Process, phase: Phase): State =>
    goOn(put(state, at, { ...process, phase, answers: [], askedAt: nowOf(state) }), at)

  const isUp = (state: State, at: number, process: Process, lease: Lease, sessions: ReadonlyArray<Session>): State => {
    const { epoch } = lease
    saw("an owner began")
    const up: Process = { ...process, phase: "up", answers: [], lease, sessions: [...process.sessions, ...sessions] }
    const asked = send(up, "pool", {
      what: "enter",
      ask: { text: enterSession(nodes[at]!, epoch), values: [] },
      askedAt: nowOf(state),
    })
    return { ...put(state, at, asked), ready: Math.max(state.ready, epoch) }
  }

  /** Asks on, until there is something to wait for. */
  const goOn = (state: State, at: number): State => {
    const process = state.processes[at]!
    const step = next(process, nodes[at]!, lock, isCluster)
    const now = nowOf(state)
    if (step.done !== true) {
      if (step.value === null) throw new Error("one attempt waits for no other")
      return put(state, at, send(process, "owner", { what: "step", ask: step.value, askedAt: now }))
    }
    const found = step.value
    const row = typeof found === "object" ? found : undefined
    switch (process.phase) {
      case "joining": {
        if (row === undefined) {
          saw("a name was refused")
          return gone(state, at)
        }
        saw("a node joined")
        const joined = Number(row["epoch"])
        return enterPhase(state, at, { ...process, joined, lease: granted(joined, process.askedAt, TERMS) }, "marking")
      }
      case "marking":
        return row?.["is_owner"] === true ? enterPhase(state, at, process, "holding") : gone(state, at)
      case "holding":
        if (found !== "owned") return enterPhase(state, at, process, "granting")
        saw("a start was refused")
        return isCluster ? put(state, at, { ...process, phase: "waiting", answers: [] }) : gone(state, at)
      case "granting": {
        if (!isCluster) {
          const sessions = [session(10 * state.lives + 1, "writer"), session(10 * state.lives + 2, "pool")]
          return isUp(state, at, process, granted(Number(found), process.askedAt, TERMS), sessions)
        }
        if (row === undefined) return gone(state, at)
        return enterPhase(
          state,
          at,
          { ...process, lease: granted(Number(row["epoch"]), process.askedAt, TERMS) },
          "beginning",
        )
      }
      default:
        return isUp(state, at, process, process.lease!, [session(10 * state.lives + 2, "pool")])
    }
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
        if (process.phase === "joining" && answered.state.rows.every(([node]) => before.has(node)))
          saw("a name was taken over")
        if (process.phase === "granting")
          after = { ...after, granted: Math.max(after.granted, Number(rows[0]?.["epoch"])) }
        else {
          if (process.phase === "holding") saw("an owner was taken over")
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
    const wasAsked = Number(sent.ask.values[1])
    switch (sent.what) {
      case "step":
        return { name, state: goOn(put(heard, at, { ...process, answers: [...process.answers, rows] }), at) }
      case "enter":
        return rows[0]?.["is_owner"] === true
          ? { name, state: put(heard, at, { ...process, isIn: true }) }
          : { name, state: gone(heard, at) }
      case "leave":
        return { name, state: gone(heard, at) }
      case "renew": {
        // Of the epoch before, or while a new one is on its way, a refusal says nothing.
        if (wasAsked !== process.lease?.epoch) return { name, state: heard }
        if (rows.length === 0 && process.phase === "granting") return { name, state: heard }
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

  const isAsking = ({ sessions }: Process, what: Sent["what"]): boolean =>
    sessions.some(({ sent, heard }) => [...sent, ...heard.map((it) => it.sent)].some((it) => it.what === what))
  const renewing = (process: Process, at: number, askedAt: number, by: Session["kind"]): Process =>
    send(process, by, {
      what: "renew",
      ask: { text: RENEW, values: [nodes[at], process.lease?.epoch, TERMS.millis] },
      askedAt,
    })

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
        const sessions = [session(10 * lives, "owner"), ...(isCluster ? [session(10 * lives + 1, "writer")] : [])]
        const begun: Process = { ...DOWN, phase: isCluster ? "joining" : "holding", askedAt: now, sessions }
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
      // It hears of the end of its session some time, or never. One that waits begins with another.
      if (owner?.isOver === true) {
        const waits =
          process.lease?._tag === "Held" && process.lease.epoch === process.joined && process.phase !== "leaving"
        const lives = state.lives + 1
        const anew = {
          ...process,
          sessions: process.sessions.map((it) => (it === owner ? session(10 * lives, "owner") : it)),
        }
        steps.push({
          name: `${name} hears that its session is over`,
          state: waits ? enterPhase({ ...state, lives }, at, anew, "marking") : gone(state, at),
        })
      }
      if (process.lease?._tag !== "Held") continue
      const { epoch } = process.lease
      if (process.phase === "waiting" && state.left.looks > 0 && owner?.isOver === false && mayAct(process.lease, now))
        steps.push({ name: `${name} looks again`, state: enterPhase(spend(state, "looks"), at, process, "holding") })
      if (process.phase !== "up") {
        if (process.phase !== "leaving" && state.left.renewals > 0 && !isAsking(process, "renew"))
          steps.push({
            name: `${name} renews`,
            state: put(spend(state, "renewals"), at, renewing(process, at, now, "writer")),
          })
        continue
      }
      if (mayAct(process.lease, now)) {
        saw("an order was signed")
        if (state.taken >= epoch)
          steps.push({
            name: `${name} signs an order`,
            state,
            violation: `epoch ${epoch} signed after it was taken over`,
          })
      } else saw("an order was kept back")
      const values = [nodes[at], epoch]
      if (state.left.renewals > 0 && !isAsking(process, "renew")) {
        // By another way where that of its session is lost.
        const by = owner?.isOver === false && !isCluster ? "owner" : "writer"
        steps.push({ name: `${name} renews`, state: put(spend(state, "renewals"), at, renewing(process, at, now, by)) })
      }
      // It has drained: nothing is on its way, and nothing is signed any more.
      if (state.left.leaves > 0 && !isAsking(process, "batch") && !isAsking(process, "change")) {
        const leaving = send({ ...process, phase: "leaving" }, "writer", {
          what: "leave",
          ask: { text: LEAVE, values },
          askedAt: now,
        })
        steps.push({ name: `${name} leaves`, state: put(spend(state, "leaves"), at, leaving) })
      }
      if (state.left.writes > 0) {
        if (!isAsking(process, "batch"))
          steps.push({
            name: `${name} writes a batch`,
            state: put(
              spend(state, "writes"),
              at,
              send(process, "writer", { what: "batch", ask: { text: FENCE, values }, askedAt: now }),
            ),
          })
        if (process.isIn && !isAsking(process, "change"))
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
