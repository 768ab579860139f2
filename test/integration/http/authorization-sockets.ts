/**
 * The doors of the socket (scoreboard S3): channels of somebody else under every spelling, commands before connect, tokens that are not
 * good, and what becomes of a socket whose user is sent away.
 */
import { randomUUID, sign } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { SessionRecord } from "../../../src/domain/user/user.ts"
import { type Format, type RawSocket, type Reply, rawSocket } from "../../kit/readers/raw-socket.ts"
import { PASSWORD, until } from "../../kit/servers/gateway.ts"
import { closeClients, connectClient, listen } from "../gateway/markets/socket.ts"
import type { People, Person } from "./authorization-people.ts"
import { badTokens } from "./authorization-tokens.ts"

export type Judge = (wrong: Array<string>, cell: string, fault: string | undefined, heard: unknown) => void

const DENIED = 103
const UNKNOWN = 102
const MALFORMED = 107

/** Names that come near an account's channel, and the error that each of them is for everybody. */
const spellings = (id: string): ReadonlyArray<readonly [name: string, code: number]> => [
  [`tradingAccount:${id.toUpperCase()}`, UNKNOWN],
  [`TRADINGACCOUNT:${id}`, UNKNOWN],
  [`tradingaccount:${id}`, UNKNOWN],
  [`tradingAccount:${id} `, UNKNOWN],
  [` tradingAccount:${id}`, UNKNOWN],
  [`tradingAccount: ${id}`, UNKNOWN],
  [`tradingAccount:${id}:`, UNKNOWN],
  [`tradingAccount:${id}/`, UNKNOWN],
  [`tradingAccount:${id}\n`, MALFORMED],
  [`tradingAccount:${id}\u0000`, MALFORMED],
  [`tradingAccount:${id}\u200b`, MALFORMED],
  [`tradingAccount:\u202e${id}`, MALFORMED],
  [`tradingAccount:${id.replace("-", "\u2010")}`, MALFORMED],
  [`tr\u0430dingAccount:${id}`, UNKNOWN],
  [`\uff54radingAccount:${id}`, UNKNOWN],
  [`tradingAccount\uff1a${id}`, UNKNOWN],
  [`tradingAccount:${id}:everything`, UNKNOWN],
  [`tradingAccount:${id},${id}`, UNKNOWN],
  [`tradingAccount:{${id}}`, UNKNOWN],
  [`tradingAccount:urn:uuid:${id}`, UNKNOWN],
  [`tradingAccount:${id.replaceAll("-", "")}`, UNKNOWN],
  [`tradingAccount::${id}`, UNKNOWN],
  [`tradingAccount:../${id}`, UNKNOWN],
  [`tradingAccount:%2e${id}`, UNKNOWN],
  [`tradingAccount:${id}?`, UNKNOWN],
  [`$tradingAccount:${id}`, UNKNOWN],
  [`#${id}`, UNKNOWN],
  [`user:#${id}`, UNKNOWN],
  ["tradingAccount:*", UNKNOWN],
  ["tradingAccount:", UNKNOWN],
  ["tradingAccount", UNKNOWN],
  ["*", UNKNOWN],
  ["**", UNKNOWN],
  [">", UNKNOWN],
]

/** Its topics inside the gateway have names, too. */
const inner = (id: string): ReadonlyArray<readonly [name: string, code: number]> =>
  ["json", "protobuf", "j", "p", "0"].map((kind) => [`tradingAccount:${id}\u0001${kind}`, MALFORMED] as const)

