/**
 * Who may do what: every operation of the declared API times every kind of caller, over HTTP and over the socket; and every field that
 * names a record times people whose it is not, with the database the same afterwards. A new operation without its row fails here.
 */
import { randomUUID } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RawSocket, rawSocket } from "../../kit/readers/raw-socket.ts"
import { withDatabaseServer } from "../gateway/running/database.ts"
import { describeKeys } from "./authorization-keys.ts"
import { type People, type Person, startPeople } from "./authorization-people.ts"
import { type DeclaredRoute, type Heard, routes } from "./authorization-routes.ts"
import { describeSockets } from "./authorization-sockets.ts"
import {
  type Fields,
  type Naming,
  NOT_LINKED,
  ORDER_NOT_FOUND,
  type Row,
  TABLE,
  type Verdict,
} from "./authorization-table.ts"
import { badTokens } from "./authorization-tokens.ts"

const newDatabase = withDatabaseServer()
let people: People

beforeAll(async () => {
  people = await startPeople(await newDatabase())
})
afterAll(async () => {
  for (const { socket } of sockets.values()) socket.close()
  await people?.close()
  // tidy: the figure of scoreboard S1, S2 and S3
  console.log(`authorization: ${cells} cells, wrong ${wrongCells}`)
})

const searchOf = (fields: Fields): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])).toString()

