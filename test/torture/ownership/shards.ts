/**
 * Two nodes that share two shards in every order of what can happen: joined, renewed, taken, released, written, signed, late, lost, killed. A paused node is
 * one that neither asks nor hears while time passes. What several nodes will say to the database (decision 88), and each answer worked out by
 * a real one. The one thing to know: a batch looks at its shard when it begins, holds its node's row a moment later, and is committed later still,
 * and anything may come in between.
 */
import { createHash } from "node:crypto"
import {
  type Ask,
  FENCE,
  granted,
  type Lease,
  mayAct,
  RENEW,
  type Rows,
  renewed,
} from "../../../src/store/postgres/lease.ts"
import type { ServerModel, ServerState } from "./server-model.ts"

// $1 is the node, $2 its epoch; of a join the lease.

/** A new epoch: whatever an earlier life of the node still says is of another one. */
const JOIN = `INSERT INTO gateway_node AS n (node_id, epoch, started_at, until)
  VALUES ($1, nextval('gateway_epoch'), 0, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (node_id) DO UPDATE SET epoch = excluded.epoch, until = excluded.until RETURNING epoch`

/**
 * Shard $3: free, its own by an earlier question than $4, of an epoch that is gone, or of a node whose lease has run out; that one's epoch ends first, which
 * waits for its batch in flight. Each grant has a number of its own, and a question that comes late takes nothing back.
 */
const TAKE = `WITH self AS MATERIALIZED (
    SELECT FROM gateway_node WHERE node_id = $1 AND epoch = $2 AND until > clock_timestamp() FOR KEY SHARE),
  dead AS (
    UPDATE gateway_node n SET epoch = nextval('gateway_epoch') FROM gateway_shard s
    WHERE s.shard = $3 AND n.node_id = s.owner AND n.epoch = s.epoch AND n.node_id <> $1
      AND until < clock_timestamp() AND EXISTS (SELECT FROM self)
    RETURNING n.node_id)
  UPDATE gateway_shard s SET owner = $1, epoch = $2, term = nextval('gateway_epoch'), asked = $4
  WHERE s.shard = $3 AND EXISTS (SELECT FROM self)
    AND (s.owner IS NULL OR (s.owner = $1 AND s.epoch = $2 AND s.asked < $4) OR EXISTS (SELECT FROM dead)
      OR NOT EXISTS (SELECT FROM gateway_node n WHERE n.node_id = s.owner AND n.epoch = s.epoch))
  RETURNING term`

/** Of grant $4, and of no later one. */
const RELEASE = `UPDATE gateway_shard SET owner = NULL WHERE shard = $3 AND owner = $1 AND epoch = $2 AND term = $4 RETURNING shard`

/** What a batch of shard $3 must find when it begins, beside the row of its node when it holds that. */
const SHARD = "SELECT shard FROM gateway_shard WHERE shard = $3 AND owner = $1 AND epoch = $2 AND term = $4"

const TERMS = { millis: 1_000, marginMillis: 0 }
const SECOND = 1_000
const NODES = ["a", "b"] as const
const SHARDS = [0, 1] as const

export interface ShardBounds {
  readonly seconds: number
  /** Of each kind, of both nodes together. */
  readonly starts: number
  readonly renewals: number
  readonly takes: number
  readonly releases: number
  readonly writes: number
  readonly cuts: number
  readonly kills: number
}

/** What a node has said to the database. `shard` and `term` where it is of one. */
interface Said {
  readonly what: "join" | "renew" | "take" | "release" | "batch"
  readonly at: 0 | 1
  readonly epoch: number
  readonly askedAt: number
  readonly shard: number
  readonly term: number
  /** Of a batch: sent again it is the same one. Of a take: which it is. */
  readonly id: number
  /** Of a batch: on its way, begun, holding its node's row. */
  readonly stage: "sent" | "begun" | "held"
}

type Way = { readonly said: Said } | { readonly heard: Said; readonly rows: Rows } | null

interface Node {
  readonly lease: Lease | null
  readonly isUp: boolean
  /** By shard, the grant that it believes in; 0: none. */
  readonly terms: readonly [number, number]
  /** One question at a time on each. */
  readonly owner: Way
  readonly writer: Way
}

