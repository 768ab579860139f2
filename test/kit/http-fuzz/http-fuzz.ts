/**
 * Very many requests for every declared endpoint of a running gateway, over keep-alive connections: each answer is judged, then what is
 * left behind. The one thing to know: a seed gives the same requests only as long as the answers come in the same order.
 */
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import type { Gateway } from "../servers/gateway.ts"
import { type DeclaredRoute, declaredRoutes } from "./declared-routes.ts"
import { judge, STARVED } from "./fuzz-judge.ts"
import { type FuzzRequest, FuzzRequests } from "./fuzz-requests.ts"
import { FuzzWorld } from "./fuzz-world.ts"
import { HttpLine } from "./http-line.ts"

export interface HttpFuzzOptions {
  readonly requests: number
  readonly seed: number
  readonly progress?: (line: string) => void
}

export interface HttpFuzzFacts {
  readonly requests: number
  readonly connections: number
  readonly perSecond: number
  /** HTTP status → answers. */
  readonly statuses: Readonly<Record<string, number>>
  /** Route → answers with success. */
  readonly successes: Readonly<Record<string, number>>
  /** Route and failure → answers. */
  readonly failures: Readonly<Record<string, number>>
  /** Route → requests. */
  readonly routes: Readonly<Record<string, number>>
  /** Declared 5xx, by route and failure: a venue that is away. */
  readonly away: Readonly<Record<string, number>>
  /** Of these, answers of a gateway that got nothing stored in time. */
  readonly starved: number
  readonly faultCount: number
  /** The first of each kind, with what was sent. */
  readonly faults: ReadonlyArray<string>
  /** New sessions that were needed. */
  readonly renewals: number
  /** How the gateway ended; null: it lives. */
  readonly ended: string | null
  readonly world: FuzzWorld
}

const LINES = 24

/** Endpoints that no request of this world can have a success of. */
export const OUT_OF_REACH: ReadonlySet<string> = new Set([
  // Codes that only an authenticator knows, and one-time tokens that only a mailbox receives.
  "secondFactor.confirm",
  "secondFactor.renewCodes",
  "secondFactor.remove",
  "auth.verify",
  "console.verify",
  // There is no venue to prove a credential at.
  "credential.create",
  "credential.revoke",
  // No network is on a list: `adminNetwork.allow` is asked of nothing here, because it shuts users out.
  "adminNetwork.forget",
  // No venue of this world leaves a hedge in doubt.
  "dealer.hedgeResolve",
])

/** Endpoints that refused every request although one could succeed; a fuzz that is only refused proves little. */
export const neverDone = ({ routes, successes }: Pick<HttpFuzzFacts, "routes" | "successes">): ReadonlyArray<string> =>
  Object.keys(routes).filter((name) => successes[name] === undefined && !OUT_OF_REACH.has(name))

/** So often what chance has left without a success is asked in a new world: the only dealer may be archived by the tenth request. */
const ROUNDS_MAX = 3
/** Requests of such a round, as a share of all. */
const ROUND = 0.1
const FAULTS_SHOWN = 12

/** What is sent, without the token. */
const shown = ({ bytes, user }: FuzzRequest): string =>
  bytes
    .toString("latin1")
    .replace(/Authorization: Bearer ey\S+/, `Authorization: ${user?.name ?? "nobody"}`)
    .replaceAll("\r\n", " | ")
    .slice(0, 700)

/** Faults of one kind have the same words up to here. */
const KIND_CHARS = 60

class Counts {
  readonly of: Record<string, number> = {}
  add(name: string): void {
    this.of[name] = (this.of[name] ?? 0) + 1
  }
}

export const httpFuzz = async (gateway: Gateway, options: HttpFuzzOptions): Promise<HttpFuzzFacts> => {
  const { requests, seed, progress } = options
  const random = seededRandom(seed)
  const routes: ReadonlyArray<DeclaredRoute> = declaredRoutes()
  const world = await FuzzWorld.open(gateway, random)
  const source = new FuzzRequests(routes, world, random, seed)
  const port = Number(new URL(gateway.http).port)
  const [statuses, successes, failures, asked, away] = Array.from({ length: 5 }, () => new Counts()) as [
    Counts,
    Counts,
    Counts,
    Counts,
    Counts,
  ]
  const faults = new Map<string, string>()
  let ended: string | null = null
  void gateway.exited.then(({ code, signal }) => {
    ended = `${signal ?? code}`
  })
  let faultCount = 0
  let starved = 0
  let done = 0
  let told = 0
  const startedAt = performance.now()

  const fault = (words: string, request: FuzzRequest): void => {
    faultCount += 1
    const kind = `${request.route.name}: ${words}`.slice(0, KIND_CHARS)
    if (faults.size < FAULTS_SHOWN && !faults.has(kind))
      faults.set(kind, `${request.route.name}: ${words}\n  of ${shown(request)}`)
  }

  const left = (): ReadonlyArray<string> => neverDone({ routes: asked.of, successes: successes.of })

  /** `isRest`: of what is left alone, until nothing is. */
  const work = async (line: HttpLine, upTo: number, isRest: boolean): Promise<void> => {
    while (done < upTo && ended === null) {
      const names = isRest ? left() : []
      if (isRest && names.length === 0) return
      done += 1
      const request = source.next(names)
      const { route, user } = request
      const answer = await line.ask(request.bytes, request.isHead)
      const judgement = judge(request, answer)
      asked.add(route.name)
      if (judgement.fault !== undefined) fault(judgement.fault, request)
      if ("ended" in answer) continue
      statuses.add(String(answer.status))
      if (judgement.tag !== undefined) failures.add(`${route.name} ${judgement.tag}`)
      if (judgement.tag !== undefined && STARVED.has(judgement.tag)) starved += 1
      else if (judgement.tag !== undefined && answer.status >= 500) away.add(`${route.name} ${judgement.tag}`)
      if (answer.status === 401 && user !== undefined) await world.renew(user)
      if (judgement.envelope !== undefined) {
        successes.add(route.name)
        world.learn(judgement.envelope, user)
      }
      if (progress !== undefined && done - told >= requests / 20) {
        told = done
        progress(`${done} of ${requests} requests, ${faultCount} faults`)
      }
    }
  }

  const lines = Array.from({ length: LINES }, () => new HttpLine(port))
  try {
    const draw = (upTo: number, isRest: boolean) => Promise.all(lines.map((line) => work(line, upTo, isRest)))
    await draw(requests, false)
    for (let round = 0; round < ROUNDS_MAX && left().length > 0 && ended === null; round++) {
      await world.refurnish()
      await draw(done + requests * ROUND, true)
    }
  } finally {
    for (const line of lines) line.end()
  }
  return {
    requests: done,
    connections: lines.reduce((sum, { connections }) => sum + connections, 0),
    perSecond: Math.round((done * 1000) / (performance.now() - startedAt)),
    statuses: statuses.of,
    successes: successes.of,
    failures: failures.of,
    routes: asked.of,
    away: away.of,
    starved,
    faultCount,
    faults: [...faults.values()],
    renewals: world.renewals,
    ended,
    world,
  }
}
