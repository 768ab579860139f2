/** Scoreboard B6, B7, B8 and B10: tables of bad values against every field that they concern. */
import { describe, expect, it } from "vitest"
import {
  BAD_DECIMAL_TYPES,
  BAD_DECIMALS,
  GOOD_DECIMALS,
  ODD_TEXTS,
  SQL_TEXTS,
  UNSTORABLE_TEXTS,
} from "../../kit/http-fuzz/bad-values.ts"
import { kindOf } from "../../kit/http-fuzz/declared-routes.ts"
import {
  type Asked,
  allLeaves,
  ask,
  isOnlyDecimal,
  isText,
  request,
  type Shot,
  shotAt,
} from "../../kit/http-fuzz/table-run.ts"
import { api, PASSWORD } from "../../kit/servers/gateway.ts"
import { isAskedHere, withStage, wrong } from "./bad-inputs-stage.ts"

const stage = withStage()
const leaves = allLeaves()

describe("a decimal", () => {
  const decimals = leaves.filter(({ ast, inQuery }) => isOnlyDecimal(ast) && !inQuery)

  it("outside the grammar is refused in every decimal field, by name", async () => {
    expect(decimals.length).toBeGreaterThan(20)
    const shots = decimals.flatMap((leaf) =>
      [...BAD_DECIMALS, ...BAD_DECIMAL_TYPES].map((value) => [leaf, shotAt(leaf, value, stage().token)] as const),
    )
    const answers = await ask(
      stage().port,
      shots.map(([, shot]) => shot),
    )
    const names = shots.map(([{ path }]) => path.join("."))
    const isRight = (answer: Asked): boolean => {
      const name = names[answers.indexOf(answer)]
      return answer.status === 400 && answer.errno === -104003 && String(answer.parameter).startsWith(name ?? "?")
    }
    expect(wrong(answers, isRight)).toEqual([])
  })

  it("of the grammar is not refused for its form", async () => {
    const shots = decimals.flatMap((leaf) => GOOD_DECIMALS.map((value) => shotAt(leaf, value, stage().token)))
    const isRight = ({ status, body }: Asked): boolean => status > 0 && status < 500 && !/must be a decimal/.test(body)
    expect(wrong(await ask(stage().port, shots), isRight)).toEqual([])
  })

  it("comes back as it went in", async () => {
    for (const amount of ["0.000000000000000001", "123456789.123456789012345678", "1000000000000000000000000"]) {
      const wallet = (await stage().admin.post<{ readonly walletId: string }>("/wallet/create", {})).record
      await stage().admin.post("/wallet/deposit", { walletId: wallet.walletId, asset: "ETH", amount })
      const read = await stage().admin.get("/wallet/get", { walletId: wallet.walletId })
      expect(read.record).toMatchObject({ balances: [{ asset: "ETH", available: amount }] })
    }
  })
})

describe("Unicode", () => {
  it("that the database cannot store is refused in every text field", async () => {
    const shots = leaves
      .filter(({ ast, route: it }) => isText(ast) && isAskedHere(it.name))
      .flatMap((leaf) => UNSTORABLE_TEXTS.map((text) => shotAt(leaf, text, stage().token)))
    expect(shots.length).toBeGreaterThan(300)
    expect(wrong(await ask(stage().port, shots), ({ status }) => status === 400)).toEqual([])
  })

  it("of any other kind is stored and returned as it came", async () => {
    const { tradingAccountId } = (await stage().admin.connectMock()).record
    for (const nickname of ODD_TEXTS) {
      const updated = await stage().admin.post("/tradingAccount/update", { tradingAccountId, nickname })
      expect([nickname, updated.record]).toMatchObject([nickname, { nickname }])
      const wallet = await stage().admin.post("/wallet/create", { nickname })
      expect([nickname, wallet.record]).toMatchObject([nickname, { metadata: { nickname } }])
    }
    expect((await stage().admin.accounts()).record[0]?.nickname).toBe(ODD_TEXTS.at(-1))
    expect((await stage().admin.post("/wallet/create", { nickname: "x".repeat(1_048_000) })).status).toBe(413)
  })

  it("in an address does not make two users of one, nor one of two", async () => {
    const twins = ["ren\u00e9@example.com", "rene\u0301@example.com", "REN\u00c9@example.com", "admin@ex\u0430mple.com"]
    const answers = await Promise.all(twins.map((email) => api(stage().gateway).signup(email, PASSWORD)))
    for (const { status } of answers) expect([200, 400]).toContain(status)
    const users = answers.flatMap(({ envelope }) => (envelope.success ? [envelope.data] : []))
    expect(new Set(users.map((it) => it?.user.id)).size).toBe(users.length)
  })
})

