/**
 * Acts of two clients on one wallet at the same time, against PostgreSQL: each outcome must be that of some serial order of them. The one thing
 * to know: the expected outcome comes from no model, but from the same acts run one after the other in a world of their own.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import fc from "fast-check"
import type pg from "pg"
import type { Action, Actor, Authority } from "../../../src/domain/user/act.ts"
import type { WalletId } from "../../../src/domain/wallet/wallet.ts"
import type { Movement, Resolution } from "../../../src/ports/ledger-port.ts"
import { connectDedicated } from "../../../src/store/postgres/sql.ts"
import { authorityRow } from "../../../src/store/users/authority.ts"
import { CLEARING, type LedgerRig, openLedgerRig, pending, post, single, TENANT, voided, WORLD } from "./ledger-rig.ts"

/** A wallet with 100 USDT of which 30 are held, another one, their owner, and an admin. */
interface Small {
  readonly owner: Actor
  readonly admin: Actor
  readonly wallet: WalletId
  readonly other: WalletId
  readonly hold: string
}

/** Does it, answers the word of it. `session`: a connection that nobody else uses. */
type Do = (rig: LedgerRig, world: Small, session: pg.Client) => Promise<string>

const asked =
  (action: Action, right: Authority["right"], transfer: (world: Small) => Movement | Resolution): Do =>
  (rig, world) => {
    const actor = right === "ADMIN" ? world.admin : world.owner
    const requestId = randomUUID()
    const object = { type: "WALLET", id: world.wallet, tenantId: TENANT } as const
    const act = { actId: requestId, action, actor, object }
    return rig.word({ requestId, transfers: [transfer(world)], authority: { right, actor }, act })
  }

const byGateway =
  (transfer: (world: Small) => Movement | Resolution): Do =>
  (rig, world) =>
    rig.word({ transfers: [transfer(world)] })

const status =
  (wanted: string, right: Authority["right"]): Do =>
  async (_, world, session) => {
    const authority = JSON.stringify(authorityRow({ right, actor: right === "ADMIN" ? world.admin : world.owner }))
    const said = await session.query("SELECT wallet_set_status($1, $2, 1, $3) AS word", [
      world.wallet,
      wanted,
      authority,
    ])
    return said.rows[0].word ?? "done"
  }

const changed =
  (text: string, of: (world: Small) => string | null): Do =>
  async (_, world, session) => {
    await session.query(text, [of(world)])
    return "done"
  }

export const ACTS = {
  transfer: asked("wallet.transfer", "OWNER", ({ wallet, other }) => single(wallet, other, "60")),
  transferAll: asked("wallet.transfer", "OWNER", ({ wallet, other }) => single(wallet, other, "100")),
  transferBack: asked("wallet.transfer", "OWNER", ({ wallet, other }) => single(other, wallet, "40")),
  deposit: asked("wallet.deposit", "ADMIN", ({ wallet }) => single(WORLD, wallet, "10")),
  withdraw: asked("wallet.withdraw", "ADMIN", ({ wallet }) => single(wallet, WORLD, "60")),
  withdrawAll: asked("wallet.withdraw", "ADMIN", ({ wallet }) => single(wallet, WORLD, "100")),
  hold: asked("wallet.transfer", "OWNER", ({ wallet }) => pending(wallet, CLEARING, "60")),
  postHold: byGateway(({ hold }) => post(hold, "20")),
  voidHold: byGateway(({ hold }) => voided(hold)),
  freeze: status("FROZEN", "ADMIN"),
  unfreeze: status("ACTIVE", "ADMIN"),
  close: status("CLOSED", "OWNER"),
  closeByAdmin: status("CLOSED", "ADMIN"),
  demote: changed("UPDATE app_user SET permissions = '{read,write}' WHERE user_id = $1", ({ admin }) => admin.userId),
  readOnly: changed("UPDATE app_user SET permissions = '{read}' WHERE user_id = $1", ({ owner }) => owner.userId),
  ban: changed("UPDATE app_user SET banned_at = 1 WHERE user_id = $1", ({ owner }) => owner.userId),
  signOut: changed("UPDATE session SET revoked_at = 1 WHERE session_id = $1", ({ owner }) => owner.sessionId),
  read: async (rig, { wallet }) => JSON.stringify(await rig.balance(wallet)),
} satisfies Record<string, Do>
export type ActName = keyof typeof ACTS

/**
 * What is locked until both clients wait or are through, so that one comes exactly between another's look and its move: the first client
 * stands still before the second begins.
 */
export const GATES = {
  none: null,
  balance: "SELECT 1 FROM wallet_balance WHERE wallet_id = $1 FOR NO KEY UPDATE",
  wallet: "SELECT 1 FROM wallet WHERE wallet_id = $1 FOR NO KEY UPDATE",
  // The last lock that a request takes: what it was asked in is behind it, its commit is not.
  audit: "SELECT $1::uuid FROM audit_head WHERE lane = 'ledger' FOR UPDATE",
} as const

export interface Race {
  /** How the wallet is at first, and whether 30 of it are held. */
  readonly frozen: boolean
  readonly held: boolean
  /** Each client does its acts one after the other. Where there is a gate the first of them begins. */
  readonly clients: readonly [ReadonlyArray<ActName>, ReadonlyArray<ActName>]
  readonly gate: keyof typeof GATES
}

const acts = fc.array(fc.constantFrom(...(Object.keys(ACTS) as ReadonlyArray<ActName>)), { minLength: 1, maxLength: 2 })