interface State {
  readonly server: ServerState
  readonly nodes: readonly [Node, Node]
  /** Said on sessions that nobody listens to any more; the database may still carry them out. */
  readonly adrift: ReadonlyArray<Said>
  readonly committed: ReadonlyArray<number>
  readonly batches: number
  readonly left: Omit<ShardBounds, "seconds">
}

export interface ShardsExplored {
  readonly states: number
  readonly steps: number
  readonly depth: number
  /** Everything within the bounds was seen. */
  readonly isWhole: boolean
  readonly violations: ReadonlyArray<{ readonly what: string; readonly way: ReadonlyArray<string> }>
  readonly seen: Readonly<Record<string, number>>
}

/** What is left out of the protocol, for sabotage; of statements `ServerModel` takes care. */
export interface Without {
  /** The end of a dead node's epoch waits for no batch. */
  readonly lock?: boolean
  /** A release does not wait for the batch of its shard. */
  readonly drain?: boolean
  /** Orders are signed after the lease. */
  readonly lease?: boolean
}

const DOWN: Node = { lease: null, isUp: false, terms: [0, 0], owner: null, writer: null }

interface Step {
  readonly name: string
  readonly state: State
  readonly violation?: string
}

export const exploreShards = async (
  server: ServerModel,
  bounds: ShardBounds,
  without: Without = {},
): Promise<ShardsExplored> => {
  const seen: Record<string, number> = {}
  const saw = (what: string): void => {
    seen[what] = (seen[what] ?? 0) + 1
  }
  const { seconds, ...left } = bounds
  const first: State = {
    server: { now: 0, rows: [], locks: [], epoch: 0, shards: SHARDS.map((shard) => [shard, null, 0, 0, 0] as const) },
    nodes: [DOWN, DOWN],
    adrift: [],
    committed: [],
    batches: 0,
    left,
  }

  const put = (state: State, at: 0 | 1, node: Node): State => ({
    ...state,
    nodes: at === 0 ? [node, state.nodes[1]] : [state.nodes[0], node],
  })
  const spend = (state: State, what: keyof State["left"]): State => ({
    ...state,
    left: { ...state.left, [what]: state.left[what] - 1 },
  })
  const withTerm = ([zero, one]: Node["terms"], shard: number, term: number): Node["terms"] =>
    shard === 0 ? [term, one] : [zero, term]
  const drifting = (way: Way): ReadonlyArray<Said> => (way !== null && "said" in way ? [way.said] : [])
  /** In one order, so that equal states are one. */
  const adrift = (state: State, said: ReadonlyArray<Said>): State => ({
    ...state,
    adrift: [...state.adrift, ...said]
      .map((it) => JSON.stringify(it))
      .sort()
      .map((it) => JSON.parse(it) as Said),
  })
  const gone = (state: State, at: 0 | 1): State => {
    const { owner, writer } = state.nodes[at]
    return adrift(put(state, at, DOWN), [...drifting(owner), ...drifting(writer)])
  }

  const askOf = ({ what, at, epoch, shard, term, id, stage }: Said): Ask => {
    const node = NODES[at]
    switch (what) {
      case "join":
        return { text: JOIN, values: [node, TERMS.millis] }
      case "renew":
        return { text: RENEW, values: [node, epoch, TERMS.millis] }
      case "take":
        return { text: TAKE, values: [node, epoch, shard, id] }
      case "release":
        return { text: RELEASE, values: [node, epoch, shard, term] }
      case "batch":
        return stage === "sent"
          ? { text: SHARD, values: [node, epoch, shard, term] }
          : { text: FENCE, values: [node, epoch] }
    }
  }

  const flying = (state: State): ReadonlyArray<Said> => [
    ...state.adrift,
    ...state.nodes.flatMap(({ owner, writer }) => [...drifting(owner), ...drifting(writer)]),
  ]

  /** Rows of nodes that change their epochs wait for batches that hold them. */
  const waits = (state: State, after: ServerState): boolean =>
    without.lock !== true &&
    after.rows.some(([node, epoch]) =>
      state.server.rows.some(
        ([other, before]) =>
          other === node &&
          before !== epoch &&
          flying(state).some((it) => it.stage === "held" && NODES[it.at] === node && it.epoch === before),
      ),
    )

  const newestOf = (state: State, shard: number): number => state.server.shards?.[shard]?.[3] ?? 0

  /** The database goes on with what was said. Undefined: it waits. */
  const carryOut = async (
    state: State,
    said: Said,
    then: (state: State, next: Said | { readonly rows: Rows }) => State,
  ): Promise<Step | undefined> => {
    const name = `${NODES[said.at]}'s ${said.what}${said.what === "batch" ? ` (${said.stage})` : ""} is carried out`
    if (said.what === "batch" && said.stage === "held") {
      const newest = newestOf(state, said.shard)
      const isAgain = state.committed.includes(said.id)
      saw("a batch was committed")
      const after = isAgain ? state : { ...state, committed: [...state.committed, said.id].sort((a, b) => a - b) }
      const step = { name, state: then(after, { rows: [{ node_id: NODES[said.at] }] }) }
      // Sent again and committed before, it changes nothing: keys and versions make that harmless.
      return isAgain || newest <= said.term
        ? step
        : { ...step, violation: `a batch of grant ${said.term} was committed after grant ${newest} of its shard` }
    }
    // The same rows under way twice: the second waits for the first.
    const isSecond = (it: Said): boolean => it !== said && it.id === said.id && it.stage === "held"
    if (said.what === "batch" && said.stage === "begun" && flying(state).some(isSecond)) return undefined
    const { state: after, rows } = await server.ask(state.server, 0, askOf(said))
    if (waits(state, after)) return undefined
    const carried = { ...state, server: after }
    if (
      said.what === "take" &&
      rows.length > 0 &&
      after.rows.some(([node, it], i) => state.server.rows[i]?.[0] === node && state.server.rows[i]?.[1] !== it)
    )
      saw("a shard was taken from a node whose lease had run out")
    if (said.what === "take" && rows.length === 0) saw("a take was refused")
    if (said.what === "release" && rows.length > 0) saw("a shard was released")
    if (said.what !== "batch") return { name, state: then(carried, { rows }) }
    if (rows.length === 0) {
      saw("a batch was refused")
      return { name, state: then(carried, { rows }) }
    }
    return { name, state: then(carried, { ...said, stage: said.stage === "sent" ? "begun" : "held" }) }
  }

  const hear = (state: State, at: 0 | 1, by: "owner" | "writer"): Step | undefined => {
    const node = state.nodes[at]
    const way = node[by]
    if (way === null || "said" in way) return undefined
    const { heard, rows } = way
    const name = `${NODES[at]} hears of its ${heard.what}`
    const free: Node = { ...node, [by]: null }
    switch (heard.what) {
      case "join":
        saw("a node joined")
        return {
          name,
          state: put(state, at, {
            ...free,
            isUp: true,
            lease: granted(Number(rows[0]?.["epoch"]), heard.askedAt, TERMS),
          }),
        }
      case "renew": {
        const lease = renewed(node.lease!, heard.askedAt, rows.length > 0, TERMS)
        return { name, state: lease._tag === "Lost" ? gone(state, at) : put(state, at, { ...free, lease }) }
      }
      case "take":
        return {
          name,
          state: put(
            state,
            at,
            rows.length === 0 ? free : { ...free, terms: withTerm(node.terms, heard.shard, Number(rows[0]?.["term"])) },
          ),
        }
      case "release":
        return { name, state: put(state, at, free) }
      case "batch":
        return { name, state: rows.length === 0 ? gone(state, at) : put(state, at, free) }
    }
  }

  const stepsOf = async (state: State): Promise<ReadonlyArray<Step>> => {
    const steps: Array<Step> = []
    const now = state.server.now * SECOND
    if (state.server.now < seconds)
      steps.push({
        name: "a second passes",
        state: { ...state, server: { ...state.server, now: state.server.now + 1 } },
      })
    for (const [index, said] of state.adrift.entries()) {
      const others = state.adrift.filter((_it, other) => other !== index)
      const step = await carryOut(state, said, (after, next) =>
        adrift({ ...after, adrift: others }, "rows" in next ? [] : [next]),
      )
      if (step !== undefined) steps.push({ ...step, name: `${step.name}, though nobody listens` })
    }
    for (const at of [0, 1] as const) {
      const node = state.nodes[at]
      const name = NODES[at]
      for (const by of ["owner", "writer"] as const) {
        const way = node[by]
        if (way === null) continue
        if ("heard" in way) {
          const heard = hear(state, at, by)
          if (heard !== undefined) steps.push(heard)
          continue
        }
        const { said } = way
        const step = await carryOut(state, said, (after, next) =>
          put(after, at, {
            ...after.nodes[at],
            [by]: "rows" in next ? { heard: said, rows: next.rows } : { said: next },
          }),
        )
        if (step !== undefined) steps.push(step)
        if (state.left.cuts > 0 && said.what !== "join") {
          // A batch is sent again, as it was; of all else the node asks anew.
          const again: Way = said.what === "batch" ? { said: { ...said, stage: "sent" } } : null
          steps.push({
            name: `${name}'s session is lost, with its ${said.what}`,
            state: adrift(put(spend(state, "cuts"), at, { ...node, [by]: again }), [said]),
          })
        }
      }
      const { lease } = node
      const base = { at, epoch: lease?.epoch ?? 0, askedAt: now, shard: 0, term: 0, id: 0, stage: "sent" } as const
      if (!node.isUp) {
        // Nodes and shards are alike: the first that anything happens to has the first name.
        if (node.owner === null && state.left.starts > 0 && (at === 0 || state.left.starts < bounds.starts))
          steps.push({
            name: `${name} joins`,
            state: put(spend(state, "starts"), at, { ...DOWN, owner: { said: { ...base, what: "join" } } }),
          })
        continue
      }
      if (lease?._tag !== "Held") continue
      if (state.left.kills > 0) steps.push({ name: `${name} is killed`, state: gone(spend(state, "kills"), at) })
      const ask = (what: keyof State["left"], said: Said, more: Partial<Node> = {}): State =>
        put(spend(state, what), at, { ...node, ...more, owner: { said } })
      if (node.owner === null && state.left.renewals > 0)
        steps.push({ name: `${name} renews`, state: ask("renewals", { ...base, what: "renew" }) })
      for (const shard of SHARDS) {
        const term = node.terms[shard]
        const isWriting =
          node.writer !== null && ("said" in node.writer ? node.writer.said : node.writer.heard).shard === shard
        const isFirst = state.left.takes === bounds.takes
        if (node.owner === null && term === 0 && state.left.takes > 0 && (shard === 0 || !isFirst))
          steps.push({
            name: `${name} takes shard ${shard}`,
            state: ask("takes", { ...base, what: "take", shard, id: bounds.takes - state.left.takes + 1 }),
          })
        if (term === 0) continue
        if (node.owner === null && state.left.releases > 0 && (!isWriting || without.drain === true))
          steps.push({
            name: `${name} releases shard ${shard}`,
            state: ask(
              "releases",
              { ...base, what: "release", shard, term },
              { terms: withTerm(node.terms, shard, 0) },
            ),
          })
        if (node.writer === null && state.left.writes > 0)
          steps.push({
            name: `${name} writes in shard ${shard}`,
            state: put({ ...spend(state, "writes"), batches: state.batches + 1 }, at, {
              ...node,
              writer: { said: { ...base, what: "batch", shard, term, id: state.batches + 1 } },
            }),
          })
        if (mayAct(lease, now) || without.lease === true) {
          saw("an order was signed")
          const newest = newestOf(state, shard)
          if (newest > term)
            steps.push({
              name: `${name} signs an order in shard ${shard}`,
              state,
              violation: `an order of grant ${term} was signed after grant ${newest} of its shard`,
            })
        } else saw("an order was kept back")
      }
    }
    return steps
  }

  // Digests, and ways without their states: there are millions of both.
  const digest = (state: State): string => createHash("md5").update(JSON.stringify(state)).digest("base64")
  const known = new Set<string>([digest(first)])
  const violations: Array<ShardsExplored["violations"][number]> = []
  interface Trail {
    readonly name: string
    readonly from: Trail | null
  }
  const namesOf = (way: Trail | null): ReadonlyArray<string> => (way === null ? [] : [...namesOf(way.from), way.name])
  let level: ReadonlyArray<{ readonly state: State; readonly way: Trail | null }> = [{ state: first, way: null }]
  let steps = 0
  let depth = 0
  while (level.length > 0 && violations.length === 0) {
    const following: Array<(typeof level)[number]> = []
    for (const { state: from, way } of level) {
      for (const { name, state, violation } of await stepsOf(from)) {
        steps++
        if (violation !== undefined) violations.push({ what: violation, way: [...namesOf(way), name] })
        const key = digest(state)
        if (known.has(key)) continue
        known.add(key)
        following.push({ state, way: { name, from: way } })
      }
    }
    level = following
    depth++
  }
  return { states: known.size, steps, depth, isWhole: violations.length === 0, violations, seen }
}