/** PostgreSQL's own words. An answer may name what was sent, pg_sleep too. */
const SQL_WORDS = /syntax error|relation \\?"|column \\?"|pg_catalog|SQLSTATE/i

describe("SQL", () => {
  it("in any text field of any endpoint is text", async () => {
    const texts = leaves.filter(({ ast, route: it }) => ["text", "words"].includes(kindOf(ast)) && isAskedHere(it.name))
    // Field after field: many at once of one endpoint that takes its user's lock would wait longer than a request may, and be told 503.
    const shots = SQL_TEXTS.flatMap((text) => texts.map((leaf) => shotAt(leaf, text, stage().token)))
    expect(shots.length).toBeGreaterThan(1_000)
    const isRight = ({ status, errno, body }: Asked): boolean =>
      status === 200 || errno === -130001 || (status > 0 && status < 500 && !SQL_WORDS.test(body))
    expect(wrong(await ask(stage().port, shots), isRight)).toEqual([])
    expect((await stage().admin.user()).status).toBe(200)
  })
})

describe("a query", () => {
  it("with numbers that are none, or out of range, is refused on every list", async () => {
    const numbers = leaves.filter(
      ({ inQuery, path }) => inQuery && ["limit", "offset", "depth"].includes(path[0] ?? ""),
    )
    const values = [
      "abc",
      "1e9",
      "0x10",
      " 5",
      "5 ",
      "-1",
      "1.5",
      "9007199254740993",
      "NaN",
      "",
      "01",
      "%2B5",
      "Infinity",
      "1_000",
    ]
    const shots = numbers.flatMap((leaf) => {
      const outside = leaf.path[0] === "offset" ? [] : ["0", "1000000000", "1001"]
      return [...values, ...outside].map((value) => shotAt(leaf, value, stage().token))
    })
    expect(shots.length).toBeGreaterThan(200)
    expect(wrong(await ask(stage().port, shots), ({ status, errno }) => status === 400 && errno === -104003)).toEqual(
      [],
    )
  })

  it("with a cursor that we did not write is refused on every list", async () => {
    const page = await stage().admin.get("/wallet/list", { limit: 1 })
    const real = page.envelope.pagination?.cursor ?? ""
    expect(real).not.toBe("")
    const forged = [
      `${real}x`,
      real.slice(0, -2),
      real.replace(/^./, "f"),
      "x",
      "a.b",
      ".",
      `${real}.${real}`,
      Buffer.from('{"scope":"wallets"}').toString("base64url"),
    ]
    const lists = leaves.filter(({ inQuery, path }) => inQuery && path[0] === "cursor")
    const shots = lists.flatMap((leaf) => forged.map((cursor) => shotAt(leaf, cursor, stage().token)))
    expect(shots.length).toBeGreaterThan(60)
    const isRight = ({ status, errno }: Asked): boolean => errno === -104008 || (status === 404 && errno < 0)
    expect(wrong(await ask(stage().port, shots), isRight)).toEqual([])
  })

  it("that says the same field twice is refused", async () => {
    const once = leaves.filter(
      ({ inQuery, ast, route: it }) => inQuery && kindOf(ast) !== "list" && isAskedHere(it.name),
    )
    const shots = once.map(
      ({ route: it, path: [name] }): Shot => ({
        route: it,
        what: `${name} twice`,
        bytes: request(it, `${name}=1&${name}=1`, it.body === undefined ? undefined : "{}", { token: stage().token }),
      }),
    )
    expect(wrong(await ask(stage().port, shots), ({ status }) => status === 400)).toEqual([])
  })
})