/** Any race: two clients, each with one act or two. */
export const race: fc.Arbitrary<Race> = fc.record({
  frozen: fc.boolean(),
  held: fc.boolean(),
  clients: fc.tuple(acts, acts),
  gate: fc.constantFrom(...(Object.keys(GATES) as ReadonlyArray<keyof typeof GATES>)),
})

/** Of each client the words of its acts, and what the world is then. */
interface Ending {
  readonly words: readonly [ReadonlyArray<string>, ReadonlyArray<string>]
  readonly state: string
}

export interface Races {
  readonly rig: LedgerRig
  /** Null: some serial order gives what came of it. `looks`: how often is looked whether a client stands still; see LOOKS. */
  readonly run: (race: Race, looks?: number) => Promise<string | null>
  readonly close: () => Promise<void>
}

/** Looks at the sessions that wait, before the second client is taken to stand behind the first one's batch, where no session shows it. */
const LOOKS = 20

const merges = (a: ReadonlyArray<ActName>, b: ReadonlyArray<ActName>): ReadonlyArray<ReadonlyArray<0 | 1>> =>
  a.length === 0
    ? [b.map(() => 1 as const)]
    : b.length === 0
      ? [a.map(() => 0 as const)]
      : [
          ...merges(a.slice(1), b).map((rest) => [0 as const, ...rest]),
          ...merges(a, b.slice(1)).map((rest) => [1 as const, ...rest]),
        ]

export const openRaces = async (url: string): Promise<Races> => {
  const rig = await openLedgerRig(url)
  const sessions = [await connectDedicated(url), await connectDedicated(url)] as const
  const gatekeeper = await connectDedicated(url)

  const small = async ({ frozen, held }: Race): Promise<Small> => {
    const owner = await rig.person("{read,write}")
    const admin = await rig.person("{read,write,admin}")
    const wallet = await rig.wallet("CLIENT", owner.userId)
    const other = await rig.wallet("CLIENT", owner.userId)
    await rig.fund(wallet, "100")
    await rig.fund(other, "50")
    const hold = pending(wallet, CLEARING, "30")
    if (held) await rig.ask({ transfers: [hold] })
    if (frozen) await rig.setStatus(wallet, "FROZEN")
    return { owner, admin, wallet, other, hold: hold.transferId }
  }

  const stateOf = async ({ wallet, other, owner, admin }: Small): Promise<string> => {
    const { rows } = await rig.client.query("SELECT status, frozen FROM wallet WHERE wallet_id = $1", [wallet])
    const rights = await rig.client.query(
      "SELECT permissions, banned_at FROM app_user WHERE user_id IN ($1, $2) ORDER BY user_id = $1",
      [owner.userId, admin.userId],
    )
    return JSON.stringify([rows, rights.rows, await rig.balance(wallet), await rig.balance(other)])
  }

  const known = new Map<string, Promise<ReadonlyArray<Ending>>>()
  const serial = (race: Race): Promise<ReadonlyArray<Ending>> => {
    const key = JSON.stringify([race.frozen, race.held, race.clients])
    const found = known.get(key)
    if (found !== undefined) return found
    const made = (async () => {
      const endings: Array<Ending> = []
      for (const order of merges(...race.clients)) {
        const world = await small(race)
        const words: [Array<string>, Array<string>] = [[], []]
        for (const client of order) {
          const name = race.clients[client][words[client].length]!
          words[client].push(await ACTS[name](rig, world, sessions[client]))
        }
        endings.push({ words, state: await stateOf(world) })
      }
      return endings
    })()
    known.set(key, made)
    return made
  }

  const waiting = async (): Promise<number> =>
    (
      await rig.client.query(`SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`)
    ).rows[0].n

  /** Until one session more waits for a lock than before, or the client is through. */
  const untilStill = async (looks: number, before: number, isOver: () => boolean): Promise<void> => {
    for (let look = 0; look < looks && !isOver(); look++) {
      if ((await waiting()) > before) return
      await sleep(1)
    }
  }

  const run = async (race: Race, looks = LOOKS): Promise<string | null> => {
    const allowed = await serial(race)
    const world = await small(race)
    const gate = GATES[race.gate]
    const isThrough = [false, false]
    const client = async (which: 0 | 1): Promise<ReadonlyArray<string>> => {
      const words: Array<string> = []
      for (const name of race.clients[which]) words.push(await ACTS[name](rig, world, sessions[which]))
      isThrough[which] = true
      return words
    }
    if (gate !== null) {
      await gatekeeper.query("BEGIN")
      await gatekeeper.query(gate, [world.wallet])
    }
    const one = client(0)
    if (gate !== null) await untilStill(looks, 0, () => isThrough[0]!)
    const before = await waiting()
    const other = client(1)
    if (gate !== null) {
      await untilStill(looks, before, () => isThrough[1]!)
      await gatekeeper.query("COMMIT")
    }
    const ending: Ending = { words: await Promise.all([one, other]), state: await stateOf(world) }
    // A user who was being changed for longer than a second: that request did nothing, and the client is told to ask again.
    if (ending.words.flat().includes("Busy")) return null
    const text = JSON.stringify(ending)
    if (allowed.some((each) => JSON.stringify(each) === text)) return null
    return `${JSON.stringify(race)} gave ${text}; serial orders give ${allowed.map((each) => JSON.stringify(each)).join(" or ")}`
  }

  return {
    rig,
    run,
    close: async () => {
      await Promise.all([...sessions, gatekeeper].map((session) => session.end()))
      await rig.close()
    },
  }
}
