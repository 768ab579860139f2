/**
 * The thread that keeps a node's place in a cluster: it joins, renews the lease while the main loop beats, waits for the ownership of the database
 * where the node may have it, and releases it. The one thing to know: nothing of the main loop's is waited for, so a loop that stands still for
 * 2 s loses nothing, and one that stands still for longer is given up here, by no more renewals.
 */
import { parentPort, workerData } from "node:worker_threads"
import pg from "pg"
import { ownershipIn } from "../../ports/ownership.ts"
import type { KeeperData, KeeperOrder, KeeperWord } from "./keeper.ts"
import {
  type Ask,
  beginning,
  END_OWN,
  enterSession,
  granted,
  grantingNode,
  holding,
  joining,
  LEAVE,
  type Lease,
  mayAct,
  OWNER,
  RENEW,
  type Rows,
  renewed,
} from "./lease.ts"

const { config, nodeId, terms, mayOwn, lock, beat, owned, stallMillis } = workerData as KeeperData

/** Nine of them fit into a lease, and one that is not answered is asked again elsewhere in time. */
const RENEW_MILLIS = 200
const ANSWER_MILLIS = 700
/** Of the first session, as of all else that a start asks: nothing depends on it yet, and a start that is given up is begun anew. */
const FIRST_MILLIS = 5_000
/** Of the session that waits: what is not answered in time is asked on another one. */
const WAITING_ANSWER_MILLIS = 2_000
/** Between two looks at whether the database is free; the last renewal of its owner ended as long ago as its lease. */
const LOOK_MILLIS = 100
/** So long a node's name is asked for beyond the lease of a process that was killed. */
const NAME_MILLIS = 1_000

const beats = new BigInt64Array(beat)
const relied = ownershipIn(owned)
const monotonic = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000
const loopBeats = (): boolean => monotonic() - Number(Atomics.load(beats, 0) / 1_000n) / 1_000 < stallMillis
const tell = (word: KeeperWord): void => parentPort?.postMessage(word)
const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

let lease: Lease = { _tag: "Lost", epoch: 0 }
/** What was asked under the epoch before says nothing of the new one. */
let isGranting = false
let isOver = false

const learn = (next: Lease): void => {
  // What is answered behind the end of it begins nothing anew.
  if (isOver) return
  lease = next
  relied.until(next._tag === "Held" ? next.until - monotonic() : Number.NEGATIVE_INFINITY)
}

const lost = (reason: string): void => {
  if (isOver) return
  isOver = true
  relied.until(Number.NEGATIVE_INFINITY)
  tell({ _tag: "Lost", reason })
}
const nameIsTaken = (): void => lost(`another process has joined as node ${nodeId}, or has taken the database over`)