/** `body` as it is; nothing is done with one that is no object. */
const send = async (route: DeclaredRoute, authorization: string, search: string, body?: unknown): Promise<Heard> => {
  const response = await fetch(`${people.ready.http}${route.path}${search === "" ? "" : `?${search}`}`, {
    method: route.method,
    headers: { "content-type": "application/json", ...(authorization === "" ? {} : { authorization }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, envelope: JSON.parse(text) }
}

const asks = (route: DeclaredRoute, who: Person, fields: Fields): Promise<Heard> => {
  const authorization = `Bearer ${who.session.accessToken}`
  return route.hasBody ? send(route, authorization, "", fields) : send(route, authorization, searchOf(fields))
}

/** A request that no operation does anything with: it only shows how far the caller came. */
const probe = (route: DeclaredRoute, authorization: string): Promise<Heard> =>
  send(route, authorization, route.name === "auth.logout" ? "scope=nobody" : "", route.hasBody ? [] : undefined)

interface Warm {
  readonly socket: RawSocket
  lastId: number
}
/** By their tokens. */
const sockets = new Map<string, Warm>()

const warm = async (token: string): Promise<Warm> => {
  const known = sockets.get(token)
  if (known !== undefined) return known
  const socket = await rawSocket(people.ready.ws)
  socket.send({ id: 1, connect: { token } })
  await socket.next()
  const made = { socket, lastId: 1 }
  sockets.set(token, made)
  return made
}

const calls = (route: DeclaredRoute, who: Person, data: unknown): Promise<Heard> =>
  call(route, who.session.accessToken, data)

/** The same operation as a call on the caller's socket. */
const call = async (route: DeclaredRoute, token: string, data: unknown): Promise<Heard> => {
  const open = await warm(token)
  open.lastId += 1
  const id = open.lastId
  open.socket.send({ id, rpc: { method: route.rpc, data } })
  for (;;) {
    const reply = (await open.socket.next()) as {
      readonly id?: number
      readonly error?: { readonly code: number }
      readonly rpc?: { readonly data: Heard["envelope"] }
    }
    if (reply.id !== id || reply.rpc === undefined) continue
    const status = reply.error === undefined ? 200 : reply.error.code - 600
    return { status, text: JSON.stringify(reply.rpc.data), envelope: reply.rpc.data }
  }
}

/** What the shape of a probe is answered with: the caller was let in. */
const isAdmitted = (route: DeclaredRoute, { status, envelope }: Heard): boolean =>
  route.hasBody
    ? envelope.errno === -104_000
    : // The last two: there are no recovery codes to renew; the record of health in a moment without a database.
      status === 200 ||
      [-104_002, -104_003, -100_015].includes(envelope.errno) ||
      // Whoever asks is heard: and is no page of the gateway's.
      (["console.end", "console.renew"].includes(route.name) && envelope.errno === -102_000) ||
      envelope.details?.metadata["health"] !== undefined

const RANKS = { none: 0, session: 0, read: 1, write: 2, admin: 3 } as const
const permissionsOf = (rank: number): ReadonlyArray<string> => ["read", "write", "admin"].slice(0, rank)

/** What a caller of that rank hears to a probe; undefined: the right thing. */
const faultOfRank = (route: DeclaredRoute, rank: number, heard: Heard): string | undefined => {
  if (rank >= RANKS[route.access]) return isAdmitted(route, heard) ? undefined : "should be let in"
  const errno = route.access === "admin" ? -102_003 : -102_002
  const { details } = heard.envelope
  if (heard.status !== 403 || heard.envelope.errno !== errno) return `should be 403 ${errno}`
  return JSON.stringify([details?.required, details?.provided]) ===
    JSON.stringify([[route.access], permissionsOf(rank)])
    ? undefined
    : "should say what is required and provided"
}

let cells = 0
let wrongCells = 0
const judge = (wrong: Array<string>, cell: string, fault: string | undefined, heard: unknown): void => {
  cells += 1
  if (fault === undefined) return
  wrongCells += 1
  wrong.push(`${cell}: ${fault}, heard ${JSON.stringify(heard).slice(0, 300)}`)
}

describe("every operation", () => {
  it("has its row, and every field of it that names a record", () => {
    expect(Object.keys(TABLE).sort()).toEqual(routes.map(({ name }) => name).sort())
    for (const { name, ids } of routes)
      expect([name, ids.filter((field) => TABLE[name]?.[field] === undefined)]).toEqual([name, []])
  })

  it("refuses every token that is not good, before it looks at anything else", async () => {
    const wrong: Array<string> = []
    for (const { name, header, status, errno } of badTokens(people))
      for (const route of routes) {
        const heard = await probe(route, header)
        const isRight =
          route.access === "none"
            ? isAdmitted(route, heard)
            : heard.status === status && heard.envelope.errno === errno && heard.envelope.data === null
        judge(wrong, `${route.name} × ${name}`, isRight ? undefined : `should be ${errno}`, heard)
      }
    expect(wrong).toEqual([])
  })

  it("asks for the right that it declares, before it looks at the request", async () => {
    const wrong: Array<string> = []
    const { without, reader, writer, admin } = people
    for (const [rank, who] of [without, reader, writer, admin].entries())
      for (const route of routes) {
        const heard = await probe(route, `Bearer ${who.session.accessToken}`)
        judge(wrong, `${route.name} × ${who.name}`, faultOfRank(route, rank, heard), heard)
        if (route.rpc === undefined) continue
        const called = await calls(route, who, route.hasBody ? [] : {})
        judge(wrong, `rpc ${route.rpc} × ${who.name}`, faultOfRank(route, rank, called), called)
      }
    expect(wrong).toEqual([])
  })
})

/**
 * Everything stored, as one text per table, but for the rows that a refused act or submit leaves of its caller, the lease that renews itself, and
 * how far the ledger's audit has come.
 */
const contents = async (): Promise<Readonly<Record<string, string>>> => {
  const client = new pg.Client({ connectionString: people.database.adminUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename NOT IN ('audit_row', 'audit_head', 'refused_submit', 'gateway_node') AND tablename NOT LIKE 'ledger\\_audit%'",
    )
    const found: Record<string, string> = {}
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(
        `SELECT count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))), '') AS text FROM ${name} t`,
      )
      found[name] = rows[0]!.text
    }
    return found
  } finally {
    await client.end()
  }
}

/** Everything but the id of the request, and the id that was asked for. */
const comparable = (text: string, id: string): string =>
  text.replace(/"request_id":"[^"]*"/, '"request_id":""').replaceAll(id, "")

const isNaming = (row: Row): row is Naming => typeof row !== "string"

/** Whatever the owner's answers are made of. */
const showsOwners = (text: string, owner: Person): boolean =>
  Object.entries(owner.things).some(
    ([name, id]) => name !== "tenantId" && name !== "dealer" && id !== "" && text.includes(id),
  )

/** What connect says of an account that the caller does not have, whether there is one or not. */
const NOT_VISIBLE = -120_008

/** The owner's id as somebody of that kind asks for it: undefined when that is answered as it should be. */
const faultOfForeign = async (
  route: DeclaredRoute,
  naming: Naming,
  who: Person,
  verdict: Exclude<Verdict, "free">,
  call: (route: DeclaredRoute, who: Person, fields: Fields) => Promise<Heard>,
): Promise<readonly [fault: string | undefined, heard: Heard]> => {
  const { ada } = people
  const id = naming.of(ada.things)
  const heard = await call(route, who, naming.ask(id, who.things, ada.things))
  const { status, text, envelope } = heard
  const shown = naming.shows?.(ada.things) ?? id
  if (verdict === "seen") return [status === 200 && text.includes(shown) ? undefined : "should show it", heard]
  if (showsOwners(text.replaceAll(id, ""), ada)) return ["shows what is not theirs", heard]
  if (verdict === "apart") return [status === 200 ? undefined : "should be 200 without anything of the owner's", heard]
  if (verdict === "missing") {
    const nobodys = id.includes("-of-")
      ? `order-of-${randomUUID()}`
      : id.includes("@")
        ? `${randomUUID()}@a.com`
        : randomUUID()
    const other = await call(route, who, naming.ask(nobodys, who.things, ada.things))
    const isSame = status === other.status && comparable(text, id) === comparable(other.text, nobodys)
    const isNothing =
      status === 404 || envelope.errno === NOT_VISIBLE || (status === 200 && JSON.stringify(envelope.data) === "[]")
    return [isSame && isNothing ? undefined : `should be as for an id of nobody: ${other.text}`, heard]
  }
  // What is one's own to reach, and not there.
  const wanted = verdict === ORDER_NOT_FOUND || verdict === NOT_LINKED ? 404 : 403
  return [status === wanted && envelope.errno === verdict ? undefined : `should be ${wanted} ${verdict}`, heard]
}

/** Each field, by each kind of caller whose it is not. */
const foreign = (): ReadonlyArray<readonly [DeclaredRoute, string, Naming, Person, Exclude<Verdict, "free">]> => {
  const { writer, admin, strangerWriter, strangerAdmin } = people
  return routes.flatMap((route) =>
    Object.entries(TABLE[route.name] ?? {}).flatMap(([field, row]) => {
      if (!isNaming(row)) return []
      const { user, admin: byAdmin, stranger = "missing", strangerAdmin: byStrangerAdmin = stranger } = row
      const callers = [
        [writer, user],
        [admin, byAdmin],
        [strangerWriter, stranger],
        [strangerAdmin, byStrangerAdmin],
      ] as const
      return callers.flatMap(([who, verdict]) =>
        verdict === "free" ? [] : [[route, field, row, who, verdict] as const],
      )
    }),
  )
}

describe("a record of somebody else", () => {
  it("is out of reach by every field that can name it, and nothing has changed", async () => {
    const before = await contents()
    const wrong: Array<string> = []
    for (const [route, field, naming, who, verdict] of foreign()) {
      const [fault, { text }] = await faultOfForeign(route, naming, who, verdict, asks)
      judge(wrong, `${route.name}.${field} × ${who.name}`, fault, text)
      if (route.rpc === undefined) continue
      const [faultOfCall, called] = await faultOfForeign(route, naming, who, verdict, calls)
      judge(wrong, `rpc ${route.rpc}.${field} × ${who.name}`, faultOfCall, called.text)
    }
    expect(wrong).toEqual([])
    expect(await contents()).toEqual(before)
  })
})

describeKeys(() => people, { probe, call, send, isAdmitted, judge })

// The last: it sends people away.
describeSockets(() => people, judge)