export const describeSockets = (people: () => People, judge: Judge): void => {
  const connected = async (token: string, format: Format = "json"): Promise<RawSocket> => {
    const socket = await rawSocket(people().ready.ws, { format })
    socket.send({ id: 1, connect: { token } })
    await socket.next()
    return socket
  }

  let lastId = 1
  const ask = async (socket: RawSocket, command: object): Promise<Reply> => {
    const id = ++lastId
    socket.send({ id, ...command })
    for (;;) {
      const reply = await socket.next()
      if (reply["id"] === id) return reply
    }
  }
  const codeOf = (reply: Reply): number | undefined => (reply["error"] as { readonly code: number } | undefined)?.code

  /** What a client may say about a channel, and what its owner hears where that is another thing than a success. */
  const COMMANDS: ReadonlyArray<readonly [name: string, ask: (channel: string) => object, owner: number | undefined]> =
    [
      ["subscribe", (channel) => ({ subscribe: { channel } }), undefined],
      ["recover", (channel) => ({ subscribe: { channel, recover: true, epoch: "x", offset: 1 } }), undefined],
      ["history", (channel) => ({ history: { channel, limit: 10 } }), undefined],
      ["presence", (channel) => ({ presence: { channel } }), 108],
      ["presence_stats", (channel) => ({ presence_stats: { channel } }), 108],
      ["publish", (channel) => ({ publish: { channel, data: {} } }), DENIED],
      ["sub_refresh", (channel) => ({ sub_refresh: { channel, token: "x" } }), DENIED],
    ]

  describe("a socket", () => {
    it("is shown no account but its user's, under no spelling, by no command", async () => {
      const wrong: Array<string> = []
      const { ada, reader, without, writer, strangerWriter, strangerAdmin, admin } = people()
      const id = ada.things.account
      const theirs = [writer, reader, without, strangerWriter, strangerAdmin]
      const outsiders: ReadonlyArray<readonly [Person, Format]> = theirs.flatMap((who) => [
        [who, "json"] as const,
        [who, "protobuf"] as const,
      ])
      for (const [who, format] of outsiders) {
        const socket = await connected(who.session.accessToken, format)
        for (const [name, command] of COMMANDS) {
          const reply = await ask(socket, command(`tradingAccount:${id}`))
          judge(
            wrong,
            `${name} of an account × ${who.name} ${format}`,
            codeOf(reply) === DENIED ? undefined : "103",
            reply,
          )
          // An id of nobody answers alike.
          const none = await ask(socket, command(`tradingAccount:${randomUUID()}`))
          const isSame = JSON.stringify(none["error"]) === JSON.stringify(reply["error"])
          judge(wrong, `${name} of no account × ${who.name} ${format}`, isSame ? undefined : "as for an account", none)
        }
        for (const kind of ["orders", "positions"]) {
          const map = { channel: `tradingAccount:${id}:${kind}`, type: 1, phase: 2, limit: 10 }
          const reply = await ask(socket, { subscribe: map })
          judge(wrong, `${kind} × ${who.name} ${format}`, codeOf(reply) === DENIED ? undefined : "103", reply)
        }
        socket.close()
      }
      // The owner and an admin are let in, or the others' 103 would prove nothing; strange spellings are nobody's.
      for (const who of [ada, admin, writer]) {
        const socket = await connected(who.session.accessToken)
        for (const [channel, code] of [...spellings(id), ...inner(id)])
          for (const [name, command] of COMMANDS) {
            const expected = name === "sub_refresh" ? DENIED : code
            const reply = await ask(socket, command(channel))
            judge(
              wrong,
              `${name} of ${JSON.stringify(channel)} × ${who.name}`,
              codeOf(reply) === expected ? undefined : `${expected}`,
              reply,
            )
          }
        if (who !== writer)
          for (const [name, command, owner] of COMMANDS) {
            if (name === "recover") continue
            const reply = await ask(socket, command(`tradingAccount:${id}`))
            const expected = name === "sub_refresh" ? undefined : owner
            judge(
              wrong,
              `${name} of an account × ${who.name}`,
              codeOf(reply) === expected ? undefined : `${expected}`,
              reply,
            )
          }
        socket.close()
      }
      expect(wrong).toEqual([])
    })

    it("that is nobody's yet may only connect, and with nothing but a good token", async () => {
      const wrong: Array<string> = []
      const channel = `tradingAccount:${people().ada.things.account}`
      const early: ReadonlyArray<object> = [
        ...COMMANDS.map(([, command]) => command(channel)),
        { rpc: { method: "market.venue.list", data: {} } },
        { refresh: { token: people().ada.session.accessToken } },
        { unsubscribe: { channel } },
        { ping: {} },
        { connect: {} },
      ]
      for (const command of early) {
        const socket = await rawSocket(people().ready.ws)
        socket.send({ id: 1, ...command })
        const { code } = await socket.closed
        judge(wrong, `first ${JSON.stringify(command)}`, code === 3501 ? undefined : "closed with 3501", code)
      }
      for (const { name, header, status, errno } of badTokens(people())) {
        if (!header.startsWith("Bearer ") || header === "Bearer ") continue
        const socket = await rawSocket(people().ready.ws)
        // What follows a connect that failed is not heard.
        socket.send({ id: 1, connect: { token: header.slice(7) } }, { id: 2, subscribe: { channel } })
        if (errno === -100_004) {
          const reply = await socket.next()
          judge(wrong, `connect, ${name}`, codeOf(reply) === 109 ? undefined : "error 109", reply)
          socket.close()
        } else {
          const { code } = await socket.closed
          const expected = status === 403 ? 3507 : 3500
          judge(wrong, `connect, ${name}`, code === expected ? undefined : `closed with ${expected}`, code)
        }
      }
      expect(wrong).toEqual([])
    })

    it("speaks for one user: a token that is another's, or over, ends it", async () => {
      const { ada, writer, privateKey } = people()
      const [head = "", body = ""] = ada.session.accessToken.split(".")
      const claims = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as object
      const past = Buffer.from(JSON.stringify({ ...claims, exp: Math.floor(Date.now() / 1000) - 60 })).toString(
        "base64url",
      )
      const expired = `${head}.${past}.${sign(null, Buffer.from(`${head}.${past}`), privateKey).toString("base64url")}`
      const ends: ReadonlyArray<readonly [token: string, code: number]> = [
        [writer.session.accessToken, 3500],
        [people().banned, 3500],
        ["nonsense", 3500],
        ["", 3501],
        [expired, 3005],
      ]
      for (const [token, code] of ends) {
        const socket = await connected(ada.session.accessToken)
        socket.send({ id: 2, subscribe: { channel: `tradingAccount:${ada.things.account}` } })
        await socket.next()
        socket.send({ id: 3, refresh: { token } })
        expect([token, (await socket.closed).code]).toEqual([token, code])
      }
    })

    it("ends with its session: logged out, revoked elsewhere, banned; and its account's channels with the account", async () => {
      const { nobody, admin, ready } = people()
      const email = "zoe@example.com"
      const first = (await nobody.signup(email)).record
      const { tradingAccountId } = (await nobody.as(first.accessToken).connectMock()).record
      const channel = `tradingAccount:${tradingAccountId}`
      const millis: Array<number> = []
      const open = async (session: SessionRecord) => {
        const client = await connectClient(ready, session.accessToken)
        const feed = await listen(client, channel)
        const codes: Array<number> = []
        client.on("disconnected", ({ code }) => codes.push(code))
        return { client, feed, codes }
      }
      const ends = async (what: string, act: () => Promise<unknown>, isOver: () => boolean): Promise<void> => {
        const began = performance.now()
        await act()
        await until(what, isOver)
        millis.push(performance.now() - began)
      }
      const login = async () => (await nobody.login(email, PASSWORD)).record

      const one = await login()
      const gone = await open(one)
      await ends(
        "the socket that logged out to close",
        () => nobody.as(one.accessToken).post("/auth/logout"),
        () => gone.codes[0] === 3500,
      )
      const two = await login()
      const far = await open(two)
      const near = await login()
      const others = (
        await nobody
          .as(two.accessToken)
          .get<ReadonlyArray<{ sessionId: string; current: boolean }>>("/auth/session/list")
      ).record
      const { sessionId } = others.find(({ current }) => current)!
      await ends(
        "the socket of the revoked session to close",
        () => nobody.as(near.accessToken).post("/auth/session/revoke", { sessionId }),
        () => far.codes[0] === 3500,
      )
      const left = await open(near)
      await ends(
        "the account's channel to end",
        () => nobody.as(near.accessToken).disconnect(tradingAccountId),
        () => left.feed.ended()?.code === 2000,
      )
      const again = new Promise<number>((resolve) =>
        left.feed.subscription.on("unsubscribed", ({ code }) => resolve(code)),
      )
      left.feed.subscription.subscribe()
      expect(await again).toBe(DENIED)
      await ends(
        "the socket of the banned user to close",
        () => admin.api.post("/admin/user/ban", { email }),
        () => left.codes[0] === 3500,
      )
      closeClients()
      // tidy: the figure of scoreboard S3
      console.log(`sockets ended ${millis.map((it) => it.toFixed(0)).join(", ")} ms after the call began`)
    })
  })
}