const within = async <A>(answer: Promise<A>, millis: number): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${millis} ms`)), millis)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
    answer.catch(() => undefined)
  }
}

const connect = async (millis = ANSWER_MILLIS): Promise<pg.Client> => {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: millis })
  client.on("error", () => undefined)
  await client.connect()
  return client
}
const drop = (client: pg.Client | undefined): void => void client?.end().catch(() => undefined)

/** Of several statements the last one's. */
const ask = async (client: pg.Client, { text, values }: Ask): Promise<Rows> => {
  const answer: unknown = await client.query(text, [...values])
  return ((Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryResult).rows
}

const play = async <A>(client: pg.Client, steps: Generator<Ask | null, A, Rows>): Promise<A> => {
  let step = steps.next()
  while (step.done !== true) step = steps.next(step.value === null ? [] : await soon(client, step.value))
  return step.value
}

const soon = (client: pg.Client, question: Ask): Promise<Rows> =>
  within(ask(client, question), question.millis ?? WAITING_ANSWER_MILLIS)

// Its name in the cluster.

/** False: it is another process's, which renews it. */
const join = async (client: pg.Client): Promise<boolean> => {
  const untilAt = monotonic() + terms.millis + NAME_MILLIS
  for (;;) {
    const askedAt = monotonic()
    const [row] = await ask(client, joining(nodeId, Date.now(), terms))
    if (row !== undefined) {
      learn(granted(Number(row["epoch"]), askedAt, terms))
      return true
    }
    if (monotonic() > untilAt) return false
    await sleep(LOOK_MILLIS)
  }
}

// The lease, on sessions of its own: what is waited for elsewhere keeps no renewal waiting.

/** Has nothing on its way. */
let renewing: pg.Client | undefined
/**
 * With a renewal on its way, the oldest first. What is not answered in time is asked on another one, for the way may be what is broken, and counts all the same when it is
 * answered: a server that is slow for long would never be heard on sessions that are new each time.
 */
const asking = new Set<pg.Client>()
const ASKING_MAX = 2
let owner = ""

const renewOn = async (client: pg.Client): Promise<void> => {
  const { epoch } = lease
  const askedAt = monotonic()
  const ours = await ask(client, { text: RENEW, values: [nodeId, epoch, terms.millis] })
  const isOfNow = lease.epoch === epoch && !(isGranting && ours.length === 0)
  if (isOfNow) learn(renewed(lease, askedAt, ours.length > 0, terms))
  if (lease._tag === "Lost") return nameIsTaken()
  const [row] = await ask(client, { text: OWNER, values: [] })
  const found = row === undefined ? null : { nodeId: String(row["node_id"]), term: Number(row["epoch"]) }
  if (JSON.stringify(found) !== owner) {
    owner = JSON.stringify(found)
    tell({ _tag: "Owner", owner: found })
  }
}

const giveUp = (client: pg.Client): void => {
  asking.delete(client)
  drop(client)
}

const renew = async (): Promise<void> => {
  const client = renewing ?? (await connect())
  renewing = undefined
  asking.add(client)
  try {
    await renewOn(client)
  } catch (error) {
    giveUp(client)
    throw error
  }
  // One that was asked before and is not answered has a way that is broken.
  for (const one of asking) {
    if (one === client) break
    giveUp(one)
  }
  asking.delete(client)
  if (renewing === undefined && !isOver) renewing = client
  else drop(client)
}

const keepRenewing = async (): Promise<void> => {
  let isSilent = false
  while (!isOver) {
    const beganAt = monotonic()
    try {
      if (loopBeats()) await within(renew(), ANSWER_MILLIS)
      isSilent = false
    } catch (error) {
      for (const late of [...asking].slice(0, -ASKING_MAX)) giveUp(late)
      if (!isSilent) tell({ _tag: "Silent", reason: wordsOf(error) })
      isSilent = true
    }
    await sleep(Math.max(0, beganAt + RENEW_MILLIS - monotonic()))
  }
}

// The ownership, where this node may have it.

let holder: pg.Client | undefined

/** True once it is granted. */
const stand = async (client: pg.Client, joined: number): Promise<boolean> => {
  const way = await play(client, holding(lock, 1))
  if (way === "owned") return false
  if (way === "taken over") tell({ _tag: "TookOver" })
  isGranting = true
  const askedAt = monotonic()
  const [row] = await soon(client, grantingNode(nodeId, joined, terms))
  if (row === undefined) {
    nameIsTaken()
    return false
  }
  const epoch = Number(row["epoch"])
  learn(granted(epoch, askedAt, terms))
  isGranting = false
  await play(client, beginning(joined, epoch))
  // It left meanwhile.
  if (isOver) return false
  client.once("end", () => lost("the session that owns the database was lost"))
  tell({ _tag: "Granted", epoch })
  return true
}

const standBy = async (): Promise<void> => {
  const joined = lease.epoch
  while (!isOver) {
    try {
      if (holder === undefined) {
        holder = await connect()
        const [row] = await soon(holder, { text: enterSession(nodeId, joined), values: [] })
        if (row?.["is_owner"] !== true) return nameIsTaken()
        await soon(holder, { text: END_OWN, values: [joined] })
      }
      if (loopBeats() && mayAct(lease, monotonic()) && (await stand(holder, joined))) return
    } catch (error) {
      // The next owner ends the sessions of those that wait as well. One that was granted has lost what it had begun.
      drop(holder)
      holder = undefined
      if (lease.epoch !== joined) return lost(`the ownership could not be taken: ${wordsOf(error)}`)
      isGranting = false
    }
    await sleep(LOOK_MILLIS)
  }
}

const leave = async (): Promise<void> => {
  isOver = true
  const { epoch } = lease
  relied.until(Number.NEGATIVE_INFINITY)
  try {
    const client = renewing ?? [...asking].at(-1) ?? (await connect())
    await within(ask(client, { text: LEAVE, values: [nodeId, epoch] }), ANSWER_MILLIS)
  } catch (error) {
    tell({ _tag: "Silent", reason: wordsOf(error) })
  }
  await Promise.allSettled([holder, renewing, ...asking].map((client) => client?.end()))
  tell({ _tag: "Left" })
  parentPort?.close()
}

parentPort?.on("message", (order: KeeperOrder) => {
  if (order === "leave") void leave()
})

try {
  const first = await connect(FIRST_MILLIS)
  if (!(await join(first)))
    lost(`NODE_ID ${nodeId} is the name of a process that runs on this database: give each process its own`)
  else {
    renewing = first
    tell({ _tag: "Joined", epoch: lease.epoch })
    void keepRenewing()
    if (mayOwn) void standBy()
  }
} catch (error) {
  lost(`the cluster could not be joined: ${wordsOf(error)}`)
}
